//! Tools of the workspace: `cargo xtask COMMAND`.
//!
//! Nothing here ships. This program checks what no compiler checks (layering, conventions) and runs the tests the way a
//! clean clone would, so it depends on no crate of the project and starts at once. The commands that do are those of the
//! package `xtask-checks`, which it builds and calls.

mod api;
mod checks;
mod ci;
mod pages;
mod stand_in;
mod tidy;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Tools of the workspace.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Other commands compare the project with TVM, CPython and itself: `cargo xtask checks --help` lists them."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// One command of `cargo xtask`.
#[derive(Subcommand)]
enum Command {
    /// Check layering, conventions and dependencies; every finding is printed.
    Tidy,
    /// Run what a change has to pass before it is reviewed: format, tidy, clippy, tests.
    Test(ci::Options),
    /// Run what a change has to pass: the steps of `test`, then the slower ones.
    Ci(ci::Options),
    /// Install what the tests of the explorer's page need, as far as the user may: Chromium and packages of npm.
    Browser,
    /// Record the public API of the libraries in `docs/api`.
    Api(api::Options),
    /// Generate the page of all error codes.
    ErrorCodes,
    /// Generate the page of all functions of scripts.
    Functions,
    /// Generate the header of the C interface.
    Header,
    /// Run the unsafe core of `ir-core` under Miri (needs a nightly toolchain).
    Miri,
    /// Run the fuzz targets for a while each (needs a nightly toolchain and cargo-fuzz).
    Fuzz(tools::FuzzOptions),
    /// A command of the package `xtask-checks`.
    #[command(external_subcommand)]
    Checks(Vec<OsString>),
}

fn main() -> ExitCode {
    if let Some(code) = stand_in::run() {
        return code;
    }
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command.
fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Tidy => tidy::run(),
        Command::Test(options) => ci::test(&options),
        Command::Ci(options) => ci::all(&options),
        Command::Browser => {
            tools::prepare_browser();
            Ok(())
        }
        Command::Api(options) => api::run(&options),
        Command::ErrorCodes => pages::run(&pages::ERROR_CODES),
        Command::Functions => pages::run(&pages::FUNCTIONS),
        Command::Header => pages::header(),
        Command::Miri => tools::miri(),
        Command::Fuzz(options) => tools::fuzz(&options),
        Command::Checks(arguments) => return checks::run(&arguments),
    }
    .map(|()| ExitCode::SUCCESS)
}
