//! Functions of numbers that fold, match types or check before they make a call.
//!
//! Upstream counterparts: `python/tvm/tir/op.py`, `src/tir/op/op.cc`.

use tvmscript_prim::error::{PrimError, PrimResult};
use tvmscript_prim::{Cast, DataType, Expr, FloatImm, IntImm, PrimExprExt, Select, ops};

use super::math;

/// A call of `tir.exp`; integers are converted to `float32` first, their literals included.
/// # Errors
/// [`PrimError::Lanes`] for a vector of integers, which that conversion does not keep.
pub fn exp(x: Expr) -> PrimResult<Expr> {
    let x = if x.dtype().is_integer() { Cast::try_new(DataType::FLOAT32, x)? } else { x };
    Ok(math::EXP.call(x.dtype(), [x]))
}

/// `x` to the power of `y`; types are matched.
/// # Errors
/// [`PrimError::OperandType`] when the common type is not an IEEE float; [`PrimError::CannotMatch`].
pub fn pow(mut x: Expr, mut y: Expr) -> PrimResult<Expr> {
    ops::match_types(&mut x, &mut y)?;
    let found = x.dtype();
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "pow", expected: "floats", found });
    }
    Ok(math::POW.call(found, [x, y]))
}

/// The logarithm of a sum of exponentials, as TVM builds it from `exp`, `+` and `log`.
/// # Errors
/// [`PrimError::OperandType`] unless both are IEEE floats; [`PrimError::CannotMatch`].
pub fn logaddexp(mut a: Expr, mut b: Expr) -> PrimResult<Expr> {
    for e in [&a, &b] {
        let found = e.dtype();
        if !found.is_float() {
            return Err(PrimError::OperandType { op: "logaddexp", expected: "floats", found });
        }
    }
    ops::match_types(&mut a, &mut b)?;
    Ok(math::log(ops::add(exp(a)?, exp(b)?)?))
}

/// The absolute value: of unsigned integers the operand itself, of signed ones a selection, of floats a call of `tir.fabs`.
/// Literals fold.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and small floats.
pub fn abs(x: Expr) -> PrimResult<Expr> {
    let found = x.dtype();
    if found.is_int() {
        if let Some(lit) = x.as_node::<IntImm>() {
            return IntImm::try_new(found, lit.value.wrapping_abs());
        }
        let condition = ops::ge(x.clone(), ops::make_zero(found)?)?;
        Select::try_new(condition, x.clone(), ops::neg(x)?)
    } else if found.is_float() || found.is_bfloat() {
        match x.as_node::<FloatImm>() {
            Some(lit) => FloatImm::try_new(found, lit.value.abs()),
            None => Ok(math::FABS.call(found, [x])),
        }
    } else if found.is_uint() {
        Ok(x)
    } else {
        Err(PrimError::OperandType { op: "abs", expected: "integers or floats", found })
    }
}

/// Rounds toward negative infinity, as [`ops::round_with`].
/// # Errors
/// As [`ops::round_with`].
pub fn floor(x: Expr) -> PrimResult<Expr> {
    ops::round_with(&math::FLOOR.op, f64::floor, x)
}

/// Rounds toward zero, as [`ops::round_with`].
/// # Errors
/// As [`ops::round_with`].
pub fn trunc(x: Expr) -> PrimResult<Expr> {
    ops::round_with(&math::TRUNC.op, f64::trunc, x)
}

/// Rounds to the nearest integer, ties to even, as [`ops::round_with`].
/// # Errors
/// As [`ops::round_with`].
pub fn round(x: Expr) -> PrimResult<Expr> {
    ops::round_with(&math::ROUND.op, f64::round_ties_even, x)
}

/// Rounds to the nearest integer, ties to even, as [`ops::round_with`].
/// # Errors
/// As [`ops::round_with`].
pub fn nearbyint(x: Expr) -> PrimResult<Expr> {
    ops::round_with(&math::NEARBYINT.op, f64::round_ties_even, x)
}

/// Whether the value is not a number: false for integers, folded for literals; `float16` is asked as `float32`.
/// # Errors
/// [`PrimError::OperandType`] for anything but integers and IEEE floats.
pub fn isnan(x: Expr) -> PrimResult<Expr> {
    let found = x.dtype();
    let result = DataType::BOOL.with_lanes(found.lanes);
    if found.is_integer() {
        return ops::make_const(result, false);
    }
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "isnan", expected: "integers or floats", found });
    }
    if let Some(lit) = x.as_node::<FloatImm>() {
        return Ok(IntImm::bool(lit.value.is_nan()));
    }
    let x = if found.bits == 16 { ops::cast(DataType::FLOAT32.with_lanes(found.lanes), x)? } else { x };
    Ok(math::ISNAN.call(result, [x]))
}

/// Whether the value is infinite: false for integers, else `fabs(x) == inf and not isnan(x)`.
/// # Errors
/// [`PrimError::OperandType`] for anything but integers and scalar IEEE floats.
pub fn isinf(x: Expr) -> PrimResult<Expr> {
    let found = x.dtype();
    if found.is_integer() {
        return ops::make_const(DataType::BOOL.with_lanes(found.lanes), false);
    }
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "isinf", expected: "integers or floats", found });
    }
    let equal = ops::eq(abs(x.clone())?, ops::infinity(found)?)?;
    ops::and(equal, ops::not(isnan(x)?)?)
}

/// Whether the value is a finite number: `not isinf(x) and not isnan(x)`.
/// # Errors
/// As [`isinf`].
pub fn isfinite(x: Expr) -> PrimResult<Expr> {
    ops::and(ops::not(isinf(x.clone())?)?, ops::not(isnan(x)?)?)
}
