//! Functions that passes make of the nodes of the first release, as later releases have them.

use tvmscript_ir_core::{Ref, RewriteError, post_order_mutate};
use tvmscript_tir::LetStmt;
use tvmscript_tir::node::{PrimFunc, StmtRef, flatten};

use crate::node::Bind;

/// The function with bindings that end with their line.
pub(crate) fn flat(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    post_order_mutate(function, |node| {
        let LetStmt { span, var, value, body } = node.as_node::<LetStmt>()?;
        let bind: StmtRef = Ref::new(Bind { span: *span, var: var.clone(), value: value.clone() }).upcast();
        Some(flatten(vec![bind, body.clone()], true).into())
    })
}
