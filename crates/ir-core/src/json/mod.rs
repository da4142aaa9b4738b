//! JSON: TVM's graph form, read and written ([`tvm`]), and our own ([`native`]).
//!
//! Both are flat lists of nodes in which a shared node stands once, so neither depth nor sharing troubles them.

pub mod base64;
mod emit;
mod error;
pub mod native;
mod scan;
pub mod tvm;

pub use error::{JsonError, JsonErrorKind};

use crate::registry::Registry;
use crate::value::Value;

/// The forms of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Ours, see [`native`].
    Native,
    /// TVM's graph, see [`tvm`].
    Tvm,
}

/// Which form a text is in, by the first key of its object; nothing when it is neither.
pub fn detect(text: &str) -> Option<Form> {
    let mut scan = scan::Scanner::new(text);
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
/// As the reader of the form; [`JsonErrorKind::UnknownForm`] when it is neither.
pub fn load(text: &str, registry: &Registry) -> Result<Value, JsonError> {
    match detect(text) {
        Some(Form::Native) => native::load(text, registry),
        Some(Form::Tvm) => tvm::load(text, registry),
        None => Err(JsonError::new(JsonErrorKind::UnknownForm)),
    }
}
