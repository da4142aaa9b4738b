//! Operators on scalars.

use tvmscript_ir_core::{DataType, TypeCode};
use tvmscript_prim::ops::BinaryOp;

use crate::Scalar;
use crate::error::{Result, RunErrorKind};
use crate::scalar::{is_float, round, wrap};

use BinaryOp::*;

/// Applies an operator to operands of type `dtype`. Comparisons give 0 or 1.
pub(crate) fn binary(operator: BinaryOp, dtype: DataType, a: Scalar, b: Scalar) -> Result<Scalar> {
    if is_float(dtype) {
        return floats(operator, dtype, a.float()?, b.float()?);
    }
    let (a, b) = (a.int()?, b.int()?);
    match dtype.code == TypeCode::UInt && dtype.bits == 64 {
        true => unsigned(operator, dtype, a as u64, b as u64),
        false => signed(operator, dtype, a, b),
    }
}

/// Integers whose values fit 64 bits with a sign.
fn signed(operator: BinaryOp, dtype: DataType, a: i64, b: i64) -> Result<Scalar> {
    if b == 0 && matches!(operator, Div | Mod | FloorDiv | FloorMod) {
        return Err(RunErrorKind::DivisionByZero.into());
    }
    let floor = |quotient: i64| quotient - i64::from(a.wrapping_rem(b) != 0 && (a < 0) != (b < 0));
    wrap(
        dtype_of(operator, dtype),
        match operator {
            Add => a.wrapping_add(b),
            Sub => a.wrapping_sub(b),
            Mul => a.wrapping_mul(b),
            Div => a.wrapping_div(b),
            Mod => a.wrapping_rem(b),
            FloorDiv => floor(a.wrapping_div(b)),
            FloorMod => a.wrapping_sub(floor(a.wrapping_div(b)).wrapping_mul(b)),
            Min => a.min(b),
            Max => a.max(b),
            Eq => i64::from(a == b),
            Ne => i64::from(a != b),
            Lt => i64::from(a < b),
            Le => i64::from(a <= b),
            Gt => i64::from(a > b),
            Ge => i64::from(a >= b),
            And => i64::from(a != 0 && b != 0),
            Or => i64::from(a != 0 || b != 0),
        },
    )
}

/// 64-bit unsigned integers.
fn unsigned(operator: BinaryOp, dtype: DataType, a: u64, b: u64) -> Result<Scalar> {
    if b == 0 && matches!(operator, Div | Mod | FloorDiv | FloorMod) {
        return Err(RunErrorKind::DivisionByZero.into());
    }
    wrap(
        dtype_of(operator, dtype),
        match operator {
            Div | FloorDiv => (a / b) as i64,
            Mod | FloorMod => (a % b) as i64,
            Min => a.min(b) as i64,
            Max => a.max(b) as i64,
            Lt => i64::from(a < b),
            Le => i64::from(a <= b),
            Gt => i64::from(a > b),
            Ge => i64::from(a >= b),
            same => return signed(same, dtype, a as i64, b as i64),
        },
    )
}

fn floats(operator: BinaryOp, dtype: DataType, a: f64, b: f64) -> Result<Scalar> {
    let truth = |value: bool| Ok(Scalar::Int(i64::from(value)));
    // Operands of up to 32 bits and one operation in 64 bits: rounding the result equals computing in the narrow type.
    let value = match operator {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Mod => a % b,
        FloorDiv => (a / b).floor(),
        FloorMod => a - (a / b).floor() * b,
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
        Eq => return truth(a == b),
        Ne => return truth(a != b),
        Lt => return truth(a < b),
        Le => return truth(a <= b),
        Gt => return truth(a > b),
        Ge => return truth(a >= b),
        And => return truth(a != 0.0 && b != 0.0),
        Or => return truth(a != 0.0 || b != 0.0),
    };
    round(dtype, value)
}

/// The type of the result.
fn dtype_of(operator: BinaryOp, dtype: DataType) -> DataType {
    match operator {
        Eq | Ne | Lt | Le | Gt | Ge | And | Or => DataType::BOOL,
        _ => dtype,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_divide_as_their_type_does() {
        let int = |operator, dtype, a, b| binary(operator, dtype, Scalar::Int(a), Scalar::Int(b)).unwrap();
        assert_eq!(int(Add, DataType::int(8), 127, 1), Scalar::Int(-128));
        assert_eq!(int(Sub, DataType::uint(8), 0, 1), Scalar::Int(255));
        assert_eq!(int(Mul, DataType::int(32), 1 << 20, 1 << 20), Scalar::Int(0));
        assert_eq!(int(Div, DataType::int(32), -7, 2), Scalar::Int(-3));
        assert_eq!(int(Mod, DataType::int(32), -7, 2), Scalar::Int(-1));
        assert_eq!(int(FloorDiv, DataType::int(32), -7, 2), Scalar::Int(-4));
        assert_eq!(int(FloorMod, DataType::int(32), -7, 2), Scalar::Int(1));
        assert_eq!(int(FloorMod, DataType::int(32), 7, -2), Scalar::Int(-1));
        assert_eq!(int(Div, DataType::uint(64), -1, 2), Scalar::Int(i64::MAX));
        assert_eq!(int(Lt, DataType::uint(64), -1, 2), Scalar::Int(0));
        assert_eq!(int(Div, DataType::int(64), i64::MIN, -1), Scalar::Int(i64::MIN));
        assert!(binary(Mod, DataType::int(32), Scalar::Int(1), Scalar::Int(0)).is_err());
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        let sum = |dtype, a, b| binary(Add, dtype, Scalar::Float(a), Scalar::Float(b)).unwrap();
        assert_eq!(sum(DataType::float(32), 16_777_216.0, 1.0), Scalar::Float(16_777_216.0));
        assert_eq!(sum(DataType::float(16), 2048.0, 1.0), Scalar::Float(2048.0));
        assert_eq!(sum(DataType::float(64), 2048.0, 1.0), Scalar::Float(2049.0));
    }
}
