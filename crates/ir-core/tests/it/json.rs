//! JSON: TVM's form to the byte, faults with their paths, depth.

use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::json::tvm::{self, ExtraField, SaveOptions};
use tvmscript_ir_core::json::{self, Form, JsonErrorKind, native};
use tvmscript_ir_core::span::{SourceId, SpanKind};
use tvmscript_ir_core::{DataType, Map, Object, Ref, Span, StructuralEqual, Value, structural_equal};

use crate::toy::*;

/// TVM's form of a value whose tensors are whole.
fn tvm_save(value: &Value) -> String {
    tvm::save(value).expect("no tensor is left out")
}

/// As [`tvm_save`], written in some way.
fn tvm_save_with(value: &Value, options: &SaveOptions) -> String {
    tvm::save_with(value, options).expect("no tensor is left out")
}

const MAPPED: StructuralEqual = StructuralEqual { map_free_vars: true, skip_tensor_content: false };

const ITSELF: &str =
    "node 0 refers to itself: a node must come after all nodes that it refers to, so cycles cannot be read";

fn compact() -> SaveOptions {
    SaveOptions { indent_spaces: 0, ..SaveOptions::default() }
}

#[test]
fn the_graph_is_written_as_tvm_writes_it() {
    let v = var("x");
    let sum: Object = add(up(&v), int(1)).into();
    let text = r#"{"root_index":4,"nodes":[{"type":"None"},{"type":"ffi.String","data":"x"},{"type":"toy.Var","data":{"span":0,"dtype":"int32","name":1}},{"type":"toy.Int","data":{"span":0,"dtype":"int32","value":1}},{"type":"toy.Add","data":{"span":0,"dtype":"int32","a":2,"b":3}}],"metadata":{"tvm_version":"0.23.dev0"}}"#;
    assert_eq!(tvm_save_with(&sum.clone().into(), &compact()), text);
    let read = tvm::load(text, &registry()).expect("reads");
    assert!(MAPPED.compare_values(&sum.into(), &read));
}

#[test]
fn lines_are_broken_as_tvm_breaks_them() {
    let empty: Object = call("toy.f", []).into();
    let expected = r#"{
  "root_index": 4,
  "nodes": [
    {
      "type": "None"
    },
    {
      "type": "ir.Op",
      "data": "toy.f"
    },
    {
      "type": "ffi.Array",
      "data": [
      ]
    },
    {
      "type": "ffi.Map",
      "data": [
      ]
    },
    {
      "type": "toy.Call",
      "data": {
        "span": 0,
        "op": 1,
        "args": 2,
        "attrs": 3
      }
    }
  ],
  "metadata": {
    "tvm_version": "0.23.dev0"
  }
}"#;
    assert_eq!(tvm_save(&empty.into()), expected);
}

