//! Arguments of `upgrade`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use tvmscript::Release;
use tvmscript::upgrade::steps;

use crate::arg_values::one_of;

/// `upgrade`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript upgrade kernel.py                  the text for the newest release, on standard output
  tvmscript upgrade --diff src/*.py            what would change
  tvmscript upgrade --write src/*.py           change the files
  tvmscript upgrade --to tvm-0.23 kernel.py    back, where a construct has an older form
  tvmscript upgrade --rules                    the differences of the releases

A printed text is printed again in the form of the target. In a Python file only the scripts and their imports change.

Rules that take one of several ways say so in a note. What has no equivalent is an error: the script stays as it was,
and the exit status is 1. With `--lossy` the script changes all the same, and the errors are warnings. Each has a code:
`tvmscript explain-code E1002`. A file of the target release stays as it is.

With `--format json`, each file is one line on standard output:
  {\"file\", \"ok\", \"from\", \"to\", \"changed\", \"text\", \"findings\": [{\"code\", \"kind\", \"severity\", \"message\", ..}]}")]
pub(crate) struct UpgradeArgs {
    /// Input files; `-` is standard input
    #[arg(required_unless_present = "rules", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Release to upgrade to
    #[arg(long, value_name = "PROFILE", default_value = "tvm-0.27", value_parser = targets())]
    pub(crate) to: &'static Release,
    /// Release of the files [default: what each file shows]
    #[arg(long, value_name = "PROFILE", value_parser = sources())]
    pub(crate) from: Option<&'static Release>,
    /// Change the files; each is replaced as a whole or left unchanged
    #[arg(long, conflicts_with = "diff")]
    pub(crate) write: bool,
    /// Show the changes as a unified diff on standard output, and change no file
    #[arg(long, visible_alias = "dry-run")]
    pub(crate) diff: bool,
    /// Change scripts even if they lose something, or keep forms that the target does not read
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: UpgradeFormat,
    /// List the rules as a table in Markdown
    #[arg(long)]
    pub(crate) rules: bool,
}

fn targets() -> impl TypedValueParser<Value = &'static Release> {
    let registry = crate::dialects::registry();
    one_of(registry.releases().filter(|to| steps(registry).any(|step| step.to == *to)))
}

fn sources() -> impl TypedValueParser<Value = &'static Release> {
    let registry = crate::dialects::registry();
    one_of(registry.releases().filter(|from| steps(registry).any(|step| step.from == *from)))
}

/// Output format of `upgrade`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpgradeFormat {
    /// The text, and diagnostics with source lines on standard error
    Human,
    /// One JSON object per file
    Json,
}
