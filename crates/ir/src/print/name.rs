//! Names of functions in text.

use crate::DictAttrs;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult, names};
use tvmscript_ir_core::{PathId, Ref, Value, field};

use super::module::ModuleFrame;
use crate::node::GlobalVar;
use crate::node::{GLOBAL_SYMBOL, global_symbol};

/// The name under which a function prints: its name in the module, else its global symbol, else `main`. A name that
/// Python cannot spell is sanitized; the attributes then contain the real one.
pub fn function_name(attrs: &DictAttrs, d: &mut Docsifier<'_>) -> String {
    let name = match d.binding_name() {
        Some(name) => d.docs.text(name).to_owned(),
        None => global_symbol(attrs).unwrap_or("main").to_owned(),
    };
    if names::is_wide_identifier(&name) { name } else { names::sanitize(&name) }
}

/// The name after `def`, which stands for the global symbol of the function at `path`.
pub fn function_name_doc(name: &str, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    // A variable that holds the function has a symbol of its own.
    let doc = match d.binding_name() {
        Some(bound) if d.docs.text(bound) == name => d.docs.id(bound),
        _ => d.docs.id(name),
    };
    let at = d.field(path, "attrs");
    let at = d.field(at, "__dict__");
    let at = d.entry(at, &Value::str(GLOBAL_SYMBOL));
    d.at(doc, at)
}

/// A reference to a function of a module. A fragment outside any module declares it: `f = I.GlobalVar("f",
/// R.Callable(..))`; where the module lacks the function, the reference itself is
/// written so, or declared before the module if there are several.
///
/// # Errors
/// If the function's type cannot be printed.
pub fn function_reference(
    node: &Ref<GlobalVar>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    if let Some(doc) = d.defined_doc(node.object())? {
        return Ok(doc);
    }
    if d.frame_data::<ModuleFrame>().is_some() {
        d.record_definition(node.object(), None);
        return made_reference(node, path, d);
    }
    let Some(head) = d.outermost_free_frame() else {
        return Ok(d.docs.id(node.name_hint.as_str()));
    };
    d.in_frame(head, |d| {
        let value = made_reference(node, path, d)?;
        let name = d.define(node.object(), &node.name_hint)?;
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
        Ok(name)
    })
}

/// `I.GlobalVar("f", R.Callable(..))`
pub(super) fn made_reference(
    node: &Ref<GlobalVar>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let GlobalVar { span: _, struct_info_, name_hint } = &**node;
    let name = d.docs.str(name_hint.as_str());
    let mut args = vec![d.at_field(name, path, field!(GlobalVar, name_hint))];
    if let Some(info) = struct_info_ {
        let at = d.field(path, field!(GlobalVar, struct_info_));
        args.push(d.expr_object(info, at)?);
    }
    let callee = d.prefixed("ir", "GlobalVar");
    Ok(d.docs.call_args(callee, &args))
}

/// Declares a type variable before the script, `n = TypeVar("n")`, once per name.
pub fn type_variable(name: &str, d: &mut Docsifier<'_>) {
    d.add_preamble(name, Some("from typing import TypeVar"), |d| {
        let callee = d.docs.id("TypeVar");
        let own = d.docs.str(name);
        let value = d.docs.call_args(callee, &[own]);
        let target = d.docs.id(name);
        d.docs.bind(target, value)
    });
}
