//! Arguments of `schedule`.

use std::path::PathBuf;

use clap::ValueEnum;

/// `schedule`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript schedule kernel.py --trace trace.py
  tvmscript schedule kernel.py --trace-json trace.json --print trace
  tvmscript schedule --list-primitives

A trace in Python is the function that TVM prints for a schedule, or a function or statements of your
own over a schedule `sch`:

  l = sch.get_loops(sch.get_block(\"C\"))
  sch.split(l[0], factors=[None, 32])

A Python file may also make a schedule of `te`, of which there are pictures:

  tvmscript schedule gemm.py --dot schedule-tree --record 3

A refused primitive is an error at its line; nothing is printed then.")]
pub(crate) struct ScheduleArgs {
    /// Input file with a module or function of TIR; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "list_primitives")]
    pub(crate) file: Option<PathBuf>,
    /// Apply the trace in this Python file
    #[arg(long, value_name = "FILE", conflicts_with = "trace_json")]
    pub(crate) trace: Option<PathBuf>,
    /// Apply the trace in this JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_json: Option<PathBuf>,
    /// Apply the fastest record of each function in a database of MetaSchedule: the files `database_workload.json` and
    /// `database_tuning_record.json` in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["trace", "trace_json", "keep_going", "record", "print", "emit", "dot"])]
    pub(crate) database: Option<PathBuf>,
    /// Leave out refused primitives and those that need their results, and report all of them; the exit status is 1
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Write the module after each primitive that changes it to this folder, as text and JSON, with the differences and
    /// an index; with `--dot`, the number of the record to picture, from 0
    #[arg(long, value_name = "DIR|N")]
    pub(crate) record: Option<PathBuf>,
    /// Let `tensorize` use the intrinsics that this Python file registers, or that this JSON file has: {name: {"desc": script,
    /// "impl": script}}
    #[arg(long, value_name = "FILE")]
    pub(crate) intrins: Option<PathBuf>,
    /// Leave out tests of the order of reads and writes, as TVM's `enable_check=False`
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Draw values from this seed where a primitive samples without a decision
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print this
    #[arg(long, value_name = "WHAT", default_value = "module")]
    pub(crate) print: Printed,
    /// Print a program that makes the same schedule instead
    #[arg(long, value_name = "LANGUAGE", conflicts_with_all = ["print", "dot"])]
    pub(crate) emit: Option<Emitted>,
    /// Print a picture of the schedule instead: of the `te.Schedule` that the file makes, the one that `--select` names, or
    /// of the module after the trace
    #[arg(long, value_name = "PICTURE")]
    pub(crate) dot: Option<Pictured>,
    /// The format of pictures
    #[arg(long, value_name = "FORMAT", default_value = "dot", requires = "dot")]
    pub(crate) picture_format: PictureFormat,
    /// Picture two records side by side and mark the stages that differ
    #[arg(long, value_name = "N,M", requires = "dot", conflicts_with = "record", value_parser = two_records)]
    pub(crate) compare: Option<(usize, usize)>,
    /// Picture schedules of `te` as lowering takes them: inlined, and attached to loops only
    #[arg(long, requires = "dot")]
    pub(crate) normalize: bool,
    /// List the primitives
    #[arg(long)]
    pub(crate) list_primitives: bool,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The result of `schedule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Printed {
    /// The module after the trace
    Module,
    /// The trace as Python
    Trace,
    /// The trace as JSON
    TraceJson,
    /// The record as a table: the primitives that change the schedule, of `te` or of a module
    Record,
}

/// The language of a program that makes a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emitted {
    /// Rust, over the methods of `Schedule`
    Rust,
}

impl ScheduleArgs {
    /// The record to picture.
    ///
    /// # Errors
    /// If it is not a number.
    pub(crate) fn pictured_record(&self) -> Result<Option<usize>, String> {
        let number = |record: &PathBuf| {
            let text = record.display().to_string();
            text.parse().map_err(|_| format!("expected the number of a record with `--dot`, found `{text}`"))
        };
        self.record.as_ref().map(number).transpose()
    }
}

/// `6,7`
fn two_records(text: &str) -> Result<(usize, usize), String> {
    let parse =
        |part: &str| part.trim().parse().map_err(|_| format!("`{part}` is not the number of a record"));
    match text.split_once(',') {
        Some((former, latter)) => Ok((parse(former)?, parse(latter)?)),
        None => Err("expected two numbers of records, such as `6,7`".to_owned()),
    }
}

/// A picture of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pictured {
    /// Stages with their loops, and the loops that they are computed in
    ScheduleTree,
    /// Iteration variables, and the splits and fusions that made them
    ItervarRelationship,
    /// Stages, and the tensors between them
    Dataflow,
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// Text for Graphviz
    Dot,
    /// A picture
    Svg,
}
