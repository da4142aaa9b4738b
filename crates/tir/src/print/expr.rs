//! Expressions other than literals, operators, calls and loads.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, Result};
use tvmscript_ir_core::{Array, PathId, Ref};
use tvmscript_prim::{Broadcast, Cast, Expr, Let, Ramp, Select, Shuffle};

use super::state::TirDocsifier;

/// Expressions of an array.
pub(crate) fn exprs(
    items: &Array<Expr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> Result<SmallVec<[ExprDoc; 4]>> {
    items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            let at = d.item(path, i);
            d.expr(item, at)
        })
        .collect()
}

/// Expressions of an array, as a list.
pub(crate) fn list(items: &Array<Expr>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let items = exprs(items, path, d)?;
    let list = d.docs.list(&items);
    Ok(d.at(list, path))
}

/// The end of a range, which stands for its extent: a sum that the node does not hold, unless it is the extent itself.
pub(crate) fn end(stop: &Expr, extent: &Expr, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    if stop.ptr_eq(extent) {
        return d.expr(stop, path);
    }
    let doc = d.untracked(|d| d.expr(stop, path))?;
    Ok(d.at(doc, path))
}

/// `T.Cast("float16", x)`
pub(crate) fn cast(node: &Ref<Cast>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Cast { span: _, dtype, value } = &**node;
    let dtype = d.dtype(*dtype);
    let dtype = d.at_field(dtype, path, "dtype");
    let at = d.field(path, "value");
    let value = d.expr(value, at)?;
    let callee = d.t("Cast");
    Ok(d.docs.call_args(callee, &[dtype, value]))
}

/// `T.Select(c, a, b)`
pub(crate) fn select(node: &Ref<Select>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Select { span: _, dtype: _, condition, true_value, false_value } = &**node;
    let at = d.field(path, "condition");
    let condition = d.expr(condition, at)?;
    let at = d.field(path, "true_value");
    let true_value = d.expr(true_value, at)?;
    let at = d.field(path, "false_value");
    let false_value = d.expr(false_value, at)?;
    let callee = d.t("Select");
    Ok(d.docs.call_args(callee, &[condition, true_value, false_value]))
}

/// `T.Ramp(base, stride, 4)`
pub(crate) fn ramp(node: &Ref<Ramp>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Ramp { span: _, dtype: _, base, stride, lanes } = &**node;
    let at = d.field(path, "base");
    let base = d.expr(base, at)?;
    let at = d.field(path, "stride");
    let stride = d.expr(stride, at)?;
    let at = d.field(path, "lanes");
    let lanes = d.expr(lanes, at)?;
    let callee = d.t("Ramp");
    Ok(d.docs.call_args(callee, &[base, stride, lanes]))
}

/// `T.Broadcast(x, 4)`
pub(crate) fn broadcast(node: &Ref<Broadcast>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Broadcast { span: _, dtype: _, value, lanes } = &**node;
    let at = d.field(path, "value");
    let value = d.expr(value, at)?;
    let at = d.field(path, "lanes");
    let lanes = d.expr(lanes, at)?;
    let callee = d.t("Broadcast");
    Ok(d.docs.call_args(callee, &[value, lanes]))
}

/// `T.Shuffle([a, b], [0, 1])`
pub(crate) fn shuffle(node: &Ref<Shuffle>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Shuffle { span: _, dtype: _, vectors, indices } = &**node;
    let at = d.field(path, "vectors");
    let vectors = list(vectors, at, d)?;
    let at = d.field(path, "indices");
    let indices = list(indices, at, d)?;
    let callee = d.t("Shuffle");
    Ok(d.docs.call_args(callee, &[vectors, indices]))
}

/// `T.Let(body, where={x: value})`; the variable is declared elsewhere.
pub(crate) fn let_expr(node: &Ref<Let>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Let { span: _, dtype: _, var, value, body } = &**node;
    let at = d.field(path, "var");
    let var = d.expr(var, at)?;
    let at = d.field(path, "value");
    let value = d.host(|d| d.expr(value, at))?;
    let bindings = d.docs.dict(&[(var, value)]);
    let at = d.field(path, "body");
    let body = d.expr(body, at)?;
    let callee = d.t("Let");
    Ok(d.docs.call(callee, &[body], &[("where", bindings)]))
}
