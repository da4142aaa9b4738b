//! Calls of functions that the dialect does not have.

use tvmscript_ir::build::arguments_as_written;
use tvmscript_irbuilder::{CallArgs, Result, ScriptValue};

use crate::build::args::convert;
use crate::node::UnknownCall;

/// Keeps a call as it is written. A tuple of expressions is a Relax tuple.
pub(super) fn call(name: &str, mut args: CallArgs) -> Result<ScriptValue> {
    let values = args.positional.iter_mut().chain(args.keywords.iter_mut().map(|(_, value)| value));
    for value in values.filter(|value| matches!(value, ScriptValue::Tuple(_))) {
        if let Ok(tuple) = convert(value) {
            *value = tuple.into();
        }
    }
    let (args, keywords) = arguments_as_written(args)?;
    Ok(UnknownCall::new(name.into(), args, keywords).into())
}
