//! Functions that passes make of the nodes of the first release, as later releases have them.

use tvmscript_ir_core::{
    Array, Map, Object, ObjectLike as _, Ref, RewriteError, Str, Value, post_order_mutate,
};
use tvmscript_prim::{Expr, ops};
use tvmscript_tir::LetStmt;
use tvmscript_tir::node::{Allocate, DeclBuffer, PrimFunc, StmtRef, flatten};

use crate::node::{AllocBuffer, Bind};

/// The function with bindings and allocations that end with their line.
pub(crate) fn flat(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    post_order_mutate(function, |node| {
        let (first, body) = binding(node).or_else(|| allocation(node))?;
        Some(flatten(vec![first, body], true).into())
    })
}

/// A binding and the statement that it holds in.
fn binding(node: &Object) -> Option<(StmtRef, StmtRef)> {
    let LetStmt { span, var, value, body } = node.as_node::<LetStmt>()?;
    Some((Ref::new(Bind { span: *span, var: var.clone(), value: value.clone() }).upcast(), body.clone()))
}

/// An allocation whose memory is declared as one buffer, and the statement that uses it.
fn allocation(node: &Object) -> Option<(StmtRef, StmtRef)> {
    let allocate = node.as_node::<Allocate>()?;
    let DeclBuffer { buffer, body, .. } = allocate.body.as_node::<DeclBuffer>()?;
    if !buffer.data.ptr_eq(&allocate.buffer_var) || !ops::is_one(&allocate.condition) {
        return None;
    }
    let address = Array::<Expr>::default().into_object();
    let own = [
        ("buffer_allocated_addr", Value::Node(address)),
        ("buffer_data_alignment", Value::Int(buffer.data_alignment)),
    ];
    let others = allocate.annotations.iter().map(|(key, value)| (key.clone(), value.clone()));
    let annotations = Map::new(own.into_iter().map(|(key, value)| (Str::new(key), value)).chain(others));
    let first = AllocBuffer { span: allocate.span, buffer: buffer.clone(), annotations };
    Some((Ref::new(first).upcast(), body.clone()))
}
