//! Deep and long texts, valid and invalid, on small stacks: a tree or a typed error.

use std::time::{Duration, Instant};

use tvmscript_python_syntax::ast::Stmt;
use tvmscript_python_syntax::{Backend, Nesting, ParsedPython, PythonOptions, SyntaxErrorKind, parse_python};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

const N: usize = 100_000;

fn on_stack<T: Send + 'static>(bytes: usize, f: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(bytes).spawn(f).unwrap().join().unwrap()
}

/// Parses on a small stack with each backend, and drops the tree there.
fn parse_all(text: &str, check: impl Fn(&ParsedPython) + Send + Sync + Copy + 'static) {
    parse_on(256 << 10, text, check);
}

fn parse_on(stack: usize, text: &str, check: impl Fn(&ParsedPython) + Send + Sync + Copy + 'static) {
    for &backend in BACKENDS {
        let text = text.to_owned();
        on_stack(stack, move || {
            let mut options = PythonOptions::default();
            options.backend = backend;
            let start = Instant::now();
            let parsed = parse_python(&text, &options);
            check(&parsed);
            drop(parsed);
            let elapsed = start.elapsed();
            assert!(elapsed < Duration::from_secs(600), "{backend:?}: {elapsed:?}");
        });
    }
}

/// Parses an expression in an annotation, before a syntax error, and on an invalid line.
fn expression(expr: &str) {
    parse_all(&format!("def f(x: {expr}):\n    pass\ny = = 2\n"), |parsed| {
        assert_eq!(parsed.errors.len(), 1);
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[0]), Stmt::FunctionDef(_)));
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[1]), Stmt::Invalid));
    });
    parse_all(&format!("x = {expr} = = 1\ny = 2\n"), |parsed| {
        assert_eq!(parsed.errors.len(), 1);
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[0]), Stmt::Invalid));
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[1]), Stmt::Assign(_)));
    });
}

/// Parses an expression without errors.
fn right(expr: &str) {
    parse_all(&format!("x = {expr}\ny = 2\n"), |parsed| {
        assert_eq!(parsed.errors, []);
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[0]), Stmt::Assign(_)));
    });
}

#[test]
fn a_sum_of_100_000_terms() {
    let sum = vec!["a"; N].join(" + ");
    expression(&sum);
    parse_on(2 << 20, &format!("x = {sum}\ny = = 2\n"), |parsed| assert_eq!(parsed.errors.len(), 1));
}

#[test]
fn a_chain_of_100_000_attributes() {
    expression(&format!("a{}", ".b".repeat(N)));
}

#[test]
fn a_chain_of_100_000_calls_and_subscripts() {
    expression(&format!("a{}", "(1)[2]".repeat(N / 2)));
}

#[test]
fn a_chain_of_100_000_signs() {
    expression(&format!("{}a", "- ".repeat(N)));
}

#[test]
fn a_chain_of_100_000_powers() {
    expression(&vec!["a"; N].join(" ** "));
}

#[test]
fn a_chain_of_100_000_conditionals() {
    expression(&format!("{}c", "a if b else ".repeat(N)));
}

#[test]
fn a_chain_of_100_000_lambdas() {
    expression(&format!("{}c", "lambda a, b: ".repeat(N)));
}

#[test]
fn a_chain_of_100_000_negations() {
    expression(&format!("{}c", "not ".repeat(N)));
}

#[test]
fn a_chain_of_100_000_comparisons() {
    expression(&vec!["a"; N].join(" < b and "));
}

#[test]
fn a_lambda_of_100_000_parameters() {
    let names: Vec<String> = (0..N).map(|i| format!("a{i}")).collect();
    expression(&format!("lambda {}: 0", names.join(", ")));
}

#[test]
fn a_call_of_100_000_keywords() {
    let keywords: Vec<String> = (0..N).map(|i| format!("a{i}=0")).collect();
    expression(&format!("f({})", keywords.join(", ")));
}

#[test]
fn a_list_of_100_000_elements_needs_no_depth() {
    expression(&format!("[{}]", vec!["a.b"; N].join(", ")));
}

#[test]
fn an_f_string_of_100_000_signs() {
    expression(&format!("f'{{{}a}}'", "- ".repeat(N)));
}

