//! Scripts where no host code may run (79-16, 79-23).

use tvmscript::script_parser::HostCode;
use tvmscript::{ParseOptions, assert_structural_eq};

use super::support::{read_with, scripts, scripts_with};

fn refusing() -> ParseOptions {
    let mut options = ParseOptions::default();
    options.host_code = HostCode::Refused;
    options
}

/// The codes of the errors of a text, with the lines that they are on.
fn refused(text: &str) -> Vec<(String, String)> {
    let parsed = read_with(text, &refusing());
    let whole = |range: tvmscript::python_syntax::ast::TextRange| {
        let text = format!("{}{text}", super::support::IMPORTS);
        let start = text[..range.start as usize].rfind('\n').map_or(0, |at| at + 1);
        text[start..].lines().next().unwrap_or_default().trim().to_owned()
    };
    parsed.errors.iter().map(|e| (e.kind.name().to_owned(), whole(e.range().into()))).collect()
}

#[test]
fn p79_23_literals_and_captured_values_are_read() {
    let text = r#"
n, dtype = 16, "float32"
shape = [n, 4]
Type = T

@T.prim_func
def scale(A: T.Buffer((n, 4), dtype), B: T.Buffer(shape, dtype)):
    for i, j in T.grid(n, shape[1]):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = Type.max(A[vi, vj], T.float32(-1.0)) * T.float32(float("inf"))

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), dtype)):
        return x
"#;
    let (read, run) = (scripts_with(text, &refusing()), scripts(text));
    assert_eq!(read.len(), 2);
    for (read, run) in read.iter().zip(&run) {
        assert_structural_eq!(read.node, run.node);
    }
}

#[test]
fn p79_23_a_script_that_needs_more_is_refused_with_the_line() {
    let script = |value: &str| format!("@T.prim_func\ndef f():\n    T.evaluate({value})\n");
    for (before, value, code, line) in [
        ("", "len('abc')", "host-code", "T.evaluate(len('abc'))"),
        ("", "[i for i in (1, 2)][0]", "host-code", "T.evaluate([i for i in (1, 2)][0])"),
        ("", "int(f'{3}')", "host-code", "T.evaluate(int(f'{3}'))"),
        ("", "(1, 2).index(2)", "host-code", "T.evaluate((1, 2).index(2))"),
        ("def helper():\n    return 1\n", "helper()", "host-code", "T.evaluate(helper())"),
        ("class Size:\n    n = 1\n", "Size.n", "unknown-value", "T.evaluate(Size.n)"),
        ("n = 2 ** 10\n", "n", "unknown-value", "T.evaluate(n)"),
        ("n = max(1, 2)\n", "n", "unknown-value", "T.evaluate(n)"),
        ("n = 1\nfor i in range(3):\n    n = i\n", "n", "unknown-value", "T.evaluate(n)"),
    ] {
        let text = format!("{before}{}", script(value));
        assert_eq!(refused(&text), [(code.to_owned(), line.to_owned())], "{text}");
        assert_eq!(scripts(&text).len(), 1, "{text}");
    }
}

#[test]
fn p79_23_scripts_inside_host_code_are_refused() {
    let text = "def make(n):\n    @T.prim_func\n    def f():\n        T.evaluate(n)\n    return f\n\nkernel = make(3)\n";
    assert_eq!(refused(text), [("host-code".to_owned(), "@T.prim_func".to_owned())]);
    let text = "if True:\n    @T.prim_func(private=True)\n    def f():\n        T.evaluate(0)\n";
    assert_eq!(refused(text), [("host-code".to_owned(), "@T.prim_func(private=True)".to_owned())]);
}

#[test]
fn p79_16_no_host_code_runs() {
    let text = r#"
def helper():
    while True:
        pass

class Table:
    rows = helper()

@helper
def decorated():
    pass

def with_default(n=helper()):
    pass

helper()
assert helper()
while helper():
    pass

@T.prim_func
def f():
    T.evaluate(0)
"#;
    let parsed = read_with(text, &refusing());
    assert!(
        parsed.errors.is_empty() && parsed.warnings.is_empty(),
        "{:?} {:?}",
        parsed.errors,
        parsed.warnings
    );
    assert_eq!(parsed.scripts.len(), 1);
    // It ends at a limit where it runs.
    assert!(read_with(text, &ParseOptions::default()).warnings.len() > 3);
}
