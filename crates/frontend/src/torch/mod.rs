//! Programs of `torch.export` (`.pt2`) of PyTorch 2.8 and newer, as TVM's importer reads them.
//!
//! Upstream counterparts: `python/tvm/relax/frontend/torch/{exported_program_translator,base_fx_graph_translator}.py`.

mod archive;
mod argument;
mod importer;
mod inputs;
mod node;
mod operators;
mod program;
mod symbols;
mod value;
mod weights;

use self::archive::Archive;
use self::program::Program;
use crate::error::{ImportError, ImportErrors, ImportWarning};
use crate::model::{Format, Model};
use crate::operators::OperatorDoc;
use crate::{ImportOptions, Imported};

/// The version of the format that is read.
const MAJOR: i64 = 8;
/// The newest minor version that was tested.
const MINOR: i64 = 20;

/// Converts a program.
///
/// # Errors
/// Fails for programs that are damaged or use what is not supported; all reasons that were found are in the error.
pub fn import(model: &Model, options: &ImportOptions) -> Result<Imported, ImportErrors> {
    let failed = |reason: String| ImportError::Container { format: Format::Torch, reason };
    let archive = Archive::open(model.bytes.clone()).map_err(failed)?;
    let name = archive.program().map_err(failed)?;
    let text = archive.read(&format!("models/{name}.json")).map_err(failed)?;
    // The reader limits the depth of values.
    let program: Program =
        serde_json::from_slice(&text).map_err(|error| failed(format!("the program {name}.json: {error}")))?;
    let mut warnings = Vec::new();
    match program.schema_version.major {
        MAJOR if program.schema_version.minor > MINOR => warnings.push(ImportWarning::Container {
            what: format!(
                "the program is of version {MAJOR}.{} of the format; versions up to {MAJOR}.{MINOR} were tested",
                program.schema_version.minor
            ),
        }),
        MAJOR => {}
        major => return Err(failed(format!("it is of version {major} of the format; {MAJOR} is read")).into()),
    }
    let weights = weights::Weights::read(&archive, &name, options.max_folded_bytes).map_err(failed)?;
    let mut imported = importer::import(&program, &weights, options)?;
    imported.warnings.splice(..0, warnings);
    Ok(imported)
}

/// The supported operators, in order of their names.
pub fn supported_operators() -> Vec<OperatorDoc> {
    operators::docs()
}
