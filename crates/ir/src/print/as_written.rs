//! Calls that are kept as they are written.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, Result};
use tvmscript_ir_core::{Array, PathId, Str, Value};

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
) -> Result<ExprDoc> {
    let mut callee = d.prefix(dialect);
    for part in name.split('.') {
        callee = d.docs.attr(callee, part);
    }
    let mut docs = Vec::with_capacity(args.len());
    for (i, arg) in args.values().iter().enumerate() {
        let at = d.item(path, i);
        docs.push(data(arg, at, d)?);
    }
    let named = docs.split_off(docs.len().saturating_sub(keywords.len()));
    let named: Vec<(&str, ExprDoc)> = keywords.iter().map(Str::as_str).zip(named).collect();
    Ok(d.docs.call(callee, &docs, &named))
}
