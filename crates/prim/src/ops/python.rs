//! Python's operators with an expression as an operand, and Python numbers as literals.
//!
//! The caller handles operations on two numbers, and deferred `==` and `!=`; [`compare`] is their value once an
//! expression is needed.
//!
//! Upstream counterpart: `ExprOp` in `python/tvm/tir/expr.py`.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Comparison;

use super::literal::{make_const, truth};
use super::undetermined;
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::node::{FloatImm, IntImm};

/// A Python operand: an expression or a number.
#[derive(Debug, Clone)]
pub enum Operand {
    /// An expression.
    Expr(Expr),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A `bool`.
    Bool(bool),
}

impl From<Expr> for Operand {
    fn from(value: Expr) -> Operand {
        Operand::Expr(value)
    }
}
impl From<i64> for Operand {
    fn from(value: i64) -> Operand {
        Operand::Int(value)
    }
}
impl From<f64> for Operand {
    fn from(value: f64) -> Operand {
        Operand::Float(value)
    }
}
impl From<bool> for Operand {
    fn from(value: bool) -> Operand {
        Operand::Bool(value)
    }
}

impl Operand {
    /// Converts the operand to an expression: `int` becomes `int32`, or `int64` if it does not fit; `float` becomes
    /// `float32`, `bool` becomes `bool`.
    /// # Errors
    /// [`PrimError::OutOfRange`] if a float exceeds `float32`.
    pub fn into_expr(self) -> PrimResult<Expr> {
        match self {
            Operand::Expr(e) => Ok(e),
            Operand::Int(value) => Ok(int_literal(value)),
            Operand::Float(value) => FloatImm::try_new(DataType::FLOAT32, value),
            Operand::Bool(value) => Ok(truth(value)),
        }
    }

    pub(super) fn expr_dtype(&self) -> Option<DataType> {
        match self {
            Operand::Expr(e) => Some(e.dtype()),
            _ => None,
        }
    }

    /// Returns `true` for a Python `int` or `bool` and for an expression of a signed integer type.
    fn is_signed_integer(&self) -> bool {
        match self {
            Operand::Expr(e) => e.dtype().is_int(),
            Operand::Int(_) | Operand::Bool(_) => true,
            Operand::Float(_) => false,
        }
    }
}

/// A Python `int` as a literal: `int32`, or `int64` if it does not fit.
pub fn int_literal(value: i64) -> Expr {
    match i32::try_from(value) {
        Ok(value) => IntImm::int32(value),
        Err(_) => IntImm::int64(value),
    }
}

/// Python's binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Sub,
    Mult,
    MatMult,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LShift,
    RShift,
    BitAnd,
    BitOr,
    BitXor,
}

/// Python's unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Plus,
    Minus,
    Invert,
    Not,
}

/// `a op b` outside script bodies: matches types and folds constants.
///
/// - `/` of two signed integers is an error; `//` and `%` are floor division and remainder, for integers only.
/// - `<< >> & | ^` convert a Python `int` to the other operand's type after truncating it to 32 bits, as TVM does.
/// - Otherwise a Python number is first converted by [`Operand::into_expr`].
/// # Errors
/// [`PrimError::AmbiguousDivision`], [`PrimError::UnsupportedOperator`] (`**`, `@`), and errors of the operators in
/// [`super`].
pub fn binary(op: BinaryOperator, a: impl Into<Operand>, b: impl Into<Operand>) -> PrimResult<Expr> {
    let (a, b) = (a.into(), b.into());
    let plain: fn(Expr, Expr) -> PrimResult<Expr> = match op {
        BinaryOperator::Add => super::add,
        BinaryOperator::Sub => super::sub,
        BinaryOperator::Mult => super::mul,
        BinaryOperator::Div if a.is_signed_integer() && b.is_signed_integer() => {
            return Err(PrimError::AmbiguousDivision);
        }
        BinaryOperator::Div => super::div,
        BinaryOperator::FloorDiv => super::floordiv,
        BinaryOperator::Mod => super::floormod,
        BinaryOperator::LShift => return bits(super::shift_left, a, b),
        BinaryOperator::RShift => return bits(super::shift_right, a, b),
        BinaryOperator::BitAnd => return bits(super::bitwise_and, a, b),
        BinaryOperator::BitOr => return bits(super::bitwise_or, a, b),
        BinaryOperator::BitXor => return bits(super::bitwise_xor, a, b),
        BinaryOperator::Pow => return Err(PrimError::UnsupportedOperator { op: "**" }),
        BinaryOperator::MatMult => return Err(PrimError::UnsupportedOperator { op: "@" }),
    };
    plain(a.into_expr()?, b.into_expr()?)
}

