//! The format to the byte, faults with their paths, depth.

use tvmscript_ir_core::SourceTexts;
use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::json::{JsonErrorKind, SaveError, native};
use tvmscript_ir_core::span::{SourceId, SpanKind};
use tvmscript_ir_core::{
    Array, DataType, Map, Object, ObjectLike, Ref, Span, SpanMark, StructuralEqual, Value, structural_equal,
};
use tvmscript_tvm_json::{self as tvm, ExtraField, Form, SaveOptions};

use tvmscript_toy_nodes::*;

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
    SaveOptions { compact: true, ..SaveOptions::default() }
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
      "type": "toy.Op",
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
    // With the text at hand, ranges do too.
    let texts = SourceTexts::new().with(source, "a\nbc = 1\n");
    let text = tvm_save_with(&ranged, &SaveOptions { texts, ..compact() });
    assert!(text.contains(r#""line":2,"column":2,"end_line":3,"end_column":1"#), "{text}");
}

#[test]
fn sources_and_sequences_travel_and_marks_and_calls_do_not() {
    let [conv, relu] =
        ["conv", "relu"].map(|name| Span::new(SpanKind::Source { source: SourceId::new(name) }));
    let site = Span::call_site(conv, relu);
    let cases = [
        (Span::sequence([conv, relu], "fuse"), Span::sequence([conv, relu], "")),
        (conv.with_mark(SpanMark::Output), conv),
        (site, conv),
        (Span::sequence([site, relu.with_mark(SpanMark::Output)], ""), Span::sequence([conv, relu], "")),
    ];
    for (written, expected) in cases {
        let node = Value::from(add(int(1).with_span(written), int(2).with_span(relu)));
        let text = tvm_save_with(&node, &compact());
        let read = tvm::load(&text, &registry()).expect("reads");
        assert_eq!(tvm_save_with(&read, &compact()), text);
        let marked =
            tvmscript_ir_core::nodes_where_span(read.as_object().expect("a node"), |span| span == expected);
        assert_eq!(marked.len(), 1, "{text}");
    }
    // TVM 0.23 writes the same.
    let node = Value::from(int(1).with_span(Span::sequence([conv, relu], "")));
    let text = tvm_save_with(&node, &compact());
    let expected = r#"{"type":"ffi.Array","data":[1,3]},{"type":"None"},{"type":"ir.SequentialSpan","data":{"source_name":5,"line":0,"column":0,"end_line":0,"end_column":0,"spans":4}}"#;
    assert!(text.contains(expected) || text.contains(r#""type":"ir.SequentialSpan""#), "{text}");
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
        "field `a` of `toy.Add` takes a `toy.Expr`, not `Str`",
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
fn the_form_is_recognised() {
    assert_eq!(tvm::detect(&tvm_save(&Value::None)), Some(Form::Tvm));
    assert_eq!(tvm::detect(&native::save(&Value::None)), Some(Form::Native));
    for text in ["", "[]", "{}", r#"{"a":1}"#, "def f(): pass"] {
        assert_eq!(tvm::detect(text), None);
        assert!(tvm::load_any(text, &registry()).is_err());
    }
}

/// A graph with a node of an unknown type, whose number is 1.
fn graph_with_unknown(rank: i64) -> String {
    format!(
        r#"{{"root_index": 2, "nodes": [{{"type": "ffi.String", "data": "a"}},
            {{"type": "my.Layout", "data": {{"rank": {rank}}}}}, {{"type": "ffi.Array", "data": [0, 1]}}]}}"#
    )
}

#[test]
fn unknown_nodes_keep_their_numbers_behind_their_graph() {
    let registry = registry();
    let load = |text: &str| tvm::load_keeping(text, &registry, &tvm::TvmJsonVersion::V0_23, text);
    let text = graph_with_unknown(2);
    assert_eq!(
        tvm::load(&text, &registry).unwrap_err().kind,
        JsonErrorKind::UnknownType { key: "my.Layout".to_owned() }
    );
    let read = load(&text).unwrap();
    let saved = tvm::save(&read).unwrap();
    let again = load(&saved).unwrap();
    assert!(structural_equal(read.as_object().unwrap(), again.as_object().unwrap()));
    let node = r#"{"type": "my.Layout", "data": {"rank": 2}}"#;
    assert_eq!((saved.matches(node).count(), text.matches(node).count()), (1, 1), "{saved}");

    let other = load(&graph_with_unknown(3)).unwrap();
    assert!(!structural_equal(read.as_object().unwrap(), other.as_object().unwrap()));
    let both = Value::Node(Array::of_values([read, other]).into_object());
    assert_eq!(tvm::save(&both), Err(SaveError::TwoGraphs));
}
