//! Expressions other than operators, calls and loads.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir::print::call_as_written;
use tvmscript_ir_core::{Array, Class, DataType, PathId, Ref, field};
use tvmscript_prim::{
    Broadcast, Cast, Expr, FloatImm, IntImm, Let, Ramp, Select, Shuffle, StringImm, UnknownCall,
};

use super::binary::with_types;
use super::state::TirDocsifier;

/// The docs of the nodes of an array.
///
/// # Errors
/// Those of the nodes.
pub fn items<T: Class>(
    items: &Array<Ref<T>>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<SmallVec<[ExprDoc; 4]>> {
    let mut docs = SmallVec::new();
    for (i, item) in items.iter().enumerate() {
        let at = d.item(path, i);
        docs.push(d.expr(item, at)?);
    }
    Ok(docs)
}

/// The nodes of an array as a list.
pub(crate) fn list<T: Class>(
    nodes: &Array<Ref<T>>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let docs = items(nodes, path, d)?;
    let list = d.docs.list(&docs);
    Ok(d.at(list, path))
}

/// The end of a range, mapped to the extent. It is a sum that the node does not contain, unless it is the extent
/// itself.
pub(crate) fn end(stop: &Expr, extent: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if stop.ptr_eq(extent) {
        return d.expr(stop, path);
    }
    let doc = d.untracked(|d| d.expr(stop, path))?;
    Ok(d.at(doc, path))
}

/// `T.Cast("float16", x)`
pub(crate) fn cast(node: &Ref<Cast>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Cast { span: _, dtype, value } = &**node;
    let dtype = d.dtype(*dtype);
    let dtype = d.at_field(dtype, path, field!(Cast, dtype));
    let value = with_types([value], d, |d| d.part(value, path, field!(Cast, value)))?;
    Ok(d.call_t("Cast", &[dtype, value]))
}

/// `T.name(a, key=b)`, as it was written.
pub(crate) fn unknown_call(
    node: &Ref<UnknownCall>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let UnknownCall { span: _, dtype: _, name, args, keywords } = &**node;
    let at = d.field(path, field!(UnknownCall, args));
    call_as_written("tir", name.as_str(), args, keywords, at, d)
}

/// `T.Select(c, a, b)`
pub(crate) fn select(node: &Ref<Select>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Select { span: _, dtype: _, condition, true_value, false_value } = &**node;
    let condition = d.part(condition, path, field!(Select, condition))?;
    with_types([true_value, false_value], d, |d| {
        let true_value = d.part(true_value, path, field!(Select, true_value))?;
        let false_value = d.part(false_value, path, field!(Select, false_value))?;
        Ok(d.call_t("Select", &[condition, true_value, false_value]))
    })
}

/// `T.Ramp(base, stride, 4)`
pub(crate) fn ramp(node: &Ref<Ramp>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Ramp { span: _, dtype: _, base, stride, lanes } = &**node;
    let base = d.part(base, path, field!(Ramp, base))?;
    let stride = d.part(stride, path, field!(Ramp, stride))?;
    let lanes = d.part(lanes, path, field!(Ramp, lanes))?;
    Ok(d.call_t("Ramp", &[base, stride, lanes]))
}

/// `T.Broadcast(x, 4)`
pub(crate) fn broadcast(
    node: &Ref<Broadcast>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let Broadcast { span: _, dtype: _, value, lanes } = &**node;
    let value = d.part(value, path, field!(Broadcast, value))?;
    let lanes = d.part(lanes, path, field!(Broadcast, lanes))?;
    Ok(d.call_t("Broadcast", &[value, lanes]))
}

/// `T.Shuffle([a, b], [0, 1])`
pub(crate) fn shuffle(node: &Ref<Shuffle>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Shuffle { span: _, dtype: _, vectors, indices } = &**node;
    let at = d.field(path, field!(Shuffle, vectors));
    let vectors = list(vectors, at, d)?;
    let at = d.field(path, field!(Shuffle, indices));
    let indices = list(indices, at, d)?;
    Ok(d.call_t("Shuffle", &[vectors, indices]))
}

/// `T.Let(body, where={x: value})`; the variable is declared elsewhere.
pub(crate) fn let_expr(node: &Ref<Let>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Let { span: _, dtype: _, var, value, body } = &**node;
    let var = d.part(var, path, field!(Let, var))?;
    let value = d.keyword_value(|d| d.part(value, path, field!(Let, value)))?;
    let bindings = d.docs.dict(&[(var, value)]);
    let body = d.part(body, path, field!(Let, body))?;
    Ok(d.call_t_with("Let", &[body], &[("where", bindings)]))
}

/// `5`, `T.int64(5)`, `T.bool(True)`, or `T.int32(5)` where literals need a type
pub(crate) fn int_imm(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let IntImm { span: _, dtype, value } = **node;
    if dtype == d.tir().options.int_dtype && !d.is_typed() {
        let literal = d.docs.int(value);
        return Ok(d.at_field(literal, path, field!(IntImm, value)));
    }
    let literal = if dtype.is_bool() { d.docs.bool(value != 0) } else { d.docs.int(value) };
    let literal = d.at_field(literal, path, field!(IntImm, value));
    let callee = dtype_of(dtype, path, d);
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `T.float32`, mapped to the type of the node at `path`.
fn dtype_of(dtype: DataType, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    if !d.tracks_paths_at(path) {
        return d.t_dtype(dtype);
    }
    // A doc of its own, because the shared one maps to no node.
    let doc = d.t(&dtype.to_string());
    d.at_field(doc, path, "dtype")
}

/// `T.float32(1.0)`
pub(crate) fn float_imm(node: &Ref<FloatImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let FloatImm { span: _, dtype, value } = **node;
    let literal = d.docs.float(value);
    let literal = d.at_field(literal, path, field!(FloatImm, value));
    // Infinities and NaN print as text, which needs a type to be parsed as a number.
    if dtype == d.tir().options.float_dtype && !d.is_typed() && value.is_finite() {
        return Ok(literal);
    }
    let callee = dtype_of(dtype, path, d);
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `"text"`, or `T.StringImm("text")` where literals need a type; text with several lines goes into the metadata.
pub(crate) fn string_imm(
    node: &Ref<StringImm>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let StringImm { span: _, dtype: _, value } = &**node;
    if value.contains('\n') {
        return Ok(d.metadata(node.object()));
    }
    let literal = d.docs.str(value.as_str());
    let literal = d.at_field(literal, path, field!(StringImm, value));
    if !d.is_typed() {
        return Ok(literal);
    }
    Ok(d.call_t("StringImm", &[literal]))
}
