//! Reproducible mutations of JSON: of its structure, which keep it valid, and of its bytes.

use serde_json::{Value, json};
use tvmscript_test_texts::Random;

/// Replacements for scalars, besides scalars of the text.
fn scalars() -> Vec<Value> {
    let words = [
        "",
        "int8",
        "int0",
        "bool",
        "int32x4",
        "int32xvscalex4",
        "float8_e4m3fn",
        "handle",
        "void",
        "uint1",
        "int64",
        "global",
        "nan",
        "inf",
        "x",
        "AA==",
        "tir.Var",
        "tir.SizeVar",
        "relax.expr.DataflowVar",
        "core.Array",
        "core.Map",
        "core.Tensor",
        "ffi.Array",
        "ffi.Map",
        "ffi.Shape",
        "ffi.Tensor",
        "ffi.String",
        "None",
        "DataType",
        "int",
        "ir.Op",
        "\u{202e}\n\"",
    ];
    let numbers = [0, 1, -1, 2, 3, 5, 127, 300, i64::from(i32::MAX), i64::MAX, i64::MIN];
    let words = words.iter().map(|word| json!(word));
    let numbers = numbers.iter().map(|number| json!(number));
    let others = [json!(null), json!(true), json!(1.5), json!(1e300), json!([]), json!({}), json!([0, 1])];
    words.chain(numbers).chain(others).chain([json!({"node": 0}), json!({"dtype": "int0"})]).collect()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}

/// The value with this number, in text order.
fn nth(value: &mut Value, at: usize) -> Option<&mut Value> {
    if at == 0 {
        return Some(value);
    }
    let mut at = at - 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(entries) => entries.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let size = count(child);
        if at < size {
            return nth(child, at);
        }
        at -= size;
    }
    None
}

/// Replaces, moves, duplicates or removes one to three values. Text that is not strict JSON, because of a bare
/// `Infinity`, gets changed bytes instead.
pub fn change_structure(text: &str, random: &mut Random) -> String {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return change_bytes(text, random) };
    let scalars = scalars();
    for _ in 0..1 + random.below(3) {
        let size = count(&document);
        let other = nth(&mut document, random.below(size)).map(|value| value.clone());
        let nodes = document.get("nodes").and_then(Value::as_array).map_or(1, Vec::len).max(1);
        let Some(place) = nth(&mut document, random.below(size)) else { continue };
        match (random.below(8), &mut *place) {
            // A reference to another node.
            (0..3, Value::Number(_)) => *place = json!(random.below(nodes + 1)),
            (3, Value::Number(number)) => {
                let near = number.as_i64().unwrap_or(0);
                *place = json!(near.wrapping_add(random.below(5) as i64 - 2));
            }
            (0..2, Value::Array(items)) if !items.is_empty() => {
                items.remove(random.below(items.len()));
            }
            (2..4, Value::Array(items)) if !items.is_empty() => {
                let item = items[random.below(items.len())].clone();
                items.insert(random.below(items.len() + 1), item);
            }
            (4, Value::Array(items)) if items.len() > 1 => {
                let (a, b) = (random.below(items.len()), random.below(items.len()));
                items.swap(a, b);
            }
            (0, Value::Object(entries)) if !entries.is_empty() => {
                let key = entries.keys().nth(random.below(entries.len())).cloned();
                key.and_then(|key| entries.remove(&key));
            }
            (5, _) => *place = other.unwrap_or(Value::Null),
            _ => *place = scalars[random.below(scalars.len())].clone(),
        }
    }
    document.to_string()
}

/// Changes, removes or duplicates one to four bytes. Invalid UTF-8 is replaced.
pub fn change_bytes(text: &str, random: &mut Random) -> String {
    const BYTES: &[u8] = b"{}[]\",:.-+eE0123456789tfn\\u \n\xff\xef\xbb\xbf";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => {
                bytes.remove(at);
            }
            1 => bytes.insert(at, BYTES[random.below(BYTES.len())]),
            2 => bytes[at] = BYTES[random.below(BYTES.len())],
            _ => {
                let end = (at + 1 + random.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
