//! Script bodies: operators, scopes, and which definitions are scripts.

use crate::toy::{self, build};

fn body(lines: &str) -> String {
    build(&format!("@Y.script\ndef f(A, n, m):\n    {}\n", lines.replace('\n', "\n    ")))
}

#[test]
fn operators_in_a_body_are_the_dialects() {
    assert_eq!(body("n + 1 < m"), "((n + 1) < m)");
    assert_eq!(body("3 < n < 5"), "((3 < n) and (n < 5))");
    assert_eq!(body("n and m or not n"), "((n and m) or (not n))");
    assert_eq!(body("1 if n else 2"), "(1 if n else 2)");
    assert_eq!(body("-n ** 2"), "(- (n ** 2))");
}

#[test]
fn plain_values_in_a_body_are_pythons() {
    assert_eq!(body("7 // 2 + len([1, 2])"), "5");
    assert_eq!(body("f'{3:>4}'"), "   3");
    assert_eq!(body("1 if 3 < 2 else 4"), "4");
}

#[test]
fn values_of_keywords_and_lambdas_follow_pythons_rules() {
    assert_eq!(body("Y.identity(value=3 < n)"), "(3 <' n)");
    assert_eq!(body("Y.identity(3 < n)"), "(3 < n)");
    assert_eq!(body("Y.apply(lambda x, y: x and y < n)"), "(a and' (b <' n))");
}

#[test]
fn slices_of_operands_are_vectors() {
    assert_eq!(body("A[0:4] + 1"), "(A[0:4:1] + 1)");
    assert_eq!(body("A[0:4]"), "A[0:4:None]");
    assert_eq!(body("A[:4] + 1"), "(A[None:4:None] + 1)");
    assert_eq!(body("x = A[0:4, n]"), "x = A[0:4:1, n]");
    assert_eq!(body("Y.identity(A[0:4])"), "A[0:4:1]");
    assert_eq!(body("x = A[0:8:2]"), "x = A[0:8:2]");
}

#[test]
fn only_a_dialects_own_functions_take_regions() {
    assert_eq!(body("Y.reads(A[0:4])"), "A[0:4:None]");
    assert_eq!(body("Z.reads(A[0:4])"), "A[0:4:1]");
}

#[test]
fn comprehensions_see_the_body() {
    assert_eq!(body("x = n\n[i + 1 for i in (x, m)]"), "x = n\n[(n +' 1), (m +' 1)]");
    assert_eq!(body("sum([n, m])"), "((0 + n) + m)");
}

#[test]
fn a_frame_hides_outer_names_and_gives_them_back() {
    assert_eq!(body("x = 1\nfor i in n:\n    x = 2\n    x\nx"), "x = 1\nfor n\nx = 2\n2\n1");
    assert_eq!(body("for i in n:\n    i\nfor i in m:\n    i"), "for n\ni\nfor m\ni");
}

#[test]
fn names_of_the_module_level_are_seen() {
    assert_eq!(build("N = 4\n@Y.script\ndef f(n):\n    n + N\n"), "(n + 4)");
    assert_eq!(build("def twice(x):\n    return x + x\n@Y.script\ndef f(n):\n    twice(n)\n"), "(n +' n)");
}

#[test]
fn a_helper_makes_scripts() {
    let text = "def make(k):\n    @Y.script\n    def f(n):\n        n + k\n    return f\n\ng = make(3)\nh = make(4)\n";
    let parsed = toy::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let names: Vec<_> = parsed.scripts.iter().filter_map(|s| s.name.as_deref()).collect();
    assert_eq!(names, ["g", "h"]);
    assert_eq!(toy::function_text(&parsed), "(n + 4)");
}

#[test]
fn a_python_file_is_read() {
    let text = "\"\"\"A file.\"\"\"\nfrom __future__ import annotations\nimport numpy as np\nimport toylang\nfrom toylang.script import toy as Z\n\n\n@Z.script\ndef f(n):\n    n\n\n\n@Z.script\ndef g(n):\n    n + 1\n\n\nif __name__ == \"__main__\":\n    print(np.zeros(3))\n";
    let parsed = toy::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.scripts.len(), 2);
}

#[test]
fn what_is_not_known_errs_only_where_a_script_uses_it() {
    let text = "import foreign as np\nx = np.zeros(3)\ny = x + 1\n@Y.script\ndef f(n):\n    n\n";
    let parsed = toy::parse(text);
    assert!(
        parsed.errors.is_empty() && parsed.warnings.is_empty(),
        "{:?} {:?}",
        parsed.errors,
        parsed.warnings
    );
    let errors = toy::errors(&text.replace("    n\n", "    n + y\n    np.e\n"));
    let found: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["the value of `y` is unknown", "`foreign` cannot be used here"]);
}

#[test]
fn a_script_with_mistakes_is_left_out() {
    let parsed = toy::parse("x = nope\n@Y.script\ndef f(n):\n    n + x\n@Y.script\ndef g(n):\n    n\n");
    assert_eq!(parsed.errors.len(), 1, "{:?}", parsed.errors);
    let names: Vec<_> = parsed.scripts.iter().filter_map(|s| s.name.as_deref()).collect();
    assert_eq!(names, ["g"]);
}

#[test]
fn a_member_of_a_python_module_has_one_declaration() {
    use tvmscript_ir_core::{Dialect, RegistryBuilder};
    use tvmscript_script_parser::ParseDialect;
    use tvmscript_script_parser::{Member, PythonModule};
    static MODULES: &[PythonModule] =
        &[PythonModule::new(&["toylang.script"]).members(&[("other", Member::Namespace)])];
    let registry = |a, b| RegistryBuilder::new().with(a).with(b).build();
    let declares = |name| Dialect::new(name).python_modules(MODULES);
    assert!(registry(declares("a"), Dialect::new("b")).is_ok());
    let clash = registry(declares("a"), declares("b")).err().map(|error| error.to_string());
    let message = clash.unwrap_or_default();
    assert!(message.contains("the member `toylang.script.other` of a Python module"), "{message}");
}
