//! Invariants of nodes: where they are asked for, and what JSON that breaks them gives.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::invariants::violations;
use tvmscript_ir_core::json::{JsonError, native};
use tvmscript_ir_core::type_table::{FieldKind, register_dynamic};
use tvmscript_ir_core::{
    Array, Class, DataType, Dialect, EqKind, FieldError, FieldInfo, Limits, Node, Object, ObjectLike, Ref,
    Registry, RegistryBuilder, RegistryError, Value, post_order_mutate,
};
use tvmscript_toy_nodes::checked::{self, Leaf, Pair, leaf, pair};

#[derive(Debug, Clone, Node)]
#[node(key = "inv.List", normalize = List::flat)]
struct List {
    items: Array<Object>,
}

impl List {
    fn flat(node: Ref<List>) -> Object {
        let mut items = Vec::new();
        for item in node.items.iter() {
            match item.as_node::<List>() {
                Some(inner) => items.extend(inner.items.iter().cloned()),
                None => items.push(item.clone()),
            }
        }
        Ref::new(List { items: Array::new(items) }).into()
    }
}

fn builder() -> RegistryBuilder {
    RegistryBuilder::new().with(checked::dialect().node::<List>())
}

fn registry() -> Registry {
    builder().build().expect("one dialect")
}

/// The error of loading the saved node.
fn fault(node: impl Into<Value>) -> JsonError {
    native::load(&native::save(&node.into()), &registry()).expect_err("a fault")
}

#[test]
fn loaded_nodes_are_checked() {
    let error = fault(pair(2, 1));
    assert_eq!(error.path, "$.nodes[0].fields.high");
    assert_eq!(error.kind.to_string(), "field `high` of `inv.Pair` is invalid: it is below `low`");
}

#[test]
fn an_untyped_field_has_the_class_it_declares() {
    let wrong = Ref::new(Pair { low: 0, high: 1, any: Some(pair(0, 0).into()) });
    let message = "field `any` of `inv.Pair` takes a `inv.Leaf`, not `inv.Pair`";
    assert_eq!(fault(wrong).kind.to_string(), message);
    let mut node: Object = pair(0, 1).into();
    assert!(node.set_field(2, pair(0, 0).into()).is_err());
    assert!(node.set_field(2, leaf(1).into()).is_ok());
    assert_eq!(node.set_field(3, Value::None), Err(FieldError::NoField { key: "inv.Pair", index: 3 }));
}

#[test]
fn tensors_have_as_many_bytes_as_their_shape_needs() {
    let tensor = |dtype, shape: &[i64], bytes: usize| {
        Ref::new(TensorNode { dtype, shape: shape.into(), data: vec![0; bytes].into() })
    };
    for (node, message) in [
        (
            tensor(DataType::FLOAT32, &[2, 2], 15),
            "field `data` of `Tensor` is invalid: 15 bytes, but shape [2, 2] of `float32` takes 16",
        ),
        (
            tensor(DataType::FLOAT32, &[-1, -4], 16),
            "field `shape` of `Tensor` is invalid: dimension -1 is negative",
        ),
        (
            tensor(DataType::FLOAT32, &[i64::MAX, 8], 0),
            "field `data` of `Tensor` is invalid: 0 bytes, but shape [9223372036854775807, 8] of `float32` takes \
             more than memory holds",
        ),
    ] {
        assert_eq!(fault(node.clone()).kind.to_string(), message);
        assert_eq!(violations(node.object(), 9).len(), 1);
    }
    let four_bits = tensor("float4_e2m1fn".parse().expect("a dtype"), &[3], 2);
    assert_eq!(violations(four_bits.object(), 9), []);
}

#[test]
fn a_dtype_has_a_width_and_is_written_as_it_is_saved() {
    let saved = native::save(&Value::DType(DataType::INT32));
    for text in ["int0", "int032", "int999", "int32x1", "float8_e4m3fnx0", "handle32", "bool8", "int"] {
        let error = native::load(&saved.replace("int32", text), &registry()).expect_err(text);
        assert_eq!(error.kind.to_string(), format!("unknown dtype `{text}`"));
    }
}

#[test]
fn violations_have_paths_and_shared_nodes_one() {
    let bad: Object = pair(1, 0).into();
    let root: Object = Ref::new(List { items: Array::new([leaf(1), bad.clone(), bad]) }).into();
    let found = violations(&root, 9);
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["field `high` of `inv.Pair` is invalid: it is below `low`, at `<root>.items[1]`"]
    );
}

