//! The rewriter: applies rules bottom-up under the conditions in scope.
//!
//! One walk serves two modes. In [`Mode::Rewrite`] every node goes through the rules. In [`Mode::Canonical`] integer
//! arithmetic becomes canonical sums ([`crate::canonical`]); everything else goes through the rules, with operands
//! walked in the same mode.
//!
//! Upstream counterparts: `src/arith/rewrite_simplify.cc` and `src/arith/ir_mutator_with_analyzer.cc`.

mod arithmetic;
mod call;
mod compare;
pub(crate) mod rules;
mod vector;

use tvmscript_ir_core::with_stack;

use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Effect, Expr, View};
use crate::opaque;
use crate::pattern::{Prover, Query, RuleSet};
use crate::transitive::Outcomes;

/// Maximum depth of nested re-simplification of replacements.
const MAX_RECURSION: u32 = 5;

/// The simplifier that a walk belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Rewrite,
    Canonical,
}

pub(crate) struct Simplifier<'a> {
    pub(crate) analyzer: &'a mut Analyzer,
    pub(crate) mode: Mode,
}

/// Returns the replacement if a rule of the family applies.
macro_rules! try_rules {
    ($self:ident, $family:expr, $e:expr) => {
        if let Some(replacement) = $self.first_rule(&$family, $e)? {
            return Ok(replacement);
        }
    };
}
use try_rules;

