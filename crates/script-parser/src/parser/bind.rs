//! Names and values: defining, looking up, unpacking.

use tvmscript_irbuilder::ScriptValue;

use super::Parser;
use crate::errors::{ParseError, ParseErrorKind, Result};
use crate::scope::Shadowing;
use tvmscript_python_syntax::ast::{Expr, ExprId, HasRange, List, Name, StmtId, TextRange};
use tvmscript_script_eval::{Binding, is_python_builtin, names_in, uses_free};

/// What to do with a name of a target and its value: a dialect's rules of assignment. The expression is the name in the
/// target. It defines the name itself, with [`Parser::define`].
pub type Binder = fn(&mut Parser, Name, ExprId, ScriptValue) -> Result<()>;

impl Parser<'_> {
    /// Runs `f` in a new frame of the variable table; names defined in it are gone afterwards.
    pub fn with_scope<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push_frame();
        let result = f(self);
        self.scopes.pop_frame();
        result
    }

    /// Defines a name in the innermost frame. Defining it again as the same value changes nothing.
    ///
    /// # Errors
    /// [`ParseErrorKind::AlreadyDefined`] when the frame has it already and `shadowing` does not allow that.
    pub fn define(
        &mut self,
        name: Name,
        value: ScriptValue,
        at: impl HasRange,
        shadowing: Shadowing,
    ) -> Result<()> {
        let place = self.ast.range(at);
        match self.scopes.define(name, Binding::Value(value), place, shadowing) {
            Ok(()) => Ok(()),
            Err(redefined) => {
                let name = self.ast.name(name).to_owned();
                let error = ParseError::new(ParseErrorKind::AlreadyDefined { name }, place)
                    .with_label(redefined.first, "first defined here")
                    .with_help("a variable is bound once; take another name");
                Err(self.report(error))
            }
        }
    }

    /// Defines a name by its text, if the text of the script mentions it at all.
    pub fn define_text(&mut self, name: &str, value: ScriptValue, at: impl HasRange) {
        if let Some(name) = self.ast.find_name(name) {
            let place = self.ast.range(at);
            // Replacing is allowed, so this cannot fail.
            let _ = self.scopes.define(name, Binding::Value(value), place, Shadowing::SameFrame);
        }
    }

    /// Gives a name a meaning of the dialect's own in script bodies, if the text mentions it at all: `range`. Functions
    /// and comprehensions in the body do not see it, since they are Python's.
    pub fn define_builtin(&mut self, name: &str, value: ScriptValue) {
        if let Some(name) = self.ast.find_name(name) {
            let place = TextRange::default();
            // Replacing is allowed, so this cannot fail.
            let _ = self.scopes.define(name, Binding::Value(value), place, Shadowing::SameFrame);
        }
    }

    /// Marks a name whose definition failed: using it is silent. A name that is defined in this frame stays.
    pub fn poison(&mut self, name: Name, at: impl HasRange) {
        if !self.scopes.is_local(name) {
            let place = self.ast.range(at);
            let _ = self.scopes.define(name, Binding::Poison, place, Shadowing::SameFrame);
        }
    }

    /// Poisons all names in a target.
    pub fn poison_target(&mut self, target: ExprId) {
        let mut work = vec![target];
        while let Some(id) = work.pop() {
            match *self.ast.expr(id) {
                Expr::Name(name) => self.poison(name, id),
                Expr::Tuple { elts } | Expr::List { elts } => work.extend(self.ast.list(elts)),
                Expr::Starred { value } => work.push(value),
                _ => {}
            }
        }
    }

    /// The value of a name in the script body, if it has one there.
    pub fn lookup(&self, name: Name) -> Option<&ScriptValue> {
        match &self.scopes.get(name).binding {
            Binding::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether some name of the script body stands for this very node now.
    pub fn is_bound(&mut self, node: &tvmscript_ir_core::Object) -> bool {
        self.scopes.holds(node)
    }

    /// Whether the name stands for anything: in the script body, around it, or in Python itself.
    pub fn is_known(&self, name: Name) -> bool {
        !matches!(self.find(name), Binding::Unbound)
    }

    /// Whether the script or the file around it gives the name a meaning; one of Python's own does not count.
    pub fn is_defined(&self, name: Name) -> bool {
        match self.find(name) {
            Binding::Unbound => false,
            Binding::Value(value) => !is_python_builtin(&value),
            Binding::Poison | Binding::Unknown(_) => true,
        }
    }

    /// Whether statements use a name that they do not bind themselves.
    pub fn uses_free(&self, body: List<StmtId>, name: Name) -> bool {
        uses_free(&self.ast, body, name)
    }

    /// The names that an expression speaks of, perhaps more than once each.
    pub fn names_in(&self, expr: ExprId) -> Vec<Name> {
        names_in(&self.ast, expr)
    }
}
