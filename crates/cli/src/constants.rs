//! Constants that texts leave out.

use std::path::{Path, PathBuf};

use tvmscript::frontend::params::ParamsFormat;
use tvmscript::ir::constants::ConstantStore;
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::Elided;
use tvmscript::{PrinterConfig, Registry};

use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script};
use crate::safetensors;
use crate::settings::Settings;
use crate::timings::Timings;

/// Constants that the printed text of scripts leaves out, if the configuration leaves out any.
///
/// # Errors
/// If the elements of a constant are not available.
pub(crate) fn elided(scripts: &[Script], config: &PrinterConfig) -> Result<Option<ConstantStore>, Elided> {
    let Some(limit) = config.part::<ConstantOptions>().elide else { return Ok(None) };
    let mut store = ConstantStore::new();
    scripts.iter().try_for_each(|script| store.add_nodes(&script.node, limit))?;
    Ok(Some(store))
}

/// A registry that also contains the given constants.
pub(crate) fn with_constants(store: ConstantStore) -> Option<Registry> {
    // The dialect of the constants has no nodes, so it cannot conflict with another dialect.
    tvmscript::registry_builder().with(store.dialect()).build().ok()
}

/// A registry that also contains the constants of files; `None` if there are no files.
///
/// # Errors
/// The first file that cannot be read or holds no constants.
pub(crate) fn load<'f>(
    files: &'f [PathBuf],
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Option<Registry>, (&'f Path, Box<FileError>)> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut store = ConstantStore::new();
    for path in files {
        let failed = |failure, source| (path.as_path(), FileError::new(failure, source));
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if let Some(format) = ParamsFormat::of_extension(&extension.to_ascii_lowercase()) {
            let unreadable = |reason| failed(FileErrorKind::Unreadable { reason }, None);
            add_params(path, format, &mut store).map_err(unreadable)?;
            continue;
        }
        let source = input::read(path, settings, timings).map_err(|failure| failed(failure, None))?;
        match ConstantStore::from_json(&source.text, settings.registry()) {
            Ok(more) => store.extend(more),
            Err(error) => return Err(failed(FileErrorKind::Constants(error), Some(source))),
        }
    }
    Ok(with_constants(store))
}

/// Adds the tensors of a file that `import --params` wrote; texts name them by their content.
fn add_params(path: &Path, format: ParamsFormat, store: &mut ConstantStore) -> Result<(), String> {
    if format == ParamsFormat::Npz {
        return Err("`.npz` is not read; `import --params FILE.safetensors` writes what is".to_owned());
    }
    let file = std::fs::read(path).map_err(|error| error.to_string())?;
    for tensor in safetensors::tensors(file)? {
        store.insert(tensor).map_err(|error| error.to_string())?;
    }
    Ok(())
}
