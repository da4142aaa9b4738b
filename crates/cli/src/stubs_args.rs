//! Arguments of `stubs`.

use std::path::PathBuf;

use clap::ValueEnum;

/// `stubs`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript stubs typings                                  packages that pyright finds in `typings`
  MYPYPATH=typings mypy kernel.py                          and mypy
  PYTHONPATH=typings pylint --load-plugins=tvmscript_pylint kernel.py
  tvmscript stubs --stub-packages venv/lib/python3.12/site-packages
  tvmscript stubs --format json -o functions.json          signatures and documentation as data

Stubs are generated from the declarations of the functions that scripts call. Plugins of mypy and pylint and a setting
of ruff are written beside them; README.md in the folder says how to use them. Files of an earlier version are replaced.")]
pub(crate) struct StubsArgs {
    /// Folder to write the stubs to; created if missing
    #[arg(value_name = "DIR", required_if_eq("format", "stubs"))]
    pub(crate) dir: Option<PathBuf>,
    /// Lay the stubs out as partial stub-only packages (PEP 561), for `site-packages`
    #[arg(long)]
    pub(crate) stub_packages: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "stubs")]
    pub(crate) format: StubsFormat,
    /// Write JSON or Markdown to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE", conflicts_with = "dir")]
    pub(crate) output: Option<PathBuf>,
}

/// Output format of `stubs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StubsFormat {
    /// A folder of `.pyi` files
    Stubs,
    /// A JSON array: name, dialect, signature, documentation and parameters of each function
    Json,
    /// A page with a section per dialect
    Markdown,
}
