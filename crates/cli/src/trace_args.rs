//! Arguments of `trace`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::PassArgs;
use crate::printer::TextArgs;

/// `trace`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript trace kernel.py
  tvmscript trace kernel.py --at 12:9 --passes tir.LowerInitBlock,tir.Simplify
  tvmscript trace kernel.py --from kernel.py:7 --passes tir.UnrollLoop
  tvmscript trace model.py --from resnet.layer1.conv1 --format json
  tvmscript trace model.py --node 17 --schedule --passes schedule --schedules schedules.py

`--at` is a place in the text after the passes, which `trace` prints with line numbers if neither `--at`
nor `--from` is given. `--from` is a source with an optional line, as in the markers of `print --show-spans`;
of each line that came from it, the first node that did is listed. The answer is the node with its access
path, the passes that made and changed it, and its sources. `explore` shows the same in a page.")]
pub(crate) struct Trace {
    /// Input file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Explain the innermost node at a place of the printed text
    #[arg(long, value_name = "LINE:COLUMN", value_parser = line_and_column, conflicts_with = "from")]
    pub(crate) at: Option<(usize, usize)>,
    /// List the lines that came from a source
    #[arg(long, value_name = "SOURCE[:LINE]")]
    pub(crate) from: Option<String>,
    /// Show the N-th call of a function of TIR, counted from 0 in topological order
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "at"])]
    pub(crate) node: Option<usize>,
    /// Show the schedule of the function of that call: its record and its trace
    #[arg(long, requires = "node")]
    pub(crate) schedule: bool,
    #[command(flatten)]
    pub(crate) passes: PassArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TraceFormat,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Output format of `trace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// Paragraphs for people
    Text,
    /// A JSON array of nodes
    Json,
}

/// Splits `LINE:COLUMN`, both from 1.
fn line_and_column(text: &str) -> Result<(usize, usize), &'static str> {
    let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
    let parts = text.split_once(':').and_then(|(line, column)| Some((number(line)?, number(column)?)));
    parts.ok_or("expected `LINE:COLUMN`, both from 1")
}
