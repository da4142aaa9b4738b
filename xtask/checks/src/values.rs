//! Comparison of the values that two runs of a function give: floats up to the rounding that a compiler may choose.

use tvmscript::interpreter::{Scalar, Tensor};
use tvmscript::ir_core::DataType;

/// The result of a comparison.
pub enum Agreement {
    /// The same bytes.
    Same,
    /// The same up to rounding.
    Close,
    /// Other values; which.
    Differs(String),
}

/// Compares two tensors of the same type and shape.
pub fn compare(ours: &Tensor, theirs: &Tensor) -> Agreement {
    if ours.bytes() == theirs.bytes() {
        return Agreement::Same;
    }
    let is_close = |a: Option<Scalar>, b: Option<Scalar>| match (a, b) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => {
            let tolerance = tolerance(ours.dtype());
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
        }
        (a, b) => a == b,
    };
    let differing = (0..ours.len()).find(|index| !is_close(ours.get(*index), theirs.get(*index)));
    match differing {
        None => Agreement::Close,
        Some(index) => {
            let (a, b) = (ours.get(index), theirs.get(index));
            Agreement::Differs(format!("{} at {index}: {a:?} | {b:?}", ours.dtype()))
        }
    }
}

/// Relative tolerance: some hundred times the distance of two floats around 1, for the errors that sums add up.
fn tolerance(dtype: DataType) -> f64 {
    match dtype.bits {
        64 => 1e-13,
        32 => 3e-5,
        _ if dtype.is_bfloat() => 0.1,
        _ => 0.02,
    }
}
