//! Depth and size: inputs that overflow the stack of recursive parsers and printers, on a 2 MiB stack in a debug
//! build.
//!
//! Sums, `elif` chains and loops build IR and read back. Parentheses, nested calls and indentation may exceed a
//! documented limit, which is a typed error.

use std::fmt::Write as _;

use tvmscript_tests::{canonical_options, check_roundtrip, on_small_stack, parse, parse_ok};

/// Depth of chains that must build IR.
const DEEP: usize = 100_000;

fn function(body: &str) -> String {
    format!("@T.prim_func\ndef f(x: T.int32, p: T.bool):\n{body}")
}

fn sum(terms: usize) -> String {
    let mut text = "x".to_string();
    for _ in 1..terms {
        text.push_str(" + x");
    }
    text
}

fn parentheses(depth: usize) -> String {
    format!("{}x{}", "(".repeat(depth), ")".repeat(depth))
}

fn ladder(rungs: usize) -> String {
    let mut text = "    if x == 0:\n        T.evaluate(0)\n".to_string();
    for i in 1..rungs {
        let _ = write!(text, "    elif x == {i}:\n        T.evaluate({i})\n");
    }
    text
}

/// Nested parallel loops, with one space of indentation each.
fn nest(depth: usize) -> String {
    let mut text = String::new();
    for i in 0..depth {
        let _ = writeln!(text, "{}for i{i} in T.parallel(2):", " ".repeat(i + 1));
    }
    let _ = writeln!(text, "{}T.evaluate(x)", " ".repeat(depth + 1));
    text
}

/// Checks that the text parses and its printed form reads back.
fn reads_back(text: String) {
    on_small_stack(move || {
        let objects = parse_ok("deep", &text).expect("it parses");
        let mut options = canonical_options();
        options.indent_spaces = 1;
        if let Err(why) = check_roundtrip(&objects, &options) {
            panic!("{}", why.chars().take(300).collect::<String>());
        }
    });
}

/// Checks that the text is parsed or rejected, and dropped, without a crash.
fn survives(text: String) {
    on_small_stack(move || {
        let _ = parse("deep", &text);
    });
}

#[test]
fn a_long_sum_reads_back() {
    reads_back(function(&format!("    T.evaluate({})\n", sum(DEEP))));
}

#[test]
fn a_long_ladder_reads_back() {
    reads_back(function(&ladder(DEEP)));
}

#[test]
fn a_long_chain_of_conditionals_reads_back() {
    reads_back(function(&format!("    T.evaluate(x{})\n", " if p else x".repeat(DEEP))));
}

#[test]
fn a_deep_nest_reads_back() {
    reads_back(function(&nest(10_000)));
}

#[test]
fn many_parentheses_survive() {
    survives(function(&format!("    T.evaluate({})\n", parentheses(DEEP))));
}

#[test]
fn nested_calls_survive() {
    let text = format!("    T.evaluate({}x{})\n", "T.likely(".repeat(DEEP), ")".repeat(DEEP));
    survives(function(&text));
}

#[test]
fn long_chains_survive_a_syntax_error_after_them() {
    for expr in [sum(DEEP), parentheses(DEEP)] {
        survives(function(&format!("    T.evaluate({expr})\n    T.evaluate(x +)\n")));
    }
    survives(function(&format!("{}    T.evaluate(x +)\n", ladder(DEEP))));
    survives(function(&format!("{}    T.evaluate(x +)\n", nest(2_000))));
}

#[test]
fn long_chains_survive_inside_a_wrong_line() {
    for expr in [sum(DEEP), parentheses(DEEP)] {
        survives(function(&format!("    T.evaluate({expr} +)\n")));
        survives(function(&format!("    T.evaluate(({expr})\n")));
        survives(function(&format!("    T.evaluate({expr} + undefined)\n")));
    }
}

#[test]
fn long_chains_survive_inside_an_annotation() {
    for expr in [sum(DEEP), parentheses(DEEP)] {
        survives(format!(
            "@T.prim_func\ndef f(x: T.int32, A: T.Buffer(({expr},), \"float32\")):\n    pass\n"
        ));
        survives(function(&format!("    y: {expr} = x\n    T.evaluate(y)\n")));
    }
}

#[test]
fn long_unary_and_comparison_chains_survive() {
    for expr in [
        "-".repeat(DEEP) + "x",
        "not ".repeat(DEEP) + "p",
        "x".to_string() + &" < x".repeat(DEEP),
        "p".to_string() + &" and p".repeat(DEEP),
    ] {
        survives(function(&format!("    T.evaluate({expr})\n")));
    }
    survives(function(&format!("    T.evaluate(x{})\n", ".a".repeat(DEEP))));
    survives(function(&format!("    T.evaluate(x{})\n", "[0]".repeat(DEEP))));
}
