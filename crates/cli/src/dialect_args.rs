//! Dialects that the command line adds, and arguments of `dialect`.

use std::path::PathBuf;

use clap::Subcommand;

// A doc comment would be the text of the whole help.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AddedDialects {
    /// Add the dialect that this TOML file describes, in an earlier edition with `FILE@1.0`; repeatable
    ///
    /// A file may name classes of the files before it.
    #[arg(long = "dialect", global = true, value_name = "FILE")]
    pub(crate) dialects: Vec<PathBuf>,
    /// Add the dialect of this dynamic library, whose code is trusted; repeatable
    #[arg(long = "plugin", global = true, value_name = "FILE")]
    pub(crate) plugins: Vec<PathBuf>,
}

/// `dialect`.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectArgs {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: DialectCommand,
}

/// A command about dialects in files.
#[derive(Debug, Subcommand)]
pub(crate) enum DialectCommand {
    /// Report all mistakes in descriptions, and conflicts with other dialects
    Check(DialectFiles),
    /// Write a reference page in Markdown
    Doc(DialectDoc),
    /// Write the description of a dialect of MLIR, from its definition in IRDL
    FromIrdl(DialectFromIrdl),
    /// Print scripts of earlier editions as the edition of the file has them
    Upgrade(DialectUpgrade),
    /// Write Python stubs for type checkers and editors
    Stubs(DialectStubs),
}

/// Files that describe dialects.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectFiles {
    /// TOML files; each may name classes of those before it
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// `dialect doc`.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectDoc {
    #[command(flatten)]
    pub(crate) files: DialectFiles,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `dialect stubs`.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectStubs {
    /// TOML file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Folder to write the stubs to; created if missing
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

/// `dialect upgrade`.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectUpgrade {
    /// TOML file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Scripts
    #[arg(required = true, value_name = "SCRIPT")]
    pub(crate) scripts: Vec<PathBuf>,
}

/// `dialect from-irdl`.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectFromIrdl {
    /// File in IRDL, with one dialect
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
