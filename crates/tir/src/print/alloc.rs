//! Allocations, constants, declared buffers, realized regions.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{Doc, ExprDoc};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult, Frame};
use tvmscript_ir::print::data_dict;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{DataType, Element, Map, PathId, Ref, Str, Value, field, structural_equal};
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{PointerType, Var};

use super::buffer::{self, PointForm, region_of};
use super::buffer_decl::{self, Inline};
use super::expr::list;
use super::state::TirDocsifier;
use super::stmt::{Scope, body, may_be_concise};
use super::types::is_true;
use super::var;
use crate::node::{Allocate, AllocateConst, BufferRealize, DeclBuffer};

/// `B = T.decl_buffer((4,), data=p)`
pub(crate) fn decl_buffer(node: &Ref<DeclBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let concise = may_be_concise(node, path, d);
    declare(node, path, Inline::Nothing, concise, d)
}

fn declare(
    node: &Ref<DeclBuffer>,
    path: PathId,
    inline: Inline,
    concise: bool,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Doc> {
    let DeclBuffer { span: _, buffer, body: inner } = &**node;
    let at = d.field(path, field!(DeclBuffer, buffer));
    let known = d.is_defined(buffer.object());
    let value = match known {
        true => {
            let name = d.expr(buffer, at)?;
            d.call_t_with("decl_buffer", &[], &[("buffer", name)])
        }
        false => buffer_decl::declaration(buffer, "decl_buffer", (&[], &[]), at, inline, d)?,
    };
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, field!(DeclBuffer, body));
    let (name, stmts) = d.with_open_frame(frame, |d| {
        let name = if known { None } else { Some(buffer::define(buffer, d)?) };
        body(inner, at, d)?;
        Ok(name)
    })?;
    let scope = Scope::plain(concise, name, value, d);
    Ok(scope.close(stmts, path, d))
}

