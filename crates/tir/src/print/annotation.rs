//! Annotations and attributes: dictionaries of any values.
//!
//! A number stands bare in a dictionary as a plain number and is read as one; a literal node is told apart by its type, which
//! is said even where it goes without saying elsewhere.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, Result};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::{Map, Object, PathId, Str, Value};
use tvmscript_prim::IntImm;

use super::literal::typed_int;

/// `{"key": value}`, keys in order.
pub(crate) fn dict(entries: &Map<Str, Value>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    object(entries.object(), path, d)
}

fn object(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    if let Some(literal) = node.downcast_ref::<IntImm>() {
        let doc = typed_int(literal, path, d);
        return Ok(d.at(doc, path));
    }
    if let Some(array) = node.as_node::<ArrayNode>() {
        let mut docs: SmallVec<[ExprDoc; 8]> = SmallVec::new();
        for (i, item) in array.items().iter().enumerate() {
            let at = d.item(path, i);
            docs.push(value(item, at, d)?);
        }
        let list = d.docs.list(&docs);
        return Ok(d.at(list, path));
    }
    if let Some(map) = node.as_node::<MapNode>() {
        let mut entries: Vec<(&Value, &Value)> = map.entries().iter().map(|(k, v)| (k.value(), v)).collect();
        if entries.iter().all(|(key, _)| key.as_str().is_some()) {
            entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
        }
        let mut docs = Vec::with_capacity(entries.len());
        for (key, entry) in entries {
            let at = d.entry(path, key);
            let key = d.value(key, at)?;
            docs.push((key, value(entry, at, d)?));
        }
        let dict = d.docs.dict(&docs);
        return Ok(d.at(dict, path));
    }
    d.expr_object(node, path)
}

fn value(item: &Value, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    match item {
        Value::Node(node) => object(node, path, d),
        plain => d.value(plain, path),
    }
}
