//! Arguments of `hash`.

use std::path::PathBuf;

/// `hash`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript hash kernel.py
  tvmscript hash --key kernel.py kernel.json

Prints one line per script, followed by the file name if there are several files: 16 hexadecimal
digits, or 32 with --key. docs/program-keys.md specifies keys.")]
pub(crate) struct Hash {
    /// Input files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print keys for caches: 128 bits that do not depend on names of functions and variables, on
    /// the format of the file, nor on the release where the program is the same
    #[arg(long)]
    pub(crate) key: bool,
    /// Leave out the attributes of functions and modules
    #[arg(long, requires = "key")]
    pub(crate) ignore_attributes: bool,
}
