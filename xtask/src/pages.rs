//! `cargo xtask error-codes`, `cargo xtask functions`: pages that the command generates. `cargo xtask header`: the header of the
//! C interface.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use xtask::workspace;

/// A page of the documentation and the arguments with which the command prints it.
pub struct Page {
    file: &'static str,
    arguments: &'static [&'static str],
}

/// All error codes.
pub const ERROR_CODES: Page =
    Page { file: "docs/error-codes.md", arguments: &["explain-code", "--markdown"] };

/// All functions of scripts.
pub const FUNCTIONS: Page = Page { file: "docs/functions.md", arguments: &["stubs", "--format", "markdown"] };

/// Writes a page. A test of the command checks that it is up to date.
///
/// # Errors
/// When the command does not build, or the file cannot be written.
pub fn run(page: &Page) -> Result<()> {
    let output = Command::new("cargo")
        .args(["run", "--package", "tvmscript-cli", "--"])
        .args(page.arguments)
        .current_dir(workspace::root())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        bail!("the command fails");
    }
    std::fs::write(workspace::root().join(page.file), output.stdout)?;
    Ok(())
}

/// Writes the header of the C interface and the list of its symbols. The test that writes them checks otherwise that they are up to
/// date.
///
/// # Errors
/// When the test does not build, or a file cannot be written.
pub fn header() -> Result<()> {
    let status = workspace::cargo()
        .args(["test", "--quiet", "--package", "tvmscript-capi", "--test", "header"])
        .env("TVMSCRIPT_BLESS_HEADER", "1")
        .status()?;
    if !status.success() {
        bail!("the header cannot be made");
    }
    Ok(())
}
