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
    /// Leave out refused primitives and those that need their results, and report all of them; the exit status is 1
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Write the module after each primitive that changes it to this folder, as text and JSON, with the differences and
    /// an index
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// Let `tensorize` use the intrinsics in this JSON file: {name: {"desc": script, "impl": script}}
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
    /// A table of the primitives that changed the module
    Record,
}
