//! Calls that are kept as they are written.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::{Array, PathId, Str, Value, field, with_stack};
use tvmscript_prim::{FloatImm, IntImm, StringImm, WrittenTuple};

use super::data;

/// `P.some.name(a, key=b)` of the function `some.name` of a dialect. `path` is that of the arguments.
///
/// # Errors
/// If an argument cannot be printed.
pub fn call_as_written(
    dialect: &str,
    name: &str,
    args: &Array<Value>,
    keywords: &Array<Str>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let mut callee = d.prefix(dialect);
    for part in name.split('.') {
        callee = d.docs.attr(callee, part);
    }
    let mut docs = Vec::with_capacity(args.len());
    for (i, arg) in args.values().iter().enumerate() {
        let at = d.item(path, i);
        docs.push(argument(arg, at, d)?);
    }
    let named = docs.split_off(docs.len().saturating_sub(keywords.len()));
    let named: Vec<(&str, ExprDoc)> = keywords.iter().map(Str::as_str).zip(named).collect();
    Ok(d.docs.call(callee, &docs, &named))
}

fn argument(arg: &Value, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Value::Node(node) = arg else { return data(arg, path, d) };
    if let Some(WrittenTuple { items }) = node.as_node() {
        let at = d.field(path, field!(WrittenTuple, items));
        let mut docs = Vec::with_capacity(items.len());
        for (i, item) in items.values().iter().enumerate() {
            let at = d.item(at, i);
            docs.push(with_stack(|| argument(item, at, d))?);
        }
        return Ok(d.docs.tuple(&docs));
    }
    let is_data = node.as_node::<ArrayNode>().is_some()
        || node.as_node::<MapNode>().is_some()
        || node.is::<IntImm>()
        || node.is::<FloatImm>()
        || node.is::<StringImm>();
    if is_data { data(arg, path, d) } else { d.expr_object(node, path) }
}