#[test]
fn brackets_nest_up_to_the_limit() {
    let limits = PythonOptions::default().limits;
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("{1: ", "}"), ("a[1:", "]"), ("(b, -", ")")] {
        let nest = |limit: u32| {
            let times = limit as usize - 1;
            format!("{}a{}", open.repeat(times), close.repeat(times))
        };
        expression(&nest(limits.foreign_brackets));
        right(&nest(limits.brackets));
    }
}

#[test]
fn a_nest_of_200_000_brackets_is_a_typed_error() {
    for (open, close) in [("(", ")"), ("f(", ")"), ("[", ")")] {
        for (opens, closes) in [(2 * N, 2 * N), (2 * N, 0), (0, N), (2 * N, 10)] {
            let text = format!("x = {}a{}\ny = 2\n", open.repeat(opens), close.repeat(closes));
            parse_all(&text, move |parsed| {
                let error = &parsed.errors[0];
                let deep = matches!(error.kind, SyntaxErrorKind::TooDeep { what: Nesting::Brackets, .. });
                assert_eq!(deep, opens > 0, "{error:?}");
                let last = *parsed.ast.module_body().last().unwrap();
                assert!(matches!(parsed.ast.stmt(last), Stmt::Assign(_)));
            });
        }
    }
}

fn nest(depth: usize, header: &str, last: &str) -> String {
    let mut text = String::new();
    for level in 0..depth {
        text.extend(std::iter::repeat_n(' ', level));
        text.push_str(header);
        text.push('\n');
    }
    text.extend(std::iter::repeat_n(' ', depth));
    text.push_str(last);
    text
}

#[test]
fn a_nest_of_10_000_loops() {
    let text = nest(10_000, "for i in T.parallel(2):", "x\n");
    parse_all(&format!("{text}y = = 1\n"), |parsed| {
        assert_eq!(parsed.errors.len(), 1);
        let mut depth = 0;
        let mut id = parsed.ast.module_body()[0];
        while let Stmt::For(s) = parsed.ast.stmt(id) {
            depth += 1;
            id = parsed.ast.stmts(s.body)[0];
        }
        assert_eq!(depth, 10_000);
    });
    parse_all(&nest(10_000, "for i in T.parallel(2):", "x = = 1\n"), |parsed| {
        assert_eq!(parsed.errors.len(), 1)
    });
}

#[test]
fn blocks_deeper_than_the_limit_are_a_typed_error() {
    let text = nest(120, "if x:", "x\n") + "y = 2\n";
    for &backend in BACKENDS {
        let mut options = PythonOptions::default();
        options.backend = backend;
        options.limits.blocks = 100;
        let parsed = parse_python(&text, &options);
        let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
        assert_eq!(error.kind, SyntaxErrorKind::TooDeep { what: Nesting::Blocks, limit: 100 });
        let last = *parsed.ast.module_body().last().unwrap();
        assert!(matches!(parsed.ast.stmt(last), Stmt::Assign(_)));
    }
}

#[test]
fn a_chain_of_100_000_elifs() {
    let text = format!("if a:\n  x\n{}", "elif b:\n  y\n".repeat(N));
    parse_all(&format!("{text}y = = 1\n"), |parsed| {
        assert_eq!(parsed.errors.len(), 1);
        let Stmt::If(chain) = parsed.ast.stmt(parsed.ast.module_body()[0]) else { panic!() };
        assert_eq!(chain.clauses.len(), N + 1);
    });
    parse_all(&format!("{text}elif = 1\n"), |parsed| assert_eq!(parsed.errors.len(), 1));
}

#[test]
fn a_sum_of_1_000_000_terms() {
    right(&format!("a{}", " + b[0]".repeat(10 * N)));
    let parsed =
        parse_python(&format!("x = 0o7{}\ny = 2\n", " + b".repeat(3 * N)), &PythonOptions::default());
    let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
    assert_eq!(error.kind, SyntaxErrorKind::TooDeep { what: Nesting::Chain, limit: 210_000 });
    assert_eq!(parsed.ast.module_body().len(), 2, "the line is outside the common subset");
}

#[test]
fn a_chain_longer_than_the_limit_is_a_typed_error() {
    let text = format!("x = {}a\ny = 2\n", "- ".repeat(300_001));
    parse_all(&text, |parsed| {
        let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
        assert!(matches!(error.kind, SyntaxErrorKind::TooDeep { what: Nesting::Chain, limit: 210_000 }));
        assert_eq!(parsed.ast.module_body().len(), 2);
    });
}
