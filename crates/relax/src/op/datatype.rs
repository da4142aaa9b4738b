//! Conversions of the element type.
//!
//! Upstream counterpart: `src/relax/op/tensor/datatype.cc`.

use super::elementwise::with_dtype;
use super::prelude::*;
use crate::node::attrs::{AstypeAttrs, WrapParamAttrs};

operators! {
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
