//! Comparisons and logic in the body of a script.

use tvmscript_ir_core::arithmetic::Comparison;
use tvmscript_prim::ops::python::Operand;
use tvmscript_prim::ops::script::{Connective, compare, logic, not};

use crate::show::{lit, shown, var};

fn less(a: impl Into<Operand>, b: impl Into<Operand>) -> String {
    shown(compare(Comparison::Lt, a, b))
}

#[test]
fn nothing_is_promoted_and_nothing_folds() {
    assert_eq!(less(lit("int32", 1), lit("int32", 2)), "(LT 1 2)");
    assert_eq!(less(var("int32"), lit("int64", 1)), "error: mismatched types: `int32` against `int64`");
    assert_eq!(less(var("float32"), var("bool")), "error: mismatched types: `float32` against `bool`");
}

#[test]
fn numbers_take_the_other_element_type() {
    assert_eq!(less(var("uint8"), 3), "(LT u8 3:uint8)");
    assert_eq!(less(0, var("bool")), "(LT false bool)");
    assert_eq!(less(var("float16"), 2), "(LT f16 2.0:float16)");
    assert_eq!(less(true, var("int32")), "(LT 1 i32)");
    assert_eq!(less(2.5, var("float64")), "(LT 2.5:float64 f64)");
    assert_eq!(less(var("bfloat16"), 2.5), "(LT bf16 2.5:bfloat16)");
    assert_eq!(less(var("int32x4"), -8), "(LT i32x4 (Broadcast -8 4))");
}

#[test]
fn numbers_that_do_not_fit_are_errors() {
    assert_eq!(less(var("uint8"), -1), "error: the value -1 does not fit `uint8`");
    assert_eq!(less(var("bool"), 3), "error: the value 3 does not fit `bool`");
    assert_eq!(less(7, var("bfloat16")), "error: `<` does not take a Python int beside `bfloat16`");
    assert_eq!(less(2.5, var("int32")), "error: mismatched types: `float32` against `int32`");
    assert_eq!(less(2.5, var("bfloat16")), "error: mismatched types: `float32` against `bfloat16`");
    assert_eq!(less(var("int32"), 2.5), "error: `FloatImm` takes a scalar floating type, not `int32`");
}

#[test]
fn scalars_are_broadcast_and_lanes_must_agree() {
    assert_eq!(less(var("float32x4"), var("float32")), "(LT f32x4 (Broadcast f32 4))");
    assert_eq!(less(var("int8"), var("int8x2")), "(LT (Broadcast i8 2) i8x2)");
    assert_eq!(less(var("int8x4"), var("int8x2")), "error: no common type for `int8x4` and `int8x2`");
    assert_eq!(less(var("int32xvscalex4"), 1), "(LT i32xvscalex4 (Broadcast 1 (Mul (vscale:int32) 4)))");
}

#[test]
fn connectives_build_nodes_or_bit_operations() {
    let b = || var("bool");
    assert_eq!(shown(logic(Connective::And, b(), true)), "(And bool true)");
    assert_eq!(shown(logic(Connective::Or, false, b())), "(Or false bool)");
    assert_eq!(
        shown(logic(Connective::Or, var("boolx4"), b())),
        "(bitwise_or:boolx4 boolx4 (Broadcast bool 4))"
    );
    assert_eq!(
        shown(logic(Connective::And, b(), 1)),
        "error: `and` does not take a Python int beside `bool`"
    );
    assert_eq!(
        shown(logic(Connective::Or, 0.5, b())),
        "error: `or` does not take a Python float beside `bool`"
    );
    assert_eq!(
        shown(logic(Connective::And, var("int32"), b())),
        "error: `and` takes bool operands, not `int32`"
    );
    assert_eq!(shown(not(lit("bool", true))), "(Not true)");
    assert_eq!(shown(not(var("int32"))), "error: `not` takes bool operands, not `int32`");
}
