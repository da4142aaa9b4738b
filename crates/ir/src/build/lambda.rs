//! Script functions as values: calls with variables as parameters and expressions as results.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, CallArgs, ScriptValue};
use tvmscript_prim::{Expr, IndexMap, Var};

/// Calls a script function with new variables; `convert` turns the results into expressions.
///
/// # Errors
/// If the value is not a function, or a result not an expression.
pub fn call_with_vars(
    function: &ScriptValue,
    vars: &[Ref<Var>],
    convert: impl Fn(ScriptValue) -> BuildResult<Expr>,
) -> BuildResult<Vec<Expr>> {
    let args = CallArgs::positional(vars.iter().map(|v| v.clone().into()));
    let result = match function {
        ScriptValue::Function(f) => f.call(args)?,
        ScriptValue::Host(host) if host.is_callable() => host.call(args)?,
        other => return Err(BuildError::expected("a lambda", other.type_name()).at_position(0)),
    };
    match result.items() {
        Some(items) => items.into_iter().map(convert).collect(),
        None => Ok(vec![convert(result)?]),
    }
}

/// The parameter names of a lambda, if known.
pub fn parameter_names(function: &ScriptValue) -> Vec<String> {
    match function {
        ScriptValue::Host(host) => {
            match host.attribute("__parameters__").as_ref().and_then(ScriptValue::items) {
                Some(names) => names.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect(),
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The index map that a script function computes.
///
/// # Errors
/// If the value is not a function, or a result not an expression.
pub fn index_map_of(
    mapping: &ScriptValue,
    index_dtype: DataType,
    convert: impl Fn(ScriptValue) -> BuildResult<Expr>,
) -> BuildResult<Ref<IndexMap>> {
    let vars: Vec<Ref<Var>> =
        parameter_names(mapping).into_iter().map(|n| Var::new(n, index_dtype)).collect();
    let results = call_with_vars(mapping, &vars, convert)?;
    Ok(Ref::new(IndexMap {
        initial_indices: Array::new(vars),
        final_indices: Array::new(results),
        inverse_index_map: None,
    }))
}
