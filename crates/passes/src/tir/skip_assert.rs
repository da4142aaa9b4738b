//! Functions without assertions.

use tvmscript_ir::IRModule;
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, absorb, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Removes assertions.
    ///
    /// Upstream: `src/tir/transforms/skip_assert.cc`.
    pub SkipAssert = "tir.SkipAssert" for PrimFunc in IRModule |function, _context| {
        rewrite::body(function, &mut Skip)
    }
}

struct Skip;

impl Rewriter for Skip {
    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::AssertStmt(s) => Ok(absorb(visit(self, &s.body)?, s.span)),
            _ => rewrite::children(self, stmt),
        }
    }
}
