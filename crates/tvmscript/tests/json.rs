//! JSON through the facade: both formats, and JSON that is not a node.

use tvmscript::prelude::*;
use tvmscript::{JsonErrorKind, from_json, from_tvm_json, prim, to_json, to_tvm_json};

fn sum() -> Object {
    let x = Var::new("x", DataType::INT32);
    let one = prim::IntImm::try_new(DataType::INT32, 1).expect("a small int");
    (x.upcast::<PrimExpr>() + one).into()
}

#[test]
fn both_forms_read_back() {
    let node = sum();
    for text in [to_json(&node), to_tvm_json(&node).expect("a whole node")] {
        let back = from_json(&text, registry()).expect("what was written is read");
        assert!(
            tvmscript::ir_core::StructuralEqual { map_free_vars: true, ..Default::default() }
                .compare(&node, &back)
        );
    }
}

#[test]
fn a_root_that_is_no_node_is_an_error() {
    let text = r#"{"root_index": 0, "nodes": [{"type": "None"}], "metadata": {}}"#;
    let error = from_tvm_json(text, registry()).expect_err("nothing is not a node");
    assert!(matches!(error.kind, JsonErrorKind::Expected { .. }), "{error}");
}
