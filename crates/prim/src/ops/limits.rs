//! Limits of scalar types: maximum and minimum finite values, infinity.

use tvmscript_ir_core::{DataType, TypeCode};

use super::make_const;
use crate::class::Expr;
use crate::error::{PrimError, PrimResult};
use crate::node::leaf::{float_bound, float_is_unsigned};
use crate::node::{FloatImm, IntImm};

fn scalar(op: &'static str, found: DataType) -> PrimResult<()> {
    if found.is_scalar() {
        Ok(())
    } else {
        Err(PrimError::OperandType { op, expected: "a scalar type", found })
    }
}

/// The maximum finite magnitude of a floating type in TVM.
fn float_limit(op: &'static str, dtype: DataType) -> PrimResult<f64> {
    match dtype.code {
        TypeCode::Float if !matches!(dtype.bits, 16 | 32 | 64) => {}
        TypeCode::BFloat => return Ok(f64::from(f32::MAX)),
        _ if dtype.is_any_float() => return Ok(float_bound(dtype)),
        _ => {}
    }
    Err(PrimError::OperandType { op, expected: "a numeric type", found: dtype })
}

/// The maximum finite value of a scalar type.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and vectors.
pub fn max_value(dtype: DataType) -> PrimResult<Expr> {
    scalar("max_value", dtype)?;
    match dtype.code {
        TypeCode::Int if (1..=64).contains(&dtype.bits) => {
            IntImm::try_new(dtype, i64::MAX >> (64 - u32::from(dtype.bits)))
        }
        TypeCode::UInt if (1..=64).contains(&dtype.bits) => {
            make_const(dtype, u64::MAX >> (64 - u32::from(dtype.bits)))
        }
        _ => FloatImm::try_new(dtype, float_limit("max_value", dtype)?),
    }
}

/// The minimum finite value of a scalar type.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and vectors.
pub fn min_value(dtype: DataType) -> PrimResult<Expr> {
    scalar("min_value", dtype)?;
    match dtype.code {
        TypeCode::Int if (1..=64).contains(&dtype.bits) => {
            IntImm::try_new(dtype, i64::MIN >> (64 - u32::from(dtype.bits)))
        }
        TypeCode::UInt => IntImm::try_new(dtype, 0),
        _ => {
            let limit = float_limit("min_value", dtype)?;
            FloatImm::try_new(dtype, if float_is_unsigned(dtype) { 0.0 } else { -limit })
        }
    }
}

/// Positive infinity of `float16`, `float32` or `float64`.
/// # Errors
/// [`PrimError::OperandType`] for any other type.
pub fn infinity(dtype: DataType) -> PrimResult<Expr> {
    scalar("infinity", dtype)?;
    if !dtype.is_float() || !matches!(dtype.bits, 16 | 32 | 64) {
        return Err(PrimError::OperandType { op: "infinity", expected: "an IEEE float", found: dtype });
    }
    FloatImm::try_new(dtype, f64::INFINITY)
}
