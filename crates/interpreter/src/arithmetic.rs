//! Operators on scalars.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::{self, Comparison, Operator, is_float};
use tvmscript_prim::ops::BinaryOp;

use crate::Scalar;
use crate::error::{Result, RunErrorKind, unsupported_type};
use crate::scalar::wide;

/// An operator by the kind of its result.
enum Kind {
    Value(Operator),
    Truth(Comparison),
    Logic(fn(bool, bool) -> bool),
}

fn kind_of(operator: BinaryOp) -> Kind {
    match operator {
        BinaryOp::Add => Kind::Value(Operator::Add),
        BinaryOp::Sub => Kind::Value(Operator::Sub),
        BinaryOp::Mul => Kind::Value(Operator::Mul),
        BinaryOp::Div => Kind::Value(Operator::Div),
        BinaryOp::Mod => Kind::Value(Operator::Mod),
        BinaryOp::FloorDiv => Kind::Value(Operator::FloorDiv),
        BinaryOp::FloorMod => Kind::Value(Operator::FloorMod),
        BinaryOp::Min => Kind::Value(Operator::Min),
        BinaryOp::Max => Kind::Value(Operator::Max),
        BinaryOp::Eq => Kind::Truth(Comparison::Eq),
        BinaryOp::Ne => Kind::Truth(Comparison::Ne),
        BinaryOp::Lt => Kind::Truth(Comparison::Lt),
        BinaryOp::Le => Kind::Truth(Comparison::Le),
        BinaryOp::Gt => Kind::Truth(Comparison::Gt),
        BinaryOp::Ge => Kind::Truth(Comparison::Ge),
        BinaryOp::And => Kind::Logic(|a, b| a && b),
        BinaryOp::Or => Kind::Logic(|a, b| a || b),
    }
}

/// Applies an operator to operands of type `dtype`. Comparisons give 0 or 1.
pub(crate) fn binary(operator: BinaryOp, dtype: DataType, a: Scalar, b: Scalar) -> Result<Scalar> {
    let truth = |value: bool| Ok(Scalar::Int(i64::from(value)));
    if is_float(dtype) {
        let (a, b) = (a.float()?, b.float()?);
        return match kind_of(operator) {
            Kind::Value(operator) => match arithmetic::floats(operator, dtype, a, b) {
                Some(value) => Ok(Scalar::Float(value)),
                None => unsupported_type(dtype),
            },
            Kind::Truth(comparison) => truth(comparison.holds(a, b)),
            Kind::Logic(f) => truth(f(a != 0.0, b != 0.0)),
        };
    }
    let (a, b) = (wide(dtype, a.int()?), wide(dtype, b.int()?));
    match kind_of(operator) {
        Kind::Value(operator) => match arithmetic::integers(operator, dtype, a, b) {
            Some(value) => Ok(Scalar::Int(value as i64)),
            None => Err(RunErrorKind::DivisionByZero.into()),
        },
        Kind::Truth(comparison) => truth(comparison.holds(a, b)),
        Kind::Logic(f) => truth(f(a != 0, b != 0)),
    }
}