#[test]
fn a_rewrite_that_breaks_one_is_an_error_with_its_path() {
    let root = Ref::new(List { items: Array::new([leaf(1), pair(0, 9).into()]) });
    let error = post_order_mutate(root.clone(), |node| {
        node.as_node::<Pair>().map(|pair| Ref::new(Pair { low: 10, ..pair.clone() }).into())
    });
    let error = error.expect_err("10 is above 9");
    assert_eq!(
        error.to_string(),
        "field `high` of `inv.Pair` is invalid: it is below `low`, at `<root>.items[1]`"
    );
    let other_class = post_order_mutate(root, |node| node.is::<List>().then(|| leaf(1)));
    assert_eq!(
        other_class.expect_err("a leaf is not a list").to_string(),
        "the new root is not `inv.List`, but `inv.Leaf`, at `<root>`"
    );
}

#[test]
fn a_rewritten_node_is_put_in_its_normal_form() {
    let inner = || Object::from(Ref::new(List { items: Array::new([leaf(1), leaf(2)]) }));
    let root = Ref::new(List { items: Array::new([leaf(0), leaf(9)]) });
    let is_nine = |node: &Object| node.as_node::<Leaf>().is_some_and(|leaf| leaf.value == 9);
    let new = post_order_mutate(root, |node| is_nine(node).then(inner)).expect("all fit");
    let values = new.items.iter().filter_map(|item| item.as_node::<Leaf>().map(|leaf| leaf.value));
    assert_eq!(values.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn types_made_from_a_description_check_kinds() {
    let field =
        |name, kind| FieldInfo { name, def: false, skip_eq: false, kind, derived: false, optional: false };
    let fields = [field("count", FieldKind::Int), field("next", FieldKind::Node)];
    let info = register_dynamic("inv.Described", None, EqKind::Tree, &fields).expect("room");
    let mut node = info.construct(vec![Value::Int(1), Value::None]).expect("fits");
    assert!(info.construct(vec![Value::str("1"), Value::None]).is_err());
    let error = node.set_field(0, Value::str("1")).expect_err("no int");
    assert_eq!(error.to_string(), "field `count` of `inv.Described` takes an int, not `Str`");
    assert!(node.set_field(1, leaf(1).into()).is_ok());
}

#[test]
fn a_parent_that_is_not_loaded_yet_is_an_error() {
    #[derive(Debug, Clone, Node)]
    #[node(key = "inv.Orphan", parent_key = "inv.NobodyKnows")]
    struct Orphan {}
    assert!(Orphan::type_info().parent().is_none());
    let dialect = Dialect::new("orphans").node::<Orphan>();
    let errors = RegistryBuilder::new().with(dialect).build().expect_err("no parent");
    let [RegistryError::Missing { what, place }] = errors.errors() else { panic!("{errors}") };
    assert_eq!(what, "the parent `inv.NobodyKnows` of the node `inv.Orphan`");
    assert!(place.contains("invariants.rs"), "{place}");
}

#[test]
fn a_parent_that_is_created_too_late_is_told_apart() {
    #[derive(Class)]
    #[class(key = "inv.Late")]
    struct Late(());
    #[derive(Debug, Clone, Node)]
    #[node(key = "inv.Early", parent_key = "inv.Late")]
    struct Early {}
    #[derive(Debug, Clone, Node)]
    #[node(key = "inv.Other", parent = Late)]
    struct Other {}
    let early = Dialect::new("early").node::<Early>().finish();
    let late = Dialect::new("late").node::<Other>().finish();
    let errors = RegistryBuilder::new().with(late).with(early).build().expect_err("no parent").to_string();
    assert!(errors.contains("before its parent `inv.Late`: create the dialect"), "{errors}");
}

/// A text of these nodes, of which the last one is the root.
fn document(nodes: &[String]) -> String {
    format!(
        r#"{{"format":"tvmscript-ir","version":1,"root":{{"node":{}}},"nodes":[{}]}}"#,
        nodes.len() - 1,
        nodes.join(",")
    )
}

#[test]
fn nested_pairs_load_with_their_sharing() {
    // Sixty pairs, each of the one before twice: two to the power of sixty leaves.
    let mut nodes = vec![r#"{"type":"core.Array","items":[1]}"#.to_owned()];
    for index in 0..60 {
        nodes.push(format!(r#"{{"type":"core.Array","items":[{{"node":{index}}},{{"node":{index}}}]}}"#));
    }
    nodes.push(r#"{"type":"inv.List","fields":{"items":60}}"#.to_owned());
    let value = native::load(&document(&nodes), &registry()).expect("loads with sharing");
    let root = value.as_object().expect("a list");
    assert_eq!(violations(root, 9), []);
    let saved = native::save(&value);
    assert!(saved.len() < 10_000, "{} bytes", saved.len());
    assert!(native::load(&saved, &registry()).is_ok());
}

#[test]
fn typed_arrays_that_multiply_are_an_error() {
    #[derive(Debug, Clone, Node)]
    #[node(key = "inv.Cube")]
    struct Cube {
        planes: Array<Array<Array<Ref<Leaf>>>>,
    }
    let registry = builder().with(Dialect::new("cube").node::<Cube>()).build().expect("another dialect");
    let array = |of: usize| {
        let items = vec![format!(r#"{{"node":{of}}}"#); 1000];
        format!(r#"{{"type":"core.Array","items":[{}]}}"#, items.join(","))
    };
    let nodes = [
        r#"{"type":"inv.Leaf","fields":{"value":1}}"#.to_owned(),
        array(0),
        array(1),
        array(2),
        r#"{"type":"inv.Cube","fields":{"planes":3}}"#.to_owned(),
    ];
    let error = native::load(&document(&nodes), &registry).expect_err("a thousand millions");
    assert_eq!(error.path, "$.nodes[4].fields.planes");
    let message = format!(
        "shared arrays, maps or spans unfold to more than {} elements",
        Limits::DEFAULT.max_json_elements
    );
    assert_eq!(error.kind.to_string(), message);
    // What comes later on this thread is not concerned.
    assert!(Array::<Ref<Leaf>>::accepts(Array::new(vec![leaf(1); 100]).object()));
}

#[test]
fn spans_that_multiply_are_an_error() {
    let count = 3_000;
    let mut spans: Vec<String> = (0..count).map(|at| format!(r#"{{"range":[0,{at},{at}]}}"#)).collect();
    let all: Vec<String> = (0..count).map(|at| at.to_string()).collect();
    for _ in 0..2_000 {
        spans.push(format!(r#"{{"sequence":{{"spans":[{}],"reason":""}}}}"#, count));
    }
    spans.insert(count, format!(r#"{{"sequence":{{"spans":[{}],"reason":""}}}}"#, all.join(",")));
    let text = format!(
        r#"{{"format":"tvmscript-ir","version":1,"root":null,"sources":["f"],"spans":[{}],"nodes":[]}}"#,
        spans.join(",")
    );
    let error = native::load(&text, &registry()).expect_err("too many parts");
    assert!(error.path.starts_with("$.spans["), "{error}");
}

#[test]
fn references_forward_and_in_cycles_are_told_apart_from_missing_nodes() {
    let ours = |items: &str| {
        format!(
            r#"{{"format":"tvmscript-ir","version":1,"root":null,"nodes":[{{"type":"core.Array","items":[{items}]}},{{"type":"core.Array","items":[]}}]}}"#
        )
    };
    let forward = "node 0 refers to node 1, which comes after it: a node must come after all nodes that it refers to, so \
                   cycles cannot be read";
    for (text, message, place) in [
        (ours(r#"{"node":1}"#), forward, r#"{"node":1}"#),
        (ours(r#"{"node":7}"#), "no node has the index 7", r#"{"node":7}"#),
    ] {
        let error = native::load(&text, &registry()).expect_err(message);
        assert_eq!(error.kind.to_string(), message);
        assert!(text[error.offset_bytes..].starts_with(place), "{text} at {}", error.offset_bytes);
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let list: Value = leaf(3).into();
    let marked = format!("\u{feff}{}", native::save(&list));
    assert!(native::load(&marked, &registry()).is_ok());
    let broken = native::load(&marked.replace("inv.Leaf", "inv.Lief"), &registry());
    let error = broken.expect_err("an unknown type");
    assert!(marked[error.offset_bytes..].starts_with("\"inv.L"), "{error}");
    let twice = "\u{feff}{\"format\":\"tvmscript-ir\",\"version\":1,}";
    let error = native::load(twice, &registry()).expect_err("no JSON");
    assert_eq!(&twice[error.offset_bytes..], "}");
}

#[test]
fn a_doubled_key_is_an_error() {
    let text = r#"{"format":"tvmscript-ir","version":1,"root":null,"nodes":[{"type":"inv.Leaf","fields":{"value":1,"value":2}}]}"#;
    let error = native::load(text, &registry()).expect_err("a doubled key");
    assert!(error.kind.to_string().contains("`value` appears twice"), "{error}");
}

#[test]
fn typed_elements_name_the_one_that_does_not_fit() {
    #[derive(Debug, Clone, Node)]
    #[node(key = "inv.Leaves")]
    struct Leaves {
        leaves: Array<Ref<Leaf>>,
    }
    let items = Array::<Value>::of_values([leaf(1).into(), pair(0, 1).into()]).into_object();
    let error = Leaves::type_info().construct(vec![items.into()]).expect_err("a pair is not a leaf");
    assert_eq!(
        error.to_string(),
        "field `leaves` of `inv.Leaves` takes an array of `inv.Leaf`, not an array whose element 1 is `inv.Pair`"
    );
}
