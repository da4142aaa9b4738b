//! Values as data: annotations and attributes, which hold anything.
//!
//! A number or string in a dictionary reads back as a plain value, so a literal node prints its type, even where it is
//! omitted elsewhere ([`Docsifier::typed`]). TVM prints both alike.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::{Map, Object, PathId, Str, Value};
use tvmscript_prim::{FloatImm, IntImm, StringImm};

use super::small::tvm_name;

/// `{"key": value}`, sorted by key.
///
/// # Errors
/// If a value cannot be printed.
pub fn data_dict(entries: &Map<Str, Value>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    object(entries.object(), path, d)
}

/// A value in the form that reads back without conversion.
///
/// # Errors
/// If it cannot be printed.
pub fn data(value: &Value, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match value {
        Value::Node(node) => d.nested(|d| object(node, path, d)),
        Value::DType(dtype) => {
            let text = d.dtype(*dtype);
            let callee = tvm_name(&["DataType"], d);
            let doc = d.docs.call_args(callee, &[text]);
            Ok(d.at(doc, path))
        }
        plain => d.value(plain, path),
    }
}

fn object(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if node.is::<IntImm>() || node.is::<FloatImm>() || node.is::<StringImm>() {
        return d.typed(|d| d.expr_object(node, path));
    }
    if let Some(array) = node.as_node::<ArrayNode>() {
        let mut docs = Vec::with_capacity(array.items().len());
        for (i, item) in array.items().iter().enumerate() {
            let at = d.item(path, i);
            docs.push(data(item, at, d)?);
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
            let at = d.key_itself(path, key);
            let key_doc = d.value(key, at)?;
            let at = d.entry(path, key);
            docs.push((key_doc, data(entry, at, d)?));
        }
        let dict = d.docs.dict(&docs);
        return Ok(d.at(dict, path));
    }
    d.expr_as_data(node, path)
}
