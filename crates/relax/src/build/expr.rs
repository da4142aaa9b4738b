//! Expressions: scalars, shapes, text, data types, tuples, external functions.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{DataType, Map, Ref, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptFn, ScriptValue, script_fn};
use tvmscript_prim::BaseExpr;

use super::args::{AnyExprArg, ExprArg, InfoArg, PrimArg, convert, dims};
use super::constant::{CONSTANT, ELIDED_CONST, RAW_CONST};
use crate::node::*;

/// A scalar expression.
#[script_fn]
pub fn prim_value(value: PrimArg) -> BuildResult<Ref<BaseExpr>> {
    Ok(value.0)
}

/// A shape.
#[script_fn]
pub fn shape(value: ScriptValue) -> BuildResult<Ref<ShapeExpr>> {
    shape_of(&value)
}

/// A shape; the constructor of the node.
#[script_fn(name = "ShapeExpr")]
pub fn shape_node(values: ScriptValue) -> BuildResult<Ref<ShapeExpr>> {
    shape_of(&values)
}

fn shape_of(values: &ScriptValue) -> BuildResult<Ref<ShapeExpr>> {
    let dims = dims(values).map_err(|e| e.at_position(0))?;
    ShapeExpr::try_new(dims).map_err(|e| BuildError::from(e).at_position(0))
}

/// A text literal.
#[script_fn(name = "str")]
pub fn string(value: Str) -> BuildResult<Ref<StringImm>> {
    Ok(StringImm::new(value))
}

/// A data type literal.
#[script_fn]
pub fn dtype(value: DataType) -> BuildResult<Ref<DataTypeImm>> {
    Ok(DataTypeImm::new(value))
}

/// A tuple.
#[script_fn]
pub fn tuple(#[args] fields: Vec<AnyExprArg>) -> BuildResult<Ref<Tuple>> {
    Ok(Tuple::new(fields.into_iter().map(|field| field.0)))
}

/// A tuple; the constructor of the node.
#[script_fn(name = "RelaxTuple")]
pub fn tuple_node(fields: ScriptValue) -> BuildResult<Ref<Tuple>> {
    let items = fields
        .items()
        .ok_or_else(|| BuildError::expected("a list or tuple", fields.type_name()).at_position(0))?;
    Ok(Tuple::new(items.iter().map(convert).collect::<BuildResult<Vec<_>>>()?))
}

/// A field of a tuple.
#[script_fn(name = "TupleGetItem")]
pub fn tuple_get_item(tuple: ExprArg, index: i64) -> BuildResult<Ref<BaseExpr>> {
    item_of(tuple.0, index)
}

/// A field of a tuple, with struct info if that of the tuple is known.
///
/// # Errors
/// Fails if the tuple has no such field.
pub fn item_of(tuple_value: Expr, index: i64) -> BuildResult<Expr> {
    let info = struct_info_of(&tuple_value);
    let fields = info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()).map(|tuple| &tuple.fields);
    let field = match fields {
        None => None,
        Some(fields) => match usize::try_from(index).ok().and_then(|index| fields.get(index)) {
            Some(field) => Some(field.clone()),
            None => {
                let message = format!("index {index} is out of range for a tuple of {} fields", fields.len());
                return Err(BuildError::message(message));
            }
        },
    };
    let span = tvmscript_ir_core::Span::current();
    let struct_info_ = field.map(Into::into);
    Ok(Ref::new(TupleGetItem { span, struct_info_, tuple_value, index }).upcast())
}

/// A function that is looked up by name at run time.
#[script_fn(name = "ExternFunc")]
pub fn extern_func(
    global_symbol: Str,
    #[default = None] struct_info: Option<InfoArg>,
    #[default = None] attrs: Option<Map<Str, Value>>,
) -> BuildResult<Ref<ExternFunc>> {
    let function = ExternFunc::new(global_symbol, struct_info.map(|info| info.0));
    Ok(match attrs {
        Some(dict) => Ref::new(ExternFunc { attrs: Ref::new(DictAttrs { dict }), ..(*function).clone() }),
        None => function,
    })
}

/// The script functions of this module.
pub static FUNCTIONS: &[&ScriptFn] = &[
    &PRIM_VALUE,
    &SHAPE,
    &SHAPE_NODE,
    &STRING,
    &DTYPE,
    &TUPLE,
    &TUPLE_NODE,
    &TUPLE_GET_ITEM,
    &EXTERN_FUNC,
    #[cfg(feature = "parse")]
    &super::python::EMIT_WITH_SINFO,
    &super::emit_te::EMIT_TE,
    &CONSTANT,
    &ELIDED_CONST,
    &RAW_CONST,
];
