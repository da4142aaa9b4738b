//! Parallel loops as serial ones.

use tvmscript_ir::IRModule;
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, edit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Makes the outermost parallel loops serial. Loops inside of them keep their kind, as in TVM.
    ///
    /// Upstream: `src/tir/transforms/convert_for_loops_serial.cc`.
    pub ConvertForLoopsToSerial = "tir.ConvertForLoopsToSerial" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Convert::default())
    }
}

#[derive(Default)]
struct Convert {
    /// Statements that may still be visited.
    visits: Visits,
}

impl Rewriter for Convert {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::For(s) if s.kind == ForKind::Parallel => {
                Ok(edit::<For>(stmt, |s| s.kind = ForKind::Serial))
            }
            _ => rewrite::children(self, stmt),
        }
    }
}
