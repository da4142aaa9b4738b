//! Conversions: casts, broadcasts, and type promotion of two operands.

use tvmscript_ir_core::dtype::TypeCode;
use tvmscript_ir_core::{DataType, Ref, TextRules};

use super::{fold, make_const, undetermined};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::intrinsic::{self, NamedOp};
use crate::node::{Broadcast, Call, Cast, FloatImm, IntImm, Lanes, Ramp};

/// Broadcasts a scalar to `lanes` lanes (negative: scalable).
/// # Errors
/// [`PrimError::OperandType`] if the value is not a scalar; [`PrimError::BadLanes`].
pub fn broadcast_to(value: Expr, lanes: i16) -> PrimResult<Expr> {
    let found = value.dtype();
    if !found.is_scalar() {
        return Err(PrimError::OperandType { op: "Broadcast", expected: "scalar operands", found });
    }
    if matches!(lanes, 0 | 1) {
        return Err(PrimError::BadLanes);
    }
    Ok(Broadcast::with_lanes(value, Lanes::of(found.with_lanes(lanes))))
}

/// The literal converted to a scalar type, or the value unchanged.
fn cast_literal(dtype: DataType, value: Expr) -> std::result::Result<PrimResult<Expr>, Expr> {
    if TextRules::current().folding.is_exact && !is_exact(dtype, &value) {
        return Err(value);
    }
    if let Some(lit) = value.as_node::<IntImm>() {
        Ok(make_const(dtype, lit.value))
    } else if let Some(lit) = value.as_node::<FloatImm>() {
        Ok(make_const(dtype, lit.value))
    } else {
        Err(value)
    }
}

/// Tests whether a release that folds exact conversions only folds this one: no literal is converted to `float64`, which
/// may be more than the literal's type tells.
fn is_exact(dtype: DataType, value: &Expr) -> bool {
    if let Some(lit) = value.as_node::<IntImm>() {
        return match dtype.is_any_float() {
            true => dtype.bits != 64,
            false => fold::holds(dtype, lit.value.into()),
        };
    }
    value.as_node::<FloatImm>().is_none_or(|lit| match dtype.is_any_float() {
        true => dtype.bits != 64,
        false => lit.value.abs() < 9e18 && fold::holds(dtype, lit.value as i128),
    })
}

/// Converts a value to another type.
///
/// A value of that type is returned unchanged, literals fold, a scalar is broadcast to a vector, and broadcasts (for
/// integers also ramps) convert their operands.
/// # Errors
/// If a literal does not fit, lane counts differ, or a handle is converted.
/// # Source
/// `cast`, `src/tir/op/op.cc`.
pub fn cast(dtype: DataType, value: Expr) -> PrimResult<Expr> {
    let from = value.dtype();
    if from == dtype {
        return Ok(value);
    }
    if dtype.is_scalar() {
        return match cast_literal(dtype, value) {
            Ok(literal) => literal,
            Err(_) if from.is_handle() => Err(PrimError::OperandType {
                op: "cast",
                expected: "a value that is not a handle",
                found: from,
            }),
            Err(value) => Cast::try_new(dtype, value),
        };
    }
    let element = dtype.element();
    if !from.is_vector() {
        let value = if from == element {
            value
        } else {
            match cast_literal(element, value) {
                Ok(literal) => literal?,
                Err(value) => Cast::try_new(element, value)?,
            }
        };
        return broadcast_to(value, dtype.lanes);
    }
    if from.lanes != dtype.lanes {
        return Err(PrimError::Lanes { op: "cast", left: dtype, right: from });
    }
    if let Some(node) = value.as_node::<Broadcast>() {
        let lanes = Lanes { expr: node.lanes.clone(), count: dtype.lanes };
        return Ok(Broadcast::with_lanes(cast(element, node.value.clone())?, lanes));
    }
    if dtype.is_integer()
        && let Some(node) = value.as_node::<Ramp>()
    {
        return Ramp::try_new(
            cast(element, node.base.clone())?,
            cast(element, node.stride.clone())?,
            &node.lanes,
        );
    }
    Cast::try_new(dtype, value)
}

/// Another type of the same size.
fn bits_of(dtype: DataType) -> DataType {
    let code = if dtype.is_uint() { TypeCode::Int } else { TypeCode::UInt };
    DataType { code, ..dtype }
}

