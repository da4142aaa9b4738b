//! Operations on bits. A Python `int` beside an expression takes the type of that expression.

use tvmscript_prim::error::PrimResult;
use tvmscript_prim::ops::Operand;
use tvmscript_prim::{DataType, Expr, PrimExprExt, ops};

use super::{INT32, Operator, ResultType, UINT64};

tir_operators! {
    /// Bits set in both operands.
    bitwise_and(x: Operand, y: Operand) -> same_as(x) = |x, y| of_operands(ops::bitwise_and, x, y);
    /// All bits inverted.
    bitwise_not(x: Expr) -> same_as(x) = ops::bitwise_not;
    /// Bits set in either operand.
    bitwise_or(x: Operand, y: Operand) -> same_as(x) = |x, y| of_operands(ops::bitwise_or, x, y);
    /// Bits that differ.
    bitwise_xor(x: Operand, y: Operand) -> same_as(x) = |x, y| of_operands(ops::bitwise_xor, x, y);
    /// Number of leading zero bits.
    clz(x: Expr) -> INT32;
    /// Number of set bits.
    popcount(x: Expr) -> same_as(x);
    /// Shift to the left.
    shift_left(x: Operand, y: Operand) -> same_as(x) = |x, y| of_operands(ops::shift_left, x, y);
    /// Arithmetic shift to the right.
    shift_right(x: Operand, y: Operand) -> same_as(x) = |x, y| of_operands(ops::shift_right, x, y);
    /// The bits of the value as another type of the same size.
    reinterpret(dtype: DataType, value: Expr) -> dtype = ops::reinterpret;
    /// Unsigned literal above `i64::MAX`, as its low and high 32 bits.
    large_uint_imm(*args: Expr) -> UINT64, hidden;
    /// Product of fixed-point numbers with `q` fractional bits, shifted right by `s` and rounded.
    q_multiply_shift(x: Expr, y: Expr, q: Expr, s: Expr) -> INT32;
    /// [`q_multiply_shift`] with a left shift `ls` and a right shift `rs`, each optional.
    q_multiply_shift_per_axis(
        x: Expr, y: Expr, ls: Expr, rs: Expr, q: Expr, is_lshift_required: Expr, is_rshift_required: Expr
    ) -> INT32;
}

/// Applies a bit operation to script operands. Of two plain numbers, the second becomes a literal of the text's
/// default type.
fn of_operands(operation: fn(Expr, Expr) -> PrimResult<Expr>, x: Operand, y: Operand) -> PrimResult<Expr> {
    let y = match (&x, &y) {
        (Operand::Int(_), Operand::Int(_)) => ops::bare::operand(y)?,
        _ => y,
    };
    ops::python::bits(operation, x, y)
}

/// Functions that make calls of bit operations and never fold: name and operator.
pub static STRICT: [(&str, &Operator); 6] = [
    ("BitwiseAnd", &BITWISE_AND),
    ("BitwiseOr", &BITWISE_OR),
    ("BitwiseXor", &BITWISE_XOR),
    ("LShift", &SHIFT_LEFT),
    ("RShift", &SHIFT_RIGHT),
    ("BitwiseNot", &BITWISE_NOT),
];
