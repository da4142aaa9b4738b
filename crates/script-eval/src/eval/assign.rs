//! Assignments in host code: names, elements and attributes.

use tvmscript_python_syntax::ast::{BinOp, Expr, ExprId, List, Name, TextRange};
use tvmscript_script_value::ScriptValue;

use super::Raise;
use super::class::is_instance;
use crate::binding::{Binding, Slot};
use crate::errors::{EvalErrorKind, EvalResult, HostError, Reported};
use crate::host::Operator;
use crate::{Eval, EvalState, python};

impl Eval<'_> {
    pub(crate) fn assign_host(&mut self, name: Name, value: ScriptValue, place: TextRange) {
        self.state.set_host(name, Binding::of(value), place);
    }

    pub(crate) fn assign_target(&mut self, target: ExprId, value: ScriptValue) -> EvalResult<()> {
        if let Expr::Name(name) = *self.state.ast.expr(target) {
            return self.assign_name(target, name, value);
        }
        self.unpack_with(target, value, &mut |p, target, value| p.assign_leaf(target, value))
    }

    fn assign_name(&mut self, target: ExprId, name: Name, value: ScriptValue) -> EvalResult<()> {
        let mut value = match value {
            ScriptValue::Host(_) => self.with_statement(value),
            value => value,
        };
        if self.state.is_local() && self.state.env.as_ref().is_some_and(|env| env.is_enumeration()) {
            value = self.try_at(target, |p| p.enumeration_value(name, value))?;
        }
        let place = self.state.ast.range(target);
        self.state.set_host(name, Binding::of(value), place);
        Ok(())
    }

    fn assign_leaf(&mut self, target: ExprId, value: ScriptValue) -> EvalResult<()> {
        match *self.state.ast.expr(target) {
            Expr::Name(name) => self.assign_name(target, name, value),
            Expr::Subscript { value: base, index } => {
                let base = self.eval(base)?;
                let key = self.eval(index)?;
                if self.state.known([&base, &key]).is_err() {
                    return Ok(());
                }
                self.try_at(target, |p| python::subscript::set(p, &base, key, value))
            }
            Expr::Attribute { value: base, attr } => {
                let base = self.eval(base)?;
                self.assign_attribute(target, &base, attr, value)
            }
            _ => Err(self.state.invalid_target(target, "this expression")),
        }
    }

    pub(super) fn augment(&mut self, target: ExprId, op: BinOp, value: ExprId) -> EvalResult<()> {
        let (base, old) = match *self.state.ast.expr(target) {
            Expr::Subscript { value, index } => {
                let base = self.eval(value)?;
                let key = self.eval(index)?;
                if self.state.known([&base, &key]).is_err() {
                    return self.eval(value).map(drop);
                }
                let old = python::subscript::get(self, &base, &key);
                (Some((base, key)), self.at(target, old)?)
            }
            Expr::Attribute { value: of, attr } => {
                let of = self.eval(of)?;
                let old = self
                    .attribute(target, &of, attr)
                    .or_else(|reported| self.state.placeholder_for(reported))?;
                let right = self.eval(value)?;
                let new = self
                    .try_at(target, |p| p.augmented(op, old, right))
                    .or_else(|reported| self.state.placeholder_for(reported))?;
                return self.assign_attribute(target, &of, attr, new);
            }
            Expr::Name(_) => (None, self.eval(target)?),
            _ => return Err(self.state.invalid_target(target, "this expression")),
        };
        let right = self.eval(value)?;
        let range = TextRange::new(self.state.ast.range(target).start, self.state.ast.range(value).end);
        let new = self.augmented(op, old, right).map_err(|raise| self.raise(range, None, raise))?;
        match base {
            Some((base, key)) => self.try_at(target, |p| python::subscript::set(p, &base, key, new)),
            None => self.assign_leaf(target, new),
        }
    }

    fn assign_attribute(
        &mut self,
        target: ExprId,
        base: &ScriptValue,
        attr: Name,
        value: ScriptValue,
    ) -> EvalResult<()> {
        if self.state.is_tolerant() && self.state.unknown(base).is_some() {
            return Ok(());
        }
        let ast = self.state.ast.clone();
        match self.try_at(target, |p| {
            let name = p.attribute_name(ast.name(attr));
            Ok(p.set_attribute(base, &name, value.clone())?
                || p.set_function_attribute(base, &name, Some(value))?)
        })? {
            true => Ok(()),
            false if self.is_python_value(base) => {
                let missing = super::class::missing(base, ast.name(attr));
                self.at(target, Err(missing))
            }
            false => Err(self.state.invalid_target(target, "an attribute")),
        }
    }

    /// Tests whether all attributes of a value are known.
    fn is_python_value(&self, value: &ScriptValue) -> bool {
        match value {
            ScriptValue::Node(_) | ScriptValue::Frame(_) | ScriptValue::Function(_) => false,
            ScriptValue::Host(_) => self.state.unknown(value).is_none() && self.class_of(value).is_some(),
            _ => true,
        }
    }

    /// `old op= right`: the new value. `list += iterable` changes the list in place.
    pub(crate) fn augmented(&mut self, op: BinOp, old: ScriptValue, right: ScriptValue) -> python::Outcome {
        if is_instance(&old)
            && let Some(new) = self.special_in_place(op, &old, &right)?
        {
            return Ok(new);
        }
        match python::arith::in_place(self, op, &old, &right)? {
            true => Ok(old),
            false => {
                let operands = [old, right];
                let result = self.apply(Operator::Binary(op), &operands);
                result.map_err(|raise| augmented_error(op, raise, &operands))
            }
        }
    }

    pub(super) fn delete(&mut self, targets: List<ExprId>) -> EvalResult<()> {
        for index in 0..targets.len() {
            let Some(target) = self.state.item(targets, index) else { break };
            match *self.state.ast.expr(target) {
                Expr::Name(name) => {
                    self.load(name, target)?;
                    let unset = self.state.is_local()
                        && self
                            .state
                            .env
                            .as_ref()
                            .is_some_and(|env| env.set_nearest(name, Binding::Unbound).is_none());
                    if !unset {
                        self.state.program.set_global(name, Slot::default());
                    }
                }
                Expr::Subscript { value, index } => {
                    let base = self.eval(value)?;
                    let key = self.eval(index)?;
                    if self.state.known([&base, &key]).is_err() {
                        continue;
                    }
                    self.try_at(target, |p| python::subscript::delete(p, &base, &key))?;
                }
                Expr::Attribute { value, attr } => {
                    let base = self.eval(value)?;
                    if self.state.is_tolerant() && self.state.unknown(&base).is_some() {
                        continue;
                    }
                    let ast = self.state.ast.clone();
                    if !self.try_at(target, |p| {
                        let name = p.attribute_name(ast.name(attr));
                        Ok(p.delete_attribute(&base, &name)?
                            || p.set_function_attribute(&base, &name, None)?)
                    })? {
                        if self.is_python_value(&base) {
                            let missing = super::class::missing(&base, ast.name(attr));
                            return self.at(target, Err(missing));
                        }
                        return Err(self.state.invalid_target(target, "an attribute"));
                    }
                }
                Expr::Tuple { elts } | Expr::List { elts } => {
                    tvmscript_ir_core::with_stack(|| self.delete(elts))?;
                }
                _ => return Err(self.state.invalid_target(target, "this expression")),
            }
        }
        Ok(())
    }
}

