//! Names and values: defining, looking up, unpacking.

use tvmscript_irbuilder::ScriptValue;

use super::Parser;
use crate::errors::{HostError, ParseError, ParseErrorKind, Reported, Result};
use crate::scope::{Binding, Shadowing};
use tvmscript_python_syntax::ast::{Expr, ExprId, HasRange, List, Name, StmtId, TextRange};

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
            Binding::Value(value) => value.as_host::<crate::host::builtins::Builtin>().is_none(),
            Binding::Poison | Binding::Unknown(_) => true,
        }
    }

    /// Whether statements use a name that they do not bind themselves.
    pub fn uses_free(&self, body: List<StmtId>, name: Name) -> bool {
        crate::eval::walk::uses_free(&self.ast, body, name)
    }

    /// The names that an expression speaks of, perhaps more than once each.
    pub fn names_in(&self, expr: ExprId) -> Vec<Name> {
        let mut names = Vec::new();
        crate::eval::walk::expr(&self.ast, expr, &mut |id| {
            if let Expr::Name(name) = *self.ast.expr(id) {
                names.push(name);
            }
        });
        names
    }

    /// Gives each name in a target its part of a value, as Python unpacks.
    ///
    /// # Errors
    /// When the value has too many or too few parts, the target is no name, list or tuple, or `bind` fails; names that
    /// got no value are poisoned.
    pub fn unpack(&mut self, target: ExprId, value: ScriptValue, bind: Binder) -> Result<()> {
        let result = self.unpack_with(target, value, &mut |p, target, value| match *p.ast.expr(target) {
            Expr::Name(name) => bind(p, name, target, value),
            Expr::Attribute { .. } => Err(p.invalid_target(target, "an attribute")),
            Expr::Subscript { .. } => Err(p.invalid_target(target, "an element here")),
            _ => Err(p.invalid_target(target, "this expression")),
        });
        if result.is_err() {
            self.poison_target(target);
        }
        result
    }

    pub(crate) fn invalid_target(&mut self, target: ExprId, what: &'static str) -> Reported {
        self.error(target, ParseErrorKind::InvalidTarget { what })
    }

    /// Unpacks a value; `leaf` gets the parts of the target that are no lists or tuples.
    pub(crate) fn unpack_with(
        &mut self,
        target: ExprId,
        value: ScriptValue,
        leaf: &mut dyn FnMut(&mut Self, ExprId, ScriptValue) -> Result<()>,
    ) -> Result<()> {
        let elts = match *self.ast.expr(target) {
            Expr::Tuple { elts } | Expr::List { elts } => elts,
            Expr::Starred { .. } => {
                return Err(self.invalid_target(target, "a starred name outside a list or tuple"));
            }
            _ => return leaf(self, target, value),
        };
        let ast = self.ast.clone();
        let targets = ast.list(elts);
        if self.absorbs && self.unknown(&value).is_some() {
            return targets.iter().try_for_each(|target| {
                let target = match *ast.expr(*target) {
                    Expr::Starred { value } => value,
                    _ => *target,
                };
                tvmscript_ir_core::with_stack(|| self.unpack_with(target, value.clone(), leaf))
            });
        }
        let star = targets.iter().position(|t| matches!(ast.expr(*t), Expr::Starred { .. }));
        let least = targets.len() - usize::from(star.is_some());
        // One more than needed tells that there are too many, also of an endless iterator.
        let limit = if star.is_some() { usize::MAX } else { least + 1 };
        let parts = self.parts_of(target, value, limit)?;
        let fits = if star.is_some() { parts.len() >= least } else { parts.len() == least };
        if !fits {
            let message = match (star, parts.len() > least) {
                (None, true) => format!("too many values to unpack (expected {least})"),
                (None, false) => {
                    format!("not enough values to unpack (expected {least}, got {})", parts.len())
                }
                (Some(_), _) => {
                    format!("not enough values to unpack (expected at least {least}, got {})", parts.len())
                }
            };
            return Err(self.error(target, HostError::value_error(message)));
        }
        let mut result = Ok(());
        let mut parts = parts.into_iter();
        let rest = parts.len() - least;
        for (index, target) in targets.iter().enumerate() {
            let (target, value) = match *ast.expr(*target) {
                Expr::Starred { value } if Some(index) == star => {
                    (value, ScriptValue::list(parts.by_ref().take(rest).collect()))
                }
                _ => (*target, parts.next().unwrap_or_default()),
            };
            let one = tvmscript_ir_core::with_stack(|| self.unpack_with(target, value, leaf));
            result = result.and(one);
        }
        result
    }

    /// The parts of a value that is unpacked, at most so many.
    fn parts_of(&mut self, at: ExprId, value: ScriptValue, limit: usize) -> Result<Vec<ScriptValue>> {
        match &value {
            ScriptValue::Tuple(items) if items.len() <= limit => return Ok(items.to_vec()),
            ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::Float(_) | ScriptValue::None => {
                let message = format!("cannot unpack non-iterable {} object", self.python_type(&value));
                return Err(self.error(at, HostError::type_error(message)));
            }
            _ => {}
        }
        self.collect_at_most(at, &value, limit)
    }
}
