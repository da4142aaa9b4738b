//! Global settings of a run, and the registry with the dialects and constants that scripts use.

use std::path::PathBuf;
use std::sync::OnceLock;

use tvmscript::ir::constants::ConstantStore;
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::Elided;
use tvmscript::script_parser::{CaptureRule, UnknownFunctions};
use tvmscript::{ParseOptions, PrinterConfig, Registry};

use crate::args::GlobalArgs;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script};
use crate::modules;
use crate::python_args::{Capture, Unknown};
use crate::timings::Timings;

static GLOBAL: OnceLock<GlobalArgs> = OnceLock::new();

/// Sets the global flags, once per run.
pub(crate) fn set_global(args: &GlobalArgs) {
    GLOBAL.get_or_init(|| args.clone());
}

fn global() -> &'static GlobalArgs {
    GLOBAL.get().expect("`command::run` sets the flags before any other work")
}

/// Dialect of which all scripts are fragments, if `--fragment` is given.
pub(crate) fn fragment_of() -> Option<&'static str> {
    global().fragment
}

/// Maximum size of an input file, in bytes.
pub(crate) fn max_input_bytes() -> u32 {
    global().max_input_bytes
}

/// Options for parsing scripts of an input file.
pub(crate) fn parse_options(file: &str) -> ParseOptions {
    let global = global();
    let mut options = reparse_options();
    options.header = global.header.clone().unwrap_or_default();
    options.set = global.python.set.clone();
    options.calls = global.python.call.clone();
    options.capture = match global.capture {
        Capture::Tvm => CaptureRule::All,
        Capture::Rfc => CaptureRule::Declared,
    };
    options.unknown_functions = match global.unknown_functions {
        Unknown::Printed => UnknownFunctions::KeptInPrinted,
        Unknown::Keep => UnknownFunctions::Kept,
        Unknown::Refuse => UnknownFunctions::Refused,
    };
    options.modules = global.python.import_root.as_deref().and_then(|root| modules::loader(root, file));
    options
}

/// Names of the scripts to take; all if empty.
pub(crate) fn selected() -> &'static [String] {
    &global().python.select
}

/// Options for parsing text that this command printed, which contains its own header.
pub(crate) fn reparse_options() -> ParseOptions {
    let global = global();
    let mut options = ParseOptions::default();
    options.fragment_of = global.fragment;
    options.unknown_functions = UnknownFunctions::Kept;
    options.release = global.release;
    #[cfg(feature = "ruff")]
    {
        options.python.backend = tvmscript::python_syntax::Backend::Ruff;
    }
    options.python.max_text_bytes = global.max_input_bytes;
    options.limits.max_node_bytes = global.max_node_bytes;
    options.limits.max_steps = global.python.max_python_steps;
    options.limits.max_memory_bytes = global.python.max_value_bytes;
    options.limits.max_call_depth = global.python.max_call_depth;
    options
}

/// The default printer configuration with the selected release.
pub(crate) fn printer_config() -> PrinterConfig {
    PrinterConfig { release: global().release, ..PrinterConfig::default() }
}

static WITH_CONSTANTS: OnceLock<Registry> = OnceLock::new();

/// The registry, including the constants of `--constants`.
pub(crate) fn registry() -> &'static Registry {
    WITH_CONSTANTS.get().unwrap_or_else(|| tvmscript::registry())
}

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

/// Adds the constants of files to the registry.
///
/// # Errors
/// The first file that cannot be read or holds no constants.
pub(crate) fn add_constants(
    files: &[PathBuf],
    timings: &mut Timings,
) -> Result<(), (PathBuf, Box<FileError>)> {
    if files.is_empty() {
        return Ok(());
    }
    let mut store = ConstantStore::new();
    for path in files {
        let failed = |failure, source| (path.clone(), FileError::new(failure, source));
        let source = input::read(path, timings).map_err(|failure| failed(failure, None))?;
        match ConstantStore::from_json(&source.text, tvmscript::registry()) {
            Ok(more) => store.extend(more),
            Err(error) => return Err(failed(FileErrorKind::Constants(error), Some(source))),
        }
    }
    if let Some(registry) = with_constants(store) {
        WITH_CONSTANTS.get_or_init(|| registry);
    }
    Ok(())
}
