//! Initialization of reductions as a conditional.

use tvmscript_ir::IRModule;
use tvmscript_prim::{Expr, ops};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, edit, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Lowers the initialization of blocks to a conditional in front of the body.
    ///
    /// The condition holds in the first iteration of the reduction axes. The conditional has the spans of the
    /// initialization.
    ///
    /// Upstream: `src/tir/transforms/lower_init_block.cc`.
    pub LowerInitBlock = "tir.LowerInitBlock" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Lower::default())
    }
}

#[derive(Default)]
struct Lower {
    /// Statements that may still be visited.
    visits: Visits,
}

impl Rewriter for Lower {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        let Some((block, init)) =
            stmt.as_node::<Block>().and_then(|block| Some((block, block.init.as_ref()?)))
        else {
            return rewrite::children(self, stmt);
        };
        let init = guard(self.visits, init, block)?;
        let body = visit(self, &block.body)?;
        let body = flatten(vec![init, body], false);
        Ok(edit::<Block>(stmt, |block| (block.init, block.body) = (None, body)))
    }
}

/// The initialization under the condition that all reduction axes are at their start.
fn guard(visits: Visits, init: &StmtRef, block: &Block) -> Result<StmtRef> {
    let _span = visits.scope(init.span());
    let axes = block.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce);
    let starts = axes.filter_map(|axis| Some((axis.var.clone().upcast(), axis.dom.as_ref()?.min.clone())));
    let condition = starts.map(|(var, min)| ops::eq(var, min)).reduce(|a, b| ops::and(a?, b?));
    Ok(match condition.transpose()? {
        Some(condition) => conditional(condition, init.clone(), None),
        None => init.clone(),
    })
}

/// A conditional with the current span.
pub(super) fn conditional(condition: Expr, then_case: StmtRef, else_case: Option<StmtRef>) -> StmtRef {
    let span = tvmscript_ir_core::Span::current();
    tvmscript_ir_core::Ref::new(IfThenElse { span, condition, then_case, else_case }).upcast()
}
