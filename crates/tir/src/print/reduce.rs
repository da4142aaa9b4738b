//! Reducers, reductions and index maps: functions written as lambdas.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame};
use tvmscript_ir_core::{Array, DataType, PathId, Ref, field};
use tvmscript_prim::{CommReducer, Expr, IntImm, Var};

use super::expr::list;
use super::state::TirDocsifier;
use super::var;
use crate::node::{IndexMap, Reduce};

/// `lambda params: (results)`, with the parameters in a frame of their own. A single result has no parentheses if
/// `bare`.
fn lambda(
    params: &[&Array<Ref<Var>>],
    (results, path): (&Array<Expr>, PathId),
    bare: bool,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    // A lambda contains no statements, so nothing is declared in it.
    let (doc, _) = d.with_frame(Frame::new(None, ()), |d| {
        let mut names: SmallVec<[ExprDoc; 4]> = SmallVec::new();
        for param in params.iter().flat_map(|params| params.iter()) {
            names.push(var::define(param, d)?);
        }
        let results = d.as_python(|d| each(results, path, d))?;
        let body = match &*results {
            [result] if bare => *result,
            results => d.docs.tuple(results),
        };
        Ok(d.docs.lambda(&names, body)?)
    })?;
    Ok(doc)
}

/// The results. A bare literal follows the rules of this dialect even inside another one, because nothing beside it
/// determines its type.
fn each(results: &Array<Expr>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<SmallVec<[ExprDoc; 4]>> {
    let mut docs = SmallVec::new();
    for (i, result) in results.iter().enumerate() {
        let at = d.item(path, i);
        docs.push(match result.as_node::<IntImm>() {
            Some(_) if d.is_under("tir") => d.expr(result, at)?,
            // The options of this dialect do not apply there.
            Some(literal) if literal.dtype == DataType::INT32 => {
                let value = d.docs.int(literal.value);
                d.at(value, at)
            }
            Some(_) => d.with_token("tir", |d| d.typed(|d| d.expr(result, at)))?,
            None => d.expr(result, at)?,
        });
    }
    Ok(docs)
}

/// `T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)])`
pub(crate) fn comm_reducer(
    node: &Ref<CommReducer>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let CommReducer { lhs, rhs, result, identity_element, span: _ } = &**node;
    let at = d.field(path, field!(CommReducer, result));
    let combine = lambda(&[lhs, rhs], (result, at), true, d)?;
    let at = d.field(path, field!(CommReducer, identity_element));
    let identity = list(identity_element, at, d)?;
    Ok(d.call_t("comm_reducer", &[combine, identity]))
}

/// `T.reduce(combiner, source=[..], init=[..], axis=[..], condition=c, value_index=0)`
pub(crate) fn reduce(node: &Ref<Reduce>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Reduce { span: _, dtype: _, combiner, source, init, axis, condition, value_index } = &**node;
    let combiner = d.part(combiner, path, field!(Reduce, combiner))?;
    let (source, init, axis, condition) = d.keyword_value(|d| -> DocsifyResult<_> {
        let at = d.field(path, field!(Reduce, source));
        let source = list(source, at, d)?;
        let at = d.field(path, field!(Reduce, init));
        let init = list(init, at, d)?;
        let at = d.field(path, field!(Reduce, axis));
        let axis = list(axis, at, d)?;
        Ok((source, init, axis, d.part(condition, path, field!(Reduce, condition))?))
    })?;
    let value_index = d.docs.int(*value_index);
    let value_index = d.at_field(value_index, path, field!(Reduce, value_index));
    let callee = d.t("reduce");
    let kwargs = [
        ("source", source),
        ("init", init),
        ("axis", axis),
        ("condition", condition),
        ("value_index", value_index),
    ];
    Ok(d.docs.call(callee, &[combiner], &kwargs))
}

/// `T.index_map(lambda i, j: (j, i))`
pub(crate) fn index_map(node: &Ref<IndexMap>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let map = map_lambda(node, path, d)?;
    let inverse = match node.inverse_index_map.as_ref().and_then(|o| o.downcast_ref::<IndexMap>()) {
        Some(inverse) => {
            let at = d.field(path, field!(IndexMap, inverse_index_map));
            Some(map_lambda(inverse, at, d)?)
        }
        None => None,
    };
    let mut kwargs: SmallVec<[(&str, ExprDoc); 2]> = SmallVec::new();
    kwargs.extend(inverse.map(|inverse| ("inverse_index_map", inverse)));
    // TVM omits the type and assumes `int64`.
    if let Some(first) = node.initial_indices.first()
        && first.dtype != DataType::INT64
    {
        kwargs.push(("index_dtype", d.dtype(first.dtype)));
    }
    Ok(d.call_t_with("index_map", &[map], &kwargs))
}

fn map_lambda(node: &Ref<IndexMap>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let IndexMap { initial_indices, final_indices, inverse_index_map: _ } = &**node;
    let at = d.field(path, field!(IndexMap, final_indices));
    lambda(&[initial_indices], (final_indices, at), false, d)
}
