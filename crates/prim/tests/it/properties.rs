//! Folding agrees with evaluation, and nothing recurses.

use proptest::prelude::*;
use tvmscript_prim::ops::{self, BinaryOp};
use tvmscript_prim::{DataType, Expr, ExprKind, ExprView, PrimExprExt, Var};

const INT_TYPES: [DataType; 8] = [
    DataType::int(8),
    DataType::int(16),
    DataType::int(32),
    DataType::int(64),
    DataType::uint(8),
    DataType::uint(16),
    DataType::uint(32),
    DataType::uint(64),
];

const ARITHMETIC: [BinaryOp; 9] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::FloorDiv,
    BinaryOp::FloorMod,
    BinaryOp::Min,
    BinaryOp::Max,
];

const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

/// Values where something happens: small ones, and those around the limits of every width.
fn interesting() -> impl Strategy<Value = i64> {
    prop_oneof![
        -9i64..9,
        (0u32..64, -2i64..3).prop_map(|(bit, near)| (1i64 << bit).wrapping_add(near)),
        (0u32..64, -2i64..3).prop_map(|(bit, near)| (-1i64 << bit).wrapping_add(near)),
        any::<i64>(),
    ]
}

/// The value as the type holds it.
fn held(value: i128, dtype: DataType) -> i128 {
    let modulus = 1i128 << dtype.bits;
    let low = value.rem_euclid(modulus);
    if dtype.is_int() && low >= modulus / 2 { low - modulus } else { low }
}

/// Exact evaluation of integers; none for a division by zero.
fn evaluate(op: BinaryOp, a: i128, b: i128, dtype: DataType) -> Option<i128> {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Mod => a.checked_rem(b)?,
        BinaryOp::FloorDiv | BinaryOp::FloorMod if b == 0 => return None,
        BinaryOp::FloorDiv => (a - a.rem_euclid(b) - if b < 0 && a.rem_euclid(b) != 0 { b } else { 0 }) / b,
        BinaryOp::FloorMod => a.rem_euclid(b) + if b < 0 && a.rem_euclid(b) != 0 { b } else { 0 },
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
        BinaryOp::And | BinaryOp::Or => unreachable!("not generated"),
    };
    Some(if COMPARISONS.contains(&op) { value } else { held(value, dtype) })
}

fn int_value(e: &Expr) -> Option<i64> {
    match e.kind() {
        ExprKind::IntImm(lit) => Some(lit.value),
        _ => None,
    }
}

fn float_value(e: &Expr) -> Option<f64> {
    match e.kind() {
        ExprKind::FloatImm(lit) => Some(lit.value),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn integers_fold_to_what_they_evaluate_to(
        t in 0usize..INT_TYPES.len(),
        op in 0usize..ARITHMETIC.len() + COMPARISONS.len(),
        a in interesting(),
        b in interesting(),
    ) {
        let dtype = INT_TYPES[t];
        let op = *ARITHMETIC.get(op).unwrap_or_else(|| &COMPARISONS[op - ARITHMETIC.len()]);
        let fit = |v: i64| held(i128::from(v), dtype).min(i128::from(i64::MAX)) as i64;
        let (a, b) = (fit(a), fit(b));
        let (x, y) = (ops::make_const(dtype, a).unwrap(), ops::make_const(dtype, b).unwrap());
        let folded = ops::binary(op, x, y);
        let expected = evaluate(op, a.into(), b.into(), dtype);
        let is_index = dtype.is_int() && dtype.bits >= 32;
        match (&folded, expected) {
            (Ok(e), _) if matches!(op, BinaryOp::Mod | BinaryOp::FloorMod) && !is_index => {
                prop_assert!(int_value(e).is_none(), "remainders of {dtype} do not fold");
            }
            (Ok(e), Some(value)) => {
                let result = if COMPARISONS.contains(&op) { DataType::BOOL } else { dtype };
                prop_assert_eq!(e.dtype(), result);
                prop_assert_eq!(int_value(e).map(i128::from), Some(value));
            }
            // A literal cannot hold it, or it is the one difference that is refused.
            (Err(_), Some(value)) => {
                prop_assert!(dtype.is_uint() && (value > i64::MAX.into() || (op == BinaryOp::Sub && a == 0 && b > 0)));
            }
            (Err(_), None) => {}
            (Ok(e), None) => prop_assert!(false, "folded a division by zero to {e:?}"),
        }
    }

    #[test]
    fn floats_fold_to_what_they_evaluate_to(double in any::<bool>(), op in 0usize..4, a in any::<f32>(), b in any::<f64>()) {
        let dtype = DataType::float(if double { 64 } else { 32 });
        let (a, b) = if double { (f64::from(a) * 1.000_000_1, b) } else { (f64::from(a), f64::from(b as f32)) };
        let ops: [(BinaryOp, f64, f32); 4] = [
            (BinaryOp::Add, a + b, a as f32 + b as f32),
            (BinaryOp::Sub, a - b, a as f32 - b as f32),
            (BinaryOp::Mul, a * b, a as f32 * b as f32),
            (BinaryOp::Div, a / b, a as f32 / b as f32),
        ];
        let (op, in_double, in_single) = ops[op];
        let expected = if double { in_double } else { f64::from(in_single) };
        let folded = ops::binary(op, ops::make_const(dtype, a).unwrap(), ops::make_const(dtype, b).unwrap());
        if op == BinaryOp::Div && b == 0.0 {
            prop_assert!(folded.is_err());
        } else {
            let value = folded.ok().as_ref().and_then(float_value);
            prop_assert!(value.is_some_and(|v| v == expected || v.is_nan() && expected.is_nan()), "{value:?} {expected}");
        }
    }

    #[test]
    fn matching_gives_one_type_or_an_error_for_any_pair(a in 0usize..24, b in 0usize..24, lanes_a in 0usize..5, lanes_b in 0usize..5) {
        const NAMES: [&str; 24] = [
            "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
            "bfloat16", "bool", "handle", "void", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2",
            "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4",
        ];
        const LANES: [i16; 5] = [1, 2, 4, -4, -2];
        let make = |name: usize, lanes: usize| -> Expr {
            let dtype: DataType = NAMES[name].parse().unwrap();
            Var::new("v", if dtype.is_void() { dtype } else { dtype.with_lanes(LANES[lanes]) }).upcast()
        };
        let (mut x, mut y) = (make(a, lanes_a), make(b, lanes_b));
        if ops::match_types(&mut x, &mut y).is_ok() {
            prop_assert_eq!(x.dtype(), y.dtype());
        }
        for op in ARITHMETIC.into_iter().chain(COMPARISONS).chain([BinaryOp::And, BinaryOp::Or]) {
            let _ = ops::binary(op, make(a, lanes_a), make(b, lanes_b));
        }
    }
}

#[test]
fn long_chains_are_built_matched_and_dropped_on_a_small_stack() {
    let worker = std::thread::Builder::new().stack_size(128 << 10).spawn(|| {
        let mut sum: Expr = Var::new("x", DataType::INT32).upcast();
        for step in 0..100_000 {
            let one =
                ops::make_const(if step % 2 == 0 { DataType::INT32 } else { DataType::INT64 }, 1).unwrap();
            sum = ops::add(sum, one).unwrap();
        }
        let vector = ops::cast(DataType::FLOAT32.with_lanes(4), sum).unwrap();
        assert_eq!(vector.dtype(), DataType::FLOAT32.with_lanes(4));
    });
    worker.unwrap().join().unwrap();
}
