//! `cargo xtask conformance`: what TVM printed, read and printed by us, and the real TVM's word on it.
//!
//! Offline, each file of a corpus is parsed, printed, parsed again and compared; the figures stand beside TVM's own,
//! which the corpus records. With `--oracle` the real TVM reads what we printed, and its own IR of the original text
//! is compared with ours field by field: what our first parse lost, only this shows.
//!
//! Figures may not get worse: `tests/conformance/floors.json` holds the misses of each kind, and `--bless` rewrites it.

mod check;
mod corpus;
mod floors;
mod graph;
mod live;
mod oracle;
mod report;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use xtask::workspace;

pub use check::{difference as one_line_difference, in_parallel};
pub use corpus::{Program, load as load_corpus, pass_fixtures};
pub use floors::hold as hold_floors;
pub use oracle::{Oracle, equal as equal_request, print_of as print_request};
pub use report::{Figures, cause, share};

/// Options of `cargo xtask conformance`.
#[derive(Args)]
pub struct Options {
    /// The corpus: a folder with an `index.jsonl`, or just with Python files [default: tests/corpus].
    dir: Option<PathBuf>,
    /// Kinds to check, comma-separated [default: tir,tir_lowered,relax,mixed,large].
    #[arg(long, value_delimiter = ',')]
    kind: Vec<String>,
    /// Check only files whose name contains this text (no floors then).
    #[arg(long)]
    filter: Option<String>,
    /// Ask the real TVM, too; also about the fixtures.
    #[arg(long)]
    oracle: bool,
    /// The virtual environment that holds TVM [default: $TVMSCRIPT_ORACLE_VENV].
    #[arg(long)]
    venv: Option<PathBuf>,
    /// Record the present misses as the floors.
    #[arg(long)]
    bless: bool,
    /// Failures shown for each kind and question; all of them go to target/conformance.
    #[arg(long, default_value_t = 8)]
    show: usize,
    /// Name each file on standard error before it is read (finds the one that aborts).
    #[arg(long)]
    trace: bool,
}

/// Runs the checks.
///
/// # Errors
/// When a floor is not held, or the material cannot be read.
pub fn run(options: &Options) -> Result<()> {
    let dir = match &options.dir {
        Some(dir) => dir.clone(),
        None => workspace::root().join("tests/corpus"),
    };
    let kinds: Vec<String> = if options.kind.is_empty() {
        ["tir", "tir_lowered", "relax", "mixed", "large"].map(String::from).to_vec()
    } else {
        options.kind.clone()
    };
    let mut programs = corpus::load(&dir, &kinds, options.filter.as_deref())?;
    if programs.is_empty() {
        bail!("no programs in {}", dir.display());
    }
    if options.oracle {
        programs.extend(corpus::fixtures(options.filter.as_deref())?);
    }
    let name = dir.canonicalize()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut outcomes = check::all(&programs, options.trace);
    if options.oracle {
        let venv =
            options.venv.clone().or_else(|| std::env::var_os("TVMSCRIPT_ORACLE_VENV").map(PathBuf::from));
        let Some(venv) = venv else { bail!("--oracle needs --venv DIR or TVMSCRIPT_ORACLE_VENV") };
        live::all(&programs, &mut outcomes, &oracle::Oracle::new(&venv)?);
    }
    let figures = report::table(&programs, &outcomes);
    report::failures(&name, &programs, &outcomes, options.show)?;
    if options.filter.is_some() {
        return Ok(());
    }
    floors::hold(&name, &figures, options.bless)
}

/// The names and texts of the programs of these kinds.
///
/// # Errors
/// When they cannot be read.
pub fn load_kinds(dir: &std::path::Path, kinds: &[String]) -> Result<Vec<(String, String)>> {
    Ok(corpus::load(dir, kinds, None)?
        .into_iter()
        .map(|p| (format!("{}/{}", p.kind, p.name), p.text))
        .collect())
}
