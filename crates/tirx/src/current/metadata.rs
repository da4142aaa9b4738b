//! Metadata sections: constants and texts in the JSON of the release, which names types and their fields otherwise.
//!
//! Loading and saving rewrite the graph of the JSON of TVM 0.23. A graph with other nodes stays as it is.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use tvmscript_ir_core::json::{JsonError, SaveError, UnknownTypes};
use tvmscript_ir_core::profile::MetadataFormat;
use tvmscript_ir_core::{Registry, Value};
use tvmscript_tvm_json::{self as tvm_json, TvmJsonVersion};

/// The section of TVM 0.27.
pub(super) const FORMAT: MetadataFormat =
    MetadataFormat { type_key, save, load, ..tvmscript_ir::profile::TVM_0_23.metadata };

/// The version in written sections.
const VERSION: &str = "0.27.0.post1";

/// Types of nodes: the key in TVM 0.23, and in the release.
const TYPES: [(&str, &str); 4] = [
    ("relax.expr.Constant", "ir.GenericConst"),
    ("relax.TensorStructInfo", "relax.TensorType"),
    ("relax.ShapeStructInfo", "relax.ShapeType"),
    ("tir.StringImm", "ir.StringImm"),
];

fn type_key(key: &'static str) -> &'static str {
    match TYPES.iter().find(|(own, _)| *own == key) {
        Some((_, renamed)) => renamed,
        None => (tvmscript_ir::profile::TVM_0_23.metadata.type_key)(key),
    }
}

fn load(text: &str, registry: &Registry, unknown: UnknownTypes) -> Result<Value, JsonError> {
    let version = TvmJsonVersion::V0_23;
    let Some(older) = serde_json::from_str(text).ok().and_then(older) else {
        return tvm_json::load_section(text, registry, &version, unknown);
    };
    let older = older.to_string();
    match unknown {
        UnknownTypes::Refused => tvm_json::load_version(&older, registry, &version),
        // A rewritten graph numbers its nodes as before.
        UnknownTypes::Kept => tvm_json::load_keeping(&older, registry, &version, text),
    }
}

fn save(value: &Value) -> Result<String, SaveError> {
    let text = tvm_json::save(value)?;
    let newer = serde_json::from_str(&text).ok().and_then(newer);
    // TVM escapes slashes, which occur in strings only.
    let newer = newer.and_then(|newer| serde_json::to_string_pretty(&newer).ok());
    Ok(newer.map_or(text, |newer| newer.replace('/', "\\/")))
}

/// The graph with the nodes of TVM 0.23; `None` if it is not one of the release.
fn older(mut graph: Json) -> Option<Json> {
    let nodes = graph.get("nodes")?.as_array()?.clone();
    let at = |index: &Json| nodes.get(usize::try_from(index.as_u64()?).ok()?);
    let dtype = |ty: Option<&Json>| at(ty?)?.get("data")?.get("dtype").cloned();
    let mut is_newer = false;
    let mut rewritten = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let kind = node.get("type")?.as_str()?;
        let data = node.get("data");
        let field = |name: &str| data?.get(name);
        let fields = match kind {
            "ir.StringType" => {
                rewritten.push(json!({"type": "None"}));
                continue;
            }
            "ir.IntImm" | "ir.FloatImm" if field("ty").is_some() => {
                json!({"span": field("span")?, "dtype": dtype(field("ty"))?, "value": at(field("value")?)?.get("data")?})
            }
            "ir.StringImm" => {
                json!({"span": field("span")?, "dtype": "handle", "value": field("value")?})
            }
            "relax.ShapeType" => data?.clone(),
            "relax.TensorType" => json!({
                "span": field("span")?, "shape": field("shape")?, "dtype": dtype(field("dtype"))?,
                "vdevice": field("vdevice")?, "ndim": field("ndim")?,
            }),
            "relax.expr.ShapeExpr" if field("ty").is_some() => {
                json!({"span": field("span")?, "struct_info_": field("ty")?, "values": field("values")?})
            }
            "ir.GenericConst" => {
                json!({"span": field("span")?, "struct_info_": field("ty")?, "data": field("value")?})
            }
            _ => {
                rewritten.push(node.clone());
                continue;
            }
        };
        is_newer = true;
        let kind = TYPES.iter().find(|(_, renamed)| *renamed == kind).map_or(kind, |(own, _)| own);
        rewritten.push(json!({"type": kind, "data": fields}));
    }
    *graph.get_mut("nodes")? = rewritten.into();
    is_newer.then_some(graph)
}

