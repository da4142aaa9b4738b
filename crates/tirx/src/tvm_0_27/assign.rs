//! Assignments: variables in memory, and bindings.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_irbuilder::ScriptValue;
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt, StringImm, Var, ops};
use tvmscript_python_syntax::ast::{self, ExprId, HasRange, Name, StmtId};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseErrorKind, Parser, Shadowing};
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::build::stmt;
use tvmscript_tir::build::types::call_annotation;
use tvmscript_tir::parse::bind;
use tvmscript_tir::{Buffer, BufferLoad};

use super::build::{Let, Unnamed, Vector, element, new_scalar};
use super::calls::type_of;
use super::{head, scalar};

/// The buffer to store to when a value is assigned to the name of this one: that of a variable, or one of a single
/// element.
fn target(known: &ScriptValue) -> Option<Ref<Buffer>> {
    let buffer = match known.as_node::<BufferLoad>() {
        Some(load) => &load.buffer,
        None => match known.as_node::<PrimExpr>().and_then(|value| value.downcast_ref::<BufferLoad>()) {
            Some(load) => &load.buffer,
            None => known.as_node::<Buffer>()?,
        },
    };
    let is_one = buffer.shape.len() == 1 && buffer.shape.iter().all(ops::is_one);
    is_one.then(|| buffer.clone())
}

/// The value as an expression, if the statement makes it one.
fn expression(p: &mut Parser<'_>, value: &ScriptValue) -> Option<Expr> {
    let is_number = matches!(
        value,
        ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) | ScriptValue::Str(_)
    );
    let is_expression = is_number
        || value.as_node::<PrimExpr>().is_some_and(|value| match value.downcast_ref::<Var>() {
            // A new variable takes the name.
            Some(var) => !var.name.get().is_empty() && (var.dtype.is_handle() || p.is_bound(var.object())),
            None => true,
        });
    if is_expression { ExprArg::convert(value.clone()).ok() } else { None }
}

/// `x = value`: a store to a variable, a new variable, a binding, or the name of a buffer, an axis or a scope's result.
pub(crate) fn assign(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    if let Some(known) = head::matched(p, name, &value) {
        return p.define(name, known, at, Shadowing::OuterFrames);
    }
    let text = p.name_str(name);
    if let Some(unnamed) = value.as_host::<Unnamed>() {
        unnamed.0.object().give_name(&text);
        let value = element(&unnamed.0);
        let value = p.checked(at, value)?;
        return p.define(name, value.into(), at, Shadowing::OuterFrames);
    }
    let Some(value) = expression(p, &value) else { return bind::assign(p, name, at, value) };
    if let Some(buffer) = p.lookup(name).and_then(target) {
        return set(p, at, &buffer, value);
    }
    if value.dtype().is_handle() || value.is::<StringImm>() {
        let var = Var::with_type(text, type_of(&value));
        bind::let_rest(p, at, &var, value)?;
        return p.define(name, var.into(), at, Shadowing::OuterFrames);
    }
    let buffer = new_scalar(value.dtype(), scalar::SCOPE);
    let buffer = p.checked(at, buffer)?;
    buffer.object().give_name(&text);
    set(p, at, &buffer, value)?;
    let value = element(&buffer);
    let value = p.checked(at, value)?;
    p.define(name, value.into(), at, Shadowing::OuterFrames)
}

/// Stores to the single element of a buffer.
fn set(p: &mut Parser<'_>, at: impl HasRange + Copy, buffer: &Ref<Buffer>, value: Expr) -> EvalResult<()> {
    let stored = ops::make_const(tvmscript_ir_core::DataType::INT32, 0)
        .map_err(Into::into)
        .and_then(|zero| stmt::store(buffer, value, Array::new([zero]), None));
    p.checked(at, stored)
}

/// `x: T.int32 = value`, `x: T.int32`, `x: T.let[T.int32] = value`, `x: T.float32[4]`.
pub(crate) fn ann_assign(p: &mut Parser<'_>, id: StmtId, node: &ast::AnnAssign) -> EvalResult<()> {
    let value = node.value.map(|at| p.eval_assigned(at).map(|value| (at, value)));
    let annotation = p.eval(node.annotation)?;
    let ast::Expr::Name(name) = p.expr(node.target) else {
        let kind = EvalErrorKind::InvalidTarget { what: "an annotated expression other than a name" };
        return Err(p.error(node.target, kind));
    };
    let text = p.name_str(name);
    let value = match value.transpose()? {
        Some((at, value)) => {
            let value = ExprArg::convert(value);
            Some((at, p.checked(at, value)?))
        }
        None => None,
    };
    if let Some(annotation) = annotation.as_host::<Let>() {
        let Some((at, value)) = value else {
            let kind = EvalErrorKind::UnsupportedExpression { what: "a binding without a value" };
            return Err(p.error_with_help(id, kind, "give the variable a value: `x: T.let[T.int32] = 0`"));
        };
        let var = annotation.variable(&value);
        let var = p.checked(node.annotation, var)?;
        let value = determine(value, var.dtype);
        let fits = tvmscript_tir::LetStmt::check_types(var.dtype, value.dtype()).map_err(Into::into);
        p.checked(at, fits)?;
        var.name.set(text);
        bind::let_rest(p, id, &var, value)?;
        return p.define(name, var.into(), node.target, Shadowing::OuterFrames);
    }
    if let Some(vector) = annotation.as_host::<Vector>() {
        let buffer = vector.allocate();
        let buffer = p.checked(node.annotation, buffer)?;
        buffer.object().give_name(&text);
        return p.define(name, buffer.into(), node.target, Shadowing::OuterFrames);
    }
    let annotation = call_annotation(annotation);
    let annotation = p.checked(node.annotation, annotation)?;
    let Some(var) = annotation.as_node::<Var>().filter(|var| !var.dtype.is_handle()) else {
        let kind = ParseErrorKind::expected("a type such as `T.int32`", annotation.type_name());
        return Err(p.error_with_help(
            node.annotation,
            kind,
            "a pointer is bound: `p: T.let[T.handle] = ..`",
        ));
    };
    let buffer = new_scalar(var.dtype, scalar::SCOPE);
    let buffer = p.checked(node.annotation, buffer)?;
    buffer.object().give_name(&text);
    if let Some((at, value)) = value {
        set(p, at, &buffer, value)?;
    }
    let value = element(&buffer);
    let value = p.checked(node.target, value)?;
    p.define(name, value.into(), node.target, Shadowing::OuterFrames)
}
