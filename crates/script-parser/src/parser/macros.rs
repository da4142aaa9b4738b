//! Macros: functions whose bodies are visited where they are called, `@D.macro`.

use std::cell::Cell;

use crate::errors::ParseErrorKind;
use tvmscript_irbuilder::{CallArgs, HostObject, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, FunctionDef, List, StmtId};
use tvmscript_script_eval::errors::EvalResult;
use tvmscript_script_eval::{Raise, Template};

use super::{Decorator, Parser};
use crate::scope::Shadowing;
use crate::table::{DecoratorEntry, Definition, ExpandFn};

/// A macro as a value; calling it inside a script visits its body there.
pub(crate) struct Macro {
    name: String,
    template: Template,
    entry: DecoratorEntry,
    expand: ExpandFn,
    /// `true` if names in the body are those around the definition, not those around the call.
    is_hygienic: bool,
    /// Number of calls so far.
    calls: Cell<u64>,
}

/// A call of a macro.
#[derive(Debug, Clone, Copy)]
pub struct Expansion {
    /// Id of the macro's definition.
    pub id: StmtId,
    /// The macro's definition.
    pub def: FunctionDef,
    /// Number of calls of the macro before this one.
    pub index: u64,
}

impl Expansion {
    /// The statements to visit.
    pub fn body(&self) -> List<StmtId> {
        self.def.body
    }
}

impl HostObject for Macro {
    fn type_name(&self) -> &str {
        "a macro"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "__name__").then(|| ScriptValue::str(&self.name))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn is_method(&self) -> bool {
        true
    }
}

impl Parser<'_> {
    /// Makes the macro of a definition of host code.
    pub(super) fn read_macro(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &Decorator,
    ) -> EvalResult<ScriptValue> {
        let value = self.read_decorated(id, at, decorator)?;
        Ok(value.unwrap_or_default())
    }

    /// Makes the macro of a decorated function.
    pub(super) fn define_macro(
        &mut self,
        entry: DecoratorEntry,
        expand: ExpandFn,
        definition: &Definition<FunctionDef>,
    ) -> EvalResult<ScriptValue> {
        let [is_hygienic] = self.decorator_flags(definition, [("hygienic", true)])?;
        let name = self.name_text(definition.stmt.name).to_owned();
        let template = self.evaluate(|e| e.template(definition.id, definition.stmt))?;
        Ok(ScriptValue::host(Macro { name, template, entry, expand, is_hygienic, calls: Cell::new(0) }))
    }

    /// Calls a macro: visits its body with the arguments as variables.
    pub(super) fn call_macro(&mut self, called: &Macro, args: CallArgs) -> Result<ScriptValue, Raise> {
        if !tvmscript_irbuilder::Builder::is_open() {
            let help = format!("call `{}` inside a script", called.name);
            let kind = ParseErrorKind::expected("an open function", "a call of a macro outside of scripts");
            return Err(Raise::WithHelp(kind.into(), help));
        }
        let values = self.evaluate(|e| e.bind_template(&called.template, args))?;
        let index = called.calls.replace(called.calls.get().saturating_add(1));
        let expansion = Expansion { id: called.template.id, def: called.template.def, index };
        let scopes = called.is_hygienic.then(|| std::mem::take(&mut self.script.scopes));
        let token = called.entry.token;
        let result = self.expand_template(&called.template, called.is_hygienic, |p| {
            p.with_token(token, |p| {
                p.with_scope(|p| {
                    for (name, value) in values {
                        // A parameter hides every other variable, so this cannot fail.
                        let _ = p.define(name, value, called.template.def.name_place, Shadowing::SameFrame);
                    }
                    (called.expand)(p, &expansion)
                })
            })
        });
        if let Some(scopes) = scopes {
            self.script.scopes = scopes;
        }
        result
    }

    /// Runs `f` as the body of a template.
    fn expand_template<R>(
        &mut self,
        template: &Template,
        is_hygienic: bool,
        f: impl FnOnce(&mut Self) -> EvalResult<R>,
    ) -> Result<R, Raise> {
        let open = self.evaluate(|e| e.enter_template(template, is_hygienic))?;
        let result = f(self);
        self.evaluate(|e| e.leave_template(open));
        result.map_err(Raise::from)
    }
}
