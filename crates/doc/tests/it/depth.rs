//! Depth costs memory, never the native stack: everything here runs on 128 KiB.

use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, ExprDoc, PrintError, UnaryOp};

const DEPTH: usize = 1_000_000;

/// Deep enough to overflow any stack a step costs a byte of.
const FEWER: usize = 200_000;

fn on_a_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(128 << 10).spawn(run).unwrap().join().unwrap()
}

/// Prints, dumps and drops what `grow` makes of `x` in `depth` steps; gives the text.
fn deep(
    depth: usize,
    width: Option<u32>,
    grow: fn(&mut DocArena, ExprDoc) -> ExprDoc,
) -> Result<String, PrintError> {
    on_a_small_stack(move || {
        let mut docs = DocArena::new();
        let mut doc = docs.id("x");
        for _ in 0..depth {
            doc = grow(&mut docs, doc);
        }
        assert!(docs.dump_json(doc, 1 << 30).is_ok());
        let options =
            PythonOptions { max_width_columns: width, max_bytes: 100 << 20, ..PythonOptions::default() };
        let (mapped, _) = python::print_mapped(&docs, doc, &PythonOptions::default()).unwrap();
        let text = python::print(&docs, doc, &options);
        assert!(width.is_some() || text.as_ref() == Ok(&mapped));
        text
    })
}

fn left_sum(docs: &mut DocArena, doc: ExprDoc) -> ExprDoc {
    let one = docs.int(1);
    docs.binary(BinaryOp::Add, doc, one)
}

fn right_sum(docs: &mut DocArena, doc: ExprDoc) -> ExprDoc {
    let one = docs.int(1);
    docs.binary(BinaryOp::Add, one, doc)
}

fn call(docs: &mut DocArena, doc: ExprDoc) -> ExprDoc {
    docs.call_args(doc, &[])
}

fn list(docs: &mut DocArena, doc: ExprDoc) -> ExprDoc {
    docs.list(&[doc])
}

#[test]
fn deep_expressions_print() {
    let text = deep(DEPTH, None, left_sum).unwrap();
    assert_eq!(text.len(), 1 + 4 * DEPTH);
    assert!(text.starts_with("x + 1 + 1 + "));
    let text = deep(FEWER, None, right_sum).unwrap();
    assert!(text.starts_with("1 + (1 + (1 + ") && text.ends_with(")))"));
    assert_eq!(deep(FEWER, None, call).unwrap().len(), 1 + 2 * FEWER);
    assert_eq!(deep(FEWER, None, list).unwrap().len(), 1 + 2 * FEWER);
    let text = deep(FEWER, None, |docs, doc| docs.attr(doc, "a")).unwrap();
    assert!(text.ends_with(".a.a.a"));
    let text = deep(FEWER, None, |docs, doc| docs.unary(UnaryOp::Not, doc)).unwrap();
    assert!(text.ends_with("not not x"));
    let text = deep(FEWER, None, |docs, doc| {
        let x = docs.id("x");
        docs.conditional(x, doc, x)
    });
    assert!(text.unwrap().ends_with(" if x else x) if x else x) if x else x"));
}

#[test]
fn deep_expressions_print_at_a_width() {
    assert_eq!(deep(FEWER, Some(80), left_sum).unwrap().lines().count(), 1);
    // Indenting so many levels would take 160 GB; the budget says so instead.
    assert_eq!(deep(FEWER, Some(80), list), Err(PrintError::OutputBudget { max_bytes: 100 << 20 }));
    assert_eq!(deep(FEWER, Some(80), right_sum), Err(PrintError::OutputBudget { max_bytes: 100 << 20 }));
}

#[test]
fn long_sum_in_brackets_breaks_at_each_operator() {
    let text = on_a_small_stack(|| {
        let mut docs = DocArena::new();
        let mut sum = docs.id("x");
        for _ in 0..DEPTH {
            sum = left_sum(&mut docs, sum);
        }
        let f = docs.id("f");
        let call = docs.call_args(f, &[sum]);
        let options = PythonOptions { max_width_columns: Some(80), ..PythonOptions::default() };
        python::print(&docs, call, &options).unwrap()
    });
    assert_eq!(text.lines().count(), 3 + DEPTH);
    assert!(text.starts_with("f(\n    x\n    + 1\n    + 1\n"));
    assert!(text.ends_with("    + 1\n)"));
}

#[test]
fn deep_blocks_print() {
    let lines = on_a_small_stack(|| {
        let mut docs = DocArena::new();
        let x = docs.id("x");
        let mut doc = docs.expr_stmt(x);
        for _ in 0..100_000 {
            doc = docs.while_(x, &[doc]);
        }
        assert!(docs.dump_json(doc, 1 << 30).is_ok());
        let options = PythonOptions { indent_spaces: 0, ..PythonOptions::default() };
        python::print(&docs, doc, &options).unwrap().lines().count()
    });
    assert_eq!(lines, 100_001);
}

#[test]
fn deep_quotes_keep_the_budget() {
    let text = on_a_small_stack(|| {
        let mut docs = DocArena::new();
        let mut doc = docs.str("a");
        for _ in 0..1000 {
            doc = docs.quoted(doc);
        }
        python::print(&docs, doc, &PythonOptions { max_bytes: 1 << 20, ..PythonOptions::default() })
    });
    assert_eq!(text, Err(PrintError::OutputBudget { max_bytes: 1 << 20 }));
}
