//! Filling and collecting spans in toy graphs.
#![allow(missing_docs)]

use tvmscript_ir_core::{
    Object, ObjectLike, Ref, SourceId, Span, post_order_visit, structural_equal, tree_size,
};
use tvmscript_si_builder::SIBuilder;
use tvmscript_toy_nodes::{Add, Expr, add, call, doubled, int, let_in, up, var};

fn layer(name: &str) -> Span {
    Span::source(SourceId::new(name))
}

/// Spans of the nodes that can have one, parents last.
fn spans(root: &impl ObjectLike) -> Vec<Span> {
    let mut out = Vec::new();
    post_order_visit(root, |node| out.extend(node.info().has_span().then(|| node.span())));
    out
}

#[test]
fn p92_13_filling_goes_depth_first_and_stops_at_the_inputs() {
    let data = call("data", []);
    let old = int(7).with_span(layer("old"));
    let new = add(add(data.clone(), old.clone()), int(1));
    let filled = SIBuilder::new(layer("norm")).recursively_fill_span(new.clone(), [&data]).unwrap();
    assert!(structural_equal(filled.as_object(), new.as_object()));
    let (norm, old) = (layer("norm"), layer("old"));
    assert_eq!(spans(&filled), [Span::UNKNOWN, old, norm, norm, norm]);
    assert!(!new.span().is_known(), "the graph that was passed in is shared, so it is unchanged");
}

#[test]
fn filling_keeps_sharing_and_identity() {
    let x = var("x");
    let root = let_in(&x, int(1), doubled(up(&x), 60));
    let filled = SIBuilder::new(layer("l")).recursively_fill_span(root.clone(), [] as [&Object; 0]).unwrap();
    assert_eq!(tree_size(filled.as_object()), tree_size(root.as_object()));
    let var_of =
        |root: &Ref<Expr>| root.as_node::<tvmscript_toy_nodes::Let>().map(|node| node.var.clone()).unwrap();
    assert!(var_of(&filled).ptr_eq(&var_of(&root)));
    assert!(filled.as_node::<tvmscript_toy_nodes::Let>().is_some_and(|node| node.body.span() == layer("l")));
}

#[test]
fn p92_14_collecting_merges_the_spans_of_a_subgraph() {
    let x = add(int(1), int(2)).with_span(layer("x"));
    let inner = call("reshape", [x.clone()]).with_span(layer("first"));
    let outer = call("reshape", [inner]).with_span(layer("second"));
    let span = SIBuilder::from_subgraph(&outer, [&x]).create_span();
    assert_eq!(span.parts(), [layer("second"), layer("first")]);

    // Nothing, one span and a repeated span need no sequence.
    assert_eq!(SIBuilder::from_subgraph(&int(1), [&x]).create_span(), Span::UNKNOWN);
    assert_eq!(SIBuilder::from_subgraph(&x, [] as [&Object; 0]).create_span(), layer("x"));
    let twice = add(x.clone(), int(3).with_span(layer("x"))).with_span(layer("x"));
    assert_eq!(SIBuilder::from_subgraph(&twice, [] as [&Object; 0]).create_span(), layer("x"));
}

#[test]
fn uses_of_variables_do_not_count() {
    let x = Ref::new(tvmscript_toy_nodes::Var {
        span: layer("definition"),
        dtype: tvmscript_ir_core::DataType::INT32,
        name: "x".into(),
    });
    let sum = add(up(&x), int(1)).with_span(layer("sum"));
    assert_eq!(SIBuilder::from_subgraph(&sum, [] as [&Object; 0]).create_span(), layer("sum"));
    assert_eq!(SIBuilder::from_subgraph(&x, [] as [&Object; 0]).create_span(), layer("definition"));
}

#[test]
fn several_spans_fill_as_a_sequence() {
    let builder = SIBuilder::from_spans([layer("a"), Span::UNKNOWN, layer("b"), layer("a")]);
    let filled = builder.recursively_fill_span(int(1), [] as [&Object; 0]).unwrap();
    assert_eq!(filled.span().parts(), [layer("a"), layer("b")]);
}

#[test]
fn p92_16_builders_move_and_never_copy() {
    // Does not compile if the type implements the trait: then two implementations of `Lacks` apply.
    trait Lacks<Trait> {
        const HOLDS: bool = true;
    }
    impl<T> Lacks<()> for T {}
    struct CloneTrait;
    impl<T: Clone> Lacks<CloneTrait> for T {}
    const { assert!(<SIBuilder as Lacks<_>>::HOLDS) };

    let builder = SIBuilder::new(layer("a"));
    let moved = builder;
    assert_eq!(moved.create_span(), layer("a"));
}

#[test]
fn p92_17_a_builder_that_is_off_allocates_nothing() {
    let root = add(call("data", []).with_span(layer("a")), int(1)).with_span(layer("b"));
    let input = int(1);
    let work = |root: Ref<Expr>, fills_spans: bool| {
        let builder = match fills_spans {
            true => SIBuilder::from_subgraph(&root, [&input]),
            false => SIBuilder::off(),
        };
        let filled = builder.recursively_fill_span(root, [&input]).unwrap();
        (builder.create_span(), filled)
    };
    let mut result = None;
    let off = allocation_counter::measure(|| result = Some(work(root.clone(), false)));
    assert_eq!(off.count_total, 0);
    let (collected, filled) = result.unwrap();
    assert_eq!(collected, Span::UNKNOWN);
    assert!(filled.ptr_eq(&root));
    let on = allocation_counter::measure(|| drop(work(root.clone(), true)));
    assert!(on.count_total > 0);
}

#[test]
fn nodes_without_spans_are_not_copied() {
    let shared = tvmscript_toy_nodes::shared(int(1).with_span(layer("a")));
    let root = add(shared.clone(), shared.clone());
    let filled = SIBuilder::new(layer("b")).recursively_fill_span(root, [] as [&Object; 0]).unwrap();
    let sum = filled.as_node::<Add>().unwrap();
    assert!(sum.a.ptr_eq(&shared) && sum.b.ptr_eq(&shared));
}
