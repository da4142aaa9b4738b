//! Detection of the form of a JSON text.

use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, JsonErrorKind, native};
use tvmscript_ir_core::{Registry, Value};

/// A form of JSON for nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The form of this project, [`native`].
    Native,
    /// TVM's graph, the form of this crate.
    Tvm,
}

/// The form of a text, by the first key of its object; `None` when it is neither.
pub fn detect(text: &str) -> Option<Form> {
    let mut scan = Scanner::new(text);
    scan.expect(b'{').ok()?;
    match &*scan.string().ok()? {
        "format" => Some(Form::Native),
        "root_index" | "nodes" | "metadata" => Some(Form::Tvm),
        _ => None,
    }
}

/// Reads either form.
///
/// # Errors
/// Those of the form's reader; [`JsonErrorKind::UnknownForm`] when the text has neither form.
pub fn load_any(text: &str, registry: &Registry) -> Result<Value, JsonError> {
    match detect(text) {
        Some(Form::Native) => native::load(text, registry),
        Some(Form::Tvm) => crate::load(text, registry),
        None => {
            let forms = "the JSON form of this project nor TVM's graph form";
            Err(JsonError::new(JsonErrorKind::UnknownForm { forms }))
        }
    }
}
