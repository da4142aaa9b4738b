//! Rules for captured variables (79-06, 79-16).

use tvmscript::ParseOptions;
use tvmscript::script_parser::CaptureRule;

use super::support::{errors, read_with, same, scripts_with};

const DECLARED: &str = "without a declaration, scripts here use only numbers, texts and `None`";

fn strict() -> ParseOptions {
    let mut options = ParseOptions::default();
    options.capture = CaptureRule::Declared;
    options
}

#[test]
fn p79_06_numbers_and_texts_are_captured() {
    let text = r#"
n = 16
dtype = "float32"
scale = 0.5
flag = True
nothing = None

@T.prim_func
def f(A: T.Buffer((n,), dtype)):
    for i in range(min(n, 4)):
        if flag and nothing is None:
            A[i] = A[i] * T.float32(scale)
"#;
    let found = scripts_with(text, &strict());
    let by_hand = "@T.prim_func\ndef f(A: T.Buffer((16,), 'float32')):\n    for i in range(4):\n        A[i] = A[i] * T.float32(0.5)\n";
    assert!(tvmscript::structural_equal(&found[0].node, &scripts_with(by_hand, &strict())[0].node));
}

/// A script that uses objects around it; `%` is the argument of its decorator.
const OBJECTS: &str = r#"
sizes = [8, 16]

def helper(i):
    return i + sizes[0]

@T.prim_func%
def f(A: T.Buffer((64,), "int32")):
    for i in range(8):
        A[i] = helper(i) + sizes[1] + helper(0)
"#;

#[test]
fn p79_06_an_undeclared_name_names_the_fix() {
    let messages = |argument: &str, options: &ParseOptions| {
        let parsed = read_with(&OBJECTS.replace('%', argument), options);
        let message =
            |error: &tvmscript::ParseError| format!("{error}; {}", error.help.as_deref().unwrap_or_default());
        parsed.errors.iter().map(message).collect::<Vec<_>>()
    };
    let missing = |name: &str, help: &str| format!("`{name}` is not captured: {DECLARED}; {help}");
    assert_eq!(
        messages("", &strict()),
        [
            missing("helper", "declare it: `@T.prim_func(capture=[helper])`"),
            missing("sizes", "declare it: `@T.prim_func(capture=[sizes])`"),
        ]
    );
    // A decorator with a list follows the rule by itself.
    let list = "add `sizes` to the list `capture` of `@T.prim_func`";
    assert_eq!(messages("(capture=[helper])", &ParseOptions::default()), [missing("sizes", list)]);
    assert_eq!(messages("(capture=[helper, sizes])", &ParseOptions::default()), [""; 0]);
    assert_eq!(messages("(private=True, capture=(sizes, helper))", &strict()), [""; 0]);
    // TVM's rule is the default.
    assert_eq!(messages("", &ParseOptions::default()), [""; 0]);
    assert_eq!(messages("(capture=3)", &ParseOptions::default()).len(), 1);
}

#[test]
fn p79_06_names_of_the_script_need_no_declaration() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            B[i] = A[i] + T.float32(sum([x for x in (1, 2)]))

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        y = R.call_tir(cls.add, (x,), R.Tensor((8,), "float32"))
        return y
"#;
    assert_eq!(scripts_with(text, &strict()).len(), 1);
}

#[test]
fn p79_16_undeclared_functions_do_not_run() {
    let text = r#"
log = []

def helper(i):
    log.append(i)
    raise ValueError("it ran")

@T.macro
def twice(i):
    T.evaluate(helper(i))

@T.prim_func
def f():
    T.evaluate(helper(1))
"#;
    let parsed = read_with(text, &strict());
    let names: Vec<String> = parsed.errors.iter().map(|error| error.kind.name().to_owned()).collect();
    assert_eq!(names, ["undeclared-capture", "undeclared-capture"], "{:?}", parsed.errors);
    assert!(parsed.scripts.is_empty());
    // With TVM's rule it runs.
    assert!(errors(text).iter().any(|error| error.contains("it ran")));
}

#[test]
fn p79_16_a_declared_function_runs() {
    same(
        "def helper(i):\n    return i + 1\n\n@T.prim_func(capture=[helper])\ndef f(x: T.int32):\n    T.evaluate(helper(x))\n",
        "@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x + 1)\n",
    );
}
