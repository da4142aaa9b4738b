//! Functions that passes make of the nodes of TVM 0.23, as later releases have them.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Ref, RewriteError, Str, Value, post_order_mutate};
use tvmscript_tir::LetStmt;
use tvmscript_tir::node::{PrimFunc, StmtRef, flatten};

use crate::node::Bind;
use crate::tvm_0_27::SCHEDULABLE;

/// The function with bindings that end with their line.
pub(crate) fn flat(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    post_order_mutate(function, |node| {
        let LetStmt { span, var, value, body } = node.as_node::<LetStmt>()?;
        let bind: StmtRef = Ref::new(Bind { span: *span, var: var.clone(), value: value.clone() }).upcast();
        Some(flatten(vec![bind, body.clone()], true).into())
    })
}

/// The flat function, marked as one that schedules work on.
pub(crate) fn schedulable(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    let mut function = flat(function)?;
    let renamed = |key: &Str| match key.strip_prefix("tir.") {
        Some(rest) => format!("tirx.{rest}").into(),
        None => key.clone(),
    };
    let old = function.attrs.dict.iter().map(|(key, value)| (renamed(key), value.clone()));
    let attrs = DictAttrs::new(old.chain([(SCHEDULABLE.into(), Value::Bool(true))]).collect::<Vec<_>>());
    function.make_mut().attrs = attrs;
    Ok(function)
}
