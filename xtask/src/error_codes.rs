//! `cargo xtask error-codes`: generates the document of all error codes from the command.

use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace;

/// Writes `docs/error-codes.md`. A test of the command checks that it is up to date.
///
/// # Errors
/// When the command does not build, or the file cannot be written.
pub fn run() -> Result<()> {
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--package", "tvmscript-cli", "--", "explain-code", "--markdown"])
        .current_dir(workspace::root())
        .output()?;
    if !output.status.success() {
        bail!("the command fails: {}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::write(workspace::root().join("docs/error-codes.md"), output.stdout)?;
    Ok(())
}
