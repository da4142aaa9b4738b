//! Script functions of expressions that do more than make a call: they fold, convert or check.
//!
//! One line a function, which the reader calls, and which the printer asks whether it makes the call that is printed. An
//! operator without a line here makes the call that its line in [`super::op_table`] describes.

use std::collections::HashMap;
use std::sync::OnceLock;

use tvmscript_ir_core::{Array, DataType};

use super::{arith, bits, convert, logic, math};
use crate::class::Expr;
use crate::error::Result;

/// What makes the expression, by the operands it takes.
#[derive(Debug, Clone, Copy)]
pub enum Make {
    /// One expression.
    Unary(fn(Expr) -> Result<Expr>),
    /// Two expressions.
    Binary(fn(Expr, Expr) -> Result<Expr>),
    /// Two expressions, of which a Python `int` takes the other's type ([`super::python::bits`]).
    Bits(fn(Expr, Expr) -> Result<Expr>),
    /// Three expressions.
    Ternary(fn(Expr, Expr, Expr) -> Result<Expr>),
    /// A type, and an expression of another.
    Converted(fn(DataType, Expr) -> Result<Expr>),
    /// A type alone.
    OfType(fn(DataType) -> Result<Expr>),
}

/// A script function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The name after `T.`.
    pub name: &'static str,
    /// The parameters, by the names TVM gives them.
    pub params: &'static str,
    /// What it does.
    pub make: Make,
}

use Make::{Binary, Bits, Converted, OfType, Ternary, Unary};

const fn function(name: &'static str, params: &'static str, make: Make) -> Function {
    Function { name, params, make }
}

/// All functions that do more than make a call.
#[rustfmt::skip]
pub static FUNCTIONS: &[Function] = &[
    function("abs", "x", Unary(math::abs)),
    function("bitwise_and", "x, y", Bits(bits::bitwise_and)),
    function("bitwise_not", "x", Unary(bits::bitwise_not)),
    function("bitwise_or", "x, y", Bits(bits::bitwise_or)),
    function("bitwise_xor", "x, y", Bits(bits::bitwise_xor)),
    function("ceil", "x", Unary(math::ceil)),
    function("ceildiv", "lhs, rhs", Binary(arith::ceildiv)),
    function("exp", "x", Unary(math::exp)),
    // Another name of `abs`, which takes integers too.
    function("fabs", "x", Unary(math::abs)),
    function("floor", "x", Unary(math::floor)),
    function("floordiv", "a, b", Binary(arith::floordiv)),
    function("floormod", "a, b", Binary(arith::floormod)),
    function("if_then_else", "cond, t, f", Ternary(logic::if_then_else)),
    function("infinity", "dtype", OfType(math::infinity)),
    function("isfinite", "x", Unary(math::isfinite)),
    function("isinf", "x", Unary(math::isinf)),
    function("isnan", "x", Unary(math::isnan)),
    function("likely", "cond", Unary(|x| Ok(logic::likely(x)))),
    function("max", "a, b", Binary(arith::max)),
    function("max_value", "dtype", OfType(math::max_value)),
    function("min", "a, b", Binary(arith::min)),
    function("min_value", "dtype", OfType(math::min_value)),
    function("nearbyint", "x", Unary(math::nearbyint)),
    function("pow", "x, y", Binary(math::pow)),
    function("reinterpret", "dtype, value", Converted(convert::reinterpret)),
    function("round", "x", Unary(math::round)),
    function("shift_left", "x, y", Bits(bits::shift_left)),
    function("shift_right", "x, y", Bits(bits::shift_right)),
    function("trunc", "x", Unary(math::trunc)),
    function("truncdiv", "a, b", Binary(arith::truncdiv)),
    function("truncmod", "a, b", Binary(arith::truncmod)),
];

/// The function of this name.
pub fn by_name(name: &str) -> Option<&'static Function> {
    static MAP: OnceLock<HashMap<&'static str, &'static Function>> = OnceLock::new();
    MAP.get_or_init(|| FUNCTIONS.iter().map(|f| (f.name, f)).collect()).get(name).copied()
}

impl Make {
    /// What the function makes of expressions, and of the type where it takes one; nothing when their number is another.
    pub fn of(self, dtype: DataType, args: &Array<Expr>) -> Option<Result<Expr>> {
        let arg = |i: usize| args[i].clone();
        Some(match (self, args.len()) {
            (Unary(f), 1) => f(arg(0)),
            (Binary(f) | Bits(f), 2) => f(arg(0), arg(1)),
            (Ternary(f), 3) => f(arg(0), arg(1), arg(2)),
            (Converted(f), 1) => f(dtype, arg(0)),
            (OfType(f), 0) => f(dtype),
            _ => return None,
        })
    }
}
