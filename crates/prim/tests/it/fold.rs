//! Folding: what each operator makes of literals and of 0 and 1.

use tvmscript_prim::ops::{self, fold::fold};
use tvmscript_prim::{Expr, PrimError};

use crate::show::{lit, shown, ty, var};

type Binary = fn(Expr, Expr) -> Result<Expr, PrimError>;

/// Whether the result is this very operand.
fn is(result: Result<Expr, PrimError>, operand: &Expr) -> bool {
    result.is_ok_and(|e| e.ptr_eq(operand))
}

#[test]
fn identities_give_back_the_operand() {
    for t in ["int8", "int32", "uint64", "float16", "float32", "bfloat16", "float8_e5m2"] {
        let x = var(t);
        let (zero, one) = (lit(t, 0), lit(t, 1));
        assert!(is(ops::add(zero.clone(), x.clone()), &x), "0 + {t}");
        assert!(is(ops::add(x.clone(), zero.clone()), &x), "{t} + 0");
        assert!(is(ops::sub(x.clone(), zero.clone()), &x), "{t} - 0");
        assert!(is(ops::mul(one.clone(), x.clone()), &x), "1 * {t}");
        assert!(is(ops::mul(x.clone(), one.clone()), &x), "{t} * 1");
        assert!(is(ops::mul(zero.clone(), x.clone()), &zero), "0 * {t}");
        assert!(is(ops::mul(x.clone(), zero.clone()), &zero), "{t} * 0");
        assert!(is(ops::div(x.clone(), one.clone()), &x), "{t} / 1");
        assert!(is(ops::div(zero.clone(), x.clone()), &zero), "0 / {t}");
        assert_eq!(shown(ops::div(x.clone(), zero.clone())), "error: division by zero");
        assert!(is(ops::min(x.clone(), x.clone()), &x) && is(ops::max(x.clone(), x.clone()), &x));
        assert!(shown(ops::sub(zero, x)).starts_with("(Sub 0"), "0 - {t} stays");
    }
    let x = var("int16");
    assert!(is(ops::floordiv(x.clone(), lit("int16", 1)), &x));
    assert_eq!(shown(ops::floordiv(lit("int16", 0), x.clone())), "0:int16");
    assert_eq!(shown(ops::floordiv(x, lit("int16", 0))), "error: division by zero");
}

#[test]
fn integers_wrap_to_their_type() {
    for (op, t, a, b, expected) in [
        (ops::add as Binary, "int8", 127, 1, "-128:int8"),
        (ops::add, "uint8", 255, 1, "0:uint8"),
        (ops::add, "int64", i64::MAX, 1, "-9223372036854775808:int64"),
        (ops::sub, "int32", i64::from(i32::MIN), 1, "2147483647"),
        (ops::sub, "uint8", 3, 5, "254:uint8"),
        (ops::sub, "uint8", 0, 5, "error: the value -5 does not fit `uint8`"),
        (ops::sub, "uint64", 3, 5, "error: the value -2 does not fit `uint64`"),
        (ops::mul, "int16", 256, 256, "0:int16"),
        (ops::mul, "uint32", 65536, 65537, "65536:uint32"),
        (ops::div, "int8", -128, -1, "-128:int8"),
        (ops::div, "int64", i64::MIN, -1, "-9223372036854775808:int64"),
        (ops::floordiv, "int64", i64::MIN, -1, "-9223372036854775808:int64"),
        (ops::add, "bool", 1, 1, "error: the value 2 does not fit `bool`"),
    ] {
        assert_eq!(shown(op(lit(t, a), lit(t, b))), expected, "{a} and {b} of {t}");
    }
}

