//! Comparisons of the project with TVM, CPython and itself: `cargo xtask COMMAND`.
//!
//! `cargo xtask` builds and calls this program, which is the tests' own build of the project where there is one.

mod bench_gate;
mod check;
mod command;
mod conformance;
mod files;
mod interpret;
#[path = "../../../tests/src/ir_changes/mod.rs"]
mod ir_changes;
mod lint_scripts;
mod passes;
mod pydiff;
mod subject;
mod values;
mod vectors;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tvmscript_ir_core::NodeAllocator;

/// That of the command, so that times are the same.
#[global_allocator]
static ALLOCATOR: NodeAllocator = NodeAllocator;

/// Comparisons with TVM, CPython and recorded results.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// One command of `cargo xtask`.
#[derive(Subcommand)]
enum Command {
    /// Compare the project with recorded and live answers of TVM on whole programs.
    Conformance(conformance::Options),
    /// Read whole Python files: which are accepted, which of their scripts are found, and whether TVM makes the same.
    Files(files::Options),
    /// Compare the project with recorded answers of TVM on single facts.
    Vectors(vectors::Options),
    /// Run a suite: programs with known changes, inputs that are made to hurt.
    #[command(subcommand)]
    Check(check::Suite),
    /// Run passes on whole programs, here and in TVM: same results, and spans survive.
    Passes(passes::Options),
    /// Run kernels in the reference interpreter and in code that TVM builds: same values.
    Interpret(interpret::Options),
    /// Run random programs of host code in CPython and here: same value or same exception.
    Pydiff(pydiff::Options),
    /// Run Python's type checkers and linters on scripts, with and without the stubs.
    LintScripts(lint_scripts::Options),
    /// Compare the speed of each operation, as a ratio to rustpython's bare parser, with recorded ratios.
    BenchGate(bench_gate::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command.
fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Conformance(options) => conformance::run(&options),
        Command::Files(options) => files::run(&options),
        Command::Vectors(options) => vectors::run(&options),
        Command::Check(suite) => check::run(&suite),
        Command::Passes(options) => passes::run(&options),
        Command::Interpret(options) => interpret::run(&options),
        Command::LintScripts(options) => lint_scripts::run(&options),
        Command::Pydiff(options) => pydiff::run(&options),
        Command::BenchGate(options) => bench_gate::run(&options),
    }
}
