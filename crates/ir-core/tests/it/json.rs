//! The native form of JSON: text, faults with their paths, depth.

use tvmscript_ir_core::json::{JsonErrorKind, native};
use tvmscript_ir_core::span::{SourceId, SpanKind};
use tvmscript_ir_core::{DataType, Map, Object, Span, SpanMark, StructuralEqual, Value};

use tvmscript_toy_nodes::*;

const MAPPED: StructuralEqual = StructuralEqual { map_free_vars: true, skip_tensor_content: false };

const ITSELF: &str =
    "node 0 refers to itself: a node must come after all nodes that it refers to, so cycles cannot be read";

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
        r#"{"format":"tvmscript-ir","version":2,"root":{"node":5},"sources":["f.py"],"spans":[{"range":[0,4,9]}],"nodes":["#,
        r#"{"type":"toy.Op","name":"toy.f"},"#,
        r#"{"type":"toy.Var","fields":{"dtype":"int32","name":"x"}},"#,
        r#"{"type":"toy.Float","fields":{"dtype":"float32","value":"nan"}},"#,
        r#"{"type":"core.Array","items":[{"node":1},{"node":2}]},"#,
        r#"{"type":"core.Map","entries":[["a",1],["b",1.0],["c",{"float":"-inf"}],["d",{"dtype":"bool"}],["e",null],[{"node":1},false]]},"#,
        r#"{"type":"toy.Call","span":0,"fields":{"op":0,"args":3,"attrs":4}}]}"#
    );
    assert_eq!(native::save(&node), expected);
    let read = native::load(expected, &registry()).expect("reads");
    assert!(MAPPED.compare_values(&node, &read));
    assert_eq!(native::save(&read), expected);
    let pretty = native::load(&native::save_pretty(&node), &registry()).expect("reads");
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
    let output = layer.with_mark(SpanMark::Output);
    let mixed = Span::sequence([output, range], "fold").with_mark(SpanMark::Output);
    for span in [range, layer, lines, site, deep, all, output, mixed] {
        let text = native::save(&int(1).with_span(span).into());
        let read = native::load(&text, &registry()).expect("reads");
        assert_eq!(read.as_object().map(Object::span), Some(span));
        assert_eq!(read.as_object().map(|node| node.span().kind()), Some(span.kind()));
    }
}

#[test]
fn sequences_that_differ_in_the_reason_keep_their_reasons_in_our_form() {
    let source = SourceId::new("reasons.py");
    let parts = [Span::range(source, 1, 2), Span::range(source, 3, 4)];
    let node =
        add(int(1).with_span(Span::sequence(parts, "fold")), int(2).with_span(Span::sequence(parts, "fuse")));
    let text = native::save(&node.clone().into());
    assert!(text.contains("fold") && text.contains("fuse"), "{text}");
    assert_eq!(native::save(&native::load(&text, &registry()).expect("reads")), text);
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
        (r#"{"type":"toy.Int"}"#, "", "expected the data of the type and nothing else"),
        (
            r#"{"type":"toy.Int","fields":{},"items":[]}"#,
            "",
            "expected the data of the type and nothing else",
        ),
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
        (r#"{"type":"core.Array","items":[{"node":0}]}"#, ".items[0]", ITSELF),
        (r#"{"type":"core.Array","items":[{"node":1}]}"#, ".items[0]", "no node has the index 1"),
        (
            r#"{"type":"core.Array","items":[[]]}"#,
            ".items[0]",
            "expected a value, not an array: arrays are nodes",
        ),
        (
            r#"{"type":"core.Array","items":[{"what":0}]}"#,
            ".items[0]",
            "expected an object with one of `node`, `dtype`, `float`",
        ),
        (r#"{"type":"core.Array","items":[18446744073709551615]}"#, ".items[0]", "number out of range"),
        (r#"{"type":"toy.Op","fields":{"name":"x"}}"#, "", "expected `name`"),
    ] {
        let error = native::load(&with(nodes), &registry()).expect_err("a fault");
        assert_eq!((error.path, error.kind.to_string()), (format!("$.nodes[0]{path}"), message.to_owned()));
    }
    for text in [
        "",
        r#"{"format":"tvmscript-ir"}"#,
        r#"{"format":"tvmscript-ir","version":1,"root":null,"nodes":[],"more":1}"#,
        r#"{"format":"tvmscript-ir","version":1,"root":null,"nodes":[{"type":"core.Array","items":[],"more":1}]}"#,
    ] {
        let error = native::load(text, &registry()).expect_err("a fault");
        assert!(matches!(error.kind, JsonErrorKind::Malformed { .. }), "{error}");
    }
    let error = native::load(r#"{"format":"tvmscript-ir","version":3,"root":null,"nodes":[]}"#, &registry());
    assert_eq!(error.expect_err("a fault").kind.to_string(), "unknown format `tvmscript-ir 3`");
}

#[test]
fn files_of_version_1_are_read() {
    let text = r#"{"format":"tvmscript-ir","version":1,"root":{"node":0},"nodes":[{"type":"old.Array","items":[1,"a"]}]}"#;
    let read = native::load(text, &registry()).expect("reads");
    let saved = r#"{"format":"tvmscript-ir","version":2,"root":{"node":0},"nodes":[{"type":"core.Array","items":[1,"a"]}]}"#;
    assert_eq!(native::save(&read), saved);
    let other = text.replace("old.Array", "toy.Int");
    assert!(native::load(&other, &registry()).is_err());
}
