//! Integer expressions of host code, evaluated in registers.
//!
//! Loops and conditions of host code mostly compute with integers in local variables. Their values are larger than a
//! register, and moving one costs more than the operation on it. These functions evaluate literals, local variables and
//! the operators on them without making values. They have no effect on anything but the steps: an expression that needs
//! more is left to the general rules, and what it was charged so far is refunded.
//!
//! A statement that may be suspended remembers the values of its expressions. These functions do not, so nothing that
//! may be suspended must be evaluated between them and the use of their result.

use tvmscript_python_syntax::ast::{BoolOp, Comparison, Constant, Expr, ExprId, List, Name, UnaryOp};
use tvmscript_script_value::ScriptValue;

use crate::EvalState;
use crate::binding::Binding;
use crate::host::Mode;
use crate::python::{arith, compare};

/// Maximum nesting of the expressions.
const MAX_DEPTH: u32 = 6;

impl EvalState {
    /// The value of an expression of integers; `None`, with nothing charged, for other expressions.
    #[inline]
    pub(crate) fn quick_integer(&self, id: ExprId) -> Option<i64> {
        self.attempt(|p| p.integer(id, MAX_DEPTH))
    }

    /// The truth of a condition on integers; `None`, with nothing charged, for other conditions.
    #[inline]
    pub(crate) fn quick_condition(&self, id: ExprId) -> Option<bool> {
        self.attempt(|p| p.condition(id, MAX_DEPTH))
    }

    #[inline]
    fn attempt<T>(&self, evaluate: impl FnOnce(&Self) -> Option<T>) -> Option<T> {
        if !self.is_local() || self.mode() != Mode::Host {
            return None;
        }
        let budget = &self.program.budget;
        let steps = budget.steps_left();
        let found = evaluate(self);
        if found.is_none() {
            budget.refund_to(steps);
        }
        found
    }

    fn charged(&self) -> Option<()> {
        self.program.budget.step_quickly()
    }

    /// An operand; operators are charged.
    fn integer(&self, id: ExprId, depth: u32) -> Option<i64> {
        match *self.ast.expr(id) {
            Expr::Constant(Constant::Int(value)) => Some(value),
            Expr::Name(name) => self.env.as_ref()?.integer(name),
            Expr::BinOp { .. } => {
                self.charged()?;
                self.binary(id, depth.checked_sub(1)?)
            }
            Expr::UnaryOp { op: UnaryOp::USub, operand } => {
                self.charged()?;
                self.integer(operand, depth.checked_sub(1)?)?.checked_neg()
            }
            Expr::Subscript { value, index } => {
                self.charged()?;
                self.element(value, index, depth.checked_sub(1)?)
            }
            Expr::Attribute { value, attr } => {
                self.charged()?;
                let Expr::Name(base) = *self.ast.expr(value) else { return None };
                self.env.as_ref()?.with_value(base, |value| self.plain_integer(value, attr))
            }
            _ => None,
        }
    }

    /// An element of a list or tuple in a local variable.
    fn element(&self, value: ExprId, index: ExprId, depth: u32) -> Option<i64> {
        let Expr::Name(base) = *self.ast.expr(value) else { return None };
        let index = self.integer(index, depth)?;
        let find = |items: &[ScriptValue]| {
            let at = if index < 0 { index.checked_add(i64::try_from(items.len()).ok()?)? } else { index };
            match items.get(usize::try_from(at).ok()?)? {
                ScriptValue::Int(value) => Some(*value),
                _ => None,
            }
        };
        self.env.as_ref()?.with_value(base, |value| match value {
            ScriptValue::List(items) => find(&items.borrow()),
            ScriptValue::Tuple(items) => find(items),
            _ => None,
        })
    }

    /// A chain of operators that leans to the left, which is charged once.
    fn binary(&self, id: ExprId, depth: u32) -> Option<i64> {
        let Expr::BinOp { left, op, right } = *self.ast.expr(id) else { return None };
        let left = match *self.ast.expr(left) {
            Expr::BinOp { .. } => self.binary(left, depth.checked_sub(1)?)?,
            _ => self.integer(left, depth)?,
        };
        arith::small(op, left, self.integer(right, depth)?)
    }

    fn condition(&self, id: ExprId, depth: u32) -> Option<bool> {
        match *self.ast.expr(id) {
            Expr::Compare { left, rest } => {
                self.charged()?;
                self.comparison(left, rest, depth)
            }
            Expr::BoolOp { op, values } => {
                self.charged()?;
                for value in self.ast.list(values) {
                    if self.condition(*value, depth.checked_sub(1)?)? == (op == BoolOp::Or) {
                        return Some(op == BoolOp::Or);
                    }
                }
                Some(op == BoolOp::And)
            }
            Expr::UnaryOp { op: UnaryOp::Not, operand } => {
                self.charged()?;
                Some(!self.condition(operand, depth.checked_sub(1)?)?)
            }
            Expr::Constant(Constant::Bool(truth)) => Some(truth),
            Expr::Name(name) => match self.env.as_ref()?.truth(name) {
                Some(truth) => Some(truth),
                None => Some(self.env.as_ref()?.integer(name)? != 0),
            },
            _ => Some(self.integer(id, depth)? != 0),
        }
    }

    fn comparison(&self, left: ExprId, rest: List<Comparison>, depth: u32) -> Option<bool> {
        let mut left = self.integer(left, depth)?;
        for comparison in self.ast.list(rest) {
            let right = self.integer(comparison.right, depth)?;
            if !compare::integers(comparison.op, left, right)? {
                return Some(false);
            }
            left = right;
        }
        Some(true)
    }

    /// Assigns an integer to a local variable that has one; returns `false` for other names.
    pub(crate) fn assign_integer(&self, name: Name, value: i64) -> bool {
        self.is_local()
            && self.env.as_ref().is_some_and(|env| env.is_of_function() && env.replace_integer(name, value))
    }
}

/// The integer of a binding.
#[inline]
pub(super) fn integer_of(binding: &Binding) -> Option<i64> {
    match binding {
        Binding::Value(ScriptValue::Int(value)) => Some(*value),
        _ => None,
    }
}
