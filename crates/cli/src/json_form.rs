//! The forms in which JSON is written.

use tvmscript::ir_core::SourceTexts;
use tvmscript::ir_core::json::{SaveError, native};
use tvmscript::tvm_json::{self, Form, SaveOptions, TvmJsonVersion};
use tvmscript::{Registry, Release, Value};

/// A form of JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonForm {
    pub(crate) form: Form,
    /// One line, without indentation.
    pub(crate) compact: bool,
}

impl JsonForm {
    /// The form of a text; `None` if it is not JSON.
    pub(crate) fn of(text: &str) -> Option<JsonForm> {
        let form = tvm_json::detect(text)?;
        Some(JsonForm { form, compact: !text.trim_end().contains('\n') })
    }

    /// Writes a program of a release, with a line break at the end. `texts` are for the lines and columns of positions,
    /// which are left out otherwise.
    ///
    /// # Errors
    /// See [`tvm_json::save_with`].
    pub(crate) fn write(
        &self,
        value: &Value,
        release: &Release,
        registry: &Registry,
        texts: SourceTexts,
    ) -> Result<String, SaveError> {
        let JsonForm { form, compact } = *self;
        let mut text = match form {
            Form::Tvm | Form::TvmLegacy => {
                let version = registry.of_release(release).and_then(TvmJsonVersion::of);
                let version = version.unwrap_or(&TvmJsonVersion::V0_23);
                tvm_json::save_with(
                    value,
                    &SaveOptions { version, compact, texts, ..SaveOptions::default() },
                )?
            }
            Form::Native => {
                let release = (release != registry.release()).then(|| release.id());
                native::save_with(value, &native::SaveOptions { compact, release })
            }
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }
}
