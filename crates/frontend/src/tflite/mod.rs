//! TFLite models, as TVM's importer reads them.
//!
//! Upstream counterpart: `python/tvm/relax/frontend/tflite/tflite_frontend.py`.

mod flatbuffer;
mod flexbuffer;
mod importer;
mod model;
mod node;
mod operators;
mod schema;
mod sparse;

use crate::error::{ImportError, ImportErrors, ImportWarning};
use crate::model::{Format, Model};
use crate::operators::OperatorDoc;
use crate::{ImportOptions, Imported};

/// The identifier of the format, after the offset of the first table.
const IDENTIFIER: &[u8] = b"TFL3";

/// Converts a model.
///
/// # Errors
/// Fails for models that are damaged or use what is not supported; all reasons that were found are in the error.
pub fn import(model: &Model, options: &ImportOptions) -> Result<Imported, ImportErrors> {
    let failed = |reason: String| ImportError::Container { format: Format::Tflite, reason };
    let file = flatbuffer::File::new(&model.bytes);
    let decoded = model::decode(&file).map_err(failed)?;
    let mut warnings: Vec<ImportWarning> =
        decoded.odd_names.iter().map(|name| ImportWarning::NotUtf8 { name: name.clone() }).collect();
    if model.bytes.get(4..8) != Some(IDENTIFIER) {
        let what = "the file does not have the identifier `TFL3` of TFLite models".to_owned();
        warnings.push(ImportWarning::Container { what });
    }
    let mut imported = importer::import(&decoded, options)?;
    warnings.append(&mut imported.warnings);
    imported.warnings = warnings;
    Ok(imported)
}

/// The supported operators, in order of their names.
pub fn supported_operators() -> Vec<OperatorDoc> {
    operators::docs()
}
