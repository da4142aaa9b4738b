//! The Relax types of functions of other dialects.

use tvmscript_ir::signature::{ParamType, ResultType, Signature};
use tvmscript_ir_core::{Array, DataType, Object, Ref, Span};
use tvmscript_prim::{Expr, ops};

use crate::node::*;

/// The type of a PrimFunc, from its signature.
///
/// # Source
/// `InferStructInfo`, `src/tir/ir/function.cc`.
pub fn prim_func_type(signature: &Signature) -> Object {
    let span = Span::current();
    let param = |param: &ParamType| match param {
        ParamType::Tensor { shape, dtype } => tensor(shape, *dtype),
        ParamType::Scalar(dtype) => scalar(*dtype),
        ParamType::Object => object(),
    };
    let ret = match signature.result {
        ResultType::Void => Ref::new(TupleStructInfo { span, fields: Array::default() }).upcast(),
        ResultType::Scalar(dtype) => scalar(dtype),
        ResultType::Object => object(),
    };
    let params = Some(signature.params.iter().map(param).collect());
    let purity = signature.is_pure;
    Ref::new(FuncStructInfo { span, params, ret, derive_func: None, purity }).into()
}

fn object() -> Ref<StructInfo> {
    Ref::new(ObjectStructInfo { span: Span::current() }).upcast()
}

fn scalar(dtype: DataType) -> Ref<StructInfo> {
    Ref::new(PrimStructInfo { span: Span::current(), value: None, dtype }).upcast()
}

/// A tensor with dimensions cast to `int64`, if possible.
fn tensor(shape: &[Expr], dtype: DataType) -> Ref<StructInfo> {
    let span = Span::current();
    let values: Array<Expr> = shape
        .iter()
        .map(|dim| ops::cast(DataType::INT64, dim.clone()).unwrap_or_else(|_| dim.clone()))
        .collect();
    let ndim = shape.len() as i64;
    let info = Ref::new(ShapeStructInfo { span, values: Some(values.clone()), ndim });
    let shape = Ref::new(ShapeExpr { span, struct_info_: Some(info.into()), values });
    Ref::new(TensorStructInfo { span, shape: Some(shape.upcast()), dtype, vdevice: None, ndim }).upcast()
}
