//! Selects that would evaluate an unsafe operand.

use tvmscript_arith::effect;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::shared::Visited;
use tvmscript_ir_core::{Array, ObjectLike, Ref, for_each_child, post_order_mutate, with_stack};
use tvmscript_prim::intrinsic::IF_THEN_ELSE;
use tvmscript_prim::{Call, Effect, Expr, Op, PrimExpr, PrimExprExt, Ramp, Select};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Replaces `T.Select` by `T.if_then_else` where an operand that is not selected must not be evaluated: loads, and
    /// calls that are not pure.
    ///
    /// Upstream: `src/tir/transforms/rewrite_unsafe_select.cc`.
    pub RewriteUnsafeSelect = "tir.RewriteUnsafeSelect" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut RewriteSelect::default())
    }
}

#[derive(Default)]
struct RewriteSelect {
    /// Statements that may still be visited.
    visits: Visits,
}

impl Rewriter for RewriteSelect {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        Ok(post_order_mutate(expr.clone(), |node| {
            let select = node.as_node::<Select>().filter(|select| select.condition.dtype().is_bool())?;
            if !is_unsafe(&select.true_value) && !is_unsafe(&select.false_value) {
                return None;
            }
            let _span = self.visits.scope(node.span());
            let args = [&select.condition, &select.true_value, &select.false_value].map(Ref::clone);
            Some(Call::new(select.dtype, IF_THEN_ELSE.get().clone(), args).into_object())
        })?)
    }
}

/// Returns `true` if evaluating the expression may fail or have an effect. Operands that are guarded by a condition do
/// not count.
fn is_unsafe(expr: &Expr) -> bool {
    let mut visited = Visited::default();
    let mut pending = vec![expr];
    while let Some(e) = pending.pop() {
        if !visited.is_first(e.object()) {
            continue;
        }
        if let Some(select) = e.as_node::<Select>() {
            pending.push(&select.condition);
        } else if let Some(call) = e.as_node::<Call>() {
            match call.op_name() {
                Some("tir.if_then_else") => pending.extend(call.args.first()),
                Some("tir.address_of") => {
                    let load = call.args.first().and_then(|load| load.as_node::<BufferLoad>());
                    pending.extend(load.into_iter().flat_map(|load| load.indices.iter()));
                }
                _ if call.op.as_node::<Op>().is_some_and(|op| op.effect() <= Effect::Pure) => {
                    pending.extend(call.args.iter());
                }
                _ => return true,
            }
        } else if e.is::<BufferLoad>() || effect(e) > Effect::Read {
            return true;
        } else if let Some(ramp) = e.as_node::<Ramp>() {
            if with_stack(|| is_unsafe(&ramp.base) && is_unsafe(&ramp.stride)) {
                return true;
            }
        } else {
            for_each_child(e.object(), |child| {
                if let Some(child) = child.downcast_ref::<PrimExpr>() {
                    pending.push(child);
                } else if let Some(children) = Array::<Expr>::try_ref(child) {
                    pending.extend(children.iter());
                }
            });
        }
    }
    false
}
