//! Checks of the nodes of a file.

use std::sync::{Arc, OnceLock};

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::invariants::Invalid;
use tvmscript_ir_core::{FieldRef, Object, TypeInfo, Value};
use tvmscript_irbuilder::ScriptValue;

use crate::rule::script_value;

/// Checks that no statement follows one that ends a body.
pub(super) struct Terminators {
    pub(super) fields: Vec<&'static str>,
    pub(super) cells: Vec<Arc<OnceLock<&'static TypeInfo>>>,
}

impl Terminators {
    pub(super) fn run(&self, node: &Object) -> Result<(), Invalid> {
        self.fields.iter().try_for_each(|field| self.check(node, field))
    }

    fn check(&self, node: &Object, field: &'static str) -> Result<(), Invalid> {
        let Some(FieldRef::Node(body)) = node.info().field_index(field).map(|index| node.field(index)) else {
            return Ok(());
        };
        let items = body.as_node::<ArrayNode>().map(ArrayNode::items).unwrap_or_default();
        let ends = |info: &TypeInfo| {
            self.cells.iter().any(|cell| cell.get().is_some_and(|end| std::ptr::eq(*end, info)))
        };
        let before = items.iter().rev().skip(1).filter_map(Value::as_object);
        match before.map(|item| item.info()).find(|info| ends(info)) {
            None => Ok(()),
            Some(info) => {
                let reason = format!("statements follow a `{}`, which ends them", info.display_key());
                Err(Invalid::at(field, reason))
            }
        }
    }
}

/// A value in messages.
fn shown(value: &ScriptValue, depth: usize) -> String {
    match value.items() {
        Some(items) if depth < 4 && items.len() <= 32 && value.as_str().is_none() => {
            let items: Vec<String> = items.iter().map(|item| shown(item, depth + 1)).collect();
            format!("[{}]", items.join(", "))
        }
        _ => format!("{value:?}"),
    }
}

/// A check of a node.
pub(super) struct Checked {
    pub(super) rule: &'static crate::rule::Rule,
    pub(super) message: Option<String>,
    pub(super) at: &'static str,
}

impl Checked {
    pub(super) fn run(&self, node: &Object) -> Result<(), Invalid> {
        let value = |name: &str| match node.info().field_index(name) {
            Some(index) => script_value(node.field(index)),
            None => ScriptValue::None,
        };
        let reason = match self.rule.evaluate(value) {
            Ok(ScriptValue::Bool(true)) => return Ok(()),
            Ok(ScriptValue::Bool(false)) => match &self.message {
                Some(message) => self.rule.fields().iter().fold(message.clone(), |message, name| {
                    message.replace(&format!("{{{name}}}"), &shown(&value(name), 0))
                }),
                None => {
                    let shown = |name: &&str| format!("`{name}` is {}", shown(&value(name), 0));
                    let fields: Vec<String> = self.rule.fields().iter().map(shown).collect();
                    format!("`{}` does not hold: {}", self.rule.text(), fields.join(", "))
                }
            },
            Ok(other) => format!("`{}` must be a bool, not {}", self.rule.text(), other.type_name()),
            Err(message) => format!("`{}` cannot be evaluated: {message}", self.rule.text()),
        };
        Err(Invalid::at(self.at, reason))
    }
}
