//! Statements that become scopes: bindings, allocations, declared buffers, assertions.
//!
//! Children come first: a statement becomes a scope with an empty body, and the sequence that it is part of moves what
//! follows into the body.

use tvmscript_ir_core::{
    Array, DataType, Mutator, Object, ObjectLike, PtrMap, Ref, RewriteError, substitute,
};
use tvmscript_prim::{IntImm, StringImm, Var};
use tvmscript_tir::{Allocate, AssertStmt, DeclBuffer, Evaluate, LetStmt, SeqStmt, StmtRef, flatten};
use tvmscript_tirx as tirx;

use crate::Level;
use crate::finding::{Finding, codes};

/// The kind of error that assertions of the older release raise.
const ERROR_KIND: &str = "RuntimeError";

/// Rewrites statements, children first.
pub(super) struct Scopes<'f> {
    pub(super) to: Level,
    pub(super) findings: &'f mut Vec<Finding>,
    /// Data pointers of declared buffers, and the pointers that they share.
    pub(super) shared: PtrMap<Object>,
}

impl Mutator for Scopes<'_> {
    fn leave(&mut self, node: Object) -> Object {
        if self.to >= Level::Flat {
            return self.flat(&node).map_or(node, Ref::into_object);
        }
        if let Some(seq) = node.as_node::<SeqStmt>() {
            return nested(seq).map_or(node, Ref::into_object);
        }
        self.scope(&node).map_or(node, Ref::into_object)
    }
}

impl Scopes<'_> {
    /// The tree with shared data pointers.
    pub(super) fn finish(mut self, node: Object) -> Result<Object, RewriteError> {
        // A view of a view shares the pointer of the first buffer.
        for _ in 0..self.shared.len() {
            let next: Vec<(Object, Object)> = self
                .shared
                .iter()
                .filter_map(|(own, shared)| Some((own.clone(), self.shared.get(shared)?.clone())))
                .collect();
            if next.is_empty() {
                break;
            }
            self.shared.extend(next);
        }
        substitute(node, &self.shared)
    }

    /// The declaration of a buffer that shares its data pointer.
    fn flat(&mut self, node: &Object) -> Option<StmtRef> {
        let tirx::DeclBuffer { span, buffer, data } = node.as_node::<tirx::DeclBuffer>()?;
        let data = data.as_ref()?;
        let declared = tirx::DeclBuffer { span: *span, buffer: buffer.clone(), data: None };
        let declared: StmtRef = Ref::new(declared).upcast();
        if data.is::<Var>() {
            self.shared.insert(buffer.data.object().clone(), data.object().clone());
            return Some(declared);
        }
        let bound = tirx::Bind { span: *span, var: buffer.data.clone(), value: data.clone() };
        Some(flatten(vec![Ref::new(bound).upcast(), declared], false))
    }

    /// The scope of a statement, with an empty body.
    fn scope(&mut self, node: &Object) -> Option<StmtRef> {
        let empty = || Evaluate::new(IntImm::int32(0));
        if let Some(bound) = node.as_node::<tirx::Bind>() {
            let tirx::Bind { span, var, value } = bound;
            let scope = LetStmt { span: *span, var: var.clone(), value: value.clone(), body: empty() };
            return Some(Ref::new(scope).upcast());
        }
        if let Some(asserted) = node.as_node::<tirx::AssertStmt>() {
            let tirx::AssertStmt { span, condition, error_kind, message_parts } = asserted;
            if error_kind.value.as_str() != ERROR_KIND {
                self.findings.push(Finding::loss(
                    &codes::ERROR_KIND,
                    format!("the assertion raises `{}`", error_kind.value),
                    "the older release raises `RuntimeError`",
                    node,
                ));
            }
            let text: String = message_parts.iter().map(|part| part.value.as_str()).collect();
            let message = StringImm { span: *span, dtype: DataType::HANDLE, value: text.into() };
            let (condition, message) = (condition.clone(), Ref::new(message).upcast());
            return Some(Ref::new(AssertStmt { span: *span, condition, message, body: empty() }).upcast());
        }
        if let Some(allocated) = node.as_node::<tirx::AllocBuffer>() {
            let tirx::AllocBuffer { span, buffer, annotations } = allocated;
            let declared = DeclBuffer { span: *span, buffer: buffer.clone(), body: empty() };
            let scope = Allocate {
                span: *span,
                buffer_var: buffer.data.clone(),
                dtype: buffer.dtype,
                extents: Array::new(buffer.shape.iter().cloned()),
                condition: IntImm::bool(true),
                body: Ref::new(declared).upcast(),
                annotations: annotations.clone(),
            };
            return Some(Ref::new(scope).upcast());
        }
        let tirx::DeclBuffer { span, buffer, data } = node.as_node::<tirx::DeclBuffer>()?;
        let declared = Ref::new(DeclBuffer { span: *span, buffer: buffer.clone(), body: empty() }).upcast();
        let Some(data) = data.as_ref() else { return Some(declared) };
        if data.is::<Var>() {
            self.shared.insert(buffer.data.object().clone(), data.object().clone());
            return Some(declared);
        }
        let bound = LetStmt { span: *span, var: buffer.data.clone(), value: data.clone(), body: declared };
        Some(Ref::new(bound).upcast())
    }
}

/// The sequence with what follows a scope inside it; `None` if no statement is a scope.
fn nested(seq: &SeqStmt) -> Option<StmtRef> {
    let is_scope = |stmt: &StmtRef| {
        stmt.is::<LetStmt>() || stmt.is::<AssertStmt>() || stmt.is::<Allocate>() || stmt.is::<DeclBuffer>()
    };
    if !seq.seq.iter().any(is_scope) {
        return None;
    }
    // What follows, last statement first.
    let mut rest: Vec<StmtRef> = Vec::new();
    for stmt in seq.seq.iter().rev() {
        if !is_scope(stmt) || rest.is_empty() {
            rest.push(stmt.clone());
            continue;
        }
        rest.reverse();
        let body = flatten(std::mem::take(&mut rest), true);
        rest.push(with_body(stmt, body));
    }
    rest.reverse();
    Some(flatten(rest, true))
}

/// The scope with a body in place of the empty one.
fn with_body(stmt: &StmtRef, body: StmtRef) -> StmtRef {
    if let Some(scope) = stmt.downcast_ref::<LetStmt>() {
        let mut scope = scope.clone();
        let changed = scope.make_mut();
        changed.body = with_body(&changed.body, body);
        return scope.upcast();
    }
    if let Some(scope) = stmt.downcast_ref::<AssertStmt>() {
        let mut scope = scope.clone();
        scope.make_mut().body = body;
        return scope.upcast();
    }
    if let Some(scope) = stmt.downcast_ref::<Allocate>() {
        let mut scope = scope.clone();
        let changed = scope.make_mut();
        changed.body = with_body(&changed.body, body);
        return scope.upcast();
    }
    if let Some(scope) = stmt.downcast_ref::<DeclBuffer>() {
        let mut scope = scope.clone();
        scope.make_mut().body = body;
        return scope.upcast();
    }
    body
}
