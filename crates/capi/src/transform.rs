//! Passes.

use serde_json::json;
use tvmscript::ir::IRModule;
use tvmscript::pass::{PassContext, PassTable, Sequential};
use tvmscript::passes::on_module;
use tvmscript::{Object, Registry};

use crate::diagnostics::Findings;
use crate::program::Part;
use crate::status::{Outcome, Status};

/// The passes of a registry as a JSON array of objects with `name`, `doc`, `opt_level` and `required`.
pub(crate) fn list(registry: &Registry) -> String {
    let passes = PassTable::<IRModule>::of(registry).into_iter().flat_map(PassTable::passes);
    let rows = passes.map(|pass| {
        let info = pass.info();
        json!({"name": info.name, "doc": info.doc, "opt_level": info.opt_level, "required": info.required})
    });
    serde_json::Value::Array(rows.collect()).to_string()
}

/// Runs passes in order on a module or function. Options are `KEY=VALUE`, one per line.
pub(crate) fn run(part: &Part, names: &[&str], options: &str) -> Outcome<Result<Object, Findings>> {
    let registry: &Registry = &part.origin.dialects;
    let table = PassTable::<IRModule>::of(registry);
    let mut sequence = Sequential::new("passes");
    let mut context = PassContext::of(registry);
    for name in names {
        let pass = table.and_then(|table| table.pass(name)).ok_or(Status::UnknownName)?;
        sequence = sequence.then_shared(pass.clone());
        context = context.with_required(*name);
    }
    for line in options.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once('=').ok_or(Status::InvalidArgument)?;
        context.set_option(key.trim(), value.trim()).map_err(|_| Status::InvalidArgument)?;
    }
    let result = on_module(part.node.clone(), |module| context.run(&sequence, module));
    Ok(result.map_err(|error| {
        let mut diagnostic = error.diagnostic().clone();
        if let Some(pass) = error.pass() {
            diagnostic.notes.push(format!("in the pass `{pass}`"));
        }
        let root = part.with(error.root().unwrap_or(&part.node).clone());
        Findings::of_part(vec![part.origin.locate(&root.node, diagnostic)], &root)
    }))
}
