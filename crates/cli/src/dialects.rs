//! The registry of a run: all dialects of the workspace, and those of `--dialect`.
//!
//! Flags are made from the registry, so the files are loaded before the command line is parsed.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tvmscript::dialect_file::{DialectFile, Editions, LoadOptions, MAX_BYTES};
use tvmscript::ir::IRModule;
use tvmscript::pass::PassDialect as _;
use tvmscript::{Registry, RegistryBuilder, diagnostics};
use tvmscript_capi::{Plugin, PluginError};

use crate::args::ColorWhen;
use crate::{Outcome, output};

static LOADED: OnceLock<(Vec<DialectFile>, Registry)> = OnceLock::new();

/// The registry of this run.
pub(crate) fn registry() -> &'static Registry {
    LOADED.get().map_or_else(|| tvmscript::registry(), |(_, registry)| registry)
}

/// The dialects of `--dialect`.
pub(crate) fn loaded() -> &'static [DialectFile] {
    LOADED.get().map_or(&[], |(files, _)| files)
}

/// Loads the files of `--dialect`, then those of `--plugin`, into the registry of this run.
///
/// # Errors
/// The outcome of a failure, which is shown.
pub(crate) fn load(args: &[OsString]) -> Result<(), Outcome> {
    let files: Vec<_> = values("--dialect", args).iter().map(with_edition).collect();
    let plugins = values("--plugin", args);
    let loaded = match (files.is_empty(), plugins.is_empty()) {
        (true, true) => return Ok(()),
        (true, false) => (Vec::new(), with_plugins(&[], &plugins)?),
        (false, _) => {
            let chosen = files.iter().map(|(file, edition)| {
                (file.as_path(), edition.as_deref().map_or(Editions::Newest, Editions::One))
            });
            let (files, registry) = with_files(chosen)?;
            let registry = if plugins.is_empty() { registry } else { with_plugins(&files, &plugins)? };
            (files, registry)
        }
    };
    // Nothing else sets it.
    let _ = LOADED.set(loaded);
    Ok(())
}

/// A file, and its edition after `@`: `toy.toml@1.0`.
fn with_edition(file: &OsString) -> (PathBuf, Option<String>) {
    let text = file.to_string_lossy();
    match text.rsplit_once('@') {
        Some((name, edition)) if !Path::new(file).exists() => (name.into(), Some(edition.to_owned())),
        _ => (file.into(), None),
    }
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
    files: impl Iterator<Item = (&'f Path, Editions<'f>)>,
) -> Result<(Vec<DialectFile>, Registry), Outcome> {
    let mut loaded: Vec<DialectFile> = Vec::new();
    let mut registry: Option<Registry> = None;
    for (file, editions) in files {
        let text = read(file)?;
        let base = registry.as_ref().unwrap_or_else(|| tvmscript::registry());
        let folder = file.parent().unwrap_or(Path::new(""));
        let beside = |name: &str| {
            let file = folder.join(name);
            let is_small = std::fs::metadata(&file).is_ok_and(|data| data.len() <= MAX_BYTES as u64);
            is_small.then(|| std::fs::read_to_string(&file).ok()).flatten()
        };
        let dialect = DialectFile::load_with(&text, base, &LoadOptions { read: &beside, editions }).map_err(
            |errors| {
                let color = output::use_color(ColorWhen::Auto, std::io::stderr().is_terminal());
                output::diagnose(&diagnostics::render(&errors, &file.display().to_string(), &text, color));
                Outcome::No
            },
        )?;
        loaded.push(dialect);
        let built = loaded.iter().fold(tvmscript::registry_builder(), with_file).build();
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

/// Adds the dialect of a file, with the pass that lowers its nodes.
fn with_file(builder: RegistryBuilder, file: &DialectFile) -> RegistryBuilder {
    match file.lowering() {
        Some(lowering) => builder.with(file.dialect().pass::<IRModule>(lowering)),
        None => builder.with(file.dialect()),
    }
}

/// The registry of all dialects with those of files and of plugins.
fn with_plugins(files: &[DialectFile], paths: &[OsString]) -> Result<Registry, Outcome> {
    let mut plugins: Vec<Plugin> = Vec::new();
    let build = |plugins: &[Plugin], shown: &Path| {
        let builder = files.iter().fold(tvmscript::registry_builder(), with_file);
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

/// Reads a description.
///
/// # Errors
/// The outcome of a failure, which is shown.
pub(crate) fn read(file: &Path) -> Result<String, Outcome> {
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
