//! Invariants of loaded nodes, references, byte order marks.

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{Array, DataType, Object, Ref, Registry, RegistryBuilder, Tensor, Value};
use tvmscript_toy_nodes::checked::{self, Pair, leaf, pair};
use tvmscript_tvm_json::{self as tvm, detect, load_any};

fn registry() -> Registry {
    RegistryBuilder::new().with(checked::dialect()).build().expect("one dialect")
}

fn save(value: &Value) -> String {
    tvm::save(value).expect("no tensor is left out")
}

/// Path and message of the error of loading the saved value.
fn fault(value: impl Into<Value>) -> (String, String) {
    let error = tvm::load(&save(&value.into()), &registry()).expect_err("a fault");
    (error.path, error.kind.to_string())
}

#[test]
fn loaded_nodes_are_checked() {
    let (path, message) = fault(pair(2, 1));
    assert_eq!(path, "$.nodes[1].data.high");
    assert_eq!(message, "field `high` of `inv.Pair` is invalid: it is below `low`");
    let other: Object = pair(0, 0).into();
    let (_, message) = fault(Ref::new(Pair { low: 0, high: 1, any: Some(other) }));
    assert_eq!(message, "field `any` of `inv.Pair` takes a `inv.Leaf`, not `inv.Pair`");
}

#[test]
fn tensors_are_checked() {
    let node = tvmscript_ir_core::containers::TensorNode {
        dtype: DataType::FLOAT32,
        shape: [2, 2].into(),
        data: vec![0; 15].into(),
    };
    let tensor: Tensor = Ref::new(node);
    let (path, message) = fault(tensor);
    assert_eq!(path, "$.nodes[0].data");
    assert!(message.ends_with("15 bytes, but shape [2, 2] of `float32` takes 16"), "{message}");
}

#[test]
fn shared_nodes_are_loaded_once() {
    let doubled = (0..60).fold(leaf(1), |inner, _| Array::new([inner.clone(), inner]).object().clone());
    let text = save(&doubled.into());
    assert!(text.len() < 10_000, "{} bytes", text.len());
    assert!(load_any(&text, &registry()).is_ok());
}

#[test]
fn forward_references_and_missing_nodes_are_different_errors() {
    let forward = "node 0 refers to node 1, which comes after it: a node must come after all nodes that it refers to, so \
                   cycles cannot be read";
    for (index, message) in
        [("1", forward), ("2", "no node has the index 2"), ("-1", "no node has the index -1")]
    {
        let text = format!(
            r#"{{"root_index":0,"nodes":[{{"type":"ffi.Array","data":[{index}]}},{{"type":"None"}}]}}"#
        );
        let error = tvm::load(&text, &registry()).expect_err(message);
        assert_eq!(error.kind.to_string(), message);
        assert!(text[error.offset_bytes..].starts_with(index), "{text} at {}", error.offset_bytes);
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let leaf: Value = leaf(3).into();
    for text in [native::save(&leaf), save(&leaf)] {
        let marked = format!("\u{feff}{text}");
        assert_eq!(detect(&marked), detect(&text));
        assert!(load_any(&marked, &registry()).is_ok());
        let broken = load_any(&marked.replace("inv.Leaf", "inv.Lief"), &registry());
        let error = broken.expect_err("an unknown type");
        assert!(marked[error.offset_bytes..].starts_with("\"inv.L"), "{error}");
    }
}

#[test]
fn a_doubled_key_is_an_error() {
    let text = r#"{"root_index":0,"nodes":[{"type":"inv.Leaf","data":{"value":1,"value":2}}]}"#;
    let error = tvm::load(text, &registry()).expect_err("a doubled key");
    assert_eq!(error.kind.to_string(), "`value` appears twice");
}