#[test]
fn divisions_round_as_they_say() {
    for (a, b, quotient, remainder, floor, modulo) in [
        (7, 2, "3", "1", "3", "1"),
        (-7, 2, "-3", "-1", "-4", "1"),
        (7, -2, "-3", "1", "-4", "-1"),
        (-7, -2, "3", "-1", "3", "-1"),
        (-6, 2, "-3", "0", "-3", "0"),
        (6, -2, "-3", "0", "-3", "0"),
    ] {
        let (x, y) = (|| lit("int32", a), || lit("int32", b));
        assert_eq!(shown(ops::truncdiv(x(), y())), quotient);
        assert_eq!(shown(ops::truncmod(x(), y())), remainder);
        assert_eq!(shown(ops::floordiv(x(), y())), floor);
        assert_eq!(shown(ops::floormod(x(), y())), modulo);
    }
}

#[test]
fn remainders_fold_for_indices_only() {
    for t in ["int32", "int64"] {
        let tail = if t == "int32" { "" } else { ":int64" };
        for op in [ops::truncmod as Binary, ops::floormod] {
            assert_eq!(shown(op(lit(t, 7), lit(t, 4))), format!("3{tail}"));
            assert_eq!(shown(op(lit(t, 0), var(t))), format!("0{tail}"));
            assert_eq!(shown(op(var(t), lit(t, 1))), format!("0{tail}"));
            assert_eq!(shown(op(var(t), lit(t, 0))), "error: division by zero");
        }
    }
    assert_eq!(shown(ops::floormod(lit("uint8", 7), lit("uint8", 1))), "(FloorMod 7:uint8 1:uint8)");
    assert_eq!(shown(ops::floormod(var("int8"), lit("int8", 0))), "(FloorMod i8 0:int8)");
    assert_eq!(shown(ops::truncmod(lit("float32", 2.5), lit("float32", 2.0))), "(Mod 2.5 2.0)");
}

#[test]
fn float32_computes_in_32_bits_and_narrower_floats_do_not_fold() {
    let (a, b) = (lit("float32", 0.1), lit("float32", 0.2));
    assert_eq!(shown(ops::add(a, b)), format!("{:?}", f64::from(0.1f32 + 0.2f32)));
    let (a, b) = (lit("float32", 0.9), lit("float32", 0.1));
    assert_eq!(shown(ops::sub(a, b)), format!("{:?}", f64::from(0.9f32 - 0.1f32)));
    assert_eq!(shown(ops::add(lit("float64", 0.1), lit("float64", 0.2))), "0.30000000000000004:float64");
    assert_eq!(shown(ops::mul(lit("float32", 3e38), lit("float32", 10.0))), "inf");
    assert_eq!(shown(ops::add(lit("float16", 1.0), lit("float16", 2.0))), "(Add 1.0:float16 2.0:float16)");
    assert_eq!(shown(ops::add(lit("float16", 1.0), lit("float16", 0.0))), "1.0:float16");
    assert_eq!(shown(ops::mul(lit("bfloat16", 0.0), lit("bfloat16", 2.0))), "0.0:bfloat16");
    assert_eq!(shown(ops::div(lit("float32", 1.0), lit("float32", -0.0))), "error: division by zero");
}

#[test]
fn extrema_and_comparisons_fold_at_any_width() {
    assert_eq!(shown(ops::min(lit("float16", 1.0), lit("float16", 2.0))), "1.0:float16");
    assert_eq!(shown(ops::max(lit("uint8", 1), lit("uint8", 2))), "2:uint8");
    assert_eq!(shown(ops::max(lit("float32", f64::NAN), lit("float32", 1.0))), "NaN");
    assert_eq!(shown(ops::max(lit("float32", 1.0), lit("float32", f64::NAN))), "1.0");
    assert_eq!(shown(ops::lt(lit("int8", 1), lit("int8", 2))), "true");
    assert_eq!(shown(ops::ne(lit("float16", 1.0), lit("float16", 1.0))), "false");
    assert_eq!(shown(ops::ge(var("int32"), lit("int64", 2))), "(GE (Cast int64 i32) 2:int64)");
    assert_eq!(shown(ops::eq(ops::vscale(), ops::vscale())), "true");
    assert_eq!(shown(ops::le(var("int32x4"), var("int32"))), "(LE i32x4 (Broadcast i32 4))");
}

