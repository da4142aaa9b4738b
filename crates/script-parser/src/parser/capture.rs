//! Rules for the variables around a script that its body may use.

use std::collections::HashSet;

use crate::errors::ParseErrorKind;
use tvmscript_irbuilder::{BuildError, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, FunctionDef, Name};
use tvmscript_python_syntax::walk::function_mentions;
use tvmscript_script_eval::errors::{EvalError, EvalResult, Reported};
use tvmscript_script_eval::{Binding, Module, is_python_builtin, same};

use super::namespace::ParserFunction;
use super::{Decorator, Namespace, Parser};
use crate::table::{Definition, NodeClass};

/// The variables around a script that its body may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaptureRule {
    /// All variables, as Python's functions do.
    #[default]
    All,
    /// Numbers, texts and `None`, Python's builtins and what dialects provide; all others only if the decorator
    /// declares them, `@D.function(capture=[helper])`. A decorator with `capture` selects this rule for its function.
    Declared,
}

impl Parser<'_> {
    /// Checks that a function uses only variables that it may capture, before any of its code runs.
    pub(super) fn check_captures(&mut self, definition: &Definition<FunctionDef>) -> EvalResult<()> {
        let declared = match (&definition.capture, self.script.captures) {
            (None, CaptureRule::All) => return Ok(()),
            (None, CaptureRule::Declared) => Vec::new(),
            (Some(list), _) => match list.items() {
                Some(items) => items,
                None => {
                    let error = BuildError::expected("a list of values to capture", list.type_name());
                    return Err(self.build_error(definition.decorator, error));
                }
            },
        };
        let mentions = function_mentions(&self.state.ast, &definition.stmt);
        self.charge(definition.id, mentions.used.len() as u64)?;
        let mut seen: HashSet<Name> = mentions.bound.iter().copied().collect();
        let mut result = Ok(());
        for (name, at) in mentions.used {
            if seen.insert(name) && !self.may_capture(name, &declared) {
                result = Err(self.undeclared(definition, name, at));
            }
        }
        result
    }

    fn may_capture(&self, name: Name, declared: &[ScriptValue]) -> bool {
        // A name of the script around this one, such as that of the module.
        if !matches!(self.script.scopes.get(name).binding, Binding::Unbound) {
            return true;
        }
        match self.find(name) {
            Binding::Value(value) => {
                is_free(&value)
                    || self.is_predefined(name, &value)
                    || declared.iter().any(|known| same(known, &value))
            }
            Binding::Unknown(_) => false,
            // An undefined name is an error of its own.
            Binding::Unbound | Binding::Poison => true,
        }
    }

    /// Tests whether the program defines the name, and not the text.
    fn is_predefined(&self, name: Name, value: &ScriptValue) -> bool {
        let global = self.state.program.global(name);
        !self.state.program.is_written(name) && matches!(global, Binding::Value(known) if same(&known, value))
    }

    fn undeclared(&mut self, definition: &Definition<FunctionDef>, name: Name, at: ExprId) -> Reported {
        let name = self.name_text(name).to_owned();
        let decorator = self.state.program.text_of(self.state.ast.range(definition.decorator));
        let function = decorator.split('(').next().unwrap_or_default().trim();
        let help = match definition.capture {
            Some(_) => format!("add `{name}` to the list `capture` of `@{function}`"),
            None => format!("declare it: `@{function}(capture=[{name}])`"),
        };
        let range = self.state.ast.range(at);
        let error = EvalError::new(ParseErrorKind::UndeclaredCapture { name }, range).with_help(help);
        self.state.report(error)
    }
}

/// Returns `true` for values that need no declaration.
fn is_free(value: &ScriptValue) -> bool {
    match value {
        ScriptValue::None
        | ScriptValue::Bool(_)
        | ScriptValue::Int(_)
        | ScriptValue::BigInt(_)
        | ScriptValue::Float(_)
        | ScriptValue::Str(_)
        | ScriptValue::Function(_) => true,
        ScriptValue::Host(host) => {
            let any = host.as_any();
            any.is::<Namespace>()
                || any.is::<Decorator>()
                || any.is::<ParserFunction>()
                || any.is::<NodeClass>()
                || any.is::<Module>()
                || is_python_builtin(value)
        }
        _ => false,
    }
}
