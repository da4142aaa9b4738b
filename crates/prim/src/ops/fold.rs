//! Constant folding, and identities with 0 and 1.
//!
//! Operands must have the same type. Integer results wrap to their width; `float32` is computed in 32 bits; for
//! narrower floats only the identities apply. There is no further simplification.
//!
//! Upstream counterpart: `src/arith/const_fold.h`.

use tvmscript_ir_core::arithmetic::{self, Operator, floor_div, floor_mod};
use tvmscript_ir_core::{DataType, TextRules};

use super::literal::truth;
use super::{BinaryOp, Number, make_const};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::node::{FloatImm, IntImm};

/// The result of folding.
#[derive(Debug, Clone)]
pub enum Folded {
    /// The left operand itself.
    Left,
    /// The right operand itself.
    Right,
    /// A new value.
    Value(Expr),
}

impl Folded {
    /// Selects the folded value from the operands.
    #[inline]
    pub fn pick(self, a: Expr, b: Expr) -> Expr {
        match self {
            Folded::Left => a,
            Folded::Right => b,
            Folded::Value(value) => value,
        }
    }
}

#[derive(Clone, Copy)]
enum Lit {
    Int(i64),
    Float(f64),
    None,
}

#[inline]
fn lit(e: &Expr) -> Lit {
    if let Some(node) = e.as_node::<IntImm>() {
        Lit::Int(node.value)
    } else if let Some(node) = e.as_node::<FloatImm>() {
        Lit::Float(node.value)
    } else {
        Lit::None
    }
}

/// Wraps a value to a type. A truth value keeps its bits, so that no literal holds a sum of two.
fn wrapped(value: i64, dtype: DataType) -> i64 {
    let dtype = if dtype.is_bool() { DataType::uint(dtype.bits) } else { dtype };
    arithmetic::wrap(dtype, value.into()) as i64
}

/// The exact result of an operation on two literals as one of the type.
fn int(value: i128, dtype: DataType) -> PrimResult<Option<Folded>> {
    let rules = TextRules::current().folding;
    if rules.is_exact && !holds(dtype, value) {
        return Ok(None);
    }
    // The conversions wrap.
    let literal = match rules.unsigned && dtype.is_uint() && dtype.bits == 64 {
        true => make_const(dtype, Number::UInt(value as u64)),
        false => IntImm::try_new(dtype, wrapped(value as i64, dtype)),
    };
    Ok(Some(Folded::Value(literal?)))
}

/// Tests whether a literal of the integer type has this value.
pub(super) fn holds(dtype: DataType, value: i128) -> bool {
    let bits = if dtype.is_bool() { 1 } else { u32::from(dtype.bits).clamp(1, 64) };
    let (least, most) = match dtype.is_int() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    (least..=most).contains(&value)
}

/// Computes on two float literals in the type's own width, if that is 32 or 64 bits. A literal may have more digits than its
/// type holds.
fn float(operator: Operator, dtype: DataType, a: f64, b: f64) -> PrimResult<Option<Folded>> {
    let [a, b] = match dtype.bits {
        32 | 64 => [a, b].map(|value| arithmetic::round(dtype, value)),
        _ => [None, None],
    };
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let value = arithmetic::floats(operator, dtype, a, b);
    let Some(value) = value else { return Ok(None) };
    if TextRules::current().folding.is_exact && value.is_infinite() && a.is_finite() && b.is_finite() {
        return Ok(None);
    }
    Ok(Some(Folded::Value(FloatImm::try_new(dtype, value)?)))
}

/// Returns `true` for index types: remainders, shifts and bitwise operations fold for these only.
pub(super) fn is_index(dtype: DataType) -> bool {
    dtype.is_int() && dtype.is_scalar() && matches!(dtype.bits, 32 | 64)
}

fn folds_unsigned(dtype: DataType) -> bool {
    TextRules::current().folding.unsigned && dtype.is_uint() && dtype.is_scalar()
}

