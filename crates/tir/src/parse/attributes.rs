//! Attributes and methods of nodes in scripts: `A.data`, `A.vload(..)`, `e.astype(..)`, and every reflected field.

use tvmscript_ir::build::{field, field_names};
use tvmscript_ir_core::{Array, DataType, Object, Ref};
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, FromScript, HostFunction, ScriptValue, Signature,
};
use tvmscript_prim::{Expr, IntImm, PrimExpr, PrimExprExt, ops};

use crate::build::args::{ExprArg, Shape};
use crate::node::{Buffer, BufferLoad, BufferStore};
use crate::op;

/// Attributes of expressions.
///
/// # Errors
/// Those of the attribute.
pub fn expr(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(value) = object.downcast_ref::<PrimExpr>().cloned() else { return field(object, name) };
    Ok(Some(match name {
        "astype" => HostFunction::value("astype", move |args: CallArgs| {
            let dtype =
                Signature::new("astype", &["dtype"]).bind(args)?.required(0, DataType::from_script)?;
            Ok(ops::cast(dtype, value.clone())?.into())
        }),
        "equal" => HostFunction::value("equal", move |args: CallArgs| {
            let other = Signature::new("equal", &["other"]).bind(args)?.required(0, ExprArg::convert)?;
            Ok(ops::eq(value.clone(), other)?.into())
        }),
        "same_as" => same_as(object),
        _ => return field(object, name),
    }))
}

/// The method `same_as`: tests node identity.
fn same_as(object: &Object) -> ScriptValue {
    let own = object.clone();
    HostFunction::value("same_as", move |args: CallArgs| {
        let other =
            Signature::new("same_as", &["other"]).bind(args)?.required(0, ScriptValue::from_script)?;
        Ok(ScriptValue::Bool(matches!(other, ScriptValue::Node(other) if other.ptr_eq(&own))))
    })
}

/// The names of an expression's attributes.
pub(super) fn expr_names(object: &Object) -> Vec<String> {
    let mut names = field_names(object);
    names.extend(["astype", "equal", "same_as"].map(str::to_owned));
    names
}

/// Attributes of buffers.
///
/// # Errors
/// Those of the attribute.
pub fn buffer(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(buffer) = object.downcast_ref::<Buffer>().cloned() else { return Ok(None) };
    Ok(Some(match name {
        "scope" => HostFunction::value("scope", move |args| {
            Signature::new("scope", &[]).bind(args)?;
            Ok(ScriptValue::Str(buffer.scope()))
        }),
        "get_flattened_buffer" => HostFunction::value("get_flattened_buffer", move |args| {
            Signature::new("get_flattened_buffer", &[]).bind(args)?;
            // A flat buffer is returned as it is.
            let flat = buffer.flattened()?;
            let is_same = flat.shape.len() == buffer.shape.len() && buffer.strides.is_empty();
            Ok(if is_same { buffer.clone() } else { flat }.into())
        }),
        "same_as" => same_as(object),
        "vload" => HostFunction::value("vload", move |args| vload(&buffer, args)),
        "vstore" => HostFunction::value("vstore", move |args| vstore(&buffer, args)),
        "access_ptr" => HostFunction::value("access_ptr", move |args| access_ptr(&buffer, args)),
        "offset_of" => HostFunction::value("offset_of", move |args| offset_of(&buffer, args)),
        _ => return field(object, name),
    }))
}

/// The names of a buffer's attributes.
pub(super) fn buffer_names(object: &Object) -> Vec<String> {
    let mut names = field_names(object);
    let methods = ["access_ptr", "get_flattened_buffer", "offset_of", "same_as", "scope", "vload", "vstore"];
    names.extend(methods.map(str::to_owned));
    names
}

/// An expression, or `None`.
fn maybe_expr(value: ScriptValue) -> BuildResult<Option<Expr>> {
    match value {
        ScriptValue::None => Ok(None),
        value => ExprArg::convert(value).map(Some),
    }
}

fn vload(buffer: &Ref<Buffer>, args: CallArgs) -> BuildResult<ScriptValue> {
    let signature = Signature::new("vload", &["begin", "dtype", "predicate"]).with_required(1);
    let mut args = signature.bind(args)?;
    let begin = args.required(0, Shape::from_script)?;
    let dtype = args.optional(1, |value| match value {
        ScriptValue::None => Ok(None),
        value => DataType::from_script(value).map(Some),
    })?;
    let mask = args.optional(2, maybe_expr)?.flatten();
    let indices = match dtype.flatten() {
        Some(dtype) => vector_indices(buffer, begin, dtype)?,
        None => begin.0,
    };
    Ok(BufferLoad::try_new(buffer.clone(), indices, mask)?.into())
}

