//! Readers of the dumps that compilers write: one text per pass, in the files of a folder or in a log.
//!
//! [`read`] decides by names of files and by content what a folder or file is, and returns its passes in order as a [`Dump`];
//! [`run`] makes a run of a page of it. Texts need not be ones that the parser reads.
//!
//! | kind | written by |
//! |---|---|
//! | a folder of TVM | TVM's `DumpIR`: `NNN_pass.py` |
//! | a log of TVM | TVM's `PrintBeforeAll` and `PrintAfterAll` |
//! | a folder of TileLang | TileLang's lower trace: `NN_pass_before.tir` and `NN_pass_after.tir` in folders of phases |
//! | a log of MLIR | MLIR's `-mlir-print-ir-after-all` and `-before-all` |
//! | our own folder | `tvmscript opt --dump-dir`: `NN-pass.py`, with the file of `--report` beside them |

mod builder;
mod error;
mod folder;
mod log;
mod mlir;
mod own;
mod parts;
mod run;
mod tilelang;
mod tvm_folder;
mod tvm_log;

use std::path::Path;

pub use error::DumpError;
pub(crate) use folder::{name_of, read_text};
pub use parts::{PartText, parts};
pub use run::{ReadRun, run};

/// Maximum size of all texts of a dump.
pub const MAX_BYTES: u64 = 1 << 30;

/// The writer of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A folder of TVM's `DumpIR`.
    TvmFolder,
    /// A log of TVM's `PrintBeforeAll` and `PrintAfterAll`.
    TvmLog,
    /// A folder of TileLang's lower trace.
    TileLang,
    /// A log of MLIR.
    Mlir,
    /// A folder of `tvmscript opt --dump-dir`.
    Own,
}

/// The texts that passes had, in the order in which the passes ended.
#[derive(Debug, Clone)]
pub struct Dump {
    /// Name of the folder or file, without those around it.
    pub name: String,
    /// All texts, each once.
    pub texts: Vec<String>,
    /// The input, then the passes. Several programs stand one after the other, each with its input.
    pub items: Vec<Item>,
    /// Remarks, e.g. on files that were left out.
    pub notes: Vec<String>,
}

/// A text of a program: the input, or what a pass made of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// Name of the pass; `input` for an input.
    pub name: String,
    /// The phase of the pass, or the program.
    pub phase: Option<String>,
    /// Index of the item whose pass ran this one.
    pub inside: Option<usize>,
    /// Index of the item that the pass got; nothing for an input.
    pub base: Option<usize>,
    /// Time in milliseconds.
    pub ms: Option<f64>,
    /// Nodes of the IR and those with a source, if the dump counts them.
    pub nodes: Option<[u64; 2]>,
    /// `python`, `c` or `text`.
    pub language: &'static str,
    /// Index of the text.
    pub text: usize,
    /// An error of the pass.
    pub error: Option<String>,
}

/// Reads a folder of dumps, or a log.
///
/// # Errors
/// If it cannot be read, is too large, or has no dump.
pub fn read(path: &Path) -> Result<Dump, DumpError> {
    let name = folder::name_of(path);
    let metadata = std::fs::metadata(path).map_err(|error| DumpError::unreadable(&name, &error))?;
    if metadata.is_dir() {
        let folder = folder::Folder::read(path)?;
        return of_folder(name, &folder);
    }
    let text = folder::read_text(path, &name, MAX_BYTES)?;
    of_log(name, &text)
}

/// Reads a log that is in memory.
///
/// # Errors
/// If it has no dump.
pub fn of_log(name: String, text: &str) -> Result<Dump, DumpError> {
    let (kind, dumps) = match tvm_log::dumps(text) {
        dumps if !dumps.is_empty() => (Kind::TvmLog, dumps),
        _ => (Kind::Mlir, mlir::dumps(text)),
    };
    if dumps.is_empty() {
        return Err(DumpError::NoHeading { name });
    }
    let mut builder = builder::Builder::default();
    log::add(&mut builder, dumps, if kind == Kind::TvmLog { "python" } else { "text" });
    Ok(builder.finish(name))
}

fn of_folder(name: String, folder: &folder::Folder) -> Result<Dump, DumpError> {
    let mut builder = builder::Builder::default();
    builder.notes.extend(folder.notes.iter().cloned());
    let found = [
        (Kind::TileLang, tilelang::files(folder)),
        (Kind::Own, own::files(folder)),
        (Kind::TvmFolder, tvm_folder::files(folder)),
    ];
    // The first one of those with most files.
    let best = found.into_iter().rev().max_by_key(|(_, files)| files.len());
    let Some((kind, mut files)) = best.filter(|(_, files)| !files.is_empty()) else {
        return Err(match folder.is_schedule_record() {
            true => DumpError::ScheduleRecord { name },
            false => DumpError::NoDump { name },
        });
    };
    if kind == Kind::TvmFolder && folder.is_schedule_record() {
        return Err(DumpError::ScheduleRecord { name });
    }
    match kind {
        Kind::TileLang => tilelang::add(&mut builder, folder, &files)?,
        Kind::Own => {
            let report = own::add(&mut builder, folder, &files)?;
            files.extend(report);
        }
        _ => tvm_folder::add(&mut builder, folder, &files)?,
    }
    builder.note_others(folder, &files);
    Ok(builder.finish(name))
}
