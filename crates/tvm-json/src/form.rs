//! Detection of forms of JSON.

use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, JsonErrorKind, UnknownTypes, native};
use tvmscript_ir_core::{Session, Value};

use crate::TvmJsonVersion;

/// A form of JSON for graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The project's own form, [`native`].
    Native,
    /// TVM's graph format, that of this crate.
    Tvm,
    /// TVM's graph format up to TVM 0.20, which is read and not written.
    TvmLegacy,
}

/// Detects the form of a text by the first key of its object.
pub fn detect(text: &str) -> Option<Form> {
    let mut scan = Scanner::new(text);
    scan.expect(b'{').ok()?;
    match &*scan.string().ok()? {
        "format" => Some(Form::Native),
        "root_index" | "nodes" | "metadata" => Some(Form::Tvm),
        "root" | "b64ndarrays" | "attrs" => Some(Form::TvmLegacy),
        _ => None,
    }
}

/// Loads either form.
///
/// # Errors
/// Fails with [`JsonErrorKind::UnknownForm`] if the text is of neither form, and with the errors of the form's loader.
pub fn load_any<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Value, JsonError> {
    load_any_version(text, session, &TvmJsonVersion::V0_23)
}

/// Loads either form; TVM's as a release writes it.
///
/// # Errors
/// Those of [`load_any`].
pub fn load_any_version<'r>(
    text: &str,
    session: impl Into<Session<'r>>,
    version: &'static TvmJsonVersion,
) -> Result<Value, JsonError> {
    load_section(text, session, version, UnknownTypes::Refused)
}

/// Loads either form, that of a metadata section; TVM's as a release writes it. The own form has no unknown types.
///
/// # Errors
/// Those of [`load_any`].
pub fn load_section<'r>(
    text: &str,
    session: impl Into<Session<'r>>,
    version: &'static TvmJsonVersion,
    unknown: UnknownTypes,
) -> Result<Value, JsonError> {
    let session = session.into();
    match (detect(text), unknown) {
        (Some(Form::Native), _) => native::load(text, session),
        (Some(Form::Tvm), UnknownTypes::Refused) => crate::load_version(text, session, version),
        (Some(Form::Tvm), UnknownTypes::Kept) => crate::load_keeping(text, session, version, text),
        (Some(Form::TvmLegacy), _) => crate::load_legacy(text, session),
        (None, _) => {
            if text.trim_start().starts_with(['{', '[']) {
                let mut scan = Scanner::new(text);
                scan.skip_value()?;
                scan.end()?;
            }
            let forms = "the JSON form of this project nor TVM's graph form";
            Err(JsonError::new(JsonErrorKind::UnknownForm { forms }))
        }
    }
}
