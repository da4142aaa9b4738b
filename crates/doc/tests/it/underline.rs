//! Underlines, line numbers, context, source maps.

#![allow(clippy::single_range_in_vec_init)] // lists of ranges, some of one

use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{
    AccessPath, BinaryOp, DocArena, DocRef, ExprDoc, FunctionParts, PathId, PathStep, StmtDoc,
};

/// `x = a + b` statements in a block: statement `i` is at `.seq[i]`, its parts at `.seq[i].value.a` and `.b`; `x` and
/// the whole sum have no path of their own.
fn statements(docs: &mut DocArena, count: u32) -> Vec<StmtDoc> {
    let seq = docs.child_path(PathId::ROOT, PathStep::Field("seq"));
    (0..count)
        .map(|number| {
            let path = docs.child_path(seq, PathStep::Index(number));
            let [x, a, b] = ["x", "a", "b"].map(|name| docs.id(name));
            let sum = docs.binary(BinaryOp::Add, a, b);
            let stmt = docs.bind(x, sum);
            docs.add_path(stmt, path);
            let value = docs.child_path(path, PathStep::Field("value"));
            for (doc, field) in [(a, "a"), (b, "b")] {
                let path = docs.child_path(value, PathStep::Field(field));
                docs.add_path(doc, path);
            }
            stmt
        })
        .collect()
}

fn stmt_path(number: u32) -> AccessPath {
    AccessPath::root().field("seq").item(number)
}

fn underlined(count: u32, underline: Vec<AccessPath>, context: Option<u32>) -> String {
    let mut docs = DocArena::new();
    let stmts = statements(&mut docs, count);
    let block = docs.block(&stmts);
    let options = PythonOptions { underline, num_context_lines: context, ..PythonOptions::default() };
    python::print(&docs, block, &options).unwrap()
}

#[test]
fn the_deepest_printed_part_is_underlined() {
    let part = |field| stmt_path(1).field("value").field(field);
    assert_eq!(underlined(2, vec![part("a")], None), "x = a + b\nx = a + b\n    ^");
    assert_eq!(underlined(2, vec![part("a"), part("b")], None), "x = a + b\nx = a + b\n    ^   ^");
    assert_eq!(underlined(2, vec![part("a").field("dtype")], None), "x = a + b\nx = a + b\n    ^");
    assert_eq!(underlined(2, vec![stmt_path(1).field("span")], None), "x = a + b\nx = a + b\n^^^^^^^^^");
    assert_eq!(underlined(2, vec![stmt_path(1), part("a")], None), "x = a + b\nx = a + b\n^^^^^^^^^");
    assert_eq!(underlined(2, vec![AccessPath::root().field("other")], None), "x = a + b\nx = a + b");
}

#[test]
fn lines_around_underlines_are_kept() {
    assert_eq!(
        underlined(10, vec![stmt_path(4)], Some(2)),
        "(... 2 lines skipped ...)\nx = a + b\nx = a + b\nx = a + b\n^^^^^^^^^\nx = a + b\nx = a + b\n(... 3 lines skipped ...)"
    );
    // A line too few to cut out is printed.
    assert_eq!(
        underlined(6, vec![stmt_path(1), stmt_path(4)], Some(1)),
        "x = a + b\nx = a + b\n^^^^^^^^^\nx = a + b\nx = a + b\nx = a + b\n^^^^^^^^^\nx = a + b"
    );
}

#[test]
fn example_of_the_specification() {
    // B[vi, vj] = T.float32(0.0); B[vi, vj] = B[vi, vj] + A[vi, vk], after twelve other lines.
    let mut docs = DocArena::new();
    let [a, b, vi, vj, vk, t, c] = ["A", "B", "vi", "vj", "vk", "T", "c"].map(|name| docs.id(name));
    let float32 = docs.attr(t, "float32");
    let zero = docs.float(0.0);
    let zero = docs.call_args(float32, &[zero]);
    let target = docs.index(b, &[vi, vj]);
    let init = docs.store(target, zero);
    let init = docs.scope(None, c, &[init]);
    let load = docs.index(b, &[vi, vj]);
    let other = docs.index(a, &[vi, vk]);
    let sum = docs.binary(BinaryOp::Add, load, other);
    let update = docs.store(target, sum);
    let path = docs.child_path(PathId::ROOT, PathStep::Field("value"));
    docs.add_path(sum, path);
    let line = docs.expr_stmt(c);
    let inner = docs.scope(None, c, &[init, update]);
    let middle = docs.scope(None, c, &[inner]);
    let mut lines = vec![line; 9];
    lines.push(middle);
    let block = docs.block(&lines);
    let options = PythonOptions {
        underline: vec![AccessPath::root().field("value")],
        num_context_lines: Some(1),
        ..PythonOptions::default()
    };
    assert_eq!(
        python::print(&docs, block, &options).unwrap(),
        "(... 12 lines skipped ...)
            B[vi, vj] = T.float32(0.0)
        B[vi, vj] = B[vi, vj] + A[vi, vk]
                    ^^^^^^^^^^^^^^^^^^^^^"
    );
}

