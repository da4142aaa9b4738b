//! Printers of one node under several tokens, and what a print knows at a node.
//!
//! The node is a range, as in the RFC of the printer: by default it prints as a slice; a dialect may print it otherwise
//! under its own token.

use std::sync::{Arc, Mutex};

use tvmscript_docsifier::doc::{Doc, ExprDoc, SliceDoc, StmtDoc, Subscript};
use tvmscript_docsifier::{
    Docsifier, DocsifyDialect as _, DocsifyError, DocsifyResult, Frame, NodeCallback, PrinterConfig,
    expr_text, print,
};
use tvmscript_ir_core::{Array, Dialect, Node, Object, PathId, Ref, Registry, RegistryBuilder, Str};

/// Elements `min` to `min + extent`.
#[derive(Debug, Clone, Node)]
#[node(key = "core.Range")]
struct Range {
    min: i64,
    extent: i64,
}

/// A part of a variable.
#[derive(Debug, Clone, Node)]
#[node(key = "core.Region")]
struct Region {
    of: Ref<Var>,
    ranges: Array<Ref<Range>>,
}

/// A variable.
#[derive(Debug, Clone, Node)]
#[node(key = "core.Var", eq = free_var)]
struct Var {
    name: Str,
}

/// What another dialect says about ranges, after a region.
#[derive(Debug, Clone, Node)]
#[node(key = "graph.Claim")]
struct Claim {
    about: Ref<Region>,
    ranges: Array<Ref<Range>>,
}

fn default_range(node: &Ref<Range>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<SliceDoc> {
    let (start, stop) = (d.docs.int(node.min), d.docs.int(node.min + node.extent));
    Ok(d.docs.slice(Some(start), Some(stop), None))
}

fn range_of_graph(node: &Ref<Range>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let (min, extent) = (d.docs.int(node.min), d.docs.int(node.extent));
    let callee = d.prefixed("graph", "from_extent");
    Ok(d.docs.call_args(callee, &[min, extent]))
}

fn var(node: &Ref<Var>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    d.variable(node.object(), &node.name, |d| d.prefixed("core", "var"))
}

/// `A[1:10, 2]`
fn region(node: &Ref<Region>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let of = d.expr(&node.of, path)?;
    let mut indices: Vec<Subscript> = Vec::new();
    for range in node.ranges.iter() {
        indices.push(match d.with_token("core", |d| d.doc(range.object(), path))? {
            Doc::Slice(slice) if range.extent != 1 => slice.into(),
            Doc::Expr(index) => index.into(),
            _ => d.docs.int(range.min).into(),
        });
    }
    Ok(d.docs.index(of, &indices))
}

/// `G.claim(A[1:10], G.from_extent(1, 9))`
fn claim(node: &Ref<Claim>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let about = d.expr(&node.about, path)?;
    let frame = Frame::new(Some(node.object().clone()), "the data of a claim");
    let (args, _) = d.with_frame(frame, |d| {
        d.with_token("graph", |d| {
            let mut args = vec![about];
            for range in node.ranges.iter() {
                args.push(match d.doc(range.object(), path)? {
                    Doc::Expr(range) => range,
                    _ => return Err(DocsifyError::unwritable(range.object(), "a slice is no argument")),
                });
            }
            Ok(args)
        })
    })?;
    let callee = d.prefixed("graph", "claim");
    let call = d.docs.call_args(callee, &args);
    Ok(d.docs.expr_stmt(call))
}

/// The dialect that has ranges.
fn core() -> Dialect {
    let dialect = Dialect::new("core").alias("C").root_frame(|_| Frame::fragment(()));
    let dialect = dialect.node::<Range>().docsify(default_range).node::<Region>().docsify(region);
    dialect.node::<Var>().docsify(var).variable().finish()
}

/// The dialect that uses them, and prints them in its own way under its token.
fn graph() -> Dialect {
    plain_graph().on::<Range>().docsify_under("graph", range_of_graph).finish()
}

/// The same dialect without a printer of ranges.
fn plain_graph() -> Dialect {
    Dialect::new("graph").alias("G").node::<Claim>().docsify(claim).finish()
}

fn registry(graph: Dialect) -> Registry {
    RegistryBuilder::new().with(core()).with(graph).build().expect("the dialects do not clash")
}

fn range(min: i64, extent: i64) -> Ref<Range> {
    Ref::new(Range { min, extent })
}

/// A claim about `A[1:10, 2]`, which has the same ranges.
fn example() -> Object {
    let of = Ref::new(Var { name: "A".into() });
    let ranges = Array::new([range(1, 9), range(2, 1)]);
    let about = Ref::new(Region { of, ranges: ranges.clone() });
    Ref::new(Claim { about, ranges }).into()
}

fn text(node: &Object, registry: &Registry, config: &PrinterConfig) -> String {
    print(node, registry, config).expect("it prints")
}

#[test]
fn p74_11_two_printers_of_one_node_are_used_in_one_print() {
    let registry = registry(graph());
    let printed = text(&example(), &registry, &PrinterConfig::default());
    assert_eq!(printed, "A = C.var\nG.claim(A[1:10, 2], G.from_extent(1, 9), G.from_extent(2, 1))");
}

#[test]
fn p74_11_dialects_are_registered_in_any_order() {
    let reversed = RegistryBuilder::new().with(graph()).with(core()).build().expect("no clash");
    let config = PrinterConfig::default();
    assert_eq!(text(&example(), &reversed, &config), text(&example(), &registry(graph()), &config));
}

#[test]
fn p74_25_ranges_are_slices_unless_a_token_overrides_their_printer() {
    let with_override = registry(graph());
    let root = example();
    let config = PrinterConfig::default();
    let mut d = Docsifier::new(&with_override, &config, &root).expect("valid options");
    let node = range(1, 9).into();
    let printed = |d: &mut Docsifier<'_>| d.doc(&node, PathId::ROOT).expect("it prints");
    assert!(matches!(printed(&mut d), Doc::Slice(_)), "the default printer");
    let Doc::Expr(call) = d.with_token("graph", printed) else { panic!("the printer under the token") };
    assert_eq!(expr_text(&mut d, call).expect("it prints"), "G.from_extent(1, 9)");
    assert!(matches!(d.with_token("core", printed), Doc::Slice(_)), "a token without a printer of its own");
    // The override holds while its token is open.
    assert!(matches!(printed(&mut d), Doc::Slice(_)));
}

#[test]
fn p74_25_an_override_that_is_taken_away_leaves_the_default() {
    let without = registry(plain_graph());
    let root = example();
    let config = PrinterConfig::default();
    let mut d = Docsifier::new(&without, &config, &root).expect("valid options");
    let node = range(1, 9).into();
    let printed = d.with_token("graph", |d| d.doc(&node, PathId::ROOT)).expect("it prints");
    assert!(matches!(printed, Doc::Slice(_)));
    // A registry without the override is another one: prints with the first one still have it.
    let first = registry(graph());
    assert!(text(&root, &first, &config).contains("G.from_extent(1, 9)"));
}

#[test]
fn p74_25_two_printers_under_one_token_are_an_error_that_names_both_places() {
    let again = Dialect::new("again").on::<Range>().docsify_under("graph", range_of_graph).finish();
    let clash = RegistryBuilder::new().with(core()).with(graph()).with(again).build().expect_err("a clash");
    let message = clash.to_string();
    assert!(message.contains("the printer of `core.Range` under the token `graph`"), "{message}");
    assert_eq!(message.matches("dispatch.rs:").count(), 2, "{message}");
}

/// What a callback saw: the key of a node, the tokens, the data of frames, and what is defined.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    key: &'static str,
    tokens: Vec<&'static str>,
    frames: Vec<&'static str>,
    defined: Vec<(String, String)>,
}

