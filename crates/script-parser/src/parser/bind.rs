//! Definition and lookup of names.

use std::collections::HashSet;

use memchr::memmem;
use tvmscript_irbuilder::ScriptValue;
use tvmscript_irbuilder::record::{Action, record};

use super::Parser;
use crate::errors::ParseErrorKind;
use crate::scope::Shadowing;
use tvmscript_python_syntax::ast::{Expr, ExprId, FunctionDef, HasRange, List, Name, StmtId, TextRange};
use tvmscript_python_syntax::walk::{function_mentions, names_in, uses_free};
use tvmscript_script_eval::errors::{EvalError, EvalResult};
use tvmscript_script_eval::{Binding, is_python_builtin};

/// Binds one name of an assignment target to its value, following the rules of a dialect. It defines the name with
/// [`Parser::define`].
pub type Binder = fn(&mut Parser, Name, ExprId, ScriptValue) -> EvalResult<()>;

/// Returns `true` for a type variable of Python, `TypeVar("n")`.
pub fn is_type_variable(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Host(_)) && value.type_name() == "TypeVar"
}

impl Parser<'_> {
    /// Runs `f` in a new frame of the variable table.
    pub fn with_scope<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.script.scopes.push_frame();
        let result = f(self);
        self.script.scopes.pop_frame();
        result
    }

    /// Defines a name in the innermost frame. Defining it again with the same value has no effect.
    ///
    /// # Errors
    /// [`ParseErrorKind::AlreadyDefined`] if the frame defines the name and `shadowing` does not allow replacing it.
    pub fn define(
        &mut self,
        name: Name,
        value: ScriptValue,
        at: impl HasRange,
        shadowing: Shadowing,
    ) -> EvalResult<()> {
        let place = self.state.ast.range(at);
        record(|| Action::Name { name: self.state.ast.name(name).to_owned(), value: value.clone() });
        match self.script.scopes.define(name, Binding::of(value.clone()), place, shadowing) {
            Ok(()) => Ok(()),
            Err(redefined) => {
                let kind = ParseErrorKind::AlreadyDefined { name: self.state.ast.name(name).to_owned() };
                if self.syntax().may_be_ill_formed {
                    self.state.diagnostics.note(kind.into(), place);
                    let _ = self.script.scopes.define(name, Binding::of(value), place, Shadowing::SameFrame);
                    return Ok(());
                }
                let error = EvalError::new(kind, place)
                    .with_label(redefined.first, "first defined here")
                    .with_help("a variable is bound once; take another name");
                Err(self.state.report(error))
            }
        }
    }

    /// Defines a name, if the text of the script contains it.
    pub fn define_text(&mut self, name: &str, value: ScriptValue, at: impl HasRange) {
        if let Some(name) = self.state.ast.find_name(name) {
            let place = self.state.ast.range(at);
            // `SameFrame` allows replacing, so this cannot fail.
            let _ = self.script.scopes.define(name, Binding::of(value), place, Shadowing::SameFrame);
        }
    }

    /// Defines a name as a builtin of the dialect, such as `range`, if the text contains it. Functions and
    /// comprehensions inside the script body do not see it.
    pub fn define_builtin(&mut self, name: &str, value: ScriptValue) {
        if let Some(name) = self.state.ast.find_name(name) {
            let place = TextRange::default();
            // `SameFrame` allows replacing, so this cannot fail.
            let _ = self.script.scopes.define(name, Binding::of(value), place, Shadowing::SameFrame);
        }
    }

    /// Marks a name whose definition failed, so that its uses cause no errors. Has no effect if the frame defines the
    /// name.
    pub fn poison(&mut self, name: Name, at: impl HasRange) {
        if !self.script.scopes.is_local(name) {
            let place = self.state.ast.range(at);
            let _ = self.script.scopes.define(name, Binding::Poison, place, Shadowing::SameFrame);
        }
    }

    /// Poisons all names in a target.
    pub fn poison_target(&mut self, target: ExprId) {
        let mut work = vec![target];
        while let Some(id) = work.pop() {
            match *self.state.ast.expr(id) {
                Expr::Name(name) => self.poison(name, id),
                Expr::Tuple { elts } | Expr::List { elts } => work.extend(self.state.ast.list(elts)),
                Expr::Starred { value } => work.push(value),
                _ => {}
            }
        }
    }

    /// The value of a name in the script body.
    pub fn lookup(&self, name: Name) -> Option<&ScriptValue> {
        match &self.script.scopes.get(name).binding {
            Binding::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Runs `f` in a new frame, around which the names that the file binds to type variables of Python
    /// (`n = TypeVar("n")`) have other values.
    pub fn with_type_variables<R>(
        &mut self,
        def: &FunctionDef,
        make: fn(&str) -> ScriptValue,
        f: impl FnOnce(&mut Self) -> R,
    ) -> R {
        if def.type_params.is_empty() && self.state.ast.find_name("TypeVar").is_none() {
            return self.with_scope(f);
        }
        self.with_scope(|p| {
            let ast = p.state.ast.clone();
            for name in ast.names() {
                if p.value_of(name).is_some_and(|value| is_type_variable(&value)) {
                    let value = make(ast.name(name));
                    p.set(name, value);
                }
            }
            p.with_scope(f)
        })
    }

    /// Defines a name in a new frame.
    pub(super) fn set(&mut self, name: Name, value: ScriptValue) {
        // The frame has no other binding of the name, or one that may be replaced.
        let _ =
            self.script.scopes.define(name, Binding::of(value), TextRange::default(), Shadowing::SameFrame);
    }

    /// The value of a name in the script body or around it.
    pub fn value_of(&self, name: Name) -> Option<ScriptValue> {
        match self.find(name) {
            Binding::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The name with this text, if the source contains it.
    pub fn find_name(&self, text: &str) -> Option<Name> {
        self.state.ast.find_name(text)
    }

    /// Returns `true` if a name of the script body is bound to this node.
    pub fn is_bound(&mut self, node: &tvmscript_ir_core::Object) -> bool {
        self.script.scopes.holds(node)
    }

    /// Returns `true` if the name is bound in the script body, around it, or in Python itself.
    pub fn is_known(&self, name: Name) -> bool {
        !matches!(self.find(name), Binding::Unbound)
    }

    /// Returns `true` if the script or the file around it binds the name. Python builtins do not count.
    pub fn is_defined(&self, name: Name) -> bool {
        match self.find(name) {
            Binding::Unbound => false,
            Binding::Value(value) => !is_python_builtin(&value),
            Binding::Poison | Binding::Unknown(_) => true,
        }
    }

    /// As [`Parser::is_defined`], for the text of a name.
    pub fn is_text_defined(&self, name: &str) -> bool {
        self.state.ast.find_name(name).is_some_and(|name| self.is_defined(name))
    }

    /// Returns `true` if statements use a name that they do not bind.
    pub fn uses_free(&self, body: List<StmtId>, name: Name) -> bool {
        self.may_mention(body, name) && uses_free(&self.state.ast, body, name)
    }

    /// Tests whether the text of statements contains a name. In other than ASCII text it may be spelled in another way.
    fn may_mention(&self, body: List<StmtId>, name: Name) -> bool {
        let ast = &self.state.ast;
        let statements = ast.list(body);
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return false };
        let range = TextRange::new(ast.range(*first).start, ast.range(*last).end);
        let text = self.state.program.text_of(range);
        !text.is_ascii() || memmem::find(text.as_bytes(), ast.name(name).as_bytes()).is_some()
    }

    /// Names that a function mentions and does not bind itself, except as type parameters, each where it is first.
    pub fn names_of(&self, def: &FunctionDef) -> Vec<(Name, ExprId)> {
        let mentions = function_mentions(&self.state.ast, def);
        let params = self.state.ast.list(def.type_params);
        let mut seen: HashSet<Name> = mentions
            .bound
            .into_iter()
            .filter(|name| !params.iter().any(|param| param.name == *name))
            .collect();
        mentions.used.into_iter().filter(|(name, _)| seen.insert(*name)).collect()
    }

    /// Names in an expression, possibly repeated.
    pub fn names_in(&self, expr: ExprId) -> Vec<Name> {
        names_in(&self.state.ast, expr)
    }
}
