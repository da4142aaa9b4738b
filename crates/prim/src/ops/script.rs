//! Comparisons and logic in the body of a script: plain nodes, no promotion, no folding.
//!
//! A Python number takes the other operand's element type where that is lossless, and a scalar operand of a vector is
//! broadcast; then the types must agree. Arithmetic in scripts follows [`super::python`].
//!
//! Upstream counterpart: `python/tvm/script/parser/tir/operation.py`. Upstream does not broadcast a scalar to a
//! scalable vector in comparisons.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Comparison;

use super::convert::broadcast_to;
use super::literal::truth;
use super::python::Operand;
use super::{BinaryOp, undetermined};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::node::{FloatImm, IntImm, Not};

/// The side of a comparison on which a number stands; floats are converted differently.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

fn int_like(op: &'static str, value: i64, other: DataType) -> PrimResult<Expr> {
    let element = other.element();
    if other.is_integer() || other.is_bool() {
        IntImm::try_new(element, value)
    } else if other.is_float() {
        FloatImm::try_new(element, value as f64)
    } else {
        Err(PrimError::LiteralOperand { op, literal: "int", dtype: other })
    }
}

fn like(op: &'static str, operand: Operand, other: Option<DataType>, side: Side) -> PrimResult<Expr> {
    let Some(other) = other else { return operand.into_expr() };
    match operand {
        Operand::Expr(e) => Ok(e),
        Operand::Int(value) => int_like(op, value, other),
        Operand::Bool(value) => int_like(op, value.into(), other),
        Operand::Float(value) if side == Side::Left && !other.is_float() => {
            FloatImm::try_new(DataType::FLOAT32, value)
        }
        Operand::Float(value) => FloatImm::try_new(other.element(), value),
    }
}

/// `a op b` in the body of a script.
///
/// An `int` or `bool` becomes a literal of the other's element type (int, uint, bool, float only). A `float` on the
/// right becomes a literal of the other's element type; on the left only if that is a float, else of `float32`.
/// # Errors
/// [`PrimError::MismatchedTypes`] if the types then differ, [`PrimError::CannotMatch`] if the lanes do,
/// [`PrimError::LiteralOperand`], [`PrimError::OutOfRange`], [`PrimError::OperandType`].
pub fn compare(op: Comparison, a: impl Into<Operand>, b: impl Into<Operand>) -> PrimResult<Expr> {
    let (a, b) = (a.into(), b.into());
    let a = undetermined::determine_beside(a, &b);
    let b = undetermined::determine_beside(b, &a);
    let (left, right) = (a.expr_dtype(), b.expr_dtype());
    let mut a = like(op.symbol(), a, right, Side::Left)?;
    let mut b = like(op.symbol(), b, left, Side::Right)?;
    undetermined::agree(&mut a, &mut b);
    if a.dtype() == DataType::VOID && b.dtype() == DataType::VOID {
        a = undetermined::determine(a, DataType::INT32);
        undetermined::agree(&mut a, &mut b);
    }
    let (left, right) = (a.dtype(), b.dtype());
    if left.lanes != right.lanes {
        if left.is_scalar() {
            a = broadcast_to(a, right.lanes)?;
        } else if right.is_scalar() {
            b = broadcast_to(b, left.lanes)?;
        } else {
            return Err(PrimError::CannotMatch { left, right });
        }
    }
    BinaryOp::from(op).node(a, b)
}

/// `and` or `or`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    /// `and`.
    And,
    /// `or`.
    Or,
}

/// `a and b`, `a or b` in the body of a script. A Python `bool` becomes a literal; fixed-length vectors use the bitwise
/// operation.
/// # Errors
/// [`PrimError::LiteralOperand`] for a Python `int` or `float`; [`PrimError::OperandType`] if a scalar is not bool;
/// errors of the bitwise operations.
pub fn logic(op: Connective, a: impl Into<Operand>, b: impl Into<Operand>) -> PrimResult<Expr> {
    let (a, b) = (a.into(), b.into());
    let (symbol, node) = match op {
        Connective::And => ("and", BinaryOp::And),
        Connective::Or => ("or", BinaryOp::Or),
    };
    let (left, right) = (a.expr_dtype(), b.expr_dtype());
    let as_expr = |operand, other: Option<DataType>| match operand {
        Operand::Expr(e) => Ok(e),
        Operand::Bool(value) => Ok(truth(value)),
        Operand::Int(_) => Err(("int", other)),
        Operand::Float(_) => Err(("float", other)),
    };
    let refused = |(literal, other): (&'static str, Option<DataType>)| PrimError::LiteralOperand {
        op: symbol,
        literal,
        dtype: other.unwrap_or(DataType::BOOL),
    };
    let a = undetermined::determine(as_expr(a, right).map_err(refused)?, DataType::BOOL);
    let b = undetermined::determine(as_expr(b, left).map_err(refused)?, DataType::BOOL);
    if a.dtype().lanes > 1 || b.dtype().lanes > 1 {
        return match op {
            Connective::And => super::bitwise_and(a, b),
            Connective::Or => super::bitwise_or(a, b),
        };
    }
    node.node(a, b)
}

/// `not a` in the body of a script.
/// # Errors
/// [`PrimError::OperandType`] if the operand is not bool.
pub fn not(a: Expr) -> PrimResult<Expr> {
    Not::try_new(undetermined::determine(a, DataType::BOOL))
}
