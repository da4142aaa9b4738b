//! What scripts are read with: all dialects, the constants of the files that `--constants` names, and the dialect of
//! fragments.

use std::path::PathBuf;
use std::sync::OnceLock;

use tvmscript::ir::constants::ConstantStore;
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::LeftOut;
use tvmscript::script_parser::{Header, Parsers};
use tvmscript::{ParseOptions, PrinterConfig, Registry};

use crate::failure::{Failed, Failure};
use crate::input::{self, Script};
use crate::timings::Timings;

static FRAGMENT_OF: OnceLock<&'static str> = OnceLock::new();

/// The dialect whose fragments the scripts are, where they are any.
pub(crate) fn fragment_of() -> Option<&'static str> {
    FRAGMENT_OF.get().copied()
}

/// Says that all scripts are fragments of a dialect.
pub(crate) fn read_fragments_of(dialect: Option<&'static str>) {
    if let Some(dialect) = dialect {
        FRAGMENT_OF.get_or_init(|| dialect);
    }
}

/// The dialects whose fragments are read.
pub(crate) fn fragment_dialects() -> Vec<&'static str> {
    let parsers = tvmscript::registry().slot::<Parsers>();
    parsers.map(|parsers| parsers.fragment_dialects().collect()).unwrap_or_default()
}

static HEADER: OnceLock<Header> = OnceLock::new();

/// Sets what scripts without a header are read with.
pub(crate) fn read_with_header(header: Option<&Header>) {
    if let Some(header) = header {
        HEADER.get_or_init(|| header.clone());
    }
}

/// The limits of what is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputLimits {
    /// The largest file, in bytes.
    pub(crate) file_bytes: u32,
    /// The most memory that the nodes of one file may take.
    pub(crate) node_bytes: u64,
}

static LIMITS: OnceLock<InputLimits> = OnceLock::new();

/// Sets the limits of what is read.
pub(crate) fn set_limits(limits: InputLimits) {
    LIMITS.get_or_init(|| limits);
}

/// The largest file, in bytes.
pub(crate) fn max_file_bytes() -> u32 {
    LIMITS.get().map_or(ParseOptions::default().python.max_text_bytes, |limits| limits.file_bytes)
}

/// How a script is read.
pub(crate) fn parse_options() -> ParseOptions {
    let mut options = printed_options();
    options.header = HEADER.get().cloned().unwrap_or_default();
    options
}

/// How a script is read that was printed here: its own header says all.
pub(crate) fn printed_options() -> ParseOptions {
    let mut options = ParseOptions::default();
    options.fragment_of = fragment_of();
    if let Some(limits) = LIMITS.get() {
        options.python.max_text_bytes = limits.file_bytes;
        options.limits.max_node_bytes = limits.node_bytes;
    }
    options
}

static WITH_CONSTANTS: OnceLock<Registry> = OnceLock::new();

/// The registry.
pub(crate) fn registry() -> &'static Registry {
    WITH_CONSTANTS.get().unwrap_or_else(|| tvmscript::registry())
}

/// The constants that the text of scripts leaves out, when it is to leave out any.
///
/// # Errors
/// When the elements of one are not here.
pub(crate) fn left_out(scripts: &[Script], config: &PrinterConfig) -> Result<Option<ConstantStore>, LeftOut> {
    let Some(limit) = config.part::<ConstantOptions>().elide else { return Ok(None) };
    let mut store = ConstantStore::new();
    scripts.iter().try_for_each(|script| store.add_nodes(&script.node, limit))?;
    Ok(Some(store))
}

/// A registry that has these constants as well.
pub(crate) fn with_constants(store: ConstantStore) -> Option<Registry> {
    // The dialect of the constants has no nodes, and so clashes with none.
    tvmscript::registry_builder().with(store.dialect()).build().ok()
}

/// Reads files of constants, for every later use of the registry.
///
/// # Errors
/// The file that cannot be read or holds something else.
pub(crate) fn add_constants(files: &[PathBuf], timings: &mut Timings) -> Result<(), (PathBuf, Box<Failed>)> {
    if files.is_empty() {
        return Ok(());
    }
    let mut store = ConstantStore::new();
    for path in files {
        let failed = |failure, source| (path.clone(), Failed::new(failure, source));
        let source = input::read(path, timings).map_err(|failure| failed(failure, None))?;
        match ConstantStore::from_json(&source.text, tvmscript::registry()) {
            Ok(more) => store.extend(more),
            Err(error) => return Err(failed(Failure::Constants(error), Some(source))),
        }
    }
    if let Some(registry) = with_constants(store) {
        WITH_CONSTANTS.get_or_init(|| registry);
    }
    Ok(())
}
