//! Mathematical functions: what they fold, match and check.

use tvmscript_tir::op::{bits, fold, math};

use crate::show::{lit, show, shown, ty, var};

#[test]
fn plain_functions_call_with_the_operands_type() {
    assert_eq!(show(&math::sqrt(var("int32"))), "(sqrt:int32 i32)");
    assert_eq!(show(&math::sin(var("float16x4"))), "(sin:float16x4 f16x4)");
    assert_eq!(show(&math::fmod(var("float32"), lit("int32", 2))), "(fmod:float32 f32 2)");
    assert_eq!(show(&math::ldexp(lit("bool", false), var("int8"))), "(ldexp:bool false i8)");
    assert_eq!(show(&bits::clz(var("float32x4"))), "(clz:int32 f32x4)");
    assert_eq!(show(&bits::popcount(var("uint16"))), "(popcount:uint16 u16)");
    assert_eq!(
        show(&bits::q_multiply_shift(var("int32"), lit("int32", 7), lit("int32", 31), lit("int32", -1))),
        "(q_multiply_shift:int32 i32 7 31 -1)"
    );
}

#[test]
fn exp_converts_integers_even_literals() {
    assert_eq!(shown(math::exp(lit("int64", 3))), "(exp:float32 (Cast float32 3:int64))");
    assert_eq!(shown(math::exp(var("uint8"))), "(exp:float32 (Cast float32 u8))");
    assert_eq!(shown(math::exp(var("bool"))), "(exp:bool bool)");
    assert!(math::exp(var("int32x4")).is_err());
}

#[test]
fn pow_matches_types_and_wants_floats() {
    assert_eq!(
        shown(math::pow(lit("float32", 1.0), var("bfloat16"))),
        "(pow:float32 1.0 (Cast float32 bf16))"
    );
    assert_eq!(
        shown(math::pow(var("int64"), var("float16x4"))),
        "(pow:float16x4 (Broadcast (Cast float16 i64) 4) f16x4)"
    );
    assert_eq!(shown(math::pow(var("int32"), var("int32"))), "error: `pow` takes floats, not `int32`");
    assert_eq!(
        shown(fold::logaddexp(var("float32"), var("float64"))),
        "(log:float64 (Add (exp:float64 (Cast float64 f32)) (exp:float64 f64)))"
    );
}

#[test]
fn absolute_values() {
    assert_eq!(shown(math::abs(var("int32"))), "(Select (GE i32 0) i32 (Sub 0 i32))");
    assert_eq!(
        shown(math::abs(var("int32x4"))),
        "(Select (GE i32x4 (Broadcast 0 4)) i32x4 (Sub (Broadcast 0 4) i32x4))"
    );
    assert_eq!(shown(math::abs(lit("int8", -7))), "7:int8");
    assert_eq!(shown(math::abs(lit("int64", i64::MIN))), "-9223372036854775808:int64");
    assert_eq!(shown(math::abs(lit("float16", -0.0))), "0.0:float16");
    assert_eq!(shown(math::abs(var("bfloat16"))), "(fabs:bfloat16 bf16)");
    assert_eq!(shown(math::abs(var("uint8"))), "u8");
    assert_eq!(shown(math::abs(var("bool"))), "error: `abs` takes integers or floats, not `bool`");
    assert!(math::abs(var("float8_e4m3fn")).is_err());
}

#[test]
fn rounding_folds_literals_and_leaves_integers() {
    for (value, floor, ceil, trunc, round) in [
        (2.5, "2.0", "3.0", "2.0", "2.0"),
        (3.5, "3.0", "4.0", "3.0", "4.0"),
        (-2.5, "-3.0", "-2.0", "-2.0", "-2.0"),
        (-0.5, "-1.0", "-0.0", "-0.0", "-0.0"),
    ] {
        let x = || lit("float32", value);
        assert_eq!(shown(math::floor(x())), floor);
        assert_eq!(shown(math::ceil(x())), ceil);
        assert_eq!(shown(math::trunc(x())), trunc);
        assert_eq!(shown(math::round(x())), round);
        assert_eq!(shown(math::nearbyint(x())), round);
    }
    assert_eq!(shown(math::floor(lit("float16", 2.5))), "2.0:float16");
    assert_eq!(shown(math::round(var("uint8x4"))), "u8x4");
    assert_eq!(shown(math::trunc(var("bool"))), "bool");
    assert_eq!(shown(math::ceil(var("float64"))), "(ceil:float64 f64)");
}

#[test]
fn classification_of_floats() {
    assert_eq!(shown(math::isnan(var("int32x4"))), "(Broadcast false 4)");
    assert_eq!(shown(math::isnan(lit("float32", f64::NAN))), "true");
    assert_eq!(shown(math::isnan(var("float16"))), "(isnan:bool (Cast float32 f16))");
    assert_eq!(shown(math::isnan(var("float64"))), "(isnan:bool f64)");
    assert_eq!(shown(math::isinf(var("uint8"))), "false");
    assert_eq!(
        shown(math::isinf(var("float32"))),
        "(And (EQ (fabs:float32 f32) inf) (Not (isnan:bool f32)))"
    );
    assert_eq!(shown(math::isfinite(lit("float32", 2.5))), "true");
    assert_eq!(shown(math::isfinite(lit("float64", f64::INFINITY))), "false");
    for f in [math::isnan, math::isinf, math::isfinite] {
        assert!(f(var("bool")).is_err() && f(var("bfloat16")).is_err() && f(var("float8_e5m2")).is_err());
    }
    assert!(math::isinf(var("float32x4")).is_err());
}

#[test]
fn limits_of_types() {
    for (t, min, max) in [
        ("int8", "-128:int8", "127:int8"),
        ("int64", "-9223372036854775808:int64", "9223372036854775807:int64"),
        ("uint16", "0:uint16", "65535:uint16"),
        ("uint64", "0:uint64", "(large_uint_imm:uint64 4294967295:uint32 4294967295:uint32)"),
        ("float16", "-65504.0:float16", "65504.0:float16"),
        ("bfloat16", "-3.4028234663852886e38:bfloat16", "3.4028234663852886e38:bfloat16"),
        ("float8_e4m3fn", "-448.0:float8_e4m3fn", "448.0:float8_e4m3fn"),
        ("float8_e4m3b11fnuz", "0.0:float8_e4m3b11fnuz", "30.0:float8_e4m3b11fnuz"),
        ("float4_e2m1fn", "-6.0:float4_e2m1fn", "6.0:float4_e2m1fn"),
    ] {
        assert_eq!(shown(math::min_value(ty(t))), min);
        assert_eq!(shown(math::max_value(ty(t))), max);
    }
    for t in ["bool", "handle", "int32x4", "void"] {
        assert!(math::min_value(ty(t)).is_err() && math::max_value(ty(t)).is_err(), "{t}");
    }
    assert_eq!(shown(math::infinity(ty("float16"))), "inf:float16");
    assert!(math::infinity(ty("bfloat16")).is_err() && math::infinity(ty("float32x4")).is_err());
}
