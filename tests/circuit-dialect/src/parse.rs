//! Functions of scripts. The other statements have default handlers.

use std::ptr;

use tvmscript_irbuilder::{self as irbuilder, BuildError, IntoScript as _, ScriptValue};
use tvmscript_python_syntax::ast::FunctionDef;
use tvmscript_script_parser::{Definition, EvalResult, Parser, defaults};

use crate::build;

/// `@C.circuit def name(wire: C.Wire, ..): ..`.
pub(crate) fn circuit(
    p: &mut Parser,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<ScriptValue>> {
    defaults::function(p, definition, |name| build::circuit(name).into_script(), parameter)
}

/// Adds an input for a parameter `name: C.Wire`.
fn parameter(name: &str, annotation: Option<ScriptValue>) -> irbuilder::BuildResult<ScriptValue> {
    let found = match annotation {
        Some(ScriptValue::Function(function)) if ptr::eq(function, &build::WIRE) => {
            return Ok(build::add_input(name)?.into_script());
        }
        Some(_) => "a parameter of another type",
        None => "a parameter without type",
    };
    Err(BuildError::expected(format!("`{name}: C.Wire`"), found))
}
