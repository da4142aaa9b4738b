//! Spans of the nodes of a frontend.
#![allow(missing_docs)]

use std::collections::HashSet;

use tvmscript_ir_core::{
    Array, Class, DataType, Node, Object, ObjectLike, Ref, SourceId, Span, Str, post_order_visit, tree_size,
};
use tvmscript_si_builder::{
    Expression, Operator, SpanFiller, TupleItem, TupleWrapper, onnx_names, pytorch_names, set_span,
};

/// Expressions of a frontend's target.
#[derive(Class)]
#[class(key = "frontend.Expr")]
struct Expr(());

#[derive(Debug, Clone, Node)]
#[node(key = "frontend.Call", parent = Expr)]
struct Call {
    op: Str,
    args: Array<Ref<Expr>>,
    span: Span,
}

#[derive(Debug, Clone, Node)]
#[node(key = "frontend.Item", parent = Expr)]
struct Item {
    tuple: Ref<Expr>,
    index: i64,
    span: Span,
}

#[derive(Debug, Clone, Node)]
#[node(key = "frontend.Input", parent = Expr, eq = free_var)]
struct Input {
    dtype: DataType,
    span: Span,
}

impl Expression for Expr {}
impl Expression for Item {}
impl TupleItem for Item {}

fn call(op: &str, args: &[&Ref<Expr>]) -> Ref<Expr> {
    let args = args.iter().map(|&arg| arg.clone()).collect();
    Ref::new(Call { op: op.into(), args, span: Span::UNKNOWN }).upcast()
}

fn item(tuple: &Ref<Expr>, index: i64) -> Ref<Item> {
    Ref::new(Item { tuple: tuple.clone(), index, span: Span::UNKNOWN })
}

fn input() -> Ref<Expr> {
    Ref::new(Input { dtype: DataType::FLOAT32, span: Span::UNKNOWN }).upcast()
}

fn layer(name: &str) -> Span {
    Span::source(SourceId::new(name))
}

#[test]
fn p92_01_set_span_takes_a_name_or_a_span() {
    for filled in [
        set_span(call("relu", &[]), "stack").unwrap(),
        set_span(call("relu", &[]), String::from("stack")).unwrap(),
        set_span(call("relu", &[]), layer("stack")).unwrap(),
        SpanFiller::new("stack").fill(call("relu", &[])).unwrap(),
    ] {
        assert_eq!(filled.span(), layer("stack"));
    }
    let unknown = set_span(call("relu", &[]), Span::UNKNOWN).unwrap();
    assert!(!unknown.span().is_known());
}

#[test]
fn p92_03_tuples_lists_of_items_and_wrappers_are_filled() {
    let parts = call("split", &[]);
    let (a, b) = set_span((call("a", &[&parts]), item(&parts, 0)), "tuple").unwrap();
    assert_eq!((a.span(), b.span()), (layer("tuple"), layer("tuple")));
    let shared = a.as_node::<Call>().map(|call| call.args[0].clone()).unwrap();
    assert!(shared.ptr_eq(&b.tuple), "the items of a tuple share their nodes");

    let items = set_span(vec![item(&parts, 0), item(&parts, 1)], "list").unwrap();
    assert!(items.iter().all(|item| item.span() == layer("list")));
    assert!(items[0].tuple.ptr_eq(&items[1].tuple));

    let wrapper = set_span(TupleWrapper { tuple_value: parts, size: 2 }, "wrapper").unwrap();
    assert_eq!((wrapper.tuple_value.span(), wrapper.size), (layer("wrapper"), 2));
}

#[test]
fn p92_03_other_types_are_errors_of_the_compiler() {
    // Does not compile if the type implements the trait: then two implementations of `Lacks` apply.
    trait Lacks<Trait> {
        const HOLDS: bool = true;
    }
    impl<T> Lacks<()> for T {}
    struct FillableTrait;
    impl<T: tvmscript_si_builder::Fillable> Lacks<FillableTrait> for T {}
    const { assert!(<i64 as Lacks<_>>::HOLDS) };
    const { assert!(<&str as Lacks<_>>::HOLDS) };
    const { assert!(<Span as Lacks<_>>::HOLDS) };
    const { assert!(<Object as Lacks<_>>::HOLDS) };
    const { assert!(<Vec<Ref<Expr>> as Lacks<_>>::HOLDS) };
    const { assert!(<Option<Ref<Expr>> as Lacks<_>>::HOLDS) };
    const { assert!(<(Ref<Expr>, i64) as Lacks<_>>::HOLDS) };
}

