//! Node fields as attributes in scripts, by reflection.

use tvmscript_ir_core::{FieldRef, Object, Value};
use tvmscript_irbuilder::{BuildResult, ScriptValue};

/// The value of a node's field.
///
/// # Errors
/// None; the signature is that of attribute rules.
pub fn field(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(index) = object.info().field_index(name) else { return Ok(None) };
    Ok(Some(match object.field(index) {
        FieldRef::Node(o) => ScriptValue::from(&Value::Node(o.clone())),
        // Upstream returns dtypes as strings.
        FieldRef::DType(d) => ScriptValue::str(&d.to_string()),
        other => ScriptValue::from(&other.to_value()),
    }))
}

/// The names of a node's fields.
pub fn field_names(object: &Object) -> Vec<String> {
    object.info().fields().iter().map(|f| f.name.to_owned()).collect()
}
