//! Loops as operations on vectors.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Span};
use tvmscript_prim::{IntImm, ops};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, visit};
use super::vectorizer::Vectorizer;
use crate::Result;
use tvmscript_pass::{PassError, pass};

pass! {
    /// Replaces vectorized loops by operations on vectors. A statement that has no vector form becomes a serial loop.
    ///
    /// Extents must be constant; scalable vectors are not supported.
    ///
    /// Upstream: `src/tir/transforms/vectorize_loop.cc`.
    pub VectorizeLoop = "tir.VectorizeLoop" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut VectorizeLoops::default())
    }
}

#[derive(Default)]
struct VectorizeLoops {
    /// Statements that may still be visited.
    visits: Visits,
}

impl Rewriter for VectorizeLoops {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        let Some(s) = stmt.as_node::<For>().filter(|s| s.kind == ForKind::Vectorized) else {
            return rewrite::children(self, stmt);
        };
        let extent = ops::int_value(&s.extent).filter(|extent| *extent >= 1);
        if extent.is_none() || !ops::is_zero(&s.min) || s.step.is_some() {
            let name = s.loop_var.name.get();
            let message =
                format!("the vectorized loop over `{name}` does not run from 0 to a positive constant");
            return Err(PassError::unsupported(message));
        }
        let body = visit(&mut Vectorizer::new(s, self.visits)?, &s.body)?;
        Ok(self.visits.absorb(body, s.span))
    }
}

/// A serial loop with the current span.
pub(super) fn serial(
    loop_var: Ref<tvmscript_prim::Var>,
    extent: tvmscript_prim::Expr,
    body: StmtRef,
) -> Result<StmtRef> {
    let new = For {
        span: Span::current(),
        min: IntImm::try_new(loop_var.dtype, 0)?,
        loop_var,
        extent,
        kind: ForKind::Serial,
        body,
        thread_binding: None,
        annotations: tvmscript_ir_core::Map::default(),
        step: None,
    };
    Ok(Ref::new(new).upcast())
}
