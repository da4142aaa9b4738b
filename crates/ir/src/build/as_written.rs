//! Arguments of calls that are kept as they are written.

use tvmscript_ir_core::{Array, Ref, Str, Value};
use tvmscript_irbuilder::{BuildResult, CallArgs, FromScript, ScriptValue};
use tvmscript_prim::WrittenTuple;

/// Context of releases whose texts stay as they are written where TVM 0.23 computes: extents of loops are not simplified,
/// targets not completed.
#[derive(Debug)]
pub struct AsWritten;

/// All arguments in order, and the names of the last ones.
///
/// # Errors
/// If an argument is not a value that a node can hold, such as a function.
pub fn arguments_as_written(args: CallArgs) -> BuildResult<(Array<Value>, Array<Str>)> {
    let mut values = Vec::with_capacity(args.positional.len() + args.keywords.len());
    for (i, value) in args.positional.into_iter().enumerate() {
        values.push(written(value).map_err(|error| error.at_position(i))?);
    }
    let mut keywords: Vec<Str> = Vec::with_capacity(args.keywords.len());
    for (keyword, value) in args.keywords {
        values.push(written(value).map_err(|error| error.at_parameter(keyword.as_str()))?);
        keywords.push(keyword);
    }
    Ok((Array::of_values(values), keywords.into_iter().collect()))
}

fn written(value: ScriptValue) -> BuildResult<Value> {
    if let ScriptValue::Tuple(items) = &value {
        let items: Vec<Value> = items.iter().cloned().map(Value::from_script).collect::<BuildResult<_>>()?;
        return Ok(Value::Node(Ref::new(WrittenTuple { items: Array::of_values(items) }).into()));
    }
    Value::from_script(value)
}
