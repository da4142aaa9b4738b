//! The parts of TVM's Python modules that scripts use besides `I`: constants, data types, types, operators, targets.

use tvmscript_ir_core::{DataType, Ref, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptValue, script_fn};
use tvmscript_prim::Op;
use tvmscript_prim::{Expr, PointerType, PrimType, Type, ops};

use super::target::TargetArg;
use crate::node::Target;

/// The maximum finite `float32`; a larger float is inferred as `float64`.
const MAX_FLOAT32: f64 = 3.402_823_47e38;

/// The inferred data type of a plain number.
/// # Source
/// `_scalar_type_inference`, `python/tvm/runtime/object_generic.py`.
fn inferred_dtype(value: &ScriptValue) -> DataType {
    match value {
        ScriptValue::Bool(_) => DataType::BOOL,
        ScriptValue::Float(f) if (-MAX_FLOAT32..=MAX_FLOAT32).contains(f) => DataType::FLOAT32,
        ScriptValue::Float(_) => DataType::float(64),
        ScriptValue::Int(i) if i32::try_from(*i).is_ok() => DataType::INT32,
        _ => DataType::INT64,
    }
}

/// A constant. The data type of a plain number defaults to `int32`, `int64`, `float32` or `bool`.
#[script_fn]
pub fn const_(value: ScriptValue, #[default = None] dtype: Option<DataType>) -> BuildResult<Expr> {
    let dtype = dtype.unwrap_or_else(|| inferred_dtype(&value));
    let made = match &value {
        ScriptValue::Bool(b) => ops::make_const(dtype, i64::from(*b)),
        ScriptValue::Int(i) => ops::make_const(dtype, *i),
        ScriptValue::Float(f) => ops::make_const(dtype, *f),
        ScriptValue::BigInt(big) => match u64::try_from(&**big) {
            Ok(number) if dtype == DataType::uint(64) => ops::make_const(dtype, ops::Number::UInt(number)),
            _ => Err(tvmscript_prim::PrimError::OutOfRange { value: big.to_string(), dtype }),
        },
        other => {
            let error = BuildError::expected("an int, float or bool", other.type_name());
            return Err(error
                .with_help("an expression needs no `const`; `.astype(..)` converts it")
                .at_position(0));
        }
    };
    made.map_err(|e| BuildError::from(e).at_position(0))
}

/// A constant of `int32` or another data type.
#[script_fn(name = "const")]
pub fn int_const(value: ScriptValue, #[default = DataType::INT32] dtype: DataType) -> BuildResult<Expr> {
    try_const(value, Some(dtype))
}

/// Returns the value unchanged: scripts use Python's numbers, strings and lists where TVM has its own.
#[script_fn]
pub fn convert(value: ScriptValue) -> BuildResult<ScriptValue> {
    Ok(value)
}

/// A data type as a value, where its name would be a string.
#[script_fn(name = "DataType")]
pub fn data_type(dtype: DataType) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::DType(dtype))
}

/// A scalar or vector type.
#[script_fn(name = "PrimType")]
pub fn prim_type(dtype: DataType) -> BuildResult<Ref<Type>> {
    Ok(PrimType::new(dtype))
}

/// A pointer type.
#[script_fn(name = "PointerType")]
pub fn pointer_type(element_type: Ref<Type>, #[default = ""] storage_scope: Str) -> BuildResult<Ref<Type>> {
    Ok(PointerType::new(element_type, &storage_scope))
}

/// An operator by name.
#[script_fn(name = "get")]
pub fn op_get(op_name: Str) -> BuildResult<Ref<Op>> {
    super::operator(&op_name).map_err(|error| error.at_position(0))
}

/// A tensor of the runtime, which is the array that it is made from.
#[script_fn(name = "tensor")]
pub fn tensor(
    arr: ScriptValue,
    #[default = None] device: Option<ScriptValue>,
    #[default = None] mem_scope: Option<ScriptValue>,
) -> BuildResult<ScriptValue> {
    drop((device, mem_scope));
    Ok(arr)
}

/// A target, with an optional host target.
#[script_fn(name = "Target", members = [CURRENT_TARGET])]
pub fn target_class(
    target: TargetArg,
    #[default = None] host: Option<TargetArg>,
) -> BuildResult<Ref<Target>> {
    Ok(super::target::target(target, host))
}

/// The current target: always none, since no target is entered here.
#[script_fn(name = "current")]
pub fn current_target(#[default = true] allow_none: bool) -> BuildResult<ScriptValue> {
    match allow_none {
        true => Ok(ScriptValue::None),
        false => Err(BuildError::message("no target is current here")
            .with_help("name one: `tvm.target.Target(\"llvm\")`")),
    }
}
