//! Programs as JSON.

use std::sync::Arc;

use tvmscript::ir_core::SourceTexts;
use tvmscript::ir_core::json::native;
use tvmscript::tvm_json::{self, SaveOptions, TvmJsonVersion};
use tvmscript::{Registry, Release, Session, Value, load_json};

use crate::diagnostics::Findings;
use crate::program::{Dialects, Origin, Part};

/// Form of JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonForm {
    Native,
    Tvm,
}

/// Writes a node as JSON of a release.
pub(crate) fn save(
    part: &Part,
    form: JsonForm,
    release: &Release,
    compact: bool,
) -> Result<String, Findings> {
    let registry: &Registry = &part.origin.dialects;
    let value = Value::Node(part.node.clone());
    match form {
        JsonForm::Native => {
            let release = (release != registry.release()).then(|| release.id());
            Ok(native::save_with(&value, &native::SaveOptions { compact, release }))
        }
        JsonForm::Tvm => {
            let version = registry.of_release(release).and_then(TvmJsonVersion::of);
            let version = version.unwrap_or(&TvmJsonVersion::V0_23);
            let options =
                SaveOptions { version, compact, texts: SourceTexts::new(), ..SaveOptions::default() };
            tvm_json::save_with(&value, &options).map_err(|error| Findings::of_save(&error, part))
        }
    }
}

/// Loads a node from JSON of either form.
pub(crate) fn load(dialects: Arc<Dialects>, name: &str, text: &str) -> Result<Part, Findings> {
    let registry: &Registry = &dialects;
    let loaded =
        load_json(text, Session::new(registry)).map_err(|error| Findings::of_json(&error, name, text))?;
    let origin = Origin::without_text(Arc::clone(&dialects), loaded.release, name);
    Ok(Part { node: loaded.node, origin: Arc::new(origin) })
}