impl Simplifier<'_> {
    pub(crate) fn visit(&mut self, e: &Expr) -> Result<Expr> {
        match expr::view(e) {
            View::Int(_) | View::Float(_) => return Ok(e.clone()),
            View::Var => return self.visit_var(e),
            _ if self.analyzer.is_normal_sum(e) => return Ok(e.clone()),
            _ => {}
        }
        if !self.analyzer.spend() {
            return Err(ArithError::Budget);
        }
        let key = self.analyzer.memoizes(e).then(|| (e.object().clone(), self.mode, self.analyzer.recursion));
        if let Some(known) = key.as_ref().and_then(|key| self.analyzer.memo.simple.get(key)) {
            return Ok(known.clone());
        }
        let new = with_stack(|| match self.mode {
            Mode::Rewrite => self.rewrite(e),
            Mode::Canonical => self.canonicalize(e)?.into_expr(),
        })?;
        if let Some(key) = key {
            self.analyzer.memo.simple.insert(key, new.clone());
        }
        Ok(new)
    }

    /// Rewrites one node, in either mode.
    pub(crate) fn rewrite(&mut self, e: &Expr) -> Result<Expr> {
        match expr::view(e) {
            View::Int(_) | View::Float(_) => Ok(e.clone()),
            View::Other => opaque::map_children(e, |child| self.visit(child)),
            View::Var => self.visit_var(e),
            View::Bin(BinOp::Gt, a, b) => self.visit(&expr::folded(BinOp::Lt, b, a)?),
            View::Bin(BinOp::Ge, a, b) => self.visit(&expr::folded(BinOp::Le, b, a)?),
            View::Bin(op, a, b) => {
                let (new_a, new_b) = (self.visit(a)?, self.visit(b)?);
                let node = if new_a.ptr_eq(a) && new_b.ptr_eq(b) {
                    e.clone()
                } else {
                    expr::strict(op, new_a, new_b)?
                };
                match expr::gives_truth(op) {
                    true => self.rewrite_truth(op, node),
                    false => self.rewrite_arithmetic(op, node),
                }
            }
            View::Not(a) => {
                let new_a = self.visit(a)?;
                let node = if new_a.ptr_eq(a) { e.clone() } else { expr::not(new_a.clone())? };
                if let Some(value) = expr::as_int(&new_a) {
                    return expr::like(&node, i64::from(value == 0));
                }
                match self.known_truth(&node)? {
                    Some(known) => Ok(known),
                    None => self.rewrite_not(node),
                }
            }
            View::Select(condition, on_true, on_false) => self.visit_select(e, condition, on_true, on_false),
            View::Cast(value) => {
                let value = self.visit(value)?;
                expr::cast(expr::dtype(e), value)
            }
            View::Ramp(base, stride, lanes) => {
                let (new_base, new_stride) = (self.visit(base)?, self.visit(stride)?);
                if new_base.ptr_eq(base) && new_stride.ptr_eq(stride) {
                    return Ok(e.clone());
                }
                expr::ramp(new_base, new_stride, lanes.clone())
            }
            View::Broadcast(value, lanes) => {
                let new_value = self.visit(value)?;
                if new_value.ptr_eq(value) {
                    Ok(e.clone())
                } else {
                    expr::broadcast(new_value, lanes.clone())
                }
            }
            View::Let(var, value, body) => self.visit_let(e, var, value, body),
            View::Call(call) => self.visit_call(e, call),
        }
    }

    fn visit_var(&mut self, e: &Expr) -> Result<Expr> {
        if expr::dtype(e) == tvmscript_ir_core::DataType::BOOL
            && let Some(known) = self.known_truth(e)?
        {
            return Ok(known);
        }
        Ok(self.analyzer.replaced.get(e).cloned().unwrap_or_else(|| e.clone()))
    }

    /// Simplifies each branch of a selection with its condition in scope.
    fn visit_select(&mut self, e: &Expr, condition: &Expr, on_true: &Expr, on_false: &Expr) -> Result<Expr> {
        let new_condition = self.visit(condition)?;
        let new_true = self.under(&new_condition, |this| this.visit(on_true))?;
        let denied = self.analyzer.rewrite(&expr::not(new_condition.clone())?)?;
        let new_false = self.under(&denied, |this| this.visit(on_false))?;
        match expr::as_int(&new_condition) {
            Some(0) => return Ok(new_false),
            Some(1) => return Ok(new_true),
            _ => {}
        }
        let unchanged =
            new_condition.ptr_eq(condition) && new_true.ptr_eq(on_true) && new_false.ptr_eq(on_false);
        if self.analyzer.same(&new_true, &new_false) {
            return Ok(new_true);
        }
        if unchanged { Ok(e.clone()) } else { expr::select(new_condition, new_true, new_false) }
    }

    /// Substitutes a binding to a constant or to another variable; keeps others.
    fn visit_let(&mut self, e: &Expr, var: &Expr, value: &Expr, body: &Expr) -> Result<Expr> {
        let new_value = self.visit(value)?;
        if matches!(expr::view(value), View::Int(_) | View::Float(_) | View::Var) {
            self.analyzer.bind_inner(var, &new_value)?;
            return self.visit(body);
        }
        let new_body = self.visit(body)?;
        if new_value.ptr_eq(value) && new_body.ptr_eq(body) {
            return Ok(e.clone());
        }
        expr::let_in(var, new_value, new_body)
    }

    /// Runs `f` with `condition` in scope.
    pub(crate) fn under<R>(
        &mut self,
        condition: &Expr,
        f: impl FnOnce(&mut Simplifier<'_>) -> Result<R>,
    ) -> Result<R> {
        let mode = self.mode;
        let scope = self.analyzer.enter_scope(condition)?;
        let result = f(&mut Simplifier { analyzer: self.analyzer, mode });
        self.analyzer.leave_scope(scope);
        result
    }

    /// Applies the first matching rule of `rules`, and simplifies its replacement again if the rule says so.
    pub(crate) fn first_rule(&mut self, rules: &RuleSet, e: &Expr) -> Result<Option<Expr>> {
        match rules.apply(e, self)? {
            None => Ok(None),
            Some(found) if found.recursive => self.visit_again(&found.expr).map(Some),
            Some(found) => Ok(Some(found.expr)),
        }
    }

    /// Simplifies a replacement, up to [`MAX_RECURSION`] levels.
    pub(crate) fn visit_again(&mut self, e: &Expr) -> Result<Expr> {
        if *self.recursion() >= MAX_RECURSION {
            return Ok(e.clone());
        }
        *self.recursion() += 1;
        let result = self.visit(e);
        *self.recursion() -= 1;
        result
    }

    fn recursion(&mut self) -> &mut u32 {
        let [rewrite, canonical] = &mut self.analyzer.recursion;
        match self.mode {
            Mode::Rewrite => rewrite,
            Mode::Canonical => canonical,
        }
    }

    /// The truth value of `e` if a condition in scope determines it. Only the rewriter uses conditions.
    pub(crate) fn known_truth(&mut self, e: &Expr) -> Result<Option<Expr>> {
        if self.mode == Mode::Canonical || self.analyzer.literals.is_empty() {
            return Ok(None);
        }
        let Analyzer { literals, budget, .. } = &mut *self.analyzer;
        for literal in literals {
            if expr::deep_equal(literal, e, budget) {
                return expr::like(e, 1).map(Some);
            }
            if let View::Not(denied) = expr::view(literal)
                && expr::deep_equal(denied, e, budget)
            {
                return expr::like(e, 0).map(Some);
            }
        }
        Ok(None)
    }

    /// Compares `x` with `y` by the bounds of their difference, then by the comparisons in scope.
    pub(crate) fn compare(&mut self, x: &Expr, y: &Expr) -> Result<Outcomes> {
        let difference = expr::folded(BinOp::Sub, x, y)?;
        let by_bounds = self.compare_const(&difference, 0)?;
        if by_bounds.is_decided() {
            return Ok(by_bounds);
        }
        Ok(by_bounds.and(self.analyzer.comparisons.compare(x, y)))
    }

    /// Compares `x` with a constant by its bounds and its residue class.
    pub(crate) fn compare_const(&mut self, x: &Expr, value: i64) -> Result<Outcomes> {
        let x = self.visit(x)?;
        if let Some(constant) = expr::as_int(&x) {
            return Ok(match constant.cmp(&value) {
                std::cmp::Ordering::Less => Outcomes::LT,
                std::cmp::Ordering::Equal => Outcomes::EQ,
                std::cmp::Ordering::Greater => Outcomes::GT,
            });
        }
        let bound = self.analyzer.bound_of(&x);
        Ok(match bound {
            _ if bound.min == value && bound.max == value => Outcomes::EQ,
            _ if bound.min > value => Outcomes::GT,
            _ if bound.max < value => Outcomes::LT,
            _ if bound.min >= value => Outcomes::GE,
            _ if bound.max <= value => Outcomes::LE,
            _ if value == 0 && self.analyzer.modular_of(&x).base != 0 => Outcomes::NE,
            _ => Outcomes::UNKNOWN,
        })
    }
}

impl Prover for Simplifier<'_> {
    fn answer(&mut self, question: Query, subject: &Expr, number: i64) -> Result<bool> {
        match question {
            Query::AtLeast => self.analyzer.proves_at_least(subject, number),
            Query::Equals => Ok(self.compare_const(subject, number)? == Outcomes::EQ),
            Query::Pure => Ok(expr::effect(subject) <= Effect::Read),
        }
    }

    fn same(&mut self, a: &Expr, b: &Expr) -> bool {
        self.analyzer.same(a, b)
    }
}
