//! Blocks without axes.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Array, Object, PtrMap, Ref};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, array, edit};
use crate::Result;
use tvmscript_pass::{PassError, pass};

pass! {
    /// Replaces the axes of blocks by their values.
    ///
    /// Requires that no block has an initialization, see `tir.LowerInitBlock`.
    ///
    /// Upstream: `src/tir/transforms/convert_blocks_to_opaque.cc`.
    pub ConvertBlocksToOpaque = "tir.ConvertBlocksToOpaque" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Convert::default())
    }
}

#[derive(Default)]
struct Convert {
    /// Statements that may still be visited.
    visits: Visits,
    /// Values of the axes in scope.
    values: PtrMap<Object>,
}

impl Rewriter for Convert {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::Block(block) if block.init.is_some() => {
                let name = &block.name_hint;
                Err(PassError::unsupported(format!("the block \"{name}\" has an initialization")))
            }
            StmtKind::Block(_) => {
                let new = rewrite::children(self, stmt)?;
                let has_axes = new.as_node::<Block>().is_some_and(|block| !block.iter_vars.is_empty());
                Ok(if has_axes { edit::<Block>(&new, |b| b.iter_vars = Array::default()) } else { new })
            }
            StmtKind::BlockRealize(realize) => {
                let values = array(&realize.iter_values, |value| self.expr(value))?;
                let predicate = self.expr(&realize.predicate)?;
                let axes = realize.block.iter_vars.iter();
                let vars: Vec<&Ref<Var>> = axes.map(|axis| &axis.var).collect();
                for (var, value) in vars.iter().zip(values.iter()) {
                    self.values.insert(var.object().clone(), value.object().clone());
                }
                let block = rewrite::block(self, &realize.block);
                for var in vars {
                    self.values.remove(var.object());
                }
                let block = block?;
                let is_same = predicate.ptr_eq(&realize.predicate) && block.ptr_eq(&realize.block);
                if is_same && values.is_empty() {
                    return Ok(stmt.clone());
                }
                Ok(edit::<BlockRealize>(stmt, |new| {
                    (new.iter_values, new.predicate, new.block) = (Array::default(), predicate, block);
                }))
            }
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        rewrite::replaced(expr, &self.values)
    }
}
