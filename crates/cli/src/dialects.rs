//! The registry of a run: all dialects of the workspace, and those of `--dialect` and `--plugin`.
//!
//! Flags are made from the registry, so the files are loaded before the command line is parsed.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::OnceLock;

use tvmscript::dialect_file::{DialectFile, MAX_BYTES};
use tvmscript::{Registry, RegistryBuilder, diagnostics};
use tvmscript_capi::{Plugin, PluginError};

use crate::args::ColorWhen;
use crate::{Outcome, output};

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// The registry of this run.
pub(crate) fn registry() -> &'static Registry {
    REGISTRY.get().unwrap_or_else(|| tvmscript::registry())
}

/// Loads the files of `--dialect`, then those of `--plugin`, into the registry of this run.
///
/// # Errors
/// The outcome of a failure, which is shown.
pub(crate) fn load(args: &[OsString]) -> Result<(), Outcome> {
    let (files, plugins) = (values("--dialect", args), values("--plugin", args));
    let registry = match (files.is_empty(), plugins.is_empty()) {
        (true, true) => return Ok(()),
        (true, false) => with_plugins(&[], &plugins)?,
        (false, _) => {
            let (files, registry) = with_files(files.iter().map(Path::new))?;
            if plugins.is_empty() { registry } else { with_plugins(&files, &plugins)? }
        }
    };
    // Nothing else sets it.
    let _ = REGISTRY.set(registry);
    Ok(())
}

/// The values of a flag, as clap reads them.
fn values(flag: &str, args: &[OsString]) -> Vec<OsString> {
    let mut files = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        match text.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')) {
            _ if text == "--" => break,
            Some(file) => files.push(file.into()),
            None if text == flag => files.extend(args.next().cloned()),
            None => {}
        }
    }
    files
}

/// The dialects of files, and the registry of all dialects with them.
///
/// # Errors
/// The outcome of a failure, which is shown.
pub(crate) fn with_files<'f>(
    files: impl Iterator<Item = &'f Path>,
) -> Result<(Vec<DialectFile>, Registry), Outcome> {
    let mut loaded: Vec<DialectFile> = Vec::new();
    let mut registry: Option<Registry> = None;
    for file in files {
        let text = read(file)?;
        let base = registry.as_ref().unwrap_or_else(|| tvmscript::registry());
        let dialect = DialectFile::load(&text, base).map_err(|errors| {
            let color = output::use_color(ColorWhen::Auto, std::io::stderr().is_terminal());
            output::diagnose(&diagnostics::render(&errors, &file.display().to_string(), &text, color));
            Outcome::No
        })?;
        loaded.push(dialect);
        let with = |builder: RegistryBuilder, file: &DialectFile| builder.with(file.dialect());
        let built = loaded.iter().fold(tvmscript::registry_builder(), with).build();
        registry = Some(built.map_err(|errors| {
            output::diagnose(&format!("error: {}: {errors}", file.display()));
            Outcome::No
        })?);
    }
    match registry {
        Some(registry) => Ok((loaded, registry)),
        None => {
            output::diagnose("error: name a file that describes a dialect");
            Err(Outcome::Misused)
        }
    }
}

/// The registry of all dialects with those of files and of plugins.
fn with_plugins(files: &[DialectFile], paths: &[OsString]) -> Result<Registry, Outcome> {
    let mut plugins: Vec<Plugin> = Vec::new();
    let build = |plugins: &[Plugin], shown: &Path| {
        let builder =
            files.iter().fold(tvmscript::registry_builder(), |builder, file| builder.with(file.dialect()));
        let builder = plugins.iter().fold(builder, |builder, plugin| builder.with(plugin.dialect()));
        builder.build().map_err(|errors| failed(&PluginError::Clash { message: errors.to_string() }, shown))
    };
    let mut registry = build(&plugins, Path::new(""))?;
    for path in paths.iter().map(Path::new) {
        plugins.push(Plugin::load(path, &registry).map_err(|error| failed(&error, path))?);
        registry = build(&plugins, path)?;
    }
    Ok(registry)
}

fn failed(error: &PluginError, path: &Path) -> Outcome {
    let color = output::use_color(ColorWhen::Auto, std::io::stderr().is_terminal());
    output::diagnose(&error.render(path, color));
    Outcome::No
}

fn read(file: &Path) -> Result<String, Outcome> {
    let fail = |error: &dyn std::fmt::Display| {
        output::diagnose(&format!("error: {}: {error}", file.display()));
        Outcome::Misused
    };
    let size = std::fs::metadata(file).map_err(|error| fail(&error))?.len();
    if size > MAX_BYTES as u64 {
        return Err(fail(&format!("the file is larger than {MAX_BYTES} bytes")));
    }
    std::fs::read_to_string(file).map_err(|error| fail(&error))
}