/// Folds `a op b`; returns `None` if it does not fold. Both operands must have the same type.
/// # Errors
/// [`PrimError::DivideByZero`]; [`PrimError::OutOfRange`] if no literal holds the result (`uint8` 0 - 1, `True +
/// True`).
#[inline(always)]
pub fn fold(op: BinaryOp, a: &Expr, b: &Expr) -> PrimResult<Option<Folded>> {
    let (la, lb) = (lit(a), lit(b));
    if let (Lit::None, Lit::None) = (la, lb) {
        return Ok(match op {
            BinaryOp::Min | BinaryOp::Max if a.ptr_eq(b) => Some(Folded::Left),
            _ => None,
        });
    }
    fold_literals(op, a, la, lb)
}

fn fold_literals(op: BinaryOp, a: &Expr, la: Lit, lb: Lit) -> PrimResult<Option<Folded>> {
    let dtype = a.dtype();
    match op {
        BinaryOp::Add => add(dtype, la, lb),
        BinaryOp::Sub => sub(dtype, la, lb),
        BinaryOp::Mul => mul(dtype, la, lb),
        BinaryOp::Div => div(Operator::Div, dtype, la, lb, i64::wrapping_div),
        BinaryOp::FloorDiv => div(Operator::FloorDiv, dtype, la, lb, floor_div),
        BinaryOp::Mod if is_index(dtype) => remainder(dtype, la, lb, i64::wrapping_rem),
        BinaryOp::FloorMod if is_index(dtype) => remainder(dtype, la, lb, floor_mod),
        BinaryOp::Mod if folds_unsigned(dtype) && dtype.bits == 64 => {
            remainder(dtype, la, lb, i64::wrapping_rem)
        }
        BinaryOp::FloorMod if folds_unsigned(dtype) => remainder(dtype, la, lb, floor_mod),
        BinaryOp::Mod | BinaryOp::FloorMod => Ok(None),
        BinaryOp::Min => extremum(dtype, la, lb, i64::min, |a, b| if b < a { b } else { a }),
        BinaryOp::Max => extremum(dtype, la, lb, i64::max, |a, b| if a < b { b } else { a }),
        BinaryOp::Eq => compare(la, lb, |a, b| a == b, |a, b| a == b),
        BinaryOp::Ne => compare(la, lb, |a, b| a != b, |a, b| a != b),
        BinaryOp::Lt => compare(la, lb, |a, b| a < b, |a, b| a < b),
        BinaryOp::Le => compare(la, lb, |a, b| a <= b, |a, b| a <= b),
        BinaryOp::Gt => compare(la, lb, |a, b| a > b, |a, b| a > b),
        BinaryOp::Ge => compare(la, lb, |a, b| a >= b, |a, b| a >= b),
        BinaryOp::And => Ok(logic(la, lb, true)),
        BinaryOp::Or => Ok(logic(la, lb, false)),
    }
}

fn add(dtype: DataType, a: Lit, b: Lit) -> PrimResult<Option<Folded>> {
    Ok(match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => return int(i128::from(a) + i128::from(b), dtype),
        (Lit::Int(0), _) => Some(Folded::Right),
        (_, Lit::Int(0)) => Some(Folded::Left),
        (Lit::Float(x), Lit::Float(y)) => {
            return Ok(float(Operator::Add, dtype, x, y)?.or(match (x, y) {
                (0.0, _) => Some(Folded::Right),
                (_, 0.0) => Some(Folded::Left),
                _ => None,
            }));
        }
        (Lit::Float(0.0), _) => Some(Folded::Right),
        (_, Lit::Float(0.0)) => Some(Folded::Left),
        _ => None,
    })
}

fn sub(dtype: DataType, a: Lit, b: Lit) -> PrimResult<Option<Folded>> {
    Ok(match (a, b) {
        (Lit::Int(0), Lit::Int(k)) if dtype.is_uint() && k > 0 && !TextRules::current().folding.is_exact => {
            return Err(PrimError::OutOfRange { value: k.wrapping_neg().to_string(), dtype });
        }
        (Lit::Int(a), Lit::Int(b)) => return int(i128::from(a) - i128::from(b), dtype),
        (_, Lit::Int(0)) => Some(Folded::Left),
        (Lit::Float(x), Lit::Float(y)) => {
            let zero = if y == 0.0 { Some(Folded::Left) } else { None };
            return Ok(float(Operator::Sub, dtype, x, y)?.or(zero));
        }
        (_, Lit::Float(0.0)) => Some(Folded::Left),
        _ => None,
    })
}