#[test]
fn infinities_give_way_to_anything() {
    let (x, pos, neg) = (var("int32"), ops::pos_inf(), ops::neg_inf());
    assert!(is(ops::min(pos.clone(), x.clone()), &x) && is(ops::min(x.clone(), pos.clone()), &x));
    assert!(is(ops::max(neg.clone(), x.clone()), &x) && is(ops::max(x.clone(), neg.clone()), &x));
    assert!(is(ops::min(x.clone(), neg.clone()), neg) && is(ops::max(pos.clone(), x), pos));
}

#[test]
fn logic_is_decided_by_a_literal() {
    let b = var("bool");
    let (yes, no) = (|| lit("bool", true), || lit("bool", false));
    assert!(is(ops::and(yes(), b.clone()), &b) && is(ops::and(b.clone(), yes()), &b));
    assert!(is(ops::or(no(), b.clone()), &b) && is(ops::or(b.clone(), no()), &b));
    assert_eq!(shown(ops::and(b.clone(), no())), "false");
    assert_eq!(shown(ops::or(yes(), b.clone())), "true");
    assert_eq!(shown(ops::and(b.clone(), b.clone())), "(And bool bool)");
    assert_eq!(shown(ops::not(no())), "true");
    assert_eq!(shown(ops::not(b.clone())), "(Not bool)");
    assert_eq!(shown(ops::or(b, var("int32"))), "error: `or` takes bool operands, not `int32`");
    assert_eq!(shown(ops::not(var("int32"))), "error: `not` takes bool operands, not `int32`");
}

#[test]
fn shifts_and_bits_fold_for_indices_only() {
    assert_eq!(shown(ops::shift_left(lit("int32", 3), lit("int32", 2))), "12");
    assert_eq!(shown(ops::shift_right(lit("int64", -8), lit("int64", 1))), "-4:int64");
    assert_eq!(
        shown(ops::shift_left(lit("int32", 1), lit("int32", 31))),
        "error: the value 2147483648 does not fit `int32`"
    );
    assert_eq!(
        shown(ops::shift_right(var("int32"), lit("int32", 32))),
        "error: shift amount 32 is out of range for `int32`"
    );
    assert_eq!(
        shown(ops::shift_left(var("int64"), lit("int64", -1))),
        "error: shift amount -1 is out of range for `int64`"
    );
    let x = var("int32");
    assert!(is(ops::shift_left(x.clone(), lit("int32", 0)), &x));
    assert_eq!(shown(ops::shift_left(var("int8"), lit("int8", 0))), "(shift_left:int8 i8 0:int8)");
    assert_eq!(shown(ops::bitwise_and(lit("int32", 6), lit("int32", 3))), "2");
    assert_eq!(
        shown(ops::bitwise_xor(lit("uint8", 6), lit("uint8", 3))),
        "(bitwise_xor:uint8 6:uint8 3:uint8)"
    );
    assert_eq!(shown(ops::bitwise_or(var("bool"), var("bool"))), "(bitwise_or:bool bool bool)");
    assert_eq!(shown(ops::bitwise_not(lit("int32", 5))), "(bitwise_not:int32 5)");
    assert_eq!(
        shown(ops::shift_left(var("bool"), x.clone())),
        "error: `shift_left` takes integers, not `bool`"
    );
    assert_eq!(
        shown(ops::bitwise_or(var("float32"), x)),
        "error: `bitwise_or` takes integers or bools, not `float32`"
    );
}

#[test]
fn integer_divisions_take_integers_only() {
    for (name, op) in [
        ("floordiv", ops::floordiv as Binary),
        ("floormod", ops::floormod),
        ("truncdiv", ops::truncdiv),
        ("ceildiv", ops::ceildiv),
    ] {
        for t in ["float32", "bool", "handle"] {
            let expected = format!("error: `{name}` takes integers, not `{t}`");
            assert_eq!(shown(op(var(t), var("int32"))), expected);
            assert_eq!(shown(op(var("int32"), var(t))), expected);
        }
    }
    assert_eq!(shown(ops::truncmod(var("float32"), var("float32"))), "(Mod f32 f32)");
}

