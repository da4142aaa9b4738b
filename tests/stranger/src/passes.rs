//! A pass over robots and one over TIR. Both point at what they cannot transform.

use tvmscript::ir::IRModule;
use tvmscript::passes::tir::rewrite::{self, Rewriter, Visits};
use tvmscript::tir::{PrimFunc, StmtKind, StmtRef, StmtView as _};
use tvmscript_ir_core::{Ref, try_post_order_mutate};
use tvmscript_pass::{PassError, pass};

use crate::robot::{Go, Program};

pass! {
    /// Replaces centimetres by metres.
    pub Metres = "robot.Metres" for Program |program, _context| {
        try_post_order_mutate(program, |node| {
            let Some(go) = node.as_node::<Go>() else { return Ok(None) };
            if go.distance % 100 != 0 {
                let error = PassError::unsupported(format!("{} cm are not a number of metres", go.distance));
                return Err(error.at(node).with_help("go a multiple of 100 cm"));
            }
            Ok(Some(Ref::new(Go { distance: go.distance / 100, ..go.clone() }).into()))
        })
    }
}

/// Refuses loops whose number of iterations is unknown.
#[derive(Default)]
struct Bounded {
    visits: Visits,
}

impl Rewriter for Bounded {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef, PassError> {
        match stmt.kind() {
            StmtKind::While(_) => Err(PassError::unsupported("a loop without bounds")),
            _ => rewrite::children(self, stmt),
        }
    }
}

pass! {
    /// Fails for loops without bounds.
    pub CheckBounds = "robot.CheckBounds" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Bounded::default())
    }
}
