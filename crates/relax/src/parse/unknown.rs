//! Calls of functions that the dialect does not have.

use tvmscript_ir::build::arguments_as_written;
use tvmscript_ir_core::{Array, Str, Value};
use tvmscript_irbuilder::{BuildResult, CallArgs, FromScript, ScriptValue};

use crate::build::args::{InfoArg, convert};
use crate::build::device::Device;
use crate::node::UnknownCall;

/// Keeps a call as it is written. A tuple of expressions is a Relax tuple, and `R.Object` is struct info.
pub(super) fn call(name: &str, mut args: CallArgs) -> BuildResult<ScriptValue> {
    let values = args.positional.iter_mut().chain(args.keywords.iter_mut().map(|(_, value)| value));
    for value in values {
        let ScriptValue::Tuple(items) = value else {
            *value = node_of(value);
            continue;
        };
        match convert(&ScriptValue::Tuple(items.clone())) {
            Ok(tuple) => *value = tuple.into(),
            Err(_) => *value = ScriptValue::tuple(items.iter().map(node_of)),
        }
    }
    let (args, keywords) = arguments_as_written(args)?;
    Ok(UnknownCall::new(name.into(), args, keywords).into())
}

/// The struct info that the name of a function without parentheses stands for, and the call that makes a device; other
/// values as they are.
fn node_of(value: &ScriptValue) -> ScriptValue {
    if let Some(device) = value.as_host::<Device>() {
        let numbers = [device.device_type, device.index].map(|number| Value::Int(number.into()));
        let keywords = ["device_type", "index"].map(Str::new);
        return UnknownCall::new("device".into(), Array::of_values(numbers), keywords.into_iter().collect())
            .into();
    }
    let info = matches!(value, ScriptValue::Function(_)).then(|| InfoArg::from_script(value.clone()));
    match info {
        Some(Ok(info)) => info.0.into(),
        _ => value.clone(),
    }
}
