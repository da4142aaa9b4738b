//! The types that struct info refines.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{PathId, Ref, field};
use tvmscript_prim::{FuncType, Range, TupleType};

use super::scalar::plain;
use super::state::RelaxDocsifier;
use crate::node::{ObjectType, PackedFuncType, ShapeType, TensorType};

/// `R.Shape(ndim=2)`
pub(crate) fn shape(node: &Ref<ShapeType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let ShapeType { span: _, ndim } = **node;
    let ndim = d.docs.int(ndim);
    let ndim = d.at_field(ndim, path, field!(ShapeType, ndim));
    let callee = d.r("Shape");
    Ok(d.docs.call(callee, &[], &[("ndim", ndim)]))
}

/// `R.Tensor(ndim=2, dtype="float32")`
pub(crate) fn tensor(node: &Ref<TensorType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TensorType { span: _, ndim, dtype } = **node;
    let ndim = d.docs.int(ndim);
    let ndim = d.at_field(ndim, path, field!(TensorType, ndim));
    let dtype = d.dtype(dtype);
    let dtype = d.at_field(dtype, path, field!(TensorType, dtype));
    let callee = d.r("Tensor");
    Ok(d.docs.call(callee, &[], &[("ndim", ndim), ("dtype", dtype)]))
}

/// `R.Object`
pub(crate) fn object(_: &Ref<ObjectType>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    Ok(d.r("Object"))
}

/// `R.PackedFunc`
pub(crate) fn packed_func(
    _: &Ref<PackedFuncType>,
    _: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    Ok(d.r("PackedFunc"))
}

/// `R.Tuple(a, b)`
pub(crate) fn tuple(node: &Ref<TupleType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TupleType { span: _, fields } = &**node;
    let callee = d.r("Tuple");
    if fields.is_empty() {
        return Ok(callee);
    }
    let at = d.field(path, field!(TupleType, fields));
    let fields = d.values(fields.values(), at)?;
    Ok(d.docs.call_args(callee, &fields))
}

/// `R.Callable((a, b), r)`
pub(crate) fn func(node: &Ref<FuncType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let FuncType { span: _, arg_types, ret_type } = &**node;
    let at = d.field(path, field!(FuncType, arg_types));
    let args = d.values(arg_types.values(), at)?;
    let args = d.docs.tuple(&args);
    let result = d.expr_field(ret_type, path, field!(FuncType, ret_type))?;
    Ok(d.r_call("Callable", &[args, result]))
}

/// `I.Range(0, 16)`: this dialect has no name for ranges.
pub(crate) fn range(node: &Ref<Range>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let callee = d.prefixed("ir", "Range");
    tvmscript_ir::print::range_with(node, callee, path, d, plain)
}