/// Nodes of the release in the order of their children.
#[derive(Default)]
struct Newer {
    nodes: Vec<Json>,
    /// Numbers of the nodes by their number in the graph of TVM 0.23.
    numbers: Vec<usize>,
    /// Numbers of types and values, which occur once.
    shared: HashMap<String, usize>,
}

impl Newer {
    fn number(&self, index: Option<&Json>) -> Option<usize> {
        self.numbers.get(usize::try_from(index?.as_u64()?).ok()?).copied()
    }

    fn shared(&mut self, kind: &str, data: Json) -> usize {
        let key = format!("{kind} {data}");
        if let Some(number) = self.shared.get(&key) {
            return *number;
        }
        self.nodes.push(json!({"type": kind, "data": data}));
        self.shared.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Adds the node; `None` if its fields are unknown.
    fn add(&mut self, node: &Json) -> Option<()> {
        let kind = node.get("type")?.as_str()?;
        let data = node.get("data");
        let field = |name: &str| data?.get(name);
        let list = |newer: &Newer| -> Option<Vec<usize>> {
            data?.as_array()?.iter().map(|index| newer.number(Some(index))).collect()
        };
        let span = self.number(field("span"));
        let data = match kind {
            "None" | "ffi.String" | "ffi.Tensor" | "ir.SourceName" => data.cloned(),
            "ffi.Array" | "ffi.Map" => Some(list(self)?.into()),
            "ir.Span" => {
                let mut span: Map<String, Json> = data?.as_object()?.clone();
                span.insert("source_name".to_owned(), self.number(field("source_name"))?.into());
                Some(span.into())
            }
            "ir.IntImm" | "ir.FloatImm" => {
                let ty = self.shared("ir.PrimType", json!({"span": span?, "dtype": field("dtype")?}));
                let scalar = if kind == "ir.IntImm" { "int" } else { "float" };
                let value = self.shared(scalar, field("value")?.clone());
                Some(json!({"span": span?, "ty": ty, "value": value}))
            }
            "tir.StringImm" => {
                self.nodes.push(json!({"type": "ir.StringType", "data": {"span": span?}}));
                let ty = self.nodes.len() - 1;
                Some(json!({"span": span?, "ty": ty, "value": self.number(field("value"))?}))
            }
            "relax.ShapeStructInfo" => Some(json!({
                "span": span?, "values": self.number(field("values"))?, "ndim": field("ndim")?,
            })),
            "relax.TensorStructInfo" => {
                let ty = self.shared("ir.PrimType", json!({"span": span?, "dtype": field("dtype")?}));
                Some(json!({
                    "span": span?, "shape": self.number(field("shape"))?, "dtype": ty,
                    "vdevice": self.number(field("vdevice"))?, "ndim": field("ndim")?,
                }))
            }
            "relax.expr.ShapeExpr" => Some(json!({
                "span": span?, "ty": self.number(field("struct_info_"))?, "values": self.number(field("values"))?,
            })),
            "relax.expr.Constant" => Some(json!({
                "span": span?, "ty": self.number(field("struct_info_"))?, "value": self.number(field("data"))?,
            })),
            _ => return None,
        };
        let kind = TYPES.iter().find(|(own, _)| *own == kind).map_or(kind, |(_, renamed)| renamed);
        let mut node = Map::new();
        node.insert("type".to_owned(), kind.into());
        node.extend(data.map(|data| ("data".to_owned(), data)));
        self.nodes.push(node.into());
        self.numbers.push(self.nodes.len() - 1);
        Some(())
    }
}

/// The graph with the nodes of the release; `None` if it contains others than constants and texts.
fn newer(graph: Json) -> Option<Json> {
    let mut newer = Newer::default();
    for node in graph.get("nodes")?.as_array()? {
        newer.add(node)?;
    }
    let root = newer.number(graph.get("root_index"))?;
    Some(json!({"root_index": root, "nodes": newer.nodes, "metadata": {"tvm_version": VERSION}}))
}
