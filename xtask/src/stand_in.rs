//! Calls in which cargo runs this program in place of `rustc` or `rustdoc`, to add flags for the packages of the workspace
//! alone: flags for all of cargo would rebuild every dependency.

use std::process::{Command, ExitCode};

use anyhow::Result;

/// Set to the program that this one stands in for.
const STANDS_IN: &str = "XTASK_STANDS_IN";

/// Makes a build of the documentation write JSON in place of pages, with the same warnings.
///
/// # Errors
/// When the path of this program is unknown.
pub fn docs_as_json(docs: &mut Command) -> Result<()> {
    docs.env("RUSTDOC", std::env::current_exe()?).env(STANDS_IN, "rustdoc");
    Ok(())
}

/// Makes warnings of the compiler errors in a check of packages.
///
/// # Errors
/// When the path of this program is unknown.
pub fn deny_warnings(check: &mut Command) -> Result<()> {
    check.env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?).env(STANDS_IN, "rustc");
    Ok(())
}

/// Runs the program that cargo meant, if it called this one in its place.
pub fn run() -> Option<ExitCode> {
    let program = std::env::var_os(STANDS_IN)?;
    let mut arguments = std::env::args_os().skip(1).peekable();
    let is_question = arguments.peek().is_some_and(|first| first == "--version" || first == "-vV");
    let mut command = if program == "rustdoc" {
        let mut rustdoc = Command::new("rustdoc");
        if !is_question {
            // Only unstable flags give JSON.
            rustdoc.args(["-Z", "unstable-options", "--output-format", "json"]).env("RUSTC_BOOTSTRAP", "1");
        }
        rustdoc
    } else {
        // The first argument is the compiler's path.
        Command::new(arguments.next()?)
    };
    command.args(arguments).env_remove(STANDS_IN);
    if program == "rustc" {
        command.args(["-D", "warnings"]);
    }
    let is_right = command.status().is_ok_and(|status| status.success());
    Some(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