#[test]
fn p92_04_filling_stops_at_nodes_with_a_span() {
    let hidden = call("hidden", &[]);
    let old = call("old", &[&hidden]).with_span(layer("old"));
    let filled = set_span(call("new", &[&old]), "new").unwrap();
    let args = filled.as_node::<Call>().map(|call| call.args.clone()).unwrap();
    assert!(args[0].ptr_eq(&old));
    assert!(!hidden.span().is_known(), "nothing below it is visited");
}

#[test]
fn p92_05_no_expression_is_duplicated() {
    let x = input();
    let a = set_span(call("a", &[&x]), "a").unwrap();
    let b = set_span(call("b", &[&a, &a, &x]), "b").unwrap();
    let c = set_span(call("c", &[&a, &b, &x]), "c").unwrap();
    let plain = {
        let a = call("a", &[&x]);
        let b = call("b", &[&a, &a, &x]);
        call("c", &[&a, &b, &x])
    };
    assert_eq!(tree_size(c.as_object()), tree_size(plain.as_object()));
    let mut inputs = 0;
    post_order_visit(&c, |node| inputs += usize::from(node.ptr_eq(x.as_object())));
    assert_eq!(inputs, 1, "the input is the same node");
    assert!(!x.span().is_known(), "an input in use elsewhere is never copied");
}

fn operator<'a>(kind: &'a str, name: &'a str, output: &'a str) -> Operator<'a> {
    Operator { kind, name, output }
}

fn assert_unique(names: &[String]) {
    let distinct: HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
}

#[test]
fn p92_07_pytorch_operators_without_a_source_get_one_from_their_module() {
    const STEM: &str = "__module.conv1";
    const BLOCK: &str = "__module.layer1/__module.layer1.0";
    const CONV: &str = "__module.layer1/__module.layer1.0/__module.layer1.0.conv1";
    let names = pytorch_names(&[
        operator("aten::_convolution", STEM, "input.1"),
        operator("aten::_convolution", CONV, "input.2"),
        operator("aten::add_", BLOCK, "input.3"),
        operator("aten::relu", BLOCK, "input.4"),
        operator("aten::relu", BLOCK, "input.5"),
        operator("aten::relu", "__module.layer1/__module.layer1.0/__module.layer1.0.relu", "input.6"),
        operator("aten::flatten", "", "input.7"),
        operator("", "", ""),
    ]);
    assert_eq!(
        names,
        [
            "conv1",
            "layer1.0.conv1",
            "layer1.0",
            // The module `layer1.0.relu` has its own name.
            "layer1.0.relu_3",
            "layer1.0.relu_4",
            "layer1.0.relu",
            "flatten_6",
            "operator_7",
        ]
    );
    assert_unique(&names);
}

#[test]
fn p92_07_onnx_nodes_without_names_get_unique_ones() {
    let names = onnx_names(&[
        operator("Conv", "stem", "t0"),
        operator("Relu", "", "t1"),
        // Names of nodes need not be unique, and an output may be called like another node.
        operator("Add", "stem", "t2"),
        operator("Mul", "", "stem"),
        operator("Print", "", ""),
        operator("Print", "Print_6", ""),
        operator("Print", "", ""),
        operator("com.microsoft::Gelu", "", ""),
    ]);
    assert_eq!(
        names,
        ["stem", "t1", "t2", "Mul_3", "Print_4", "Print_6", "Print_6_2", "Gelu_7"],
        "the model's own name `Print_6` stays with its node"
    );
    assert_unique(&names);
}

#[test]
fn p92_07_names_depend_on_the_model_alone_and_become_spans() {
    let mut random = 7_u64;
    let mut choose = |words: &[&'static str]| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[(random >> 33) as usize % words.len()]
    };
    let words = ["", "a", "a.b", "b_2", "b_2_2", "a.b_3", "__module.a/__module.a.b"];
    let model: Vec<Operator> =
        (0..2000).map(|_| operator(choose(&["b", "a::b", ""]), choose(&words), choose(&words))).collect();
    for name_all in [onnx_names, pytorch_names] {
        let names = name_all(&model);
        assert_unique(&names);
        assert_eq!(names, name_all(&model));
        let spans: HashSet<Span> = names.iter().map(|name| layer(name)).collect();
        assert_eq!(spans.len(), names.len());
        // A conversion to several nodes has one name, without a suffix for each of them.
        let (a, b) = set_span((call("relu", &[]), call("add", &[])), names[0].as_str()).unwrap();
        assert_eq!((a.span(), b.span()), (layer(&names[0]), layer(&names[0])));
    }
}

#[test]
fn filling_twice_changes_nothing() {
    let first = set_span(call("a", &[&call("b", &[])]), "a").unwrap();
    let again = set_span(first.clone(), "other").unwrap();
    assert!(first.ptr_eq(&again));
    let _: Object = again.into_object();
}
