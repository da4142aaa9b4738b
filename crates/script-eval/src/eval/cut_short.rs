//! Module-level statements that exceed a limit.
//!
//! The reference computation next to a script may take more steps or memory than allowed. Such a statement is given up
//! with a warning: the names that it binds become unknown, and with them the mutable values that it may have been
//! changing. Scripts that use none of them are read.
//!
//! Invariant: all statements of a text together take at most twice its limits, because each refill is half of the one
//! before.

use std::rc::Rc;

use tvmscript_script_value::ScriptValue;

use super::{Cause, Closure, Placeholder};
use crate::binding::Binding;
use crate::errors::{EvalError, EvalErrorKind};
use crate::id_hash::IdSet;
use crate::python::builtins::Builtin;
use crate::{Eval, EvalState};
use tvmscript_python_syntax::ast::{Name, StmtId};
use tvmscript_python_syntax::walk;

impl Eval<'_> {
    /// Gives up a module-level statement that exceeded the limit of steps or memory, with a warning. Returns `false` if
    /// it failed otherwise, or too many statements exceeded a limit before.
    pub fn cut_short(&mut self, id: StmtId) -> bool {
        if !self.state.is_tolerant() || self.state.pending.is_some() {
            return false;
        }
        let Some(limit) = self.state.diagnostics.raised.iter().find_map(|error| exceeded(&error.kind)) else {
            return false;
        };
        if !self.state.program.budget.refill() {
            return false;
        }
        self.state.diagnostics.raised.clear();
        let range = self.shown_range(id);
        let reason = format!("this {limit} to be evaluated");
        let kind = EvalErrorKind::NotEvaluated { reason: reason.clone() };
        self.state.diagnostics.push_warning(EvalError::warning(kind, range));
        let unknown = Binding::Unknown(Rc::new(Placeholder::new(Cause::Statement(reason.into()), range)));
        self.state.bind_names(id, &unknown);
        for name in self.changed_by(id) {
            self.state.set_host(name, unknown.clone(), range);
        }
        true
    }

    /// The module-level names of mutable values that a statement may change: those that it mentions, and those that the
    /// functions that it mentions do.
    fn changed_by(&self, id: StmtId) -> Vec<Name> {
        let ast = self.state.ast.clone();
        let mut changed = Vec::new();
        let mut known = IdSet::default();
        let mut seen = std::collections::HashSet::new();
        let mut names = walk::mentions_of(&ast, id);
        while let Some(name) = names.pop() {
            if !seen.insert(name) {
                continue;
            }
            let Binding::Value(value) = self.state.program.global(name) else { continue };
            match value.as_host::<Closure>() {
                Some(function) => {
                    if let Some(def) = function.def.filter(|def| known.insert(*def)) {
                        changed.extend(walk::global_names(&ast, function.body()));
                        let mentioned = walk::mentions_of(&ast, def);
                        // Any number of statements may call the function.
                        self.state.program.budget.spend(mentioned.len() as u64);
                        names.extend(mentioned);
                    }
                }
                None if is_mutable(&value) => changed.push(name),
                None => {}
            }
        }
        changed
    }
}

impl EvalState {
    /// Tests whether an exception recorded at or after this index is an exceeded limit of the module level.
    pub(super) fn exceeds_limit(&self, from: usize) -> bool {
        let recorded = self.diagnostics.raised.iter().skip(from);
        !self.is_exploring() && recorded.into_iter().any(|error| exceeded(&error.kind).is_some())
    }
}

/// The limit that an error exceeds, as a part of the message.
pub(super) fn exceeded(kind: &EvalErrorKind) -> Option<&'static str> {
    match kind {
        EvalErrorKind::TooManySteps { .. } => Some("takes too many steps"),
        EvalErrorKind::TooMuchMemory { .. } => Some("needs too much memory"),
        _ => None,
    }
}

/// Tests for a container, an instance or an array. Classes, functions and modules are assumed to stay as they are.
fn is_mutable(value: &ScriptValue) -> bool {
    match value {
        ScriptValue::List(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Host(host) => {
            !host.is_callable() && !super::class::is_class(value) && value.as_host::<Builtin>().is_none()
        }
        _ => false,
    }
}
