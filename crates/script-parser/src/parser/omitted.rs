//! The metadata section of a text that leaves it out.
//!
//! Printers refer to values without text by their place in the section, and may leave out the section itself. Such a
//! value becomes a node that keeps its place ([`ParseDialect::omitted`](crate::ParseDialect::omitted)).

use std::rc::Rc;

use tvmscript_ir_core::{Span, Str};
use tvmscript_irbuilder::{BuildError, HostObject, ScriptValue};
use tvmscript_script_eval::errors::EvalError;

use super::Parser;
use super::tables::Tables;
use crate::errors::ParseErrorKind;

/// The section, or with a key one of its lists.
pub(super) struct OmittedSection {
    tables: Rc<Tables>,
    key: Option<Str>,
}

impl HostObject for OmittedSection {
    fn type_name(&self) -> &str {
        "the metadata section, which the text leaves out"
    }

    fn subscript(&self, index: &ScriptValue) -> Option<Result<ScriptValue, BuildError>> {
        let tables = self.tables.clone();
        Some(match (&self.key, index) {
            (None, ScriptValue::Str(key)) => {
                Ok(ScriptValue::host(OmittedSection { tables, key: Some(key.clone()) }))
            }
            (Some(key), ScriptValue::Int(index)) if *index >= 0 => {
                let make = tables.handlers.omitted?;
                let place = (key.as_str().to_owned(), *index);
                tables.omitted.borrow_mut().entry(place).or_insert_with(Span::current);
                Ok(ScriptValue::Node(make(key.clone(), *index)))
            }
            (None, other) => Err(BuildError::expected("the key of a type", other.type_name())),
            (Some(_), other) => Err(BuildError::expected("an index from 0", other.type_name())),
        })
    }
}

impl Parser<'_> {
    /// Binds the variable of the metadata section for a text that does not contain the section.
    pub(super) fn predefine_metadata(&mut self) {
        if self.script.tables.handlers.omitted.is_some() {
            let variable = self.syntax().metadata.variable;
            self.predefine(variable, |p| {
                Some(ScriptValue::host(OmittedSection { tables: p.script.tables.clone(), key: None }))
            });
        }
    }

    /// A note about the values of a metadata section that the text leaves out.
    pub(super) fn note_of_omitted(&self) -> Option<EvalError> {
        let omitted = self.script.tables.omitted.take();
        let ranges = omitted.values().filter_map(|span| self.state.range_of_span(*span));
        let first = ranges.min_by_key(|range| range.start).unwrap_or_default();
        let mut keys: Vec<String> = omitted.keys().map(|(key, _)| format!("`{key}`")).collect();
        keys.dedup();
        (!omitted.is_empty()).then(|| {
            let kind = ParseErrorKind::Omitted { keys: keys.join(", "), count: omitted.len() };
            EvalError::note_at(kind, first)
        })
    }
}
