//! Access paths: their text, and how it is read back.

use tvmscript_ir_core::{AccessPath, Map, Object, PathError, PathStep, Value};

use tvmscript_toy_nodes::*;

fn sample() -> Object {
    let attrs = Map::new([
        (Value::str("plain"), Value::from(1)),
        (Value::str("a \"quoted\"] key"), Value::from(2)),
        (Value::from(7), Value::from(3)),
        (Value::str("7"), Value::from(4)),
    ]);
    call_with("toy.f", [add(int(1), int(2))], attrs).into()
}

fn read(text: &str) -> Result<(AccessPath, Value), PathError> {
    AccessPath::parse(text, &sample())
}

#[test]
fn a_path_reads_back_from_its_text() {
    for (text, value) in [
        ("<root>.args[0].b.value", 2),
        ("<root>.attrs[\"plain\"]", 1),
        ("<root>.attrs[\"a \\\"quoted\\\"] key\"]", 2),
        ("<root>.attrs[7]", 3),
        ("<root>.attrs[\"7\"]", 4),
    ] {
        let (path, found) = read(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(path.to_string(), text);
        assert!(matches!(found, Value::Int(v) if v == value), "{text}: {found:?}");
    }
    assert_eq!(read("args[0].b").map(|(path, _)| path.to_string()).unwrap(), "<root>.args[0].b");
    assert_eq!(read("attrs[#2]").map(|(path, _)| path.to_string()).unwrap(), "<root>.attrs[7]");
}

#[test]
fn keys_that_are_nodes_are_written_by_name() {
    let f = global("f");
    let root = module([(f.clone(), int(1))]);
    let path = AccessPath::root().field("functions").then(PathStep::Key(f.clone().into()));
    assert_eq!(path.to_string(), "<root>.functions[\"f\"]");
    assert_eq!(AccessPath::parse(&path.to_string(), &root).unwrap().0, path);
    let (key, part) = AccessPath::parse("functions.key[\"f\"]", &root).unwrap();
    assert_eq!(key.steps[1], PathStep::KeyItself(f.clone().into()));
    assert!(part.as_object().is_some_and(|node| node.ptr_eq(f.object())));
}

#[test]
fn what_is_no_path_or_leads_nowhere_is_an_error() {
    for text in ["a..b", "args[", "args[0", "args]0", "args[\"x]", "<root>args", ".", "args[0]b"] {
        assert!(matches!(read(text), Err(PathError::Malformed { .. } | PathError::Nowhere { .. })), "{text}");
    }
    let error = read("args[0].c").unwrap_err();
    assert_eq!(error.to_string(), "the access path `args[0].c` leads nowhere: `toy.Add` has no `.c`");
    assert!(read("args[1]").is_err() && read("attrs[\"none\"]").is_err() && read("attrs[#4]").is_err());
}
