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

use super::prelude::*;

/// Checks that the elements are IEEE floats, if their type is known: unlike most, some operators reject `bfloat16`.
fn check_ieee_float(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> Checked<()> {
    match x.is_unknown_dtype() || x.dtype.is_float() {
        true => Ok(()),
        false => Err(cx.wrong_dtype(index, "a tensor of IEEE floats", x.dtype)),
    }
}
