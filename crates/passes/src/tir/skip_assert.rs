//! Functions without assertions.

use tvmscript_ir::IRModule;
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Removes assertions.
    ///
    /// Upstream: `src/tir/transforms/skip_assert.cc`.
    pub SkipAssert = "tir.SkipAssert" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Skip::default())
    }
}

#[derive(Default)]
struct Skip {
    /// Statements that may still be visited.
    visits: Visits,
}

impl Rewriter for Skip {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::AssertStmt(s) => {
                let body = visit(self, &s.body)?;
                Ok(self.visits.absorb(body, s.span))
            }
            _ => rewrite::children(self, stmt),
        }
    }
}
