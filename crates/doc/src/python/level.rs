//! Precedence of Python's expressions.
//!
//! Upstream counterpart: `ExprPrecedence` in `python_doc_printer.cc`, with the same numbers.

use crate::expr::Expr;
use crate::operation::{BinaryOp, UnaryOp};

/// A precedence; higher binds tighter.
pub(super) type Level = u8;

pub(super) const LAMBDA: Level = 1;
pub(super) const CONDITIONAL: Level = 2;
pub(super) const OR: Level = 3;
pub(super) const AND: Level = 4;
pub(super) const NOT: Level = 5;
pub(super) const COMPARISON: Level = 6;
pub(super) const BIT_OR: Level = 7;
pub(super) const BIT_XOR: Level = 8;
pub(super) const BIT_AND: Level = 9;
pub(super) const SHIFT: Level = 10;
pub(super) const SUM: Level = 11;
pub(super) const PRODUCT: Level = 12;
pub(super) const UNARY: Level = 13;
pub(super) const POWER: Level = 14;
pub(super) const ATOM: Level = 15;

#[inline]
pub(super) fn of_unary(op: UnaryOp) -> Level {
    match op {
        UnaryOp::USub | UnaryOp::Invert => UNARY,
        UnaryOp::Not => NOT,
    }
}

#[inline]
pub(super) fn of_binary(op: BinaryOp) -> Level {
    match op {
        BinaryOp::Add | BinaryOp::Sub => SUM,
        BinaryOp::Mult | BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod => PRODUCT,
        BinaryOp::Pow => POWER,
        BinaryOp::LShift | BinaryOp::RShift => SHIFT,
        BinaryOp::BitAnd => BIT_AND,
        BinaryOp::BitOr => BIT_OR,
        BinaryOp::BitXor => BIT_XOR,
        BinaryOp::Lt | BinaryOp::LtE | BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Gt | BinaryOp::GtE => {
            COMPARISON
        }
        BinaryOp::And => AND,
        BinaryOp::Or => OR,
    }
}

#[inline]
pub(super) fn of(expr: &Expr) -> Level {
    match *expr {
        Expr::Lambda { .. } => LAMBDA,
        Expr::Conditional { .. } => CONDITIONAL,
        Expr::Unary { op, .. } => of_unary(op),
        Expr::Binary { op, .. } => of_binary(op),
        Expr::None
        | Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Float(_)
        | Expr::Str(_)
        | Expr::Bytes(_)
        | Expr::Id(_)
        | Expr::Attr { .. }
        | Expr::Index { .. }
        | Expr::Slice { .. }
        | Expr::Call(_)
        | Expr::Tuple(_)
        | Expr::List(_)
        | Expr::Dict(_)
        | Expr::Quoted(_) => ATOM,
    }
}

/// The spelling of a binary operator, with spaces.
#[inline]
pub(super) fn token(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Mult => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::FloorDiv => " // ",
        BinaryOp::Mod => " % ",
        BinaryOp::Pow => " ** ",
        BinaryOp::LShift => " << ",
        BinaryOp::RShift => " >> ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitOr => " | ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::Lt => " < ",
        BinaryOp::LtE => " <= ",
        BinaryOp::Eq => " == ",
        BinaryOp::NotEq => " != ",
        BinaryOp::Gt => " > ",
        BinaryOp::GtE => " >= ",
        BinaryOp::And => " and ",
        BinaryOp::Or => " or ",
    }
}
