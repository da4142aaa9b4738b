//! Evaluation for handlers: the evaluator's methods that need a host, with the parser as the host.

use tvmscript_irbuilder::{CallArgs, ScriptValue};
use tvmscript_python_syntax::ast::{Expr, ExprId, Name};
use tvmscript_script_eval::{Binding, Host, Indices, Mode, Operator};

use super::{Binder, Parser};
use crate::errors::Result;

impl Parser<'_> {
    /// The parser as the evaluator sees it.
    pub(crate) fn host(&mut self) -> &mut (dyn Host + '_) {
        self
    }

    /// Evaluates an expression under the rules of the current mode.
    ///
    /// # Errors
    /// When anything in it is wrong; the error is recorded at the innermost expression.
    pub fn eval(&mut self, id: ExprId) -> Result<ScriptValue> {
        self.host().eval(id)
    }

    /// Evaluates an expression under Python's rules, as values of keyword arguments are.
    ///
    /// # Errors
    /// As [`Parser::eval`].
    pub fn eval_host(&mut self, id: ExprId) -> Result<ScriptValue> {
        self.with_mode(Mode::Host, |p| p.eval(id))
    }

    /// Evaluates the right-hand side of an assignment: a slice with two bounds that is all of it has the step 1, so that
    /// it is a vector, not a region.
    ///
    /// # Errors
    /// As [`Parser::eval`].
    pub fn eval_assigned(&mut self, id: ExprId) -> Result<ScriptValue> {
        self.host().eval_assigned(id)
    }

    /// Evaluates the parts between the brackets of a subscript. With `vector`, slices with two bounds get the step 1, as
    /// operands have it.
    ///
    /// # Errors
    /// When an index is wrong; all are evaluated.
    pub fn indices(&mut self, index: ExprId, vector: bool) -> Result<Indices> {
        self.host().indices(index, vector)
    }

    /// Calls a value. What is built has the span of `at`, the call.
    ///
    /// # Errors
    /// When it cannot be called, or the call fails; the error is recorded at `at`, or at the argument it speaks of.
    pub fn call(&mut self, callee: &ScriptValue, args: CallArgs, at: ExprId) -> Result<ScriptValue> {
        self.host().call(callee, args, at)
    }

    /// Applies an operator to values.
    ///
    /// # Errors
    /// When it does not apply to them; the error is recorded at `at`.
    pub fn operate(
        &mut self,
        at: ExprId,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<ScriptValue> {
        self.host().operate(at, operator, operands)
    }

    /// All elements of a value; an error is recorded at `at`.
    ///
    /// # Errors
    /// When the value cannot be iterated over.
    pub fn collect(&mut self, at: ExprId, value: &ScriptValue) -> Result<Vec<ScriptValue>> {
        self.host().collect(at, value)
    }

    /// Gives each name in a target its part of a value, as Python unpacks.
    ///
    /// # Errors
    /// When the value has too many or too few parts, the target is no name, list or tuple, or `bind` fails; names that
    /// got no value are poisoned.
    pub fn unpack(&mut self, target: ExprId, value: ScriptValue, bind: Binder) -> Result<()> {
        let mut parts = Vec::new();
        let mut result = self.host().unpack_with(target, value, &mut |_, target, value| {
            parts.push((target, value));
            Ok(())
        });
        for (target, value) in parts {
            let bound = match self.expr(target) {
                Expr::Name(name) => bind(self, name, target, value),
                Expr::Attribute { .. } => Err(self.invalid_target(target, "an attribute")),
                Expr::Subscript { .. } => Err(self.invalid_target(target, "an element here")),
                _ => Err(self.invalid_target(target, "this expression")),
            };
            result = result.and(bound);
        }
        if result.is_err() {
            self.poison_target(target);
        }
        result
    }

    /// The meaning of a name here.
    pub(crate) fn find(&self, name: Name) -> Binding {
        let host: &dyn Host = self;
        host.find(name)
    }
}