fn look(node: &Object, d: &mut Docsifier<'_>) -> Seen {
    let defined = d.definitions().expect("docs of variables");
    let defined = defined.into_iter().map(|(node, doc)| {
        let text = expr_text(d, doc).expect("it prints");
        (node.info().key().to_owned(), text)
    });
    let defined = defined.collect();
    let data = |frame: &Frame| frame.data.downcast_ref::<&'static str>().copied().unwrap_or("root");
    Seen {
        key: node.info().key(),
        tokens: d.tokens().collect(),
        frames: d.frames().map(data).collect(),
        defined,
    }
}

#[test]
fn p74_23_a_callback_sees_definitions_frames_and_tokens_at_each_node() {
    let registry = registry(graph());
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let found = Arc::clone(&seen);
    let callback = move |node: &Object, _: PathId, d: &mut Docsifier<'_>| {
        let now = look(node, d);
        found.lock().expect("no panic before").push(now);
    };
    let config = PrinterConfig { on_node: Some(NodeCallback::new(callback)), ..PrinterConfig::default() };
    let printed = text(&example(), &registry, &config);
    assert_eq!(printed, text(&example(), &registry, &PrinterConfig::default()), "the text is the same");
    let seen = std::mem::take(&mut *seen.lock().expect("no panic before"));
    let at = |key: &'static str, token: &[&'static str], frames: &[&'static str], is_defined: bool| Seen {
        key,
        tokens: token.to_vec(),
        frames: frames.to_vec(),
        defined: if is_defined { vec![("core.Var".to_owned(), "A".to_owned())] } else { Vec::new() },
    };
    let inside = ["the data of a claim", "root"];
    assert_eq!(
        seen,
        [
            at("graph.Claim", &["graph", ""], &["root"], false),
            at("core.Region", &["graph", ""], &["root"], false),
            at("core.Var", &["graph", ""], &["root"], false),
            // The variable is in the table once its declaration is printed.
            at("core.Range", &["core", "graph", ""], &["root"], true),
            at("core.Range", &["core", "graph", ""], &["root"], true),
            at("core.Range", &["graph", "graph", ""], &inside, true),
            at("core.Range", &["graph", "graph", ""], &inside, true),
        ]
    );
}
