//! Operators that convert elements to another type.
//!
//! Upstream counterpart: `src/relax/op/tensor/datatype.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_ir_macros::operators;

use super::elementwise::with_dtype;
use super::{Infer, InferError, Operator};
use crate::node::attrs::{AstypeAttrs, WrapParamAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with elements of another type.
    astype(x: Expr; dtype: DataType) -> infer(converted), attrs = AstypeAttrs;
    /// A parameter of a model, with elements of another type.
    wrap_param(data: Expr; dtype: DataType = DataType::FLOAT32) -> infer(wrapped), attrs = WrapParamAttrs;
}

fn converted(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, cx.attrs::<AstypeAttrs>()?.dtype))
}

fn wrapped(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, cx.attrs::<WrapParamAttrs>()?.dtype))
}
