//! Operators that convert elements to another type.
//!
//! Upstream counterpart: `src/relax/op/tensor/datatype.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_irbuilder::{Result, script_fn};

use super::elementwise::with_dtype;
use super::{Infer, InferError, Operator};
use crate::build::args::ExprArg;
use crate::node::attrs::{AstypeAttrs, WrapParamAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

/// The tensor with elements of another type.
#[script_fn]
pub fn astype(x: ExprArg, dtype: DataType) -> Result<Ref<Call>> {
    let attrs = Ref::new(AstypeAttrs { dtype }).upcast();
    Ok(Call::of_op("relax.astype", [x.0], Some(attrs)))
}

/// A parameter of a model, with elements of another type.
#[script_fn]
pub fn wrap_param(data: ExprArg, #[default = DataType::FLOAT32] dtype: DataType) -> Result<Ref<Call>> {
    let attrs = Ref::new(WrapParamAttrs { dtype }).upcast();
    Ok(Call::of_op("relax.wrap_param", [data.0], Some(attrs)))
}

/// The operators of this family.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.astype", &ASTYPE, converted),
    Operator::new("relax.wrap_param", &WRAP_PARAM, wrapped),
];

fn converted(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, cx.attrs::<AstypeAttrs>()?.dtype))
}

fn wrapped(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, cx.attrs::<WrapParamAttrs>()?.dtype))
}
