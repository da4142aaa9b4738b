//! Comparisons of the project with TVM, CPython and itself: `cargo xtask COMMAND`.
//!
//! `cargo xtask` builds and calls this program, which is the tests' own build of the project where there is one.

mod attack;
mod bench_gate;
mod conformance;
mod diff_check;
mod files;
mod host_fuzz;
mod interpret;
#[path = "../../../tests/src/ir_changes.rs"]
mod ir_changes;
mod lint_scripts;
mod mutate;
mod passes;
mod pydiff;
mod strip;
mod subject;
mod unknown_check;
mod upgrade_check;
mod vectors;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

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
    /// Take the annotations off Relax programs and compare what inference puts in their place.
    Strip(strip::Options),
    /// Change single tokens of corpus programs: no crash, and errors at the right place.
    Mutate(mutate::Options),
    /// Rename operators of corpus programs to unknown names: they are read, print the same bytes, and are reported.
    UnknownCheck(unknown_check::Options),
    /// Upgrade programs of an older release: each is reported, or the newest release reads it as its own program.
    UpgradeCheck(upgrade_check::Options),
    /// Change corpus programs at known places: their differences are exactly those places.
    DiffCheck(diff_check::Options),
    /// Run passes on whole programs, here and in TVM: same results, and spans survive.
    Passes(passes::Options),
    /// Run kernels in the reference interpreter and in code that TVM builds: same values.
    Interpret(interpret::Options),
    /// Run random programs of host code in CPython and here: same value or same exception.
    Pydiff(pydiff::Options),
    /// Run Python's type checkers and linters on scripts, with and without the stubs.
    LintScripts(lint_scripts::Options),
    /// Run hostile programs of host code for a while: no panic, no hang.
    HostFuzz(host_fuzz::Options),
    /// Give inputs that are made to hurt to the built command: no abort, no hang, no panic.
    Attack(attack::Options),
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
        Command::Strip(options) => strip::run(&options),
        Command::DiffCheck(options) => diff_check::run(&options),
        Command::Mutate(options) => mutate::run(&options),
        Command::UnknownCheck(options) => unknown_check::run(&options),
        Command::UpgradeCheck(options) => upgrade_check::run(&options),
        Command::Passes(options) => passes::run(&options),
        Command::Interpret(options) => interpret::run(&options),
        Command::HostFuzz(options) => host_fuzz::run(&options),
        Command::LintScripts(options) => lint_scripts::run(&options),
        Command::Pydiff(options) => pydiff::run(&options),
        Command::Attack(options) => attack::run(&options),
        Command::BenchGate(options) => bench_gate::run(&options),
    }
}