/// `annotations={...}`, unless there are none.
pub fn annotations_kwarg(
    annotations: &Map<Str, Value>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<(&'static str, ExprDoc)>> {
    if annotations.is_empty() {
        return Ok(None);
    }
    let at = d.field(path, "annotations");
    Ok(Some(("annotations", d.keyword_value(|d| data_dict(annotations, at, d))?)))
}

/// The storage scope of a pointer.
fn pointer_scope(variable: &Ref<Var>) -> Str {
    match variable.type_annotation.as_node::<PointerType>() {
        Some(pointer) => pointer.storage_scope.clone(),
        None => Str::new(""),
    }
}

/// The declaration directly in an allocation, if both print as one statement.
fn fused(node: &Allocate) -> Option<&Ref<DeclBuffer>> {
    let Allocate { span: _, buffer_var, dtype, extents, condition, body, annotations } = node;
    let inner = body.downcast_ref::<DeclBuffer>()?;
    let buffer = &inner.buffer;
    let same = buffer_var.ptr_eq(&buffer.data)
        && *dtype == buffer.dtype
        && is_true(condition)
        && annotations.is_empty()
        && extents.len() == buffer.shape.len()
        && extents.iter().zip(buffer.shape.iter()).all(|(a, b)| deep_equal(a, b));
    same.then_some(inner)
}

/// Structural equality; variables are equal by identity.
pub(crate) fn deep_equal(a: &tvmscript_prim::Expr, b: &tvmscript_prim::Expr) -> bool {
    a.ptr_eq(b) || structural_equal(a.object(), b.object())
}

/// `p = T.allocate([4], "float32", "shared")`
pub(crate) fn allocate(node: &Ref<Allocate>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let concise = may_be_concise(node, path, d);
    // The fused form creates both the pointer and the buffer.
    if d.config().syntax_sugar
        && let Some(inner) = fused(node)
        && d.may_define_in(node.object(), node.buffer_var.object())
        && !d.is_defined(inner.buffer.object())
        && buffer_decl::has_default_pointer(&inner.buffer)
    {
        let at = d.field(path, field!(Allocate, body));
        return declare(inner, at, Inline::DataPointer, concise, d);
    }
    let Allocate { span: _, buffer_var, dtype, extents, condition, body: inner, annotations } = &**node;
    let mut args: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    let mut kwargs: SmallVec<[(&str, ExprDoc); 1]> = SmallVec::new();
    let at = d.field(path, field!(Allocate, extents));
    args.push(list(extents, at, d)?);
    let dtype = d.dtype(*dtype);
    args.push(d.at_field(dtype, path, field!(Allocate, dtype)));
    let scope = d.docs.str(pointer_scope(buffer_var).as_str());
    args.push(scope);
    if !is_one(condition) {
        args.push(d.part(condition, path, field!(Allocate, condition))?);
    }
    kwargs.extend(annotations_kwarg(annotations, path, d)?);
    // A pointer that is already declared is an argument of the call.
    let at = d.field(path, field!(Allocate, buffer_var));
    d.declare_outside(node.object(), buffer_var.object(), at)?;
    let known = d.is_defined(buffer_var.object());
    let name = var::define(buffer_var, d)?;
    if known {
        kwargs.push(("var", name));
    }
    let name = (!known).then_some(name);
    let frame = Frame::new(Some(node.object().clone()), ());
    let value = d.call_t_with("allocate", &args, &kwargs);
    let at = d.field(path, field!(Allocate, body));
    let ((), stmts) = d.with_open_frame(frame, |d| {
        d.bind_here(buffer_var);
        body(inner, at, d)
    })?;
    d.tir().unbind(buffer_var);
    if !known {
        d.end_definition(buffer_var.object());
    }
    let scope = Scope::plain(concise, name, value, d);
    Ok(scope.close(stmts, path, d))
}

/// `p = T.allocate_const([0, 1], "int32", [2])`
pub(crate) fn allocate_const(
    node: &Ref<AllocateConst>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Doc> {
    let AllocateConst {
        span: _,
        buffer_var,
        data,
        irmod_storage_idx: _,
        dtype,
        extents,
        body: inner,
        annotations,
    } = &**node;
    let concise = may_be_concise(node, path, d);
    let unwritable = |reason: &str| {
        let key = node.object().info().key();
        Box::new(DocsifyError::Unwritable { key, reason: reason.to_owned() })
    };
    let data = data.as_ref().ok_or_else(|| unwritable("it refers to a constant of the module"))?;
    let elided = tvmscript_ir::print::elided(data, "tir", d);
    let values = elided.or_else(|| elements(data, *dtype, d));
    let values = values.ok_or_else(|| unwritable("its type has no literals"))?;
    let dtype = d.dtype(*dtype);
    let dtype = d.at_field(dtype, path, field!(AllocateConst, dtype));
    let at = d.field(path, field!(AllocateConst, extents));
    let extents = list(extents, at, d)?;
    let mut kwargs: SmallVec<[(&str, ExprDoc); 2]> = SmallVec::new();
    kwargs.extend(annotations_kwarg(annotations, path, d)?);
    let at = d.field(path, field!(AllocateConst, buffer_var));
    d.declare_outside(node.object(), buffer_var.object(), at)?;
    let known = d.is_defined(buffer_var.object());
    if known {
        kwargs.push(("var", var::define(buffer_var, d)?));
    }
    let value = d.call_t_with("allocate_const", &[values, dtype, extents], &kwargs);
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, field!(AllocateConst, body));
    let (name, stmts) = d.with_open_frame(frame, |d| {
        let name = if known { None } else { Some(var::define(buffer_var, d)?) };
        body(inner, at, d)?;
        Ok(name)
    })?;
    let scope = Scope::plain(concise, name, value, d);
    Ok(scope.close(stmts, path, d))
}

/// The elements as a list of literals; `None` if the type has no literals.
fn elements(data: &TensorNode, dtype: DataType, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let docs: Vec<ExprDoc> = data
        .elements_as(dtype)?
        .map(|element| match element {
            Element::Bool(value) => d.docs.bool(value),
            Element::Int(value) => d.docs.int(value),
            Element::UInt(value) => d.docs.int(value as i64),
            Element::Float(value) => d.docs.float(value),
        })
        .collect();
    Some(d.docs.list(&docs))
}

/// `T.realize(A[0:4], "shared", condition=c)`
pub(crate) fn realize_call(
    node: &BufferRealize,
    scope: Option<ExprDoc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let BufferRealize { span: _, buffer, bounds, condition, body: _ } = node;
    let (buffer_path, bounds_path) =
        (d.field(path, field!(BufferRealize, buffer)), d.field(path, field!(BufferRealize, bounds)));
    let mut args: SmallVec<[ExprDoc; 2]> = SmallVec::new();
    args.push(region_of((buffer, buffer_path), (bounds, bounds_path), PointForm::Slice, d)?);
    args.extend(scope);
    let mut kwargs: SmallVec<[(&str, ExprDoc); 1]> = SmallVec::new();
    if !is_one(condition) {
        kwargs.push((
            "condition",
            d.keyword_value(|d| d.part(condition, path, field!(BufferRealize, condition)))?,
        ));
    }
    Ok(d.call_t_with("realize", &args, &kwargs))
}

/// `T.realize(A[0:4])`
pub(crate) fn buffer_realize(
    node: &Ref<BufferRealize>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Doc> {
    let concise = may_be_concise(node, path, d);
    let context = realize_call(node, None, path, d)?;
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, field!(BufferRealize, body));
    let ((), stmts) = d.with_open_frame(frame, |d| body(&node.body, at, d))?;
    let scope = Scope::plain(concise, None, context, d);
    Ok(scope.close(stmts, path, d))
}
