//! The rules for uses and definitions of variables, and the reports of violations.

use tvmscript_ir_core::diagnostic::Label;
use tvmscript_ir_core::{Object, Ref, Span, Str, field};
use tvmscript_prim::Var;

use super::scope::{Conflict, Definition};
use super::walk::{Checker, Position};
use super::{ERRORS_PER_VARIABLE, MAX_ERRORS, VarUse, WellFormedError, WellFormedErrorKind};
use crate::node::*;

impl Checker<'_> {
    pub(super) fn use_var(&mut self, var: &Ref<Var>, at: Position, used: VarUse) {
        let object = var.object();
        if !self.scopes.is_defined(object) {
            self.report_var(object, at, |checker| {
                let ended = checker.scopes.ended(object);
                let mut notes = Vec::new();
                if let Some(definition) = ended {
                    notes.push(checker.definition_note("it was defined", definition));
                } else if var.span.is_known() && var.span != at.span {
                    notes.push(Label::new(var.span, "the variable was created here".to_owned()));
                }
                let (var, was_defined) = (shown_name(var), ended.is_some());
                (WellFormedErrorKind::UndefinedVar { var, used, was_defined }, notes)
            });
        } else if at.checks_loops
            && used == VarUse::Value
            && let Some(&level) = self.loops.get(object)
            && level < self.blocks.len()
            && let Some(block) = self.blocks.last()
        {
            let block = block.name_hint.clone();
            self.report_var(object, at, |checker| {
                let outer = level.checked_sub(1).and_then(|index| checker.blocks.get(index));
                let defined_in = outer.map(|block| block.name_hint.clone());
                let text = match &defined_in {
                    None => "the loop is outside of any block".to_owned(),
                    Some(outer) => format!("the loop is in block \"{outer}\""),
                };
                let span = if var.span.is_known() { var.span } else { Span::UNKNOWN };
                let kind = WellFormedErrorKind::LoopVarInBlock { var: shown_name(var), block, defined_in };
                (kind, vec![Label::new(span, text)])
            });
        }
    }

    pub(super) fn define(&mut self, var: &Ref<Var>, at: Position) {
        let span = if var.span.is_known() { var.span } else { at.span };
        let definition = Definition { function: self.function, path: at.path, span };
        let Some(conflict) = self.scopes.define(var, definition) else { return };
        self.report_var(var.object(), at, |checker| {
            let var = shown_name(var);
            let (kind, first) = match conflict {
                Conflict::Nested(first) => (WellFormedErrorKind::NestedDefinition { var }, first),
                Conflict::Repeated(first) => (WellFormedErrorKind::RepeatedDefinition { var }, first),
            };
            (kind, vec![checker.definition_note("it was first defined", first)])
        });
    }

    pub(super) fn define_if_undefined(&mut self, var: &Ref<Var>, at: Position) {
        if !self.scopes.is_defined(var.object()) {
            self.define(var, at);
        }
    }

    pub(super) fn define_parts(&mut self, buffer: &Ref<Buffer>, at: Position) {
        let data_at = self.field(at, field!(Buffer, data));
        self.define_if_undefined(&buffer.data, data_at);
        for (field, exprs) in [("shape", &buffer.shape), ("strides", &buffer.strides)] {
            let list_at = self.field(at, field);
            for (index, expr) in exprs.iter().enumerate() {
                if let Some(var) = expr.downcast_ref::<Var>() {
                    let at = self.item(list_at, index);
                    self.define_if_undefined(var, at);
                }
            }
        }
        if let Some(var) = buffer.elem_offset.downcast_ref::<Var>() {
            let at = self.field(at, field!(Buffer, elem_offset));
            self.define_if_undefined(var, at);
        }
    }

    pub(super) fn definition_note(&self, text: &str, definition: Definition) -> Label {
        let path = self.paths.as_ref().map(|paths| paths.to_path(definition.path).to_text_with(key_text));
        let function = match self.function_name(definition.function) {
            Some(name) if definition.function != self.function => format!(" of function `{name}`"),
            _ => String::new(),
        };
        let text = format!("{text} at `{}`{function}", path.unwrap_or_default());
        Label::new(definition.span, text)
    }

    /// Reports an error of a variable up to the limit per variable; further ones are only counted.
    pub(super) fn report_var(
        &mut self,
        var: &Object,
        at: Position,
        describe: impl FnOnce(&Self) -> (WellFormedErrorKind, Vec<Label>),
    ) {
        let next = self.errors.len();
        if at.in_region {
            if self.in_regions.len() < MAX_ERRORS {
                let (kind, notes) = describe(self);
                let error = self.error(kind, at, notes);
                self.in_regions.push((var.clone(), next, error));
            }
            return;
        }
        let (count, last) = self.per_variable.entry(var.clone()).or_default();
        *count += 1;
        if *count <= ERRORS_PER_VARIABLE {
            *last = next;
            let (kind, notes) = describe(self);
            self.report(kind, at, notes);
        }
    }

    pub(super) fn report(&mut self, kind: WellFormedErrorKind, at: Position, notes: Vec<Label>) {
        let error = self.error(kind, at, notes);
        self.errors.push(error);
    }

    fn error(&self, kind: WellFormedErrorKind, at: Position, notes: Vec<Label>) -> WellFormedError {
        let path = self.paths.as_ref().map(|paths| paths.to_path(at.path)).unwrap_or_default();
        let function = self.function_name(self.function).cloned();
        WellFormedError { kind, function, path, span: at.span, notes }
    }
}

/// The name under which a variable prints.
fn shown_name(var: &Var) -> Str {
    Str::new(var.name.written_or("v"))
}

/// The text of a map key; buffer maps are keyed by parameter.
fn key_text(key: &Object) -> String {
    key.as_node::<Var>().map_or_else(|| key.info().key().to_owned(), |var| shown_name(var).to_string())
}