#[test]
fn ceildiv_adds_the_divisor_less_one() {
    assert_eq!(shown(ops::ceildiv(var("int32"), lit("int32", 4))), "(FloorDiv (Sub (Add i32 4) 1) 4)");
    assert_eq!(shown(ops::ceildiv(var("int32"), lit("int32", 1))), "(Sub (Add i32 1) 1)");
    assert_eq!(shown(ops::ceildiv(lit("int64", 7), lit("int64", 4))), "2:int64");
    assert_eq!(shown(ops::ceildiv(lit("int8", 100), lit("int8", 127))), "-1:int8");
}

#[test]
fn negation_folds_or_subtracts() {
    assert_eq!(shown(ops::neg(lit("int32", 5))), "-5");
    assert_eq!(shown(ops::neg(lit("float16", 0.0))), "-0.0:float16");
    assert_eq!(shown(ops::neg(var("uint8"))), "(Sub 0:uint8 u8)");
    assert_eq!(shown(ops::neg(var("int32x4"))), "(Sub (Broadcast 0 4) i32x4)");
    assert_eq!(shown(ops::neg(lit("uint8", 5))), "error: the value -5 does not fit `uint8`");
    assert_eq!(shown(ops::neg(lit("int8", -128))), "error: the value 128 does not fit `int8`");
}

#[test]
fn a_literal_condition_chooses_after_matching() {
    let (x, y) = (var("int32"), var("float32"));
    assert_eq!(shown(ops::if_then_else(lit("bool", true), x.clone(), y.clone())), "(Cast float32 i32)");
    assert!(is(ops::if_then_else(lit("bool", false), x.clone(), y.clone()), &y));
    assert_eq!(
        shown(ops::if_then_else(var("bool"), x.clone(), y.clone())),
        "(if_then_else:float32 bool (Cast float32 i32) f32)"
    );
    assert_eq!(
        shown(ops::if_then_else(x.clone(), x.clone(), y.clone())),
        "error: `if_then_else` takes a bool condition, not `int32`"
    );
    assert!(ops::if_then_else(var("boolx4"), x.clone(), x.clone()).is_err());
    assert!(ops::select(var("bool"), x, y).is_err());
}

#[test]
fn folding_alone_tells_which_operand_remains() {
    let (x, zero) = (var("int32"), lit("int32", 0));
    let folded = fold(ops::BinaryOp::Add, &x, &zero);
    assert!(matches!(folded, Ok(Some(ops::Folded::Left))));
    assert!(matches!(fold(ops::BinaryOp::Add, &x, &x), Ok(None)));
    let halves = (lit("float32", 7.0), lit("float32", 2.0));
    let floor = fold(ops::BinaryOp::FloorDiv, &halves.0, &halves.1);
    assert!(matches!(floor, Ok(Some(ops::Folded::Value(v))) if shown(Ok(v.clone())) == "3.0"));
}

#[test]
fn constants_of_every_kind() {
    assert_eq!(shown(ops::make_const(ty("float32x4"), 1)), "(Broadcast 1.0 4)");
    assert_eq!(shown(ops::make_const(ty("int8xvscalex4"), 1)), "(Broadcast 1:int8 (Mul (vscale:int32) 4))");
    assert_eq!(
        shown(ops::make_const(ty("uint64"), u64::MAX)),
        "(large_uint_imm:uint64 4294967295:uint32 4294967295:uint32)"
    );
    assert_eq!(shown(ops::make_zero(ty("handle"))), "(reinterpret:handle 0:uint64)");
    assert!(ops::make_const(ty("void"), 1).is_err());
}
