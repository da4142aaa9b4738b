//! Functions that passes make of the nodes of the first release, as later releases have them.

use tvmscript_ir_core::{
    Array, Map, Object, ObjectLike as _, Ref, RewriteError, Str, Value, post_order_mutate,
};
use tvmscript_prim::{Expr, IntImm, ops};
use tvmscript_tir::node::{Allocate, DeclBuffer, PrimFunc, StmtRef, flatten};
use tvmscript_tir::{Buffer, LetStmt};

use crate::node::{AllocBuffer, Bind};

/// The literal that TVM stores for an integer in the annotations of an allocation.
pub(crate) fn narrow(value: i64) -> Expr {
    i32::try_from(value).map_or_else(|_| IntImm::int64(value), IntImm::int32)
}

/// The function with bindings and allocations that end with their line. Allocations have the annotations of lowered ones.
pub(crate) fn flat(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError> {
    let address = Array::<Expr>::default().into_object();
    flat_with(function, |buffer| {
        vec![
            ("buffer_allocated_addr".into(), Value::Node(address.clone())),
            ("buffer_data_alignment".into(), narrow(buffer.data_alignment).into()),
        ]
    })
}

/// The function with bindings and allocations that end with their line, and annotations of each allocation.
pub(crate) fn flat_with(
    function: Ref<PrimFunc>,
    annotations: impl Fn(&Buffer) -> Vec<(Str, Value)>,
) -> Result<Ref<PrimFunc>, RewriteError> {
    post_order_mutate(function, |node| {
        let (first, body) = binding(node).or_else(|| allocation(node, &annotations))?;
        Some(flatten(vec![first, body], true).into())
    })
}

/// A binding and the statement that it holds in.
fn binding(node: &Object) -> Option<(StmtRef, StmtRef)> {
    let LetStmt { span, var, value, body } = node.as_node::<LetStmt>()?;
    Some((Ref::new(Bind { span: *span, var: var.clone(), value: value.clone() }).upcast(), body.clone()))
}

/// An allocation whose memory is declared as one buffer, and the statement that uses it.
fn allocation(
    node: &Object,
    annotations: &impl Fn(&Buffer) -> Vec<(Str, Value)>,
) -> Option<(StmtRef, StmtRef)> {
    let allocate = node.as_node::<Allocate>()?;
    let DeclBuffer { buffer, body, .. } = allocate.body.as_node::<DeclBuffer>()?;
    if !buffer.data.ptr_eq(&allocate.buffer_var) || !ops::is_one(&allocate.condition) {
        return None;
    }
    let others = allocate.annotations.iter().map(|(key, value)| (key.clone(), value.clone()));
    let annotations = Map::new(annotations(buffer).into_iter().chain(others));
    let first = AllocBuffer { span: allocate.span, buffer: buffer.clone(), annotations };
    Some((Ref::new(first).upcast(), body.clone()))
}
