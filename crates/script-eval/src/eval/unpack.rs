//! Unpacking of values to assignment targets.

use tvmscript_python_syntax::ast::{Expr, ExprId};
use tvmscript_script_value::ScriptValue;

use crate::errors::{HostError, ParseErrorKind, Reported, Result};
use crate::{Evaluator, Host};

impl Evaluator {
    /// Reports an invalid assignment target; `what` describes it.
    pub fn invalid_target(&mut self, target: ExprId, what: &'static str) -> Reported {
        self.error(target, ParseErrorKind::InvalidTarget { what })
    }
}

impl dyn Host + '_ {
    /// Unpacks a value to a target; `leaf` assigns to targets that are not lists or tuples.
    pub fn unpack_with(
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
        if self.tolerant && self.unknown(&value).is_some() {
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

    fn parts_of(&mut self, at: ExprId, value: ScriptValue, limit: usize) -> Result<Vec<ScriptValue>> {
        match &value {
            ScriptValue::Tuple(items) if items.len() <= limit => return Ok(items.to_vec()),
            ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::Float(_) | ScriptValue::None => {
                return Err(self.error(at, wrong_type!("cannot unpack non-iterable {} object", &value)));
            }
            _ => {}
        }
        self.collect_at_most(at, &value, limit)
    }
}
