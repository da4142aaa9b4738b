//! The common type of two operands, and casts.

use tvmscript_prim::ops::{self, cast, match_types};
use tvmscript_prim::{DataType, PrimExprExt, Ramp};

use crate::show::{dtype_of, lit, show, shown, ty, var};

/// The operands after matching, as text.
fn matched(left: &str, right: &str) -> String {
    let (mut a, mut b) = (var(left), var(right));
    match match_types(&mut a, &mut b) {
        Ok(()) => {
            assert_eq!(a.dtype(), b.dtype(), "{left} and {right}");
            format!("{}, {}", show(&a), show(&b))
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn same_types_stay() {
    for t in ["int32", "bool", "handle", "float8_e4m3fn", "int8x4", "float32xvscalex4"] {
        let (mut a, mut b) = (var(t), var(t));
        let (x, y) = (a.clone(), b.clone());
        assert_eq!(match_types(&mut a, &mut b), Ok(()));
        assert!(a.ptr_eq(&x) && b.ptr_eq(&y));
    }
}

#[test]
fn kinds_are_tried_in_order() {
    for (left, right, expected) in [
        ("float16", "float32", "(Cast float32 f16), f32"),
        ("float64", "float32", "f64, (Cast float64 f32)"),
        ("int64", "float16", "(Cast float16 i64), f16"),
        ("float32", "bool", "f32, (Cast float32 bool)"),
        ("bfloat16", "float16", "(Cast float16 bf16), f16"),
        ("float8_e4m3fn", "float16", "(Cast float16 f8_e4m3fn), f16"),
        ("int32", "bfloat16", "(Cast bfloat16 i32), bf16"),
        ("float8_e5m2", "bfloat16", "(Cast bfloat16 f8_e5m2), bf16"),
        ("float8_e5m2", "int32", "f8_e5m2, (Cast float8_e5m2 i32)"),
        ("float6_e2m3fn", "float8_e5m2", "(Cast float8_e5m2 f6_e2m3fn), f8_e5m2"),
        ("float4_e2m1fn", "float6_e2m3fn", "(Cast float6_e2m3fn f4_e2m1fn), f6_e2m3fn"),
        ("bool", "float4_e2m1fn", "(Cast float4_e2m1fn bool), f4_e2m1fn"),
        ("bool", "uint8", "(Cast uint8 bool), u8"),
        ("int16", "bool", "i16, (Cast int16 bool)"),
        ("int8", "int16", "(Cast int16 i8), i16"),
        ("uint32", "uint8", "u32, (Cast uint32 u8)"),
        ("int8", "uint16", "(Cast uint16 i8), u16"),
        ("int64", "uint32", "i64, (Cast int64 u32)"),
        ("int32", "uint32", "(Cast uint32 i32), u32"),
        ("uint32", "int32", "u32, (Cast uint32 i32)"),
    ] {
        assert_eq!(matched(left, right), expected, "{left} with {right}");
    }
}

#[test]
fn a_scalar_beside_a_vector_is_broadcast_first() {
    assert_eq!(matched("int32", "int32x4"), "(Broadcast i32 4), i32x4");
    assert_eq!(matched("float32x4", "int8"), "f32x4, (Broadcast (Cast float32 i8) 4)");
    assert_eq!(matched("int32", "float16x8"), "(Broadcast (Cast float16 i32) 8), f16x8");
    assert_eq!(matched("int32", "int32xvscalex4"), "(Broadcast i32 (Mul (vscale:int32) 4)), i32xvscalex4");
}

#[test]
fn what_does_not_match_is_an_error() {
    for (left, right) in [
        ("int32x4", "int32x8"),
        ("int32xvscalex4", "int32x4"),
        ("int32xvscalex4", "int32xvscalex8"),
        ("float8_e4m3fn", "float8_e5m2"),
        ("float6_e2m3fn", "float6_e3m2fn"),
        ("handle", "int32"),
        ("handle", "bool"),
    ] {
        assert_eq!(matched(left, right), format!("error: no common type for `{left}` and `{right}`"));
    }
}

#[test]
fn literals_are_converted_to_literals() {
    assert_eq!(shown(ops::add(var("int64"), lit("int32", 1))), "(Add i64 1:int64)");
    assert_eq!(shown(ops::add(var("float16"), lit("int32", 1))), "(Add f16 1.0:float16)");
    assert_eq!(shown(ops::add(var("float16"), lit("float32", 1.5))), "(Add (Cast float32 f16) 1.5)");
    assert_eq!(shown(ops::add(var("uint8"), lit("int32", 1))), "(Add (Cast int32 u8) 1)");
    assert_eq!(shown(ops::add(var("uint64"), lit("int8", -1))), "error: the value -1 does not fit `uint64`");
    assert_eq!(
        shown(ops::add(var("float16"), lit("int64", 4_294_967_296_i64))),
        "error: the value 4294967296.0 does not fit `float16`"
    );
}

#[test]
fn cast_folds_literals_and_checks_their_range() {
    for (to, from, value, expected) in [
        ("int8", "float32", -2.75, "-2:int8"),
        ("uint8", "float32", 2.75, "2:uint8"),
        ("uint8", "float32", -0.5, "error: the value -0.5 does not fit `uint8`"),
        ("bool", "float32", 2.0, "error: the value 2 does not fit `bool`"),
        ("float16", "float32", 1.5, "1.5:float16"),
        ("int64", "float64", f64::INFINITY, "-9223372036854775808:int64"),
        ("uint64", "float64", f64::NAN, "(large_uint_imm:uint64 0:uint32 2147483648:uint32)"),
        ("uint64", "float64", 1e19, "(large_uint_imm:uint64 2313682944:uint32 2328306436:uint32)"),
        ("int32", "float64", 1e19, "error: the value -9223372036854775808 does not fit `int32`"),
        ("handle", "float64", 1.0, "error: `const` takes a numeric type, not `handle`"),
    ] {
        assert_eq!(shown(cast(ty(to), lit(from, value))), expected, "{value} to {to}");
    }
    assert_eq!(shown(cast(ty("uint8"), lit("int32", 300))), "error: the value 300 does not fit `uint8`");
}

#[test]
fn cast_of_vectors_converts_their_parts() {
    let x = var("int32");
    assert!(cast(ty("int32"), x.clone()).is_ok_and(|y| y.ptr_eq(&x)));
    assert_eq!(shown(cast(ty("float32x4"), x.clone())), "(Broadcast (Cast float32 i32) 4)");
    assert_eq!(shown(cast(ty("float32x4"), lit("int32", 2))), "(Broadcast 2.0 4)");
    let ramp = || Ramp::try_new(var("int32"), lit("int32", 2), &lit("int32", 4)).unwrap();
    assert_eq!(shown(cast(ty("int64x4"), ramp())), "(Ramp (Cast int64 i32) 2:int64 4)");
    assert_eq!(shown(cast(ty("float32x4"), ramp())), "(Cast float32x4 (Ramp i32 2 4))");
    let four = cast(ty("int32x4"), x).unwrap();
    assert_eq!(shown(cast(ty("int8x4"), four)), "(Broadcast (Cast int8 i32) 4)");
    assert_eq!(shown(cast(ty("int8x4"), var("float32x4"))), "(Cast int8x4 f32x4)");
    assert!(cast(ty("int8x4"), var("int8x2")).is_err());
    assert!(cast(ty("int8"), var("int8x2")).is_err());
    assert!(cast(ty("int8"), var("handle")).is_err());
    assert_eq!(shown(cast(DataType::HANDLE, var("int64"))), "(Cast handle i64)");
}

#[test]
fn reinterpret_needs_the_same_size() {
    assert_eq!(shown(ops::reinterpret(ty("float32"), var("int32"))), "(reinterpret:float32 i32)");
    assert_eq!(dtype_of(ops::reinterpret(ty("float32"), var("int8x4"))), "float32");
    assert_eq!(dtype_of(ops::reinterpret(ty("uint8"), var("float4_e2m1fn"))), "uint8");
    assert_eq!(dtype_of(ops::reinterpret(ty("float16xvscalex4"), var("int8"))), "float16xvscalex4");
    assert!(ops::reinterpret(ty("int64"), var("float32")).is_err());
}
