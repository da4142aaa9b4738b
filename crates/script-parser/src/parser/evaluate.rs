//! Evaluation for handlers: methods of the evaluator with the parser as host.

use tvmscript_irbuilder::{CallArgs, ScriptValue};
use tvmscript_python_syntax::ast::{Expr, ExprId, HasRange, Name};
use tvmscript_script_eval::{Binding, Eval, Indices, Operator};

use super::host::ScriptHost;
use super::{Binder, Parser};
use tvmscript_script_eval::Position;
use tvmscript_script_eval::errors::EvalResult;

impl Parser<'_> {
    /// Evaluates with the parser as host.
    pub(crate) fn evaluate<R>(&mut self, f: impl FnOnce(&mut Eval<'_>) -> R) -> R {
        let mut host = ScriptHost { script: self.script, registry: self.registry, family: self.family };
        f(&mut Eval::new(self.state, &mut host))
    }

    /// Evaluates an expression under the rules of the current mode.
    ///
    /// # Errors
    /// If evaluation fails; the error is reported at the innermost expression.
    pub fn eval(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        self.evaluate(|e| e.eval(id))
    }

    /// Evaluates an expression under Python's rules, e.g. the value of a keyword argument.
    ///
    /// # Errors
    /// As [`Parser::eval`].
    pub fn eval_host(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        let before = self.state.move_by(Position::under_python_rules);
        let value = self.eval(id);
        self.state.move_to(before);
        value
    }

    /// Evaluates the right-hand side of an assignment. A slice with two bounds as the whole value gets the step 1, so
    /// that it is a vector.
    ///
    /// # Errors
    /// As [`Parser::eval`].
    pub fn eval_assigned(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        self.evaluate(|e| e.eval_assigned(id))
    }

    /// Evaluates the indices of a subscript. With `vector`, slices with two bounds get the step 1, as in operands.
    ///
    /// # Errors
    /// If an index is invalid; all indices are evaluated.
    pub fn indices(&mut self, index: ExprId, vector: bool) -> EvalResult<Indices> {
        self.evaluate(|e| e.indices(index, vector))
    }

    /// Calls a value. Nodes built by the call have the span of `at`.
    ///
    /// # Errors
    /// If the value is not callable or the call fails; the error is reported at `at` or at an argument.
    pub fn call(&mut self, callee: &ScriptValue, args: CallArgs, at: ExprId) -> EvalResult<ScriptValue> {
        self.evaluate(|e| e.call(callee, args, at))
    }

    /// Applies an operator.
    ///
    /// # Errors
    /// If the operator does not apply to the operands; the error is reported at `at`.
    pub fn operate(
        &mut self,
        at: ExprId,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> EvalResult<ScriptValue> {
        self.evaluate(|e| e.operate(at, operator, operands))
    }

    /// Charges evaluation steps to the budget, for loops of a dialect over what a script gives.
    ///
    /// # Errors
    /// If the budget is spent; the error is reported at `at`.
    pub fn charge(&mut self, at: impl HasRange, steps: u64) -> EvalResult<()> {
        let charged = self.state.program.budget.step(steps);
        charged.map_err(|raise| {
            let range = self.state.ast.range(at);
            self.evaluate(|e| e.raise(range, None, raise))
        })
    }

    /// The elements of a value.
    ///
    /// # Errors
    /// If the value is not iterable; the error is reported at `at`.
    pub fn collect(&mut self, at: ExprId, value: &ScriptValue) -> EvalResult<Vec<ScriptValue>> {
        self.evaluate(|e| e.collect(at, value))
    }

    /// Unpacks a value into the names of a target.
    ///
    /// # Errors
    /// If the number of elements does not match, the target is not a name, list or tuple, or `bind` fails. Names
    /// without a value are poisoned.
    pub fn unpack(&mut self, target: ExprId, value: ScriptValue, bind: Binder) -> EvalResult<()> {
        let mut parts = Vec::new();
        let mut result = self.evaluate(|e| {
            e.unpack_with(target, value, &mut |_, target, value| {
                parts.push((target, value));
                Ok(())
            })
        });
        for (target, value) in parts {
            let bound = match self.expr(target) {
                Expr::Name(name) => bind(self, name, target, value),
                Expr::Attribute { .. } => Err(self.state.invalid_target(target, "an attribute")),
                Expr::Subscript { .. } => Err(self.state.invalid_target(target, "an element here")),
                _ => Err(self.state.invalid_target(target, "this expression")),
            };
            result = result.and(bound);
        }
        if result.is_err() {
            self.poison_target(target);
        }
        result
    }

    /// The binding of a name at the current position.
    pub(crate) fn find(&self, name: Name) -> Binding {
        self.state.find(name, || self.script.scopes.get(name).binding.clone())
    }
}