/// A shift or bitwise operation (also `T.shift_left(7, x)`): a Python `int` takes the other operand's type.
///
/// TVM passes the `int` through a C `int`, so only its low 32 bits remain. With an unsigned type a negative one becomes
/// its 64-bit pattern, a call of `tir.large_uint_imm`.
/// # Errors
/// Errors of the operation; [`PrimError::OutOfRange`] if the `int` does not fit the other's type.
/// # Source
/// `DEF_MAKE_BIT_OP`, `src/tir/op/op.cc`.
pub fn bits(
    operation: fn(Expr, Expr) -> PrimResult<Expr>,
    a: impl Into<Operand>,
    b: impl Into<Operand>,
) -> PrimResult<Expr> {
    let like = |value: i64, other: &Expr| {
        let (dtype, low) = (other.dtype(), i64::from(value as i32));
        if dtype.is_uint() && value < 0 { make_const(dtype, low as u64) } else { make_const(dtype, low) }
    };
    let (a, b) = (a.into(), b.into());
    let a = undetermined::determine_beside(a, &b);
    let b = undetermined::determine_beside(b, &a);
    let (a, b) = match (a, b) {
        (Operand::Int(a), b) => {
            let b = b.into_expr()?;
            (like(a, &b)?, b)
        }
        (a, Operand::Int(b)) => {
            let a = a.into_expr()?;
            let b = like(b, &a)?;
            (a, b)
        }
        (a, b) => (a.into_expr()?, b.into_expr()?),
    };
    operation(a, b)
}

/// `-a` and `~a`; `+a` and `not a` are not defined outside script bodies.
///
/// `-a` is `a * -1`.
/// # Errors
/// [`PrimError::UnsupportedOperator`]; [`PrimError::OutOfRange`] for `-` of an unsigned or bool operand;
/// [`PrimError::OperandType`] for `~` of a float.
pub fn unary(op: UnaryOperator, a: Expr) -> PrimResult<Expr> {
    match op {
        UnaryOperator::Plus => Err(PrimError::UnsupportedOperator { op: "+" }),
        UnaryOperator::Not => Err(PrimError::UnsupportedOperator { op: "not" }),
        UnaryOperator::Minus => {
            let a = undetermined::determine(a, DataType::INT32);
            let minus_one = make_const(a.dtype(), -1)?;
            super::mul(a, minus_one)
        }
        UnaryOperator::Invert => super::bitwise_not(a),
    }
}

/// A comparison outside script bodies: matches types and folds constants. As in Python, a number on the left defers to
/// the right operand, so `3 < x` builds `x > 3`.
/// # Errors
/// Errors of the comparison.
pub fn compare(op: Comparison, a: impl Into<Operand>, b: impl Into<Operand>) -> PrimResult<Expr> {
    let (op, a, b) = match (a.into(), b.into()) {
        (a @ Operand::Expr(_), b) => (op, a, b),
        (a, b @ Operand::Expr(_)) => (op.reflected(), b, a),
        (a, b) => (op, a, b),
    };
    super::binary(op.into(), a.into_expr()?, b.into_expr()?)
}