#[test]
fn boxed_values_that_are_equal_stand_once() {
    let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let shape = || Value::from(Ref::new(ShapeNode { values: [2, -1].into() }));
    let values = [
        Value::from(1),
        Value::from(1),
        true.into(),
        1.0.into(),
        f64::INFINITY.into(),
        Value::None,
        shape(),
        DataType::VOID.into(),
    ];
    let attrs = Map::new(keys.into_iter().map(Value::str).zip(values));
    let node: Object = call_with("toy.f", [], attrs).into();
    let text = tvm_save_with(&node.clone().into(), &compact());
    for part in [
        r#"{"type":"int","data":1}"#,
        r#"{"type":"bool","data":true}"#,
        r#"{"type":"float","data":1.0}"#,
        r#"{"type":"float","data":Infinity}"#,
        r#"{"type":"ffi.Shape","data":[2,-1]}"#,
        r#"{"type":"DataType","data":""}"#,
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    let read = tvm::load(&text, &registry()).expect("reads");
    assert!(structural_equal(&node, read.as_object().expect("a node")));
    assert_eq!(tvm_save_with(&read, &compact()), text);
}

#[test]
fn a_tensor_is_in_base64() {
    let tensor = Ref::new(TensorNode { dtype: DataType::uint(8), shape: [2].into(), data: [1, 255].into() });
    let text = tvm_save_with(&Value::from(tensor), &compact());
    assert!(text.contains(
        r#""ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEIAQACAAAAAAAAAAIAAAAAAAAAAf8=""#
    ));
    let read = tvm::load(&text, &registry()).expect("reads");
    assert_eq!(tvm_save_with(&read, &compact()), text);
}

#[test]
fn lines_and_columns_travel_and_byte_ranges_do_not() {
    let source = SourceId::new("model.py");
    let place = Span::new(SpanKind::LineColumn { source, line: 3, column: 1, end_line: 3, end_column: 9 });
    let node = Value::from(int(1).with_span(place));
    let text = tvm_save_with(&node, &compact());
    assert!(text.contains(
        r#"{"type":"ir.SourceName","data":"model.py"},{"type":"ir.Span","data":{"source_name":0,"line":3,"column":1,"end_line":3,"end_column":9}}"#
    ));
    let read = tvm::load(&text, &registry()).expect("reads");
    assert_eq!(read.as_object().map(Object::span), Some(place));
    let ranged = Value::from(int(1).with_span(Span::range(source, 3, 9)));
    assert_eq!(tvm_save(&ranged), tvm_save(&int(1).into()));
}

#[test]
fn extra_fields_are_written_on_request_and_read_when_empty() {
    let extra = ExtraField { type_key: "toy.Call".into(), name: "annotations".into() };
    let node = Value::from(call("toy.f", [int(1)]));
    let text = tvm_save_with(&node, &SaveOptions { extra_fields: vec![extra], ..compact() });
    assert!(text.contains(r#""attrs":4,"annotations":5}"#), "{text}");
    let read = tvm::load(&text, &registry()).expect("reads");
    assert!(MAPPED.compare_values(&node, &read));
}

#[test]
fn keys_may_come_in_any_order() {
    let text = r#" { "metadata" : { "a" : [ { } , [ ] , null ] } , "nodes" : [ { "type" : "None" } ,
        { "data" : { "value" : 7 , "dtype" : "int32" , "span" : 0 } , "type" : "toy.Int" } ] , "root_index" : 1 } "#;
    assert!(MAPPED.compare_values(&tvm::load(text, &registry()).expect("reads"), &int(7).into()));
}

/// A graph of these nodes, the last one the root.
fn graph(nodes: &str) -> String {
    format!(r#"{{"root_index":0,"nodes":[{nodes}]}}"#)
}

#[track_caller]
fn check_fault(text: &str, path: &str, message: &str) {
    let error = tvm::load(text, &registry()).expect_err("a fault");
    assert_eq!((&*error.path, &*error.kind.to_string()), (path, message), "in {text}");
    assert!(error.offset_bytes <= text.len());
}

#[test]
fn faults_in_nodes_are_named_with_their_place() {
    let none = r#"{"type":"None"},"#;
    let node = |data: &str| graph(&format!(r#"{none}{{"type":"toy.Int","data":{data}}}"#));
    for (nodes, path, message) in [
        (r#"{"type":"toy.What","data":{}}"#, ".nodes[0].type", "unknown node type `toy.What`"),
        (r#"{"type":"toy.Expr","data":{}}"#, ".nodes[0].type", "`toy.Expr` is an abstract class"),
        (r#"{"type":1}"#, ".nodes[0].type", "expected a string"),
        (r#"{"data":1}"#, ".nodes[0]", "missing `type`"),
        (r#"{"type":"int"}"#, ".nodes[0]", "missing `data`"),
        (r#"{"type":"int","data":1,"data":2}"#, ".nodes[0]", "`data` appears twice"),
        (r#"{"type":"int","what":1}"#, ".nodes[0]", "unknown key `what`"),
        (r#"{"type":"int","data":1.5}"#, ".nodes[0].data", "expected an integer"),
        (r#"{"type":"int","data":9223372036854775808}"#, ".nodes[0].data", "number out of range"),
        (r#"{"type":"int","data":01}"#, ".nodes[0].data", "expected an integer"),
        (r#"{"type":"float","data":1e999}"#, ".nodes[0].data", "number out of range"),
        (r#"{"type":"float","data":1.}"#, ".nodes[0].data", "expected a digit"),
        (r#"{"type":"float","data":"1"}"#, ".nodes[0].data", "expected a number"),
        (r#"{"type":"bool","data":0}"#, ".nodes[0].data", "expected `true` or `false`"),
        (r#"{"type":"ffi.String","data":"\x"}"#, ".nodes[0].data", "invalid escape in a string"),
        (r#"{"type":"ffi.String","data":"\ud800x"}"#, ".nodes[0].data", "invalid escape in a string"),
        (r#"{"type":"ffi.Array","data":{}}"#, ".nodes[0].data", "expected an array"),
        (r#"{"type":"ffi.Array","data":[-1]}"#, ".nodes[0].data[0]", "no node has the index -1"),
        (r#"{"type":"ffi.Array","data":[0]}"#, ".nodes[0].data[0]", ITSELF),
        (
            r#"{"type":"None"},{"type":"ffi.Map","data":[0]}"#,
            ".nodes[1].data",
            "a map has an odd number of indices",
        ),
        (r#"{"type":"ffi.Tensor","data":"AAAA"}"#, ".nodes[0].data", "malformed tensor: too short"),
        (r#"{"type":"DataType","data":"int33x"}"#, ".nodes[0].data", "unknown dtype `int33x`"),
    ] {
        check_fault(&graph(nodes), &format!("${path}"), message);
    }
    for (data, path, message) in [
        (r#"{"span":0,"dtype":"int32"}"#, "", "missing `value`"),
        (r#"{"span":0,"dtype":"int32","value":1,"value":2}"#, ".value", "`value` appears twice"),
        (r#"{"span":0,"dtype":"int32","value":1,"more":2}"#, ".more", "no node has the index 2"),
        (r#"{"span":0,"dtype":"int32","value":1,"more":"x"}"#, ".more", "unknown key `more`"),
        (r#"{"span":0,"dtype":"int32","value":true}"#, ".value", "expected an integer"),
        (r#"{"span":0,"dtype":"what","value":1}"#, ".dtype", "unknown dtype `what`"),
        (r#"{"span":0,"dtype":7,"value":1}"#, ".dtype", "expected a string"),
        ("[]", "", "expected an object"),
        ("7", "", "expected an object"),
    ] {
        check_fault(&node(data), &format!("$.nodes[1].data{path}"), message);
    }
    check_fault(
        &graph(&format!(
            r#"{none}{{"type":"ffi.String","data":"x"}},{{"type":"toy.Add","data":{{"span":0,"dtype":"int32","a":1,"b":1}}}}"#
        )),
        "$.nodes[2].data.a",
        "field `a` of `toy.Add` takes a `toy.Expr`, not `ffi.String`",
    );
}

#[test]
fn faults_around_nodes_are_named_with_their_place() {
    for (text, path, message) in [
        ("", "$", "the text ends here, expected an object"),
        ("[]", "$", "expected an object"),
        ("{}", "$", "missing `nodes`"),
        (r#"{"nodes":[]}"#, "$", "missing `root_index`"),
        (r#"{"nodes":[],"root_index":0}"#, "$.root_index", "no node has the index 0"),
        (r#"{"nodes":[],"root_index":-1}"#, "$.root_index", "no node has the index -1"),
        (r#"{"nodes":[],"nodes":[]}"#, "$", "`nodes` appears twice"),
        (r#"{"nodes":{}}"#, "$.nodes", "expected an array"),
        (r#"{"nodes":[{"type":"None"}"#, "$.nodes[1]", "the text ends here, expected `,` or `]`"),
        (r#"{"nodes":[{"type":"None"}],"root_index":0} x"#, "$", "text after the end of the JSON value"),
        (r#"{"what":0}"#, "$", "unknown key `what`"),
        (
            r#"{"nodes":[{"type":"ffi.String","data":"x"#,
            "$.nodes[0].data",
            "the text ends here, expected the end of a string",
        ),
    ] {
        check_fault(text, path, message);
    }
}

#[test]
fn no_prefix_and_no_flipped_byte_panics() {
    let v = var("x");
    let node =
        let_in(&v, float(-1.5e-7), call_with("toy.f", [up(&v)], Map::new([(Value::str("é\n"), 1.into())])));
    let text = tvm_save(&node.into());
    let registry = registry();
    for end in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
        assert!(tvm::load(&text[..end], &registry).is_err());
    }
    for at in 0..text.len() {
        for byte in [b'"', b'9', b'{', b']', b'\\', b'e', b' '] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = tvm::load(&text, &registry);
            }
        }
    }
}

#[test]
fn deep_and_doubled_graphs_travel_on_a_small_stack() {
    on_small_stack(|| {
        let registry = registry();
        for node in [chain(int(0), 100_000), doubled(int(0), 64)] {
            let node = Value::from(node);
            let text = tvm_save_with(&node, &compact());
            let read = tvm::load(&text, &registry).expect("reads");
            assert!(MAPPED.compare_values(&node, &read));
        }
        let deep_metadata = format!(r#"{{"metadata":{}"#, "[".repeat(1_000_000));
        let error = tvm::load(&deep_metadata, &registry).expect_err("unbalanced");
        assert!(matches!(error.kind, JsonErrorKind::UnexpectedEnd { .. }));
    });
}

#[test]
fn our_form_reads_as_it_is_documented() {
    let v = var("x");
    let attrs = Map::new([
        (Value::str("a"), 1.into()),
        (Value::str("b"), 1.0.into()),
        (Value::str("c"), f64::NEG_INFINITY.into()),
        (Value::str("d"), DataType::BOOL.into()),
        (Value::str("e"), Value::None),
        (Value::from(up(&v)), false.into()),
    ]);
    let place = Span::range(SourceId::new("f.py"), 4, 9);
    let node = Value::from(call_with("toy.f", [up(&v), float(f64::NAN)], attrs).with_span(place));
    let expected = concat!(
        r#"{"format":"tvmscript-ir","version":1,"root":{"node":5},"sources":["f.py"],"spans":[{"range":[0,4,9]}],"nodes":["#,
        r#"{"type":"ir.Op","name":"toy.f"},"#,
        r#"{"type":"toy.Var","fields":{"dtype":"int32","name":"x"}},"#,
        r#"{"type":"toy.Float","fields":{"dtype":"float32","value":"nan"}},"#,
        r#"{"type":"ffi.Array","items":[{"node":1},{"node":2}]},"#,
        r#"{"type":"ffi.Map","entries":[["a",1],["b",1.0],["c",{"float":"-inf"}],["d",{"dtype":"bool"}],["e",null],[{"node":1},false]]},"#,
        r#"{"type":"toy.Call","span":0,"fields":{"op":0,"args":3,"attrs":4}}]}"#
    );
    assert_eq!(native::save(&node), expected);
    let read = native::load(expected, &registry()).expect("reads");
    assert!(MAPPED.compare_values(&node, &read));
    assert_eq!(native::save(&read), expected);
    assert_eq!(json::detect(&native::save_pretty(&node)), Some(Form::Native));
    let pretty = json::load(&native::save_pretty(&node), &registry()).expect("reads");
    assert_eq!(native::save(&pretty), expected);
}

#[test]
fn spans_of_all_kinds_travel_in_our_form() {
    let source = SourceId::new("model.py");
    let range = Span::range(source, 1, 2);
    let layer = Span::new(SpanKind::Source { source });
    let lines = Span::new(SpanKind::LineColumn { source, line: 1, column: 2, end_line: 3, end_column: 4 });
    let site = Span::new(SpanKind::CallSite { callee: range, caller: Span::UNKNOWN });
    let deep = (0..10_000).fold(site, |caller, _| Span::new(SpanKind::CallSite { callee: layer, caller }));
    let all = Span::sequence([range, lines, deep, range], "fold");
    for span in [range, layer, lines, site, deep, all] {
        let text = native::save(&int(1).with_span(span).into());
        let read = native::load(&text, &registry()).expect("reads");
        assert_eq!(read.as_object().map(Object::span), Some(span));
    }
}

#[test]
fn deep_and_doubled_graphs_travel_in_our_form() {
    on_small_stack(|| {
        for node in [chain(int(0), 100_000), doubled(int(0), 64)] {
            let node = Value::from(node);
            let read = native::load(&native::save(&node), &registry()).expect("reads");
            assert!(MAPPED.compare_values(&node, &read));
        }
    });
}

#[test]
fn faults_in_our_form_are_named_with_their_place() {
    let with =
        |nodes: &str| format!(r#"{{"format":"tvmscript-ir","version":1,"root":null,"nodes":[{nodes}]}}"#);
    for (nodes, path, message) in [
        (r#"{"type":"toy.What","fields":{}}"#, ".type", "unknown node type `toy.What`"),
        (r#"{"type":"toy.Expr","fields":{}}"#, ".type", "`toy.Expr` is an abstract class"),
        (r#"{"type":"toy.Int"}"#, "", "expected the data of the type, and no other"),
        (r#"{"type":"toy.Int","fields":{},"items":[]}"#, "", "expected the data of the type, and no other"),
        (r#"{"type":"toy.Int","fields":{"dtype":"int32"}}"#, ".fields", "missing `value`"),
        (r#"{"type":"toy.Int","fields":{"dtype":"int32","value":1,"x":2}}"#, ".fields", "unknown key `x`"),
        (
            r#"{"type":"toy.Int","fields":{"dtype":3,"value":1}}"#,
            ".fields.dtype",
            "expected the text of a dtype",
        ),
        (
            r#"{"type":"toy.Int","fields":{"dtype":"int32","value":1.5}}"#,
            ".fields.value",
            "field `value` of `toy.Int` takes an int, not float",
        ),
        (r#"{"type":"toy.Int","span":0,"fields":{}}"#, ".span", "no node has the index 0"),
        (r#"{"type":"toy.Shared","fields":{"value":0}}"#, ".fields.value", ITSELF),
        (r#"{"type":"ffi.Array","items":[{"node":0}]}"#, ".items[0]", ITSELF),
        (r#"{"type":"ffi.Array","items":[{"node":1}]}"#, ".items[0]", "no node has the index 1"),
        (
            r#"{"type":"ffi.Array","items":[[]]}"#,
            ".items[0]",
            "expected a value, not an array: arrays are nodes",
        ),
        (
            r#"{"type":"ffi.Array","items":[{"what":0}]}"#,
            ".items[0]",
            "expected an object with one of `node`, `dtype`, `float`",
        ),
        (r#"{"type":"ffi.Array","items":[18446744073709551615]}"#, ".items[0]", "number out of range"),
        (r#"{"type":"ir.Op","fields":{"name":"x"}}"#, "", "expected `name`"),
    ] {
        let error = native::load(&with(nodes), &registry()).expect_err("a fault");
        assert_eq!((error.path, error.kind.to_string()), (format!("$.nodes[0]{path}"), message.to_owned()));
    }
    for text in [
        "",
        r#"{"format":"tvmscript-ir"}"#,
        r#"{"format":"tvmscript-ir","version":1,"root":null,"nodes":[],"more":1}"#,
        r#"{"format":"tvmscript-ir","version":1,"root":null,"nodes":[{"type":"ffi.Array","items":[],"more":1}]}"#,
    ] {
        let error = native::load(text, &registry()).expect_err("a fault");
        assert!(matches!(error.kind, JsonErrorKind::Malformed { .. }), "{error}");
    }
    let error = native::load(r#"{"format":"tvmscript-ir","version":2,"root":null,"nodes":[]}"#, &registry());
    assert_eq!(error.expect_err("a fault").kind.to_string(), "unknown format `tvmscript-ir 2`");
}

#[test]
fn the_form_is_recognised() {
    assert_eq!(json::detect(&tvm_save(&Value::None)), Some(Form::Tvm));
    assert_eq!(json::detect(&native::save(&Value::None)), Some(Form::Native));
    for text in ["", "[]", "{}", r#"{"a":1}"#, "def f(): pass"] {
        assert_eq!(json::detect(text), None);
        assert!(json::load(text, &registry()).is_err());
    }
}
