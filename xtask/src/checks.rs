//! The package `xtask-checks`, built as the tests build it: with the features of the whole workspace, so that nothing is
//! compiled twice.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};
use xtask::workspace;

/// Arguments of `cargo` that build the program along with its test.
const BUILD: [&str; 8] =
    ["test", "--quiet", "--workspace", "--features", workspace::RUFF, "--no-run", "--test", "selection"];

/// The program, which lies beside this one.
///
/// # Errors
/// When the path of this program is unknown.
fn program() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(format!("xtask-checks{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds the program and runs it.
///
/// # Errors
/// When it does not build or start.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    if !workspace::cargo().args(BUILD).status()?.success() {
        bail!("the package `xtask-checks` does not build");
    }
    // `cargo xtask checks --help` lists the commands.
    let arguments = arguments.strip_prefix(&[OsString::from("checks")]).unwrap_or(arguments);
    let status = Command::new(program()?).args(arguments).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
