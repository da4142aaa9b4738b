//! Arguments of `explore`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::PassArgs;
use crate::printer::TextArgs;

/// `explore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript explore kernel.py --passes tir.LowerInitBlock,tir.UnrollLoop,tir.Simplify -o page.html
  tvmscript explore model.onnx --passes default -o page.html
  tvmscript explore kernel.py --trace schedule.py -o page.html
  tvmscript explore model.onnx --format model-explorer -o model.json
  tvmscript explore kernel.py --passes tir.Simplify --format json | jq '.runs[0].versions[].name'

The page is one file: open it in a browser, without a server or a network. It lists the passes, shows the text before and
after each with the differences, and marks the lines that came from a line of the input or from a layer of a model.

The same input gives the same bytes. `--timing` adds the times of the passes, which vary.")]
pub(crate) struct ExploreArgs {
    /// Script, JSON or model, or the folder of a schedule's record; `-` is standard input
    #[arg(value_name = "INPUT")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) passes: PassArgs,
    /// Apply the schedule in this file of Python to the input, and show the steps of the functions that it changes
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ExploreFormat,
    /// Show the time of each pass
    #[arg(long)]
    pub(crate) timing: bool,
    /// Check after each pass whether the text reads back to the same program
    #[arg(long)]
    pub(crate) check: bool,
    /// If a pass fails, show the versions before it, with its error; the exit status is 1
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Output format of `explore`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExploreFormat {
    /// One self-contained page
    Html,
    /// The data of the page
    Json,
    /// The graphs for Google's Model Explorer
    ModelExplorer,
    /// The times of the passes as Chrome's trace events, for Perfetto
    Trace,
    /// The graph of the model, or of the calls, as a picture
    Svg,
}
