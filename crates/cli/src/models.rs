//! Models as inputs: every command that reads a script also reads a model, which it imports.

use std::io::Read as _;
use std::path::Path;

use tvmscript::diagnostics::Diagnostic;
use tvmscript::frontend::{self, Format, ImportError, ImportErrors, ImportOptions, Imported, Model};
use tvmscript::ir_core::ObjectLike as _;
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::{Release, registry};

use crate::failure::{FileError, FileErrorKind};
use crate::input::{Input, Script, Source, Warnings, display_name, is_stdin};
use crate::timings::Timings;

/// Constants of more elements are left out of texts that another file completes, and of those for people.
pub(crate) const SHOWN_ELEMENTS: u64 = 16;

/// The release whose importers build the same modules.
const RELEASE: &str = "tvm-0.27";

/// The release of imported modules.
pub(crate) fn release() -> Option<&'static Release> {
    registry().find_release(RELEASE).ok()
}

/// Returns `true` for files and folders whose names are those of models.
pub(crate) fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase) {
        Some(extension) if Format::of_extension(&extension).is_some() => true,
        _ => ["saved_model.pb", "saved_model.pbtxt"].iter().any(|name| path.join(name).is_file()),
    }
}

/// Imports a model; its warnings are about the file as a whole.
pub(crate) fn import(
    path: &Path,
    format: Option<Format>,
    options: &ImportOptions,
    timings: &mut Timings,
) -> Result<(Imported, Warnings), Box<FileError>> {
    let failed = |errors: ImportErrors| {
        let kind = match errors.first() {
            Some(ImportError::File { path: file, error }) if file == path => {
                FileErrorKind::Unreadable { reason: error.clone() }
            }
            _ => FileErrorKind::Import(errors),
        };
        FileError::new(kind, None)
    };
    let model = timings.time("read", || match format {
        Some(format) if is_stdin(path) => standard_input(format),
        Some(format) => Model::open_as(path, format),
        None => Model::open(path),
    });
    let model = model.map_err(failed)?;
    timings.input_bytes += model.byte_count();
    let imported = timings.time("import", || frontend::import(&model, options)).map_err(failed)?;
    let warning = |warning: &frontend::ImportWarning| {
        Diagnostic::<frontend::ImportWarning>::warning(warning.clone(), TextRange::default()).erased()
    };
    let source = Source::new(display_name(path), String::new());
    let warnings = imported.warnings.iter().map(warning).collect();
    Ok((imported, Warnings::default().with(&source, warnings)))
}

/// A model of which all is on standard input.
fn standard_input(format: Format) -> Result<Model, ImportErrors> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    let failed = |error: std::io::Error| ImportError::File { path: "-".into(), error: error.to_string() };
    read.map_err(failed)?;
    Ok(Model::from_bytes(format, bytes))
}

/// Imports a model as the input of a command.
pub(crate) fn load(path: &Path, timings: &mut Timings) -> Result<Input, Box<FileError>> {
    let (imported, warnings) = import(path, None, &ImportOptions::default(), timings)?;
    let script = Script {
        name: Some("Module".to_owned()),
        node: imported.module.into_object(),
        range: TextRange::default(),
        definition: TextRange::default(),
        is_checked: true,
        release: release().unwrap_or_else(|| registry().release()),
        origin: None,
    };
    Ok(Input { source: Source::new(display_name(path), String::new()), scripts: vec![script], warnings })
}