#[test]
fn example_of_the_design_document() {
    let mut docs = DocArena::new();
    let [func, a, t] = ["func_a", "A", "T"].map(|name| docs.id(name));
    let buffer = docs.attr(t, "Buffer");
    let one = docs.int(1);
    let shape = docs.tuple(&[one]);
    let dtype = docs.str("int32");
    let annotation = docs.index(buffer, &[shape, dtype]);
    let path = docs.child_path(PathId::ROOT, PathStep::Field("shape"));
    docs.add_path(shape, path);
    let param = docs.assign(a, None, Some(annotation)).unwrap();
    let decorator = docs.attr(t, "prim_func");
    let zero = docs.int(0);
    let target = docs.index(a, &[zero]);
    let store = docs.store(target, zero);
    let none = docs.none();
    let parts = FunctionParts {
        name: func,
        args: &[param],
        decorators: &[decorator],
        return_type: Some(none),
        body: &[store],
    };
    let doc = docs.function(parts).unwrap();
    let options =
        PythonOptions { underline: vec![AccessPath::root().field("shape")], ..PythonOptions::default() };
    assert_eq!(
        python::print(&docs, doc, &options).unwrap(),
        "@T.prim_func
def func_a(A: T.Buffer[(1,), \"int32\"]) -> None:
                       ^^^^
    A[0] = 0"
    );
}

#[test]
fn comments_and_line_ends_are_not_underlined() {
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let stmt = docs.expr_stmt(a);
    docs.set_comment(stmt, Some("note"));
    let outer = docs.while_(a, &[stmt, stmt]);
    docs.set_comment(outer, Some("above"));
    docs.add_path(outer, PathId::ROOT);
    let options = PythonOptions { underline: vec![AccessPath::root()], ..PythonOptions::default() };
    assert_eq!(
        python::print(&docs, outer, &options).unwrap(),
        "# above\nwhile a:\n^^^^^^^^\n    a  # note\n    ^\n    a  # note\n    ^"
    );
}

#[test]
fn a_doc_may_stand_for_several_places() {
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let paths = ["x", "y", "x"].map(|field| docs.child_path(PathId::ROOT, PathStep::Field(field)));
    for path in paths {
        docs.add_path(a, path);
        docs.add_path(a, path);
    }
    assert_eq!(docs.paths_of(a).collect::<Vec<_>>(), paths);
    for field in ["x", "y"] {
        let options =
            PythonOptions { underline: vec![AccessPath::root().field(field)], ..PythonOptions::default() };
        assert_eq!(python::print(&docs, a, &options).unwrap(), "a\n^");
    }
}

#[test]
fn line_numbers_are_aligned() {
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let stmt = docs.expr_stmt(a);
    let blank = docs.comment("");
    let stmts: Vec<_> = (0..11).map(|at| if at == 1 { blank } else { stmt }).collect();
    let block = docs.block(&stmts);
    let options = PythonOptions { print_line_numbers: true, ..PythonOptions::default() };
    let text = python::print(&docs, block, &options).unwrap();
    assert!(text.starts_with(" 1 a\n 2 \n 3 a\n"), "{text}");
    assert!(text.ends_with("\n10 a\n11 a"), "{text}");
}

#[test]
fn source_map_finds_the_innermost_part_and_all_places_of_a_path() {
    let mut docs = DocArena::new();
    let stmts = statements(&mut docs, 2);
    let block = docs.block(&stmts);
    let (text, map) = python::print_mapped(&docs, block, &PythonOptions::default()).unwrap();
    assert_eq!(text, "x = a + b\nx = a + b");
    let at = |offset: usize| map.at(offset).map(|entry| &text[entry.range.clone()]);
    assert_eq!(at(0), Some("x = a + b"));
    assert_eq!(at(4), Some("a"));
    assert_eq!(at(5), Some("x = a + b"));
    assert_eq!(at(8), Some("b"));
    assert_eq!(at(9), None);
    assert_eq!(map.at(10).map(|entry| entry.doc), Some(DocRef::Stmt(stmts[1])));
    assert_eq!(at(100), None);
    let ranges = |path: AccessPath| map.ranges_of(&docs, &path);
    assert!(ranges(stmt_path(1)).into_iter().eq([10..19]));
    assert!(ranges(stmt_path(1).field("value").field("b")).into_iter().eq([18..19]));
    assert!(ranges(stmt_path(0).field("value").field("c")).into_iter().eq([0..9]));
    assert!(map.entries().windows(2).all(|pair| pair[0].range.start <= pair[1].range.start));
}

#[test]
fn source_map_survives_line_breaks() {
    let mut docs = DocArena::new();
    let [f, a, b] = ["f", "alpha", "beta"].map(|name| docs.id(name));
    let call: ExprDoc = docs.call_args(f, &[a, b]);
    let path = docs.child_path(PathId::ROOT, PathStep::Field("b"));
    docs.add_path(b, path);
    let options = PythonOptions { max_width_columns: Some(8), ..PythonOptions::default() };
    let (text, map) = python::print_mapped(&docs, call, &options).unwrap();
    assert_eq!(text, "f(\n    alpha,\n    beta\n)");
    let ranges = map.ranges_of(&docs, &AccessPath::root().field("b"));
    assert_eq!(ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["beta"]);
}
