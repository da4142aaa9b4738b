//! Shifts and bitwise operations, which build calls of operators. Only scalar `int32` and `int64` fold.

use super::fold::is_index;
use super::match_types;
use super::undetermined::{agree, is_undetermined};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::intrinsic::{self, NamedOp};
use crate::node::{Call, IntImm};

fn check(op: &'static str, with_bool: bool, operands: &[&Expr]) -> PrimResult<()> {
    for e in operands {
        let found = e.dtype();
        if !(found.is_integer() || with_bool && found.is_bool() || is_undetermined(e)) {
            let expected = if with_bool { "integers or bools" } else { "integers" };
            return Err(PrimError::OperandType { op, expected, found });
        }
    }
    Ok(())
}

fn literal(e: &Expr) -> Option<i64> {
    e.as_node::<IntImm>().map(|lit| lit.value)
}

fn shift(
    name: &'static str,
    op: &NamedOp,
    mut a: Expr,
    mut b: Expr,
    compute: fn(i64, u32) -> i64,
) -> PrimResult<Expr> {
    agree(&mut a, &mut b);
    check(name, false, &[&a, &b])?;
    match_types(&mut a, &mut b)?;
    let dtype = a.dtype();
    if is_index(dtype)
        && let Some(amount) = literal(&b)
    {
        let bits = u32::try_from(amount).ok().filter(|n| *n < u32::from(dtype.bits));
        let bits = bits.ok_or(PrimError::ShiftAmount { amount, dtype })?;
        if let Some(value) = literal(&a) {
            return IntImm::try_new(dtype, compute(value, bits));
        }
        if bits == 0 {
            return Ok(a);
        }
    }
    Ok(Call::new(dtype, op.get().clone(), [a, b]))
}

/// `a << b`. The folded value must fit the type; it does not wrap.
/// # Errors
/// [`PrimError::OperandType`], [`PrimError::CannotMatch`], [`PrimError::ShiftAmount`], [`PrimError::OutOfRange`].
pub fn shift_left(a: Expr, b: Expr) -> PrimResult<Expr> {
    shift("shift_left", &intrinsic::SHIFT_LEFT, a, b, |value, bits| value << bits)
}

/// `a >> b`, an arithmetic shift.
/// # Errors
/// As [`shift_left`].
pub fn shift_right(a: Expr, b: Expr) -> PrimResult<Expr> {
    shift("shift_right", &intrinsic::SHIFT_RIGHT, a, b, |value, bits| value >> bits)
}

fn bitwise(
    name: &'static str,
    op: &NamedOp,
    mut a: Expr,
    mut b: Expr,
    compute: fn(i64, i64) -> i64,
) -> PrimResult<Expr> {
    agree(&mut a, &mut b);
    check(name, true, &[&a, &b])?;
    match_types(&mut a, &mut b)?;
    let dtype = a.dtype();
    if is_index(dtype)
        && let (Some(x), Some(y)) = (literal(&a), literal(&b))
    {
        return IntImm::try_new(dtype, compute(x, y));
    }
    Ok(Call::new(dtype, op.get().clone(), [a, b]))
}

/// `a & b`.
/// # Errors
/// [`PrimError::OperandType`], [`PrimError::CannotMatch`].
pub fn bitwise_and(a: Expr, b: Expr) -> PrimResult<Expr> {
    bitwise("bitwise_and", &intrinsic::BITWISE_AND, a, b, |x, y| x & y)
}

/// `a | b`.
/// # Errors
/// As [`bitwise_and`].
pub fn bitwise_or(a: Expr, b: Expr) -> PrimResult<Expr> {
    bitwise("bitwise_or", &intrinsic::BITWISE_OR, a, b, |x, y| x | y)
}

/// `a ^ b`.
/// # Errors
/// As [`bitwise_and`].
pub fn bitwise_xor(a: Expr, b: Expr) -> PrimResult<Expr> {
    bitwise("bitwise_xor", &intrinsic::BITWISE_XOR, a, b, |x, y| x ^ y)
}

/// `~a`; never folds.
/// # Errors
/// [`PrimError::OperandType`].
pub fn bitwise_not(a: Expr) -> PrimResult<Expr> {
    check("bitwise_not", true, &[&a])?;
    Ok(Call::new(a.dtype(), intrinsic::BITWISE_NOT.get().clone(), [a]))
}