/// The indices of a vector of type `dtype` that starts at `begin`: a scalar last index becomes a ramp.
fn vector_indices(buffer: &Buffer, begin: Shape, dtype: DataType) -> BuildResult<Array<Expr>> {
    let mut indices: Vec<Expr> = begin.0.iter().cloned().collect();
    let lanes = dtype.lanes / buffer.dtype.lanes.max(1);
    if let Some(last) = indices.last_mut()
        && lanes > 1
        && last.dtype().is_scalar()
    {
        let one = IntImm::try_new(last.dtype(), 1)?;
        *last = tvmscript_prim::Ramp::try_new(last.clone(), one, &IntImm::int32(lanes.into()))?;
    }
    Ok(Array::new(indices))
}

fn vstore(buffer: &Ref<Buffer>, args: CallArgs) -> BuildResult<ScriptValue> {
    let signature = Signature::new("vstore", &["begin", "value", "predicate"]).with_required(2);
    let mut args = signature.bind(args)?;
    let begin = args.required(0, Shape::from_script)?;
    let value = args.required(1, ExprArg::convert)?;
    let mask = args.optional(2, maybe_expr)?.flatten();
    let indices = vector_indices(buffer, begin, value.dtype())?;
    Ok(BufferStore::try_new(buffer.clone(), value, indices, mask)?.into())
}

/// An access mask: 1 for reading, 2 for writing.
fn access_mask(value: ScriptValue) -> BuildResult<i64> {
    let wrong = |found: String| BuildError::expected("a mask of \"r\" and \"w\"", found);
    match value {
        ScriptValue::Int(mask) => Ok(mask),
        ScriptValue::Str(text) => text.chars().try_fold(0, |mask, c| match c {
            'r' => Ok(mask | 1),
            'w' => Ok(mask | 2),
            _ => Err(wrong(format!("\"{text}\""))),
        }),
        other => Err(wrong(other.type_name())),
    }
}

/// A pointer to part of the buffer, with an access mask.
///
/// # Source
/// `Buffer::access_ptr`, `src/tir/ir/buffer.cc`.
fn access_ptr(buffer: &Ref<Buffer>, args: CallArgs) -> BuildResult<ScriptValue> {
    let signature =
        Signature::new("access_ptr", &["access_mask", "ptr_type", "content_lanes", "offset", "extent"])
            .with_required(1);
    let mut args = signature.bind(args)?;
    let mask = args.required(0, access_mask)?;
    let ptr_type = args.optional(1, DataType::from_script)?.unwrap_or(DataType::HANDLE);
    let lanes = args.optional(2, i64::from_script)?.unwrap_or(1);
    let offset = args.optional(3, ExprArg::convert)?.unwrap_or_else(|| IntImm::int32(0));
    let given = args.optional(4, maybe_expr)?.flatten();
    let whole = match (buffer.shape.first(), buffer.strides.first()) {
        (None, _) => IntImm::int32(1),
        (Some(first), Some(stride)) => ops::sub(ops::mul(stride.clone(), first.clone())?, offset.clone())?,
        (Some(first), None) => {
            let size = buffer.shape.iter().skip(1).try_fold(first.clone(), |a, b| ops::mul(a, b.clone()))?;
            ops::sub(size, offset.clone())?
        }
    };
    let mut extent = whole;
    let mut elem_offset = ops::add(buffer.elem_offset.clone(), offset)?;
    let mut dtype = buffer.dtype;
    if lanes > 1 {
        let divisor = ops::make_const(buffer.elem_offset.dtype(), lanes)?;
        let by = |e: Expr| ops::truncdiv(e, divisor.clone());
        extent = by(extent)?;
        // TVM ignores the given offset here, so this does too.
        elem_offset = by(buffer.elem_offset.clone())?;
        dtype = dtype.with_lanes(i16::try_from(lanes).unwrap_or(i16::MAX));
    }
    let annotation = op::memory::type_annotation(dtype);
    let data = buffer.data.clone().upcast();
    let arguments = [annotation, data, elem_offset, given.unwrap_or(extent), ops::python::int_literal(mask)];
    Ok(op::memory::TVM_ACCESS_PTR.call(ptr_type, arguments).into())
}

/// The offset of an element from the data pointer, in elements.
fn offset_of(buffer: &Ref<Buffer>, args: CallArgs) -> BuildResult<ScriptValue> {
    let indices = Signature::new("offset_of", &["indices"]).bind(args)?.required(0, Shape::from_script)?.0;
    buffer.check_rank(indices.len())?;
    let mut sum: Option<Expr> = None;
    for (dim, (index, extent)) in indices.iter().zip(buffer.shape.iter()).enumerate() {
        sum = Some(match (sum, buffer.strides.get(dim)) {
            (None, Some(stride)) => ops::mul(index.clone(), stride.clone())?,
            (None, None) => index.clone(),
            (Some(sum), Some(stride)) => ops::add(sum, ops::mul(index.clone(), stride.clone())?)?,
            (Some(sum), None) => ops::add(ops::mul(sum, extent.clone())?, index.clone())?,
        });
    }
    let offset = match sum {
        Some(sum) => ops::add(sum, buffer.elem_offset.clone())?,
        None => buffer.elem_offset.clone(),
    };
    Ok(ScriptValue::Node(Array::new([crate::extent::simplify(&offset)]).object().clone()))
}