fn mul(dtype: DataType, a: Lit, b: Lit) -> PrimResult<Option<Folded>> {
    let identity = |a, b| match (a, b) {
        (Lit::Int(1), _) | (_, Lit::Int(0)) => Some(Folded::Right),
        (Lit::Int(0), _) | (_, Lit::Int(1)) => Some(Folded::Left),
        (Lit::Float(1.0), _) => Some(Folded::Right),
        (Lit::Float(0.0), _) => Some(Folded::Left),
        (_, Lit::Float(1.0)) => Some(Folded::Left),
        (_, Lit::Float(0.0)) => Some(Folded::Right),
        _ => None,
    };
    match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => int(i128::from(a) * i128::from(b), dtype),
        (Lit::Float(x), Lit::Float(y)) => Ok(float(Operator::Mul, dtype, x, y)?.or_else(|| identity(a, b))),
        _ => Ok(identity(a, b)),
    }
}

fn div(
    operator: Operator,
    dtype: DataType,
    a: Lit,
    b: Lit,
    whole: fn(i64, i64) -> i64,
) -> PrimResult<Option<Folded>> {
    let identity = |a, b| match (a, b) {
        (Lit::Int(0) | Lit::Float(0.0), _) => Ok(Some(Folded::Left)),
        (_, Lit::Int(1) | Lit::Float(1.0)) => Ok(Some(Folded::Left)),
        (_, Lit::Int(0) | Lit::Float(0.0)) => Err(PrimError::DivideByZero),
        _ => Ok(None),
    };
    match (a, b) {
        (Lit::Int(_), Lit::Int(0)) | (Lit::Float(_), Lit::Float(0.0)) => Err(PrimError::DivideByZero),
        (Lit::Int(a), Lit::Int(b)) => int(whole(a, b).into(), dtype),
        (Lit::Float(x), Lit::Float(y)) => match float(operator, dtype, x, y)? {
            None => identity(a, b),
            folded => Ok(folded),
        },
        _ => identity(a, b),
    }
}

fn remainder(dtype: DataType, a: Lit, b: Lit, of: fn(i64, i64) -> i64) -> PrimResult<Option<Folded>> {
    match (a, b) {
        (Lit::Int(_), Lit::Int(0)) => Err(PrimError::DivideByZero),
        (Lit::Int(a), Lit::Int(b)) => int(of(a, b).into(), dtype),
        (Lit::Int(0), _) => Ok(Some(Folded::Left)),
        (_, Lit::Int(1)) => int(0, dtype),
        (_, Lit::Int(0)) => Err(PrimError::DivideByZero),
        _ => Ok(None),
    }
}

fn extremum(
    dtype: DataType,
    a: Lit,
    b: Lit,
    of_ints: fn(i64, i64) -> i64,
    of_floats: fn(f64, f64) -> f64,
) -> PrimResult<Option<Folded>> {
    Ok(match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => Some(Folded::Value(IntImm::try_new(dtype, of_ints(a, b))?)),
        (Lit::Float(a), Lit::Float(b)) => Some(Folded::Value(FloatImm::try_new(dtype, of_floats(a, b))?)),
        _ => None,
    })
}

fn compare(
    a: Lit,
    b: Lit,
    of_ints: fn(i64, i64) -> bool,
    of_floats: fn(f64, f64) -> bool,
) -> PrimResult<Option<Folded>> {
    Ok(match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => Some(Folded::Value(truth(of_ints(a, b)))),
        (Lit::Float(a), Lit::Float(b)) => Some(Folded::Value(truth(of_floats(a, b)))),
        _ => None,
    })
}

/// Folds `and` or `or`. `unit` is the identity element: true for `and`, false for `or`.
fn logic(a: Lit, b: Lit, unit: bool) -> Option<Folded> {
    match (a, b) {
        (Lit::Int(a), _) => Some(if (a != 0) == unit { Folded::Right } else { Folded::Left }),
        (_, Lit::Int(b)) => Some(if (b != 0) == unit { Folded::Left } else { Folded::Right }),
        _ => None,
    }
}
