//! Operators whose calls the release prints without their type.

use tvmscript_ir_core::DataType;
use tvmscript_irbuilder::{Builder, CallArgs, HostFunction, Result, ScriptFn, ScriptValue};
use tvmscript_tir::build::operator;

/// Names of these operators in TVM 0.23.
const UNTYPED: [&str; 4] = ["mma_fill", "mma_store", "ptx_ldmatrix", "ptx_mma"];

/// The function of such an operator.
pub(super) fn untyped(name: &str) -> Option<ScriptValue> {
    let name = UNTYPED.into_iter().find(|untyped| *untyped == name)?;
    let ScriptValue::Function(function) = operator::find(name)? else { return None };
    Some(HostFunction::value(name, move |args| call(function, args)))
}

/// Calls an operator. The release does not print the type of a call, and reads calls with and without it.
fn call(function: &'static ScriptFn, mut args: CallArgs) -> Result<ScriptValue> {
    let has_type = args.keywords.iter().any(|(keyword, _)| keyword == "dtype")
        || args.positional.first().is_some_and(|first| match first {
            ScriptValue::Str(name) => name.parse::<DataType>().is_ok(),
            ScriptValue::DType(_) => true,
            _ => false,
        });
    if !has_type {
        args.positional.insert(0, ScriptValue::DType(DataType::VOID));
    }
    function.call(args)
}

/// Calls an operator by its name in the release: `tirx.exp`, `prim.ceil`.
pub(super) fn call_intrin(mut args: CallArgs) -> Result<ScriptValue> {
    if let Some(ScriptValue::Str(name)) = args.positional.get_mut(1) {
        let own = Builder::release().renames.operators.own_name(name).into_owned();
        *name = own.as_str().into();
    }
    operator::CALL_INTRIN.call(args)
}
