//! Values and shapes of expressions that are easily lost in printing.

use tvmscript_tests::{canonical_options, check_roundtrip, parse_ok};

/// Checks that a statement round-trips, and returns the last line of its printed form.
fn last_line(statement: &str) -> String {
    let text = format!("@T.prim_func\ndef f(x: T.int32, p: T.bool, q: T.bool):\n    {statement}\n");
    let objects = parse_ok("odd", &text).unwrap_or_else(|e| panic!("{statement}: {e}"));
    let print =
        check_roundtrip(&objects, &canonical_options()).unwrap_or_else(|e| panic!("{statement}: {e}"));
    print.trim_end().lines().last().unwrap_or_default().trim().to_string()
}

#[test]
fn floats_beyond_the_usual() {
    assert_eq!(last_line("T.evaluate(T.float32(\"nan\"))"), "T.evaluate(T.float32(\"nan\"))");
    assert_eq!(last_line("T.evaluate(T.float64(\"inf\"))"), "T.evaluate(T.float64(\"inf\"))");
    assert_eq!(last_line("T.evaluate(T.float16(\"-inf\"))"), "T.evaluate(T.float16(\"-inf\"))");
    last_line("T.evaluate(T.float32(-0.0))");
    last_line("T.evaluate(T.float64(1e308))");
    last_line("T.evaluate(T.float64(5e-324))");
}

#[test]
fn the_smallest_and_largest_integers() {
    last_line("T.evaluate(T.int64(-9223372036854775808))");
    last_line("T.evaluate(T.int64(9223372036854775807))");
    last_line("T.evaluate(T.int32(-2147483648))");
    last_line("T.evaluate(T.int8(-128))");
}

#[test]
fn comparisons_of_comparisons_keep_their_shape() {
    for expr in
        ["(x == 1) == p", "p == (x == 1)", "(x < 1) != (x > 2)", "((x == 1) == p) == q", "not (p == q)"]
    {
        last_line(&format!("T.evaluate({expr})"));
    }
}

#[test]
fn nested_conditionals_keep_their_shape() {
    for expr in [
        "(x if p else x + 1) if q else x + 2",
        "x if p else x + 1 if q else x + 2",
        "x if (p if q else q) else 1",
    ] {
        last_line(&format!("T.evaluate({expr})"));
    }
}

#[test]
fn operations_that_would_fold_stay() {
    for expr in [
        "T.Min(x, x)",
        "T.Max(-1, 7)",
        "T.Add(1, 2)",
        "T.Mul(x, 0)",
        "T.And(p, T.bool(True))",
        "T.Not(T.bool(True))",
    ] {
        last_line(&format!("T.evaluate({expr})"));
    }
}
