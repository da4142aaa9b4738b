//! The project's own form of JSON: strict JSON with all data of the nodes, spans included. Unknown keys are errors.
//!
//! ```json
//! {"format": "tvmscript-ir", "version": 2, "root": {"node": 2}, "sources": ["f.py"], "spans": [{"range": [0, 4, 9]}],
//!  "nodes": [{"type": "toy.Var", "fields": {"dtype": "int32", "name": "x"}}, ..]}
//! ```
//! A node is identified by its index in `nodes` and comes after all nodes that it refers to. Strings are written
//! inline. A field of a fixed kind (int, float, bool, dtype) holds a plain value, a field for nodes an index, a
//! string or null. Where any value is allowed, `{"node": n}`, `{"dtype": ".."}` and `{"float": ".."}` mark the kinds
//! that JSON lacks. Non-finite floats are the strings `nan`, `inf`, `-inf`. The key `profile` names the release that the
//! program prints in, if it is not the first one; `descriptions` names those of dialects whose types were registered at run
//! time.

mod load;
mod save;
mod unique;

pub use load::{load, release};
pub use save::{SaveOptions, save, save_pretty, save_with};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

const FORMAT: &str = "tvmscript-ir";
/// The written version. Version 1, which is also accepted, has other keys for containers.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    /// Descriptions of dialects that were registered at run time, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    descriptions: BTreeMap<String, String>,
    root: Json,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spans: Vec<SpanEntry>,
    nodes: Vec<NodeEntry>,
}

/// A span; sources and parts are indices of earlier entries.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SpanEntry {
    /// Source, first byte, byte after the last one.
    Range(u32, u32, u32),
    /// Source.
    Source(u32),
    /// Source, line, column, last line, last column.
    LineColumn(u32, u32, u32, u32, u32),
    /// Unknown parts are null.
    CallSite {
        callee: Option<u32>,
        caller: Option<u32>,
    },
    Sequence {
        spans: Vec<Option<u32>>,
        reason: String,
    },
    /// Position with the mark `output`.
    Output(Option<u32>),
    /// Position with the mark `input`.
    Input(Option<u32>),
    /// Position with the mark `parameter`.
    Parameter(Option<u32>),
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeEntry {
    #[serde(rename = "type")]
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<u32>,
    /// Reflected fields except the span.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "unique::fields")]
    fields: Option<serde_json::Map<String, Json>>,
    /// Name of a node that consists of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Elements of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Json>>,
    /// Entries of a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<(Json, Json)>>,
    /// Tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tensor: Option<TensorEntry>,
    /// Tuple of integers.
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
    /// Content hash in place of the elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}
