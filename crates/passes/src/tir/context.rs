//! Facts about variables and conditions in scope, for passes that simplify.
//!
//! Upstream counterpart: `IRMutatorWithAnalyzer`, `src/arith/ir_mutator_with_analyzer.cc`.

use tvmscript_arith::{Analyzer, effect};
use tvmscript_ir_core::Ref;
use tvmscript_prim::intrinsic::LIKELY;
use tvmscript_prim::{Call, Compare, Effect, Expr, IntImm, Not, PrimExprExt, ops};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Same, rebuild, visit};
use crate::Result;

/// A rewriter that keeps an analyzer up to date.
pub(super) trait WithAnalyzer: Rewriter {
    /// The analyzer.
    fn analyzer(&mut self) -> &mut Analyzer;
}

/// Runs `f` with conditions in scope.
pub(super) fn under<R: WithAnalyzer, T>(
    r: &mut R,
    conditions: &[Expr],
    f: impl FnOnce(&mut R) -> Result<T>,
) -> Result<T> {
    let Some((first, rest)) = conditions.split_first() else { return f(r) };
    let entered = r.analyzer().enter_constraint(first);
    let result = under(r, rest, f);
    r.analyzer().leave_constraint(entered);
    result
}

/// Rewrites the parts of a statement like [`rewrite::children`], with the facts that hold in each.
pub(super) fn children<R: WithAnalyzer>(r: &mut R, stmt: &StmtRef) -> Result<StmtRef> {
    match stmt.kind() {
        StmtKind::For(s) => {
            r.analyzer().bind_range(&s.loop_var, &s.min, &s.extent);
            if s.extent.is::<IntImm>() {
                return rewrite::children(r, stmt);
            }
            let zero = IntImm::try_new(s.extent.dtype(), 0)?;
            under(r, &[s.extent.clone().greater(zero)], |r| rewrite::children(r, stmt))
        }
        StmtKind::Block(s) => {
            for axis in s.iter_vars.iter() {
                if let Some(dom) = &axis.dom {
                    r.analyzer().bind_range(&axis.var, &dom.min, &dom.extent);
                }
            }
            rewrite::children(r, stmt)
        }
        StmtKind::LetStmt(s) => {
            let value = r.expr(&s.value)?;
            if effect(&value) <= Effect::Pure {
                r.analyzer().bind(&s.var, &value);
            }
            Ok(rebuild!(stmt: LetStmt = s { value: value, body: visit(r, &s.body)? }))
        }
        StmtKind::IfThenElse(s) => {
            let condition = r.expr(&s.condition)?;
            let real = without_likely(&condition);
            let then_case = under(r, std::slice::from_ref(&real), |r| visit(r, &s.then_case))?;
            let else_case = match &s.else_case {
                Some(stmt) => {
                    let negation = r.analyzer().rewrite_simplify(&Not::try_new(real.clone())?);
                    Some(under(r, &[negation], |r| visit(r, stmt))?)
                }
                None => None,
            };
            let visits = *r.visits();
            Ok(match ops::int_value(&real) {
                Some(0) => else_case.map_or_else(nothing, |stmt| visits.absorb(stmt, s.span)),
                Some(_) => visits.absorb(then_case, s.span),
                None => rebuild!(stmt: IfThenElse = s {
                    condition: condition, then_case: then_case, else_case: else_case,
                }),
            })
        }
        StmtKind::AttrStmt(s) => {
            if let Some(axis) = s.launched_thread() {
                let zero = IntImm::try_new(s.value.dtype(), 0)?;
                r.analyzer().bind_range(&axis.var, &zero, &s.value);
            }
            rewrite::children(r, stmt)
        }
        StmtKind::AssertStmt(s) => {
            let (condition, message) = (r.expr(&s.condition)?, r.expr(&s.message)?);
            let body = under(r, std::slice::from_ref(&condition), |r| visit(r, &s.body))?;
            Ok(rebuild!(stmt: AssertStmt = s { condition: condition, message: message, body: body }))
        }
        _ => rewrite::children(r, stmt),
    }
}

/// A statement without effect, with the current span.
pub(super) fn nothing() -> StmtRef {
    Evaluate::new(IntImm::int32(0))
}

/// The argument of `likely`, or the condition itself.
fn without_likely(condition: &Expr) -> Expr {
    let call = condition.as_node::<Call>().filter(|call| LIKELY.is_called_by(call));
    call.and_then(|call| call.args.first()).unwrap_or(condition).clone()
}

/// Declares the shapes of the buffers of a function to be non-negative.
pub(super) fn mark_shapes(analyzer: &mut Analyzer, function: &Ref<PrimFunc>) {
    for (_, buffer) in function.buffer_map.iter() {
        for var in buffer.shape.iter().filter_map(|extent| extent.downcast_ref()) {
            analyzer.mark_non_negative(var);
        }
    }
}
