//! Python's operators on expressions.

use tvmscript_ir_core::arithmetic::Comparison;
use tvmscript_prim::ops::python::{
    BinaryOperator as Op, Operand, UnaryOperator, binary, bits, compare, unary,
};
use tvmscript_prim::{Expr, ops};

use crate::show::{lit, shown, var};

fn check(op: Op, a: impl Into<Operand>, b: impl Into<Operand>, expected: &str) {
    assert_eq!(shown(binary(op, a, b)), expected);
}

#[test]
fn numbers_become_literals_before_types_are_matched() {
    check(Op::Add, var("uint8"), 1, "(Add (Cast int32 u8) 1)");
    check(Op::Add, var("int64"), 1, "(Add i64 1:int64)");
    check(Op::Add, var("bool"), 1, "(Add (Cast int32 bool) 1)");
    check(Op::Add, var("int32"), 4_294_967_296, "(Add (Cast int64 i32) 4294967296:int64)");
    check(Op::Sub, 1.5, var("int32"), "(Sub 1.5 (Cast float32 i32))");
    check(Op::Add, var("int32"), true, "(Add i32 1)");
    check(Op::Add, var("int32"), 1e39, "error: the value 1e39 does not fit `float32`");
    check(Op::Mod, var("int32"), 8, "(FloorMod i32 8)");
    check(Op::FloorDiv, var("int32"), 8, "(FloorDiv i32 8)");
    check(Op::FloorDiv, var("int32"), 2.0, "error: `floordiv` takes integers, not `float32`");
}

#[test]
fn division_of_signed_integers_is_ambiguous() {
    let ambiguous = "error: `/` of two integers is ambiguous: write `//`, `T.Div` or `T.truncdiv`";
    check(Op::Div, var("int32"), 2, ambiguous);
    check(Op::Div, true, var("int8x4"), ambiguous);
    check(Op::Div, var("int32"), var("int64"), ambiguous);
    check(Op::Div, var("uint32"), 2, "(Div u32 2:uint32)");
    check(Op::Div, var("int8"), var("uint64"), "(Div (Cast uint64 i8) u64)");
    check(Op::Div, var("float32"), 2, "(Div f32 2.0)");
    check(Op::Div, 1, var("float16"), "(Div 1.0:float16 f16)");
}

#[test]
fn bit_operators_give_a_number_the_other_type() {
    check(Op::BitAnd, var("uint8"), 3, "(bitwise_and:uint8 u8 3:uint8)");
    check(Op::LShift, 7, var("uint64"), "(shift_left:uint64 7:uint64 u64)");
    check(Op::BitOr, var("bool"), 1, "(bitwise_or:bool bool true)");
    check(Op::BitXor, var("int32x4"), 1, "(bitwise_xor:int32x4 i32x4 (Broadcast 1 4))");
    check(Op::BitAnd, var("uint8"), 256, "error: the value 256 does not fit `uint8`");
    check(Op::BitAnd, var("bool"), 2, "error: the value 2 does not fit `bool`");
    check(Op::BitAnd, var("uint8"), true, "(bitwise_and:uint8 u8 1:uint8)");
    check(Op::LShift, true, var("int32"), "error: `shift_left` takes integers, not `bool`");
    check(Op::BitAnd, var("float32"), 1, "error: `bitwise_and` takes integers or bools, not `float32`");
    assert_eq!(shown(bits(ops::bitwise_or, true, 63)), "error: the value 63 does not fit `bool`");
    assert_eq!(shown(bits(ops::shift_left, 3, 2)), "12");
    // Only 32 bits arrive, and a negative number beside an unsigned type is a bit pattern.
    check(Op::BitAnd, var("int64"), 4_294_967_297, "(bitwise_and:int64 i64 1:int64)");
    check(
        Op::BitXor,
        var("uint8"),
        -1,
        "(bitwise_xor:uint8 u8 (large_uint_imm:uint8 4294967295:uint32 4294967295:uint32))",
    );
    check(Op::BitAnd, var("uint32"), 4_294_967_295, "error: the value -1 does not fit `uint32`");
}

#[test]
fn unary_minus_multiplies() {
    let minus = |e: Expr| shown(unary(UnaryOperator::Minus, e));
    assert_eq!(minus(var("int32")), "(Mul i32 -1)");
    assert_eq!(minus(lit("int32", 5)), "-5");
    assert_eq!(minus(lit("int8", -128)), "-128:int8");
    assert_eq!(minus(var("float16x4")), "(Mul f16x4 (Broadcast -1.0:float16 4))");
    assert_eq!(minus(var("uint8")), "error: the value -1 does not fit `uint8`");
    assert_eq!(minus(var("bool")), "error: the value -1 does not fit `bool`");
}

#[test]
fn what_expressions_do_not_have() {
    let x = || var("int32");
    check(Op::Pow, x(), 2, "error: `**` is not defined for expressions");
    check(Op::MatMult, x(), x(), "error: `@` is not defined for expressions");
    assert_eq!(shown(unary(UnaryOperator::Plus, x())), "error: `+` is not defined for expressions");
    assert_eq!(shown(unary(UnaryOperator::Not, x())), "error: `not` is not defined for expressions");
    assert_eq!(
        shown(unary(UnaryOperator::Invert, var("float32"))),
        "error: `bitwise_not` takes integers or bools, not `float32`"
    );
}

#[test]
fn comparisons_promote_fold_and_reflect() {
    assert_eq!(shown(compare(Comparison::Lt, 3, var("int32"))), "(GT i32 3)");
    assert_eq!(shown(compare(Comparison::Ge, var("int32"), var("int64"))), "(GE (Cast int64 i32) i64)");
    assert_eq!(shown(compare(Comparison::Eq, lit("int32", 3), 3)), "true");
    assert_eq!(shown(compare(Comparison::Ne, 1.5, var("float32"))), "(NE f32 1.5)");
}
