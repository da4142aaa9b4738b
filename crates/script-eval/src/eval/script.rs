//! Decorated definitions of host code that are scripts.

use tvmscript_python_syntax::ast::{ExprId, FunctionDef, List, Stmt, StmtId};
use tvmscript_script_value::ScriptValue;

use super::{Cause, Placeholder};
use crate::errors::{ParseError, ParseErrorKind, Result};
use crate::{Host, Mode};

/// The decorators of a definition of host code.
#[derive(Default)]
pub(crate) struct Decorators {
    /// The host's decorator, which makes it a script.
    pub(crate) script: Option<(ExprId, ScriptValue)>,
    /// Other decorators, in order.
    pub(crate) others: Vec<(ExprId, ScriptValue)>,
}

impl dyn Host + '_ {
    /// Evaluates the decorators of a definition of host code. The last one of the host decides.
    ///
    /// # Errors
    /// Fails if one cannot be evaluated or is not a decorator.
    pub(crate) fn decorators(&mut self, decorators: List<ExprId>) -> Result<Decorators> {
        let ast = self.ast.clone();
        let mut found = Decorators::default();
        let list = ast.list(decorators);
        // A host function that a script calls may only define scripts.
        let list = if self.tolerant { list } else { &list[list.len().saturating_sub(1)..] };
        for at in list {
            let before = std::mem::replace(&mut self.in_decorator, true);
            let value = self.with_mode(Mode::Host, |p| p.eval(*at));
            self.in_decorator = before;
            let value = value.inspect_err(|_| self.keep_decorator_error())?;
            if self.is_decorator(&value) {
                found.script = Some((*at, value));
            } else if self.tolerant && matches!(value, ScriptValue::Host(_)) && !self.is_namespace(&value) {
                found.others.push((*at, value));
            } else {
                let what = self.describe(&value);
                let reported = self.error(*at, ParseErrorKind::NotADecorator { what });
                self.keep_decorator_error();
                return Err(reported);
            }
        }
        Ok(found)
    }

    /// Reports the error of a decorator even in explored code, since the definition may be a script.
    fn keep_decorator_error(&mut self) {
        if self.explorer.exploring > 0
            && let Some(error) = self.diagnostics.raised.pop()
            && !self.diagnostics.errors.contains(&error)
        {
            self.diagnostics.errors.push(error);
        }
    }

    /// Reads a script of host code. A script that needs the arguments of an uncalled function gets a note.
    pub(crate) fn host_definition(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &ScriptValue,
    ) -> Result<ScriptValue> {
        if self.mark_read(id) {
            // It was read already, with arguments.
            let cause = Cause::Statement("it is read where the function is called".into());
            return Ok(Placeholder::new(cause, self.ast.range(id)).value());
        }
        let errors = self.diagnostics.errors.len();
        let result = self.read_script(id, at, decorator);
        match result {
            Ok(_) => drop(self.explorer.built.insert(id)),
            Err(_) => self.note_arguments(id, errors),
        }
        result
    }

    /// Replaces the errors of a script that needs arguments by one note. Undefined names remain errors.
    fn note_arguments(&mut self, id: StmtId, from: usize) {
        let needs = |e: &ParseError| matches!(e.kind, ParseErrorKind::NeedsArguments { .. });
        let Some(first) = self.diagnostics.errors.iter().skip(from).find(|e| needs(e)).cloned() else {
            return;
        };
        let is_sure = |e: &ParseError| {
            matches!(
                e.kind,
                ParseErrorKind::UndefinedName { .. }
                    | ParseErrorKind::NoAttribute { .. }
                    | ParseErrorKind::AlreadyDefined { .. }
                    | ParseErrorKind::Syntax(_)
            )
        };
        let mut index = 0;
        self.diagnostics.errors.retain(|e| {
            index += 1;
            index <= from || is_sure(e)
        });
        let name = match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => def.name,
            Stmt::ClassDef(def) => def.name,
            _ => return,
        };
        let at = first.range();
        let ParseErrorKind::NeedsArguments { parameter, function, .. } = first.kind else { return };
        let kind = ParseErrorKind::NeedsArguments { script: self.path_of(name), parameter, function };
        let note = ParseError::note_at(kind, at);
        // One note per script, however often its function is explored or called.
        if self.explorer.needy.iter().all(|(noted, _)| *noted != id) {
            self.explorer.needy.push((id, ParseError { labels: first.labels, ..note }));
        }
    }

    /// Reads a bare method of a comparing test class as a script; `None` if the host has no such classes.
    pub(crate) fn bare_script(&mut self, id: StmtId, def: FunctionDef) -> Option<Result<ScriptValue>> {
        let decorator = Host::bare_scripts(self)?.decorator;
        let at = self.ast.list(def.params).iter().find_map(|param| param.annotation)?;
        self.explorer.units.retain(|unit| !unit.is_of(id));
        Some(self.host_definition(id, at, &decorator))
    }

    /// Applies a decorator as a call, `decorator(f)`, to a function or class of host code.
    pub fn decorate_value(
        &mut self,
        decorator: &ScriptValue,
        value: &ScriptValue,
    ) -> Option<Result<ScriptValue>> {
        let id = crate::eval::definition_of(value)?;
        let at = match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => self.ast.list(def.params).iter().find_map(|param| param.annotation)?,
            _ => return None,
        };
        self.explorer.called.insert(id);
        Some(self.host_definition(id, at, decorator))
    }
}