impl EvalState {
    /// Reports an invalid assignment target; `what` describes it.
    pub fn invalid_target(&mut self, target: ExprId, what: &'static str) -> Reported {
        self.error(target, EvalErrorKind::InvalidTarget { what })
    }
}

impl Eval<'_> {
    /// Unpacks a value to a target; `leaf` assigns to targets that are not lists or tuples.
    pub fn unpack_with(
        &mut self,
        target: ExprId,
        value: ScriptValue,
        leaf: &mut dyn FnMut(&mut Self, ExprId, ScriptValue) -> EvalResult<()>,
    ) -> EvalResult<()> {
        let elts = match *self.state.ast.expr(target) {
            Expr::Tuple { elts } | Expr::List { elts } => elts,
            Expr::Starred { .. } => {
                return Err(self.state.invalid_target(target, "a starred name outside a list or tuple"));
            }
            _ => return leaf(self, target, value),
        };
        let ast = self.state.ast.clone();
        let targets = ast.list(elts);
        if self.state.is_tolerant() && self.state.unknown(&value).is_some() {
            return targets.iter().try_for_each(|target| {
                let target = match *ast.expr(*target) {
                    Expr::Starred { value } => value,
                    _ => *target,
                };
                tvmscript_ir_core::with_stack(|| self.unpack_with(target, value.clone(), leaf))
            });
        }
        if let ScriptValue::Tuple(items) = &value
            && items.len() == targets.len()
            && targets.iter().all(|target| matches!(ast.expr(*target), Expr::Name(_)))
        {
            // The most common unpacking, of which no part fails by its form.
            let mut result = Ok(());
            for (target, value) in targets.iter().zip(items.iter()) {
                result = result.and(leaf(self, *target, value.clone()));
                if result.is_err() && self.state.program.budget.stops_at_first_error() {
                    break;
                }
            }
            return result;
        }
        let star = targets.iter().position(|t| matches!(ast.expr(*t), Expr::Starred { .. }));
        let least = targets.len() - usize::from(star.is_some());
        // One more element than needed shows that there are too many, even for an endless iterator.
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
            return Err(self.state.error(target, HostError::value_error(message)));
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
            if result.is_err() && self.state.program.budget.stops_at_first_error() {
                break;
            }
        }
        result
    }

    fn parts_of(&mut self, at: ExprId, value: ScriptValue, limit: usize) -> EvalResult<Vec<ScriptValue>> {
        match &value {
            ScriptValue::Tuple(items) if items.len() <= limit => return Ok(items.to_vec()),
            ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::Float(_) | ScriptValue::None => {
                return Err(self
                    .state
                    .error(at, wrong_type!("cannot unpack non-iterable {} object", &value)));
            }
            _ => {}
        }
        self.collect_at_most(at, &value, limit)
    }
}

/// The error of `a op= b` for that of `a op b`: the message names the operator of the statement.
fn augmented_error(op: BinOp, raise: Raise, [a, b]: &[ScriptValue; 2]) -> Raise {
    let Raise::Kind(EvalErrorKind::Host(error)) = raise else { return raise };
    // CPython repeats the right operand only if the left one is not a container.
    let is_container = matches!(a, ScriptValue::Dict(_) | ScriptValue::Host(_));
    if op == BinOp::Mult && is_container && error.message.starts_with("can't multiply sequence") {
        return wrong_type!("unsupported operand type(s) for *=: '{}' and '{}'", a, b).into();
    }
    let plain = python::arith::unsupported_operator(op);
    let named = error
        .message
        .strip_prefix(&plain)
        .map(|rest| format!("unsupported operand type(s) for {}={rest}", op.as_str()));
    match named {
        Some(message) => error.with_message(message).into(),
        None => error.into(),
    }
}
