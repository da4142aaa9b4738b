//! Assignments in host code: names, elements and attributes.

use tvmscript_python_syntax::ast::{BinOp, Expr, ExprId, List, Name, TextRange};
use tvmscript_script_value::ScriptValue;

use crate::Host;
use crate::binding::{Binding, Slot};
use crate::errors::Result;
use crate::python;
use crate::rules::Operator;

impl dyn Host + '_ {
    pub(crate) fn assign_host(&mut self, name: Name, value: ScriptValue, place: TextRange) {
        self.set_host(name, Binding::of(value), place);
    }

    pub(crate) fn assign_target(&mut self, target: ExprId, value: ScriptValue) -> Result<()> {
        self.unpack_with(target, value, &mut |p, target, value| p.assign_leaf(target, value))
    }

    fn assign_leaf(&mut self, target: ExprId, value: ScriptValue) -> Result<()> {
        match *self.ast.expr(target) {
            Expr::Name(name) => {
                let place = self.ast.range(target);
                let value = self.with_statement(value);
                self.assign_host(name, value, place);
                Ok(())
            }
            Expr::Subscript { value: base, index } => {
                let base = self.eval(base)?;
                let key = self.eval(index)?;
                if self.known([&base, &key]).is_err() {
                    return Ok(());
                }
                self.try_at(target, |p| python::subscript::set(p, &base, key, value))
            }
            Expr::Attribute { value: base, attr } => {
                let base = self.eval(base)?;
                if self.tolerant && self.unknown(&base).is_some()
                    || self.set_class_attribute(&base, attr, value)
                {
                    return Ok(());
                }
                Err(self.invalid_target(target, "an attribute"))
            }
            _ => Err(self.invalid_target(target, "this expression")),
        }
    }

    pub(super) fn augment(&mut self, target: ExprId, op: BinOp, value: ExprId) -> Result<()> {
        let (base, old) = match *self.ast.expr(target) {
            Expr::Subscript { value, index } => {
                let base = self.eval(value)?;
                let key = self.eval(index)?;
                if self.known([&base, &key]).is_err() {
                    return self.eval(value).map(drop);
                }
                let old = python::subscript::get(self, &base, &key);
                (Some((base, key)), self.at(target, old)?)
            }
            Expr::Attribute { .. } => {
                let old = self.eval(target)?;
                let right = self.eval(value)?;
                if self.try_at(target, |p| python::in_place::change(p, op, &old, &right))? {
                    return Ok(());
                }
                let new = self
                    .try_at(target, |p| p.apply(Operator::Binary(op), &[old, right]))
                    .or_else(|reported| self.absorbed(reported))?;
                return self.assign_leaf(target, new);
            }
            Expr::Name(_) => (None, self.eval(target)?),
            _ => return Err(self.invalid_target(target, "this expression")),
        };
        let right = self.eval(value)?;
        let range = TextRange::new(self.ast.range(target).start, self.ast.range(value).end);
        // `list += iterable` changes the list in place.
        let changed = python::in_place::change(self, op, &old, &right);
        let new = match changed.map_err(|raise| self.raise(range, None, raise))? {
            true => old,
            false => {
                let result = self.apply(Operator::Binary(op), &[old, right]);
                result.map_err(|raise| self.raise(range, None, raise))?
            }
        };
        match base {
            Some((base, key)) => self.try_at(target, |p| python::subscript::set(p, &base, key, new)),
            None => self.assign_leaf(target, new),
        }
    }

    pub(super) fn delete(&mut self, targets: List<ExprId>) -> Result<()> {
        for index in 0..targets.len() {
            let Some(target) = self.item(targets, index) else { break };
            match *self.ast.expr(target) {
                Expr::Name(name) => {
                    self.load(name, target)?;
                    let unset = self.in_env
                        && self.env.as_ref().is_some_and(|env| env.set_nearest(name, Binding::Unbound));
                    if !unset {
                        self.program.set_global(name, Slot::default());
                    }
                }
                Expr::Subscript { value, index } => {
                    let base = self.eval(value)?;
                    let key = self.eval(index)?;
                    if self.known([&base, &key]).is_err() {
                        continue;
                    }
                    self.try_at(target, |p| python::subscript::delete(p, &base, &key))?;
                }
                _ => return Err(self.invalid_target(target, "this expression")),
            }
        }
        Ok(())
    }
}
