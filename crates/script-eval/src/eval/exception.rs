//! Exceptions of host code: `try` and `raise`.

use tvmscript_python_syntax::ast::{Expr, ExprId, StmtId, Try};
use tvmscript_script_value::ScriptValue;

use super::statement::Flow;
use crate::Host;
use crate::errors::{HostError, HostErrorKind, ParseError, ParseErrorKind, Result};
use crate::python;

impl dyn Host + '_ {
    /// Runs a `try` statement. Python exceptions can be caught; errors in scripts and exceeded limits cannot.
    pub(super) fn exec_try(&mut self, id: StmtId, stmt: Try) -> Result<Flow> {
        let (errors, failures) = (self.host_errors().len(), self.diagnostics.failures);
        let program = self.program.clone();
        let mut flow = program.budget.tries(|| self.exec_body(stmt.body));
        if flow.is_err() {
            let class = match self.host_errors().get(errors..) {
                Some([one]) => match &one.kind {
                    ParseErrorKind::Host(error) => Some(error.class()),
                    ParseErrorKind::UndefinedName { .. } => Some("NameError"),
                    ParseErrorKind::NoAttribute { .. } => Some("AttributeError"),
                    _ => None,
                },
                _ => None,
            };
            if let Some(class) = class {
                let ast = self.ast.clone();
                for handler in ast.list(stmt.handlers).iter().copied() {
                    if !handler.exc.is_none_or(|exc| self.catches(exc, class)) {
                        continue;
                    }
                    let caught = self.host_errors().split_off(errors);
                    self.diagnostics.failures = failures;
                    if let Some(name) = handler.name {
                        let message = match caught.first().map(|e| &e.kind) {
                            Some(ParseErrorKind::Host(error)) => error.to_string(),
                            other => other.map_or(String::new(), ToString::to_string),
                        };
                        let place = self.ast.range(handler.place);
                        self.assign_host(name, ScriptValue::str(&message), place);
                    }
                    flow = self.exec_body(handler.body);
                    break;
                }
            }
        } else {
            if self.tolerant {
                let ast = self.ast.clone();
                let handlers: Vec<_> = ast.list(stmt.handlers).iter().map(|h| h.body).collect();
                self.explore_handlers(id, &handlers);
            }
            if matches!(flow, Ok(Flow::Next)) {
                flow = self.exec_body(stmt.orelse);
            }
        }
        match self.exec_body(stmt.finalbody)? {
            Flow::Next => flow,
            other => Ok(other),
        }
    }

    fn catches(&self, exc: ExprId, class: &str) -> bool {
        match *self.ast.expr(exc) {
            Expr::Name(name) => match self.ast.name(name) {
                "Exception" | "BaseException" => true,
                "ArithmeticError" => matches!(class, "ZeroDivisionError" | "OverflowError"),
                "LookupError" => matches!(class, "IndexError" | "KeyError" | "LookupError"),
                "ValueError" => matches!(class, "ValueError" | "UnicodeDecodeError"),
                "RuntimeError" => matches!(class, "RuntimeError" | "RecursionError"),
                name => name == class,
            },
            Expr::Tuple { elts } => self.ast.list(elts).iter().any(|e| self.catches(*e, class)),
            _ => false,
        }
    }

    /// The exception of `raise exc`.
    pub(super) fn raised(&mut self, exc: ExprId) -> Result<HostError> {
        let (class, args) = match *self.ast.expr(exc) {
            Expr::Call { func, args, .. } => (func, Some(args)),
            _ => (exc, None),
        };
        let message = match args.and_then(|args| self.item(args, 0)) {
            Some(first) => {
                let value = self.eval(first)?;
                // The message of a `KeyError` is the `repr` of its key.
                let is_key =
                    matches!(*self.ast.expr(class), Expr::Name(name) if self.ast.name(name) == "KeyError");
                let text =
                    if is_key { python::repr::repr(self, &value) } else { python::repr::str(self, &value) };
                self.at(first, text)?
            }
            None => String::new(),
        };
        let kind = match *self.ast.expr(class) {
            Expr::Name(name) => HostErrorKind::of_class(self.ast.name(name)),
            _ => HostErrorKind::Raised,
        };
        Ok(HostError::new(kind, message))
    }

    /// The exceptions raised so far in the current mode.
    pub(super) fn host_errors(&mut self) -> &mut Vec<ParseError> {
        if self.tolerant { &mut self.diagnostics.raised } else { &mut self.diagnostics.errors }
    }
}
