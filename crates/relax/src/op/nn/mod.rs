//! Operators of neural networks.
//!
//! Upstream counterpart: `src/relax/op/nn/`.

pub mod activation;
pub mod attention;
pub mod conv;
pub mod loss;
pub mod norm;
pub mod pool;
pub mod resample;
pub(super) mod window;

use tvmscript_ir_core::Ref;

use super::{Infer, InferError, InferErrorKind};
use crate::node::{StructInfo, TensorStructInfo};

/// What a rule of inference gives.
type Inferred = Result<Ref<StructInfo>, InferError>;

/// Checks that elements are IEEE floats, where they are known: other than most, some operators do not take `bfloat16`.
fn check_ieee_float(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> Result<(), InferError> {
    if x.is_unknown_dtype() || x.dtype.is_float() {
        return Ok(());
    }
    let expected = "a tensor of IEEE floats".to_owned();
    Err(InferErrorKind::Dtype { op: cx.op(), expected, found: x.dtype }.at(index))
}