/// Reinterprets the bits of a value as another type of the same size.
/// # Errors
/// [`PrimError::Reinterpret`] if the sizes differ.
pub fn reinterpret(dtype: DataType, value: Expr) -> PrimResult<Expr> {
    let from = value.dtype();
    if from == DataType::VOID
        && dtype != DataType::VOID
        && let Some(value) = undetermined::determined(&value, bits_of(dtype))
    {
        return Ok(Call::new(dtype, intrinsic::REINTERPRET.get().clone(), [value]));
    }
    if from == dtype {
        return Ok(value);
    }
    let bits = |t: DataType| i32::from(t.bits) * i32::from(t.lanes);
    let bytes = |t: DataType| i32::from(t.bits.div_ceil(8)) * i32::from(t.lanes);
    let small = from.is_float4() || dtype.is_float4();
    let fits = from.is_scalable()
        || dtype.is_scalable()
        || bits(from) == bits(dtype)
        || (small && bytes(from) == bytes(dtype));
    if !fits {
        return Err(PrimError::Reinterpret { from, to: dtype });
    }
    Ok(Call::new(dtype, intrinsic::REINTERPRET.get().clone(), [value]))
}

/// Rounds a number, with a call of `op` unless it is a literal. Integers and bools are returned unchanged; literals of
/// any floating type fold.
/// # Errors
/// [`PrimError::OutOfRange`] if the folded literal does not fit its type.
pub fn round_with(op: &NamedOp, fold: fn(f64) -> f64, x: Expr) -> PrimResult<Expr> {
    let dtype = x.dtype();
    if dtype.is_integer() || dtype.is_bool() {
        return Ok(x);
    }
    match x.as_node::<FloatImm>() {
        Some(lit) => FloatImm::try_new(dtype, fold(lit.value)),
        None => Ok(Call::new(dtype, op.get().clone(), [x])),
    }
}

/// Rounds toward positive infinity, as [`round_with`].
/// # Errors
/// As [`round_with`].
pub fn ceil(x: Expr) -> PrimResult<Expr> {
    round_with(&intrinsic::CEIL, f64::ceil, x)
}

/// The number of 128-bit units in a scalable vector register.
pub fn vscale() -> Expr {
    Call::new(DataType::INT32, intrinsic::VSCALE.get().clone(), [])
}

/// The operand to convert.
enum Convert {
    Left,
    Right,
}

/// The operand to convert, by element type. The first matching rule applies.
fn rule(l: DataType, r: DataType) -> Option<Convert> {
    use Convert::{Left, Right};
    let wider_wins = |l: DataType, r: DataType| if l.bits < r.bits { Left } else { Right };
    if l.is_float() && r.is_float() {
        return Some(wider_wins(l, r));
    }
    let classes: [fn(&DataType) -> bool; 5] =
        [|t| t.is_float(), |t| t.is_bfloat(), |t| t.is_float8(), |t| t.is_float6(), |t| t.is_float4()];
    for is in classes {
        match (is(&l), is(&r)) {
            (false, true) => return Some(Left),
            (true, false) => return Some(Right),
            _ => {}
        }
    }
    if l.is_bool() && r.is_integer() {
        Some(Left)
    } else if l.is_integer() && r.is_bool() {
        Some(Right)
    } else if l.is_integer() && r.is_integer() {
        Some(if l.bits == r.bits && l.is_int() && r.is_uint() { Left } else { wider_wins(l, r) })
    } else {
        None
    }
}

/// Promotes two operands to a common type: broadcasts a scalar to the other's lanes, then converts the narrower
/// operand.
/// # Errors
/// [`PrimError::CannotMatch`] if no rule applies; errors of [`cast`].
/// # Source
/// `BinaryOpMatchTypes`, `src/tir/op/op.cc`.
#[inline]
pub fn match_types(a: &mut Expr, b: &mut Expr) -> PrimResult<()> {
    if a.dtype() == b.dtype() { Ok(()) } else { match_different(a, b) }
}

fn match_different(a: &mut Expr, b: &mut Expr) -> PrimResult<()> {
    undetermined::agree(a, b);
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    if !a.dtype().is_vector() && b.dtype().is_vector() {
        *a = broadcast_to(Ref::clone(a), b.dtype().lanes)?;
    } else if a.dtype().is_vector() && !b.dtype().is_vector() {
        *b = broadcast_to(Ref::clone(b), a.dtype().lanes)?;
    }
    let (left, right) = (a.dtype(), b.dtype());
    if left == right {
        return Ok(());
    }
    let chosen = if left.lanes == right.lanes { rule(left, right) } else { None };
    match chosen {
        Some(Convert::Left) => *a = cast(right, Ref::clone(a))?,
        Some(Convert::Right) => *b = cast(left, Ref::clone(b))?,
        None => return Err(PrimError::CannotMatch { left, right }),
    }
    Ok(())
}
