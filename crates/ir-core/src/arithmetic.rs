//! Arithmetic of scalars and tensor elements: rounding, wrapping, bits and operators of each type.
//!
//! Integers are `i128`, which holds the values of all types; floats are `f64`. Integers wrap to their type, floats are
//! rounded to it after each operation. Constant folding, the interpreter of programs and arrays of host code compute
//! with these functions; what they do about results that a type does not have, such as quotients by zero, is their own.

use half::{bf16, f16};

use crate::dtype::{DataType, TypeCode};

/// An operator whose result has the type of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`; integers are rounded toward zero.
    Div,
    /// The remainder of [`Operator::Div`].
    Mod,
    /// `a / b`, rounded toward negative infinity.
    FloorDiv,
    /// The remainder of [`Operator::FloorDiv`].
    FloorMod,
    /// The lesser operand; the second one if they have no order.
    Min,
    /// The greater operand; the second one if they have no order.
    Max,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`
    ShiftRight,
}

/// An operator whose result is a truth value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

impl Comparison {
    /// Compares two numbers. A NaN only differs.
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }

    /// Returns the operator's spelling in Python.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }

    /// Returns the comparison of the swapped operands.
    #[must_use]
    pub fn reflected(self) -> Comparison {
        match self {
            Comparison::Eq => Comparison::Eq,
            Comparison::Ne => Comparison::Ne,
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
        }
    }
}

/// Returns `true` for types whose values are floats here: `float16` to `float64` and `bfloat16`.
pub fn is_float(dtype: DataType) -> bool {
    matches!(dtype.code, TypeCode::Float | TypeCode::BFloat)
}

/// Wraps an integer to the width of a type; truth values become 0 and 1.
#[inline]
pub fn wrap(dtype: DataType, value: i128) -> i128 {
    let unused = 128 - u32::from(dtype.bits.clamp(1, 128));
    match dtype.code {
        TypeCode::Bool => i128::from(value != 0),
        TypeCode::Int => value << unused >> unused,
        _ => ((value as u128) << unused >> unused) as i128,
    }
}

/// Rounds a number to the precision of a type; `None` for types that are not supported floats.
pub fn round(dtype: DataType, value: f64) -> Option<f64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => value,
        (TypeCode::Float, 32) => f64::from(value as f32),
        (TypeCode::Float, 16) => f16::from_f64(sticky(value)).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_f64(sticky(value)).to_f64(),
        _ => return None,
    })
}

/// A number that rounds to 16 bits as another one does, and is one of `f32`, too: `half` goes through `f32` on some machines,
/// and reads the upper half of the bits alone on others.
fn sticky(value: f64) -> f64 {
    let bits = value.to_bits();
    match value.is_finite() && bits as u32 != 0 {
        true => f64::from_bits((bits >> 32 | 1) << 32),
        false => value,
    }
}

/// Rounds an integer to the precision of a type, once.
pub fn round_integer(dtype: DataType, value: i128) -> Option<f64> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => Some(f64::from(value as f32)),
        _ => round(dtype, value as f64),
    }
}

/// Decodes the bits of a float; `None` for types that are not supported floats.
pub fn float_from_bits(dtype: DataType, bits: u64) -> Option<f64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => f64::from_bits(bits),
        (TypeCode::Float, 32) => f32::from_bits(bits as u32).into(),
        (TypeCode::Float, 16) => f16::from_bits(bits as u16).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_bits(bits as u16).to_f64(),
        _ => return None,
    })
}

/// Encodes a float; `None` for types that are not supported floats.
pub fn float_to_bits(dtype: DataType, value: f64) -> Option<u64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => value.to_bits(),
        (TypeCode::Float, 32) => (value as f32).to_bits().into(),
        (TypeCode::Float, 16) => f16::from_f64(sticky(value)).to_bits().into(),
        (TypeCode::BFloat, 16) => bf16::from_f64(sticky(value)).to_bits().into(),
        _ => return None,
    })
}

/// The bytes of an element of a type; `None` for types without whole bytes and for handles.
pub fn element_bytes(dtype: DataType) -> Option<usize> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Some(1),
        (TypeCode::Int | TypeCode::UInt, 8 | 16 | 32 | 64) => Some(usize::from(dtype.bits / 8)),
        (TypeCode::Float, 16 | 32 | 64) | (TypeCode::BFloat, 16) => Some(usize::from(dtype.bits / 8)),
        _ => None,
    }
}

macro_rules! floor {
    ($($div:ident $rem:ident $int:ty;)*) => {$(
        /// The quotient rounded toward negative infinity; the divisor must not be zero.
        #[inline]
        pub fn $div(a: $int, b: $int) -> $int {
            let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
            if rest != 0 && (rest < 0) != (b < 0) { quotient.wrapping_sub(1) } else { quotient }
        }

        /// The remainder of the quotient rounded toward negative infinity; the divisor must not be zero.
        #[inline]
        pub fn $rem(a: $int, b: $int) -> $int {
            let rest = a.wrapping_rem(b);
            if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
        }
    )*};
}
floor! {
    floor_div floor_mod i64;
    wide_floor_div wide_floor_mod i128;
}

/// Applies an operator to integers of a type; `None` for a divisor of zero, and shifts by a number of bits that the type
/// does not have.
pub fn integers(operator: Operator, dtype: DataType, a: i128, b: i128) -> Option<i128> {
    use Operator::*;
    let is_shift = (0..i128::from(dtype.bits)).contains(&b);
    let value = match operator {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div if b != 0 => a.wrapping_div(b),
        Mod if b != 0 => a.wrapping_rem(b),
        FloorDiv if b != 0 => wide_floor_div(a, b),
        FloorMod if b != 0 => wide_floor_mod(a, b),
        Min => a.min(b),
        Max => a.max(b),
        BitAnd => a & b,
        BitOr => a | b,
        BitXor => a ^ b,
        ShiftLeft if is_shift => a << b,
        ShiftRight if is_shift => a >> b,
        Div | Mod | FloorDiv | FloorMod | ShiftLeft | ShiftRight => return None,
    };
    Some(wrap(dtype, value))
}

/// Applies an operator to floats of a type; `None` for operators on bits and for types that are not supported floats.
pub fn floats(operator: Operator, dtype: DataType, a: f64, b: f64) -> Option<f64> {
    use Operator::*;
    // One operation in 64 bits on operands of up to 32 bits: rounding the result equals computing in the narrow type.
    let value = match operator {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Mod => a % b,
        FloorDiv => round(dtype, a / b)?.floor(),
        FloorMod => a - round(dtype, round(dtype, a / b)?.floor() * b)?,
        Min => {
            if a < b {
                a
            } else {
                b
            }
        }
        Max => {
            if a > b {
                a
            } else {
                b
            }
        }
        BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight => return None,
    };
    round(dtype, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_divide_as_their_type_does() {
        let int = |operator, dtype, a, b| integers(operator, dtype, a, b);
        assert_eq!(int(Operator::Add, DataType::int(8), 127, 1), Some(-128));
        assert_eq!(int(Operator::Sub, DataType::uint(8), 0, 1), Some(255));
        assert_eq!(int(Operator::Mul, DataType::int(32), 1 << 20, 1 << 20), Some(0));
        assert_eq!(int(Operator::Div, DataType::int(32), -7, 2), Some(-3));
        assert_eq!(int(Operator::Mod, DataType::int(32), -7, 2), Some(-1));
        assert_eq!(int(Operator::FloorDiv, DataType::int(32), -7, 2), Some(-4));
        assert_eq!(int(Operator::FloorMod, DataType::int(32), -7, 2), Some(1));
        assert_eq!(int(Operator::FloorMod, DataType::int(32), 7, -2), Some(-1));
        assert_eq!(int(Operator::Div, DataType::uint(64), u64::MAX.into(), 2), Some(i64::MAX.into()));
        assert_eq!(int(Operator::Div, DataType::int(64), i64::MIN.into(), -1), Some(i64::MIN.into()));
        assert_eq!(int(Operator::Mod, DataType::int(32), 1, 0), None);
        assert_eq!(int(Operator::ShiftLeft, DataType::int(32), 1, 32), None);
        assert_eq!(int(Operator::Add, DataType::BOOL, 1, 1), Some(1));
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        let sum = |dtype, a, b| floats(Operator::Add, dtype, a, b);
        assert_eq!(sum(DataType::float(32), 16_777_216.0, 1.0), Some(16_777_216.0));
        assert_eq!(sum(DataType::float(16), 2048.0, 1.0), Some(2048.0));
        assert_eq!(sum(DataType::float(64), 2048.0, 1.0), Some(2049.0));
        assert_eq!(
            round_integer(DataType::FLOAT32, (1 << 60) + (1 << 36) + 1),
            Some(((1u64 << 60) + (1 << 37)) as f64)
        );
        assert!(Comparison::Ne.holds(f64::NAN, 1.0));
    }
}
