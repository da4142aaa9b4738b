//! Attributes of buffers: views of the same memory.

use tvmscript_ir_core::{Array, DataType, Object, Ref};
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, FromScript, HostFunction, ScriptValue, Signature,
};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt, PrimType, Var, ops};
use tvmscript_tir::build::args::{ExprArg, Shape};
use tvmscript_tir::{Buffer, BufferLoad, op, parse};

use super::build::{LayoutArg, declare, with_parts};
use super::layout::{CastView, view_as};

/// The value of an attribute of a buffer.
pub(crate) fn attribute(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(buffer) = object.downcast_ref::<Buffer>().cloned() else { return Ok(None) };
    Ok(Some(match name {
        "view" => HostFunction::value("view", move |args| view(&buffer, args).map(Into::into)),
        "ptr_to" => HostFunction::value("ptr_to", move |args| ptr_to(&buffer, args)),
        _ => return (parse::handlers::TVM_0_23.buffer_attribute)(object, name),
    }))
}

/// The value of an attribute of an expression.
pub(crate) fn expr_attribute(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    match (name, object.downcast_ref::<PrimExpr>()) {
        ("ty", Some(value)) => Ok(Some(match object.as_node::<Var>() {
            Some(Var { type_annotation, .. }) if !type_annotation.is::<PrimType>() => {
                type_annotation.clone().into()
            }
            _ => ScriptValue::DType(value.dtype()),
        })),
        _ => (parse::handlers::TVM_0_23.expr_attribute)(object, name),
    }
}

/// A buffer over the memory of another one, which has its type and layout unless others are given.
fn redeclared(
    buffer: &Ref<Buffer>,
    shape: Array<Expr>,
    dtype: DataType,
    elem_offset: Expr,
    layout: Option<Object>,
) -> BuildResult<Ref<Buffer>> {
    let made = with_parts(buffer, shape, dtype, elem_offset, layout)?;
    declare(made, buffer.data.clone().upcast())
}

/// `A.ptr_to([i, j])`: the address of an element.
fn ptr_to(buffer: &Ref<Buffer>, args: CallArgs) -> BuildResult<ScriptValue> {
    let indices = Signature::new("ptr_to", &["indices"]).bind(args)?.required(0, Shape::from_script)?.0;
    let element = BufferLoad::try_new(buffer.clone(), indices, None)?;
    Ok(op::memory::ADDRESS_OF.call(DataType::HANDLE, [element]).into())
}

/// `A.view(4, 4)`, `A.view(-1, 8)`, `A.view("float16")`
fn view(buffer: &Ref<Buffer>, mut args: CallArgs) -> BuildResult<Ref<Buffer>> {
    let layout = args.take_keyword("layout").map(LayoutArg::from_script).transpose()?;
    if let Some((name, _)) = args.keywords.first() {
        return Err(BuildError::message(format!("`view` has no argument `{name}`")));
    }
    if let [ScriptValue::Str(_) | ScriptValue::DType(_)] = &args.positional[..] {
        let dtype = args.positional.pop().map(DataType::from_script).transpose()?;
        return cast(buffer, dtype.unwrap_or(buffer.dtype));
    }
    let layout = match layout {
        Some(LayoutArg::Given(Some(layout))) => Some(layout),
        _ => buffer.layout.clone(),
    };
    let is_inferred = |extent: &ScriptValue| matches!(extent, ScriptValue::Int(-1));
    let known = args.positional.iter().filter(|extent| !is_inferred(extent));
    let known: Vec<Expr> = known.cloned().map(ExprArg::convert).collect::<BuildResult<_>>()?;
    let product = |extents: &[Expr]| -> BuildResult<Expr> {
        let one = ops::make_const(DataType::INT32, 1)?;
        extents.iter().try_fold(one, |product, extent| Ok(ops::mul(product, extent.clone())?))
    };
    let mut rest = None;
    if args.positional.len() == known.len() + 1 {
        let whole: Vec<Expr> = buffer.shape.iter().cloned().collect();
        rest = Some(ops::floordiv(product(&whole)?, product(&known)?)?);
    }
    let mut shape = Vec::with_capacity(args.positional.len());
    for (i, extent) in args.positional.into_iter().enumerate() {
        shape.push(match rest.take_if(|_| is_inferred(&extent)) {
            Some(rest) => rest,
            None => ExprArg::convert(extent).map_err(|error| error.at_position(i))?,
        });
    }
    redeclared(buffer, Array::new(shape), buffer.dtype, buffer.elem_offset.clone(), layout)
}

/// `A.view("float16")`: the last dimension counts elements of the other type.
fn cast(buffer: &Ref<Buffer>, dtype: DataType) -> BuildResult<Ref<Buffer>> {
    let Some(CastView { shape, elem_offset, layout }) = view_as(buffer, dtype)? else {
        let message = match buffer.layout {
            None => format!("a buffer of type `{}` has no view of type `{dtype}`", buffer.dtype),
            Some(_) => format!("the layout of this `{}` buffer has no view of type `{dtype}`", buffer.dtype),
        };
        return Err(
            BuildError::message(message).with_help("write `T.decl_buffer(shape, dtype, data=A.data)`")
        );
    };
    redeclared(buffer, shape, dtype, elem_offset, layout)
}
