//! Our own JSON: everything that our nodes hold, spans included; strict JSON and strict about keys.
//!
//! ```json
//! {"format": "tvmscript-ir", "version": 2, "root": {"node": 2}, "sources": ["f.py"], "spans": [{"range": [0, 4, 9]}],
//!  "nodes": [{"type": "toy.Var", "fields": {"dtype": "int32", "name": "x"}}, ..]}
//! ```
//!
//! A node is known by its place in `nodes` and comes after all nodes that it refers to. Strings stand where they are
//! used. A field of a kind of its own (int, float, bool, dtype) holds it plainly, a field for nodes a number (the
//! node), a string or null. Where any value may stand, in fields, arrays and maps, `{"node": n}`, `{"dtype": ".."}`
//! and `{"float": ".."}` tell it from a plain one. Floats that JSON has no number for are the strings `nan`, `inf`,
//! `-inf`.

mod load;
mod save;
mod unique;

pub use load::load;
pub use save::{save, save_pretty};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

const FORMAT: &str = "tvmscript-ir";
/// The written version. Version 1, which is read as well, has other keys for containers.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    root: Json,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spans: Vec<SpanEntry>,
    nodes: Vec<NodeEntry>,
}

/// Sources and spans are numbers of earlier entries.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SpanEntry {
    /// Source, first byte, byte after the last.
    Range(u32, u32, u32),
    /// A source as a whole.
    Source(u32),
    /// Source, line, column, last line, last column.
    LineColumn(u32, u32, u32, u32, u32),
    /// Null for a part that says nothing.
    CallSite {
        callee: Option<u32>,
        caller: Option<u32>,
    },
    Sequence {
        spans: Vec<Option<u32>>,
        reason: String,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeEntry {
    #[serde(rename = "type")]
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<u32>,
    /// The reflected fields, but for the span.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "unique::fields")]
    fields: Option<serde_json::Map<String, Json>>,
    /// Of a node known by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Json>>,
    /// Of a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<(Json, Json)>>,
    /// Of a tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tensor: Option<TensorEntry>,
    /// Of a tuple of plain integers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<i64>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TensorEntry {
    dtype: String,
    shape: Vec<i64>,
    /// Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// Instead of the elements, the hash that names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}
