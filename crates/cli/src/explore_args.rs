//! Arguments of `explore`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::PassArgs;
use crate::printer::TextArgs;

/// `explore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript explore model.onnx --passes default -o page.html
  tvmscript explore kernel.py --passes tir.LowerInitBlock,tir.UnrollLoop,tir.Simplify -o page.html
  tvmscript explore dumps/ -o page.html             what TVM, TileLang, MLIR or `opt --dump-dir` wrote
  tvmscript explore dumps_a/ dumps_b/ -o page.html  two runs, and the pass where they part
  tvmscript explore kernel.py --trace trace.py -o page.html
  tvmscript explore gemm.py -o page.html            a schedule of tensor expressions
  tvmscript explore kernel.py --passes tir.Simplify --format json | jq '.runs[0].versions[].name'

The page is one file: open it in a browser, without a server or a network. It lists the passes, shows the text before and
after each with the differences, and marks the lines that came from a line of the input or from a layer of a model.

The same input gives the same bytes. `--timing` adds the times of the passes, which vary.")]
pub(crate) struct ExploreArgs {
    /// Script, JSON or model; schedule of tensor expressions; folder or log of dumps; folder of `schedule --record`; `-` is standard input
    #[arg(value_name = "INPUT")]
    pub(crate) input: PathBuf,
    /// Another input, to compare two runs
    #[arg(value_name = "INPUT_B")]
    pub(crate) other: Option<PathBuf>,
    /// Apply the trace of schedule primitives in this Python file before the passes, and show each step
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) passes: PassArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ExploreFormat,
    /// Show the time of each pass
    #[arg(long)]
    pub(crate) timing: bool,
    /// Leave out the check after each pass whether the text reads back to the same program
    #[arg(long)]
    pub(crate) no_check: bool,
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
    /// The graph of the model, or of the calls, for Model Explorer
    ModelExplorer,
    /// The times of the passes as Chrome trace events, for Perfetto
    Trace,
    /// The graph of the model, or of the calls, as a picture
    Svg,
}
