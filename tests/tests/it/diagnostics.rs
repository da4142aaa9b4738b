//! Diagnostics about nodes, shown in the printed text.

use tvmscript::diagnostics::{Diagnostic, ErrorCode, Message};
use tvmscript::docsifier::{MappedText, print_mapped};
use tvmscript::ir_core::{AccessPath, Object};
use tvmscript::{DiagnosticOptions, PrinterConfig, registry};
use tvmscript_tests::parse_ok;
use tvmscript_tir::PrimFunc;

static CHECK: ErrorCode = ErrorCode { code: "X0001", name: "check", meaning: "A check of the test fails." };

fn script(name: &str, text: &str) -> Object {
    parse_ok(name, text).expect("a script").remove(0)
}

fn path(root: &Object, text: &str) -> AccessPath {
    AccessPath::parse(text, root).unwrap_or_else(|error| panic!("{error}")).0
}

fn mapped(root: &Object) -> MappedText {
    print_mapped(root, registry(), &PrinterConfig::default()).expect("a printable function")
}

fn message(text: &str) -> Message {
    Message::new(&CHECK, text)
}

const STORE: &str = "@T.prim_func
def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):
    for i in range(8):
        with T.block(\"b\"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + 1
";

#[test]
fn p74_12_docs_of_a_node_and_node_of_an_offset() {
    let root = script("store.py", STORE);
    let text = mapped(&root);
    let offset = text.text().rfind("A[vi]").expect("the load");
    let load = text.node_for(offset + 1).expect("a node");
    assert_eq!(load.info().key(), "tir.BufferLoad");
    let [doc] = text.doc_for(&load) else { panic!("{:?}", text.doc_for(&load)) };
    let entry = text.map().entries().iter().find(|entry| entry.doc == *doc).expect("an entry");
    assert_eq!(&text.text()[entry.range.clone()], "A[vi]");
    // A scalar part belongs to the node that holds it.
    let number = text.text().rfind('1').expect("the addend");
    assert_eq!(text.node_for(number).expect("a node").info().key(), "ir.IntImm");
    assert!(text.doc_for(&script("other.py", STORE)).is_empty());
    assert!(text.node_for(text.text().len() + 1).is_none());
}

#[test]
fn p74_13_a_buffer_used_three_times_has_one_node_and_four_docs() {
    let root = script(
        "sum.py",
        "@T.prim_func\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, (n,))\n    A[0] = A[1] + A[2]\n",
    );
    let buffer =
        root.as_node::<PrimFunc>().expect("a function").buffer_map.iter().next().expect("a buffer").1;
    let text = mapped(&root);
    let docs = text.doc_for(buffer.object());
    assert_eq!(docs.len(), 4);
    assert!(docs.iter().all(|doc| docs.iter().filter(|other| *other == doc).count() == 1));
    assert_eq!(text.ranges_of_node(buffer.object()).len(), 4);
    let nodes = text.ranges_of_node(buffer.object()).iter().map(|range| text.node_for(range.start));
    assert!(nodes.skip(1).all(|node| node.is_some_and(|node| node.ptr_eq(buffer.object()))));
}

#[test]
fn p74_14_a_diagnostic_on_an_attribute_that_is_not_printed_underlines_its_ancestor() {
    let root = script(
        "matched.py",
        "@T.prim_func\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, (n,))\n    for i in range(8):\n        A[i] = T.float32(1)\n",
    );
    let on = |at: &str| Diagnostic::new(message("cannot be scheduled"), path(&root, at));
    let found: Vec<Diagnostic> = vec![
        on("buffer_map[\"a\"].strides").labelled("must be given"),
        on("body.annotations"),
        on("attrs"),
        on("body.body.value.value"),
    ];
    insta("p74_14", &mapped(&root).render(&found, &DiagnosticOptions::default()));
}

#[test]
fn p74_15_several_messages_on_one_line() {
    let root = script("store.py", STORE);
    let store = "body.block.body.body.block.body";
    let at = |part: &str| path(&root, &format!("{store}{part}"));
    let found: Vec<Diagnostic> = vec![
        Diagnostic::new(message("the accesses overlap"), at(".value.a"))
            .labelled("read here")
            .with_label(at(".indices[0]"), "written here")
            .with_label(at(".value.b"), "and this is added")
            .with_note("both buffers have 8 elements")
            .with_help("copy the buffer first"),
        Diagnostic::warning(message("the addend is a constant"), at(".value.b")),
        Diagnostic::note_at(message("the axis is spatial"), at(".indices[0]")),
        Diagnostic::help_at(message("the loop can be vectorized"), path(&root, "body.block.body")),
    ];
    let options = DiagnosticOptions { context_lines: 1, ..DiagnosticOptions::default() };
    insta("p74_15", &mapped(&root).render(&found, &options));
}

#[test]
fn p74_17_an_error_on_a_store_inside_a_block() {
    let root = script("store.py", STORE);
    let text = mapped(&root);
    let offset = text.text().find("B[vi] =").expect("the store");
    let store = text.node_for(offset + 6).expect("a node");
    assert_eq!(store.info().key(), "tir.BufferStore");
    let found: Vec<Diagnostic> = vec![Diagnostic::new(message("the block is not complete"), &store)];
    // The source of the span is known by name.
    let sources = [("store.py", STORE)];
    let options =
        DiagnosticOptions { name: "after inlining", sources: &sources, ..DiagnosticOptions::default() };
    insta("p74_17", &text.render(&found, &options));
    let without = text.render(&found, &DiagnosticOptions::default());
    assert!(without.contains("it comes from bytes"), "{without}");
}

#[test]
fn every_node_of_a_function_can_be_diagnosed() {
    let root = script("store.py", STORE);
    let text = mapped(&root);
    let mut nodes = Vec::new();
    tvmscript::pre_order_visit(&root, |node| {
        nodes.push(node.clone());
        true
    });
    assert!(nodes.len() > 40, "{}", nodes.len());
    for node in nodes {
        let found: [Diagnostic; 1] = [Diagnostic::new(message("wrong"), &node)];
        let shown = text.render(&found, &DiagnosticOptions::default());
        assert!(shown.contains("<printed>:") && shown.contains('┬'), "{}:\n{shown}", node.info().key());
    }
}

/// Compares with the recorded text.
#[track_caller]
fn insta(name: &str, text: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/diagnostics")
        .join(format!("{name}.txt"));
    if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, text).expect("writes");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text == expected, "`{name}` changed (TVMSCRIPT_BLESS=1 records it):\n{text}");
}
