//! Construction of literals from numbers.

use tvmscript_ir_core::{DataType, Ref, Span};

use super::{broadcast_to, reinterpret};
use crate::class::Expr;
use crate::error::{PrimError, PrimResult};
use crate::intrinsic;
use crate::node::{Call, FloatImm, IntImm};

/// A number to make a literal of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer; above `i64::MAX` it needs `tir.large_uint_imm`.
    UInt(u64),
    /// A float.
    Float(f64),
}

macro_rules! number_from {
    ($($from:ty => $variant:ident),*) => {$(
        impl From<$from> for Number {
            fn from(value: $from) -> Number {
                Number::$variant(value.into())
            }
        }
    )*};
}
number_from!(i64 => Int, i32 => Int, bool => Int, u64 => UInt, f64 => Float, f32 => Float);

impl Number {
    /// Converts as C does: truncates toward zero, `i64::MIN` if out of range.
    fn to_i64(self) -> i64 {
        match self {
            Number::Int(value) => value,
            Number::UInt(value) => value as i64,
            Number::Float(value) if value >= -(2f64.powi(63)) && value < 2f64.powi(63) => value as i64,
            Number::Float(_) => i64::MIN,
        }
    }

    /// Converts to an unsigned integer, `None` if out of range; NaN as the hardware converts it.
    fn to_u64(self) -> Option<u64> {
        match self {
            Number::Int(value) => u64::try_from(value).ok(),
            Number::UInt(value) => Some(value),
            Number::Float(value) if value.is_nan() => Some(1 << 63),
            Number::Float(value) => (0.0..2f64.powi(64)).contains(&value).then_some(value as u64),
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::UInt(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    fn text(self) -> String {
        match self {
            Number::Int(value) => value.to_string(),
            Number::UInt(value) => value.to_string(),
            Number::Float(value) => format!("{value:?}"),
        }
    }
}

/// The value of an integer literal of any type.
#[inline]
pub fn int_value(e: &Expr) -> Option<i64> {
    e.as_node::<IntImm>().map(|literal| literal.value)
}

/// Returns `true` for the integer literal 0 of any type.
#[inline]
pub fn is_zero(e: &Expr) -> bool {
    int_value(e) == Some(0)
}

/// Returns `true` for the integer literal 1 of any type.
#[inline]
pub fn is_one(e: &Expr) -> bool {
    int_value(e) == Some(1)
}

/// A literal of a type; for a vector type, the literal broadcast.
///
/// A float is truncated toward zero for an integer type. Unsigned values above `i64::MAX` become calls of
/// `tir.large_uint_imm`.
/// # Errors
/// [`PrimError::OutOfRange`] if the number does not fit; [`PrimError::OperandType`] if the type has no literals.
/// # Source
/// `make_const`, `include/tvm/tir/op.h`.
pub fn make_const(dtype: DataType, value: impl Into<Number>) -> PrimResult<Expr> {
    let literal = scalar(dtype.element(), value.into())?;
    if dtype.is_scalar() { Ok(literal) } else { broadcast_to(literal, dtype.lanes) }
}

fn scalar(dtype: DataType, value: Number) -> PrimResult<Expr> {
    if dtype.is_int() || dtype.is_bool() {
        IntImm::try_new(dtype, value.to_i64())
    } else if dtype.is_uint() {
        let bits = value.to_u64().ok_or_else(|| PrimError::OutOfRange { value: value.text(), dtype })?;
        match i64::try_from(bits) {
            Ok(value) => IntImm::try_new(dtype, value),
            Err(_) => large_uint_imm(dtype, bits & 0xffff_ffff, bits >> 32),
        }
    } else if dtype.is_any_float() {
        FloatImm::try_new(dtype, value.to_f64())
    } else {
        Err(PrimError::OperandType { op: "const", expected: "a numeric type", found: dtype })
    }
}

/// An unsigned literal above `i64::MAX`: a call of `tir.large_uint_imm` with both 32-bit halves.
/// # Errors
/// [`PrimError::OutOfRange`] if a half has more than 32 bits.
pub fn large_uint_imm(dtype: DataType, low: u64, high: u64) -> PrimResult<Expr> {
    let half = |part: u64| match i64::try_from(part) {
        Ok(value) => IntImm::try_new(DataType::uint(32), value),
        Err(_) => Err(PrimError::OutOfRange { value: part.to_string(), dtype: DataType::uint(32) }),
    };
    Ok(Call::new(dtype, intrinsic::LARGE_UINT_IMM.get().clone(), [half(low)?, half(high)?]))
}

/// Zero of a type; of `handle`, a reinterpreted `uint64` zero.
/// # Errors
/// As [`make_const`].
pub fn make_zero(dtype: DataType) -> PrimResult<Expr> {
    if dtype.is_handle() {
        reinterpret(dtype, make_const(DataType::uint(64), 0)?)
    } else {
        make_const(dtype, 0)
    }
}

/// A bool literal.
pub(super) fn truth(value: bool) -> Expr {
    Ref::new(IntImm { span: Span::current(), dtype: DataType::BOOL, value: value.into() }).upcast()
}
