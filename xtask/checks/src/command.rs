//! The command, built with optimisation.

use std::path::PathBuf;

use anyhow::{Result, bail};
use xtask::workspace;

/// Builds the command; returns its path.
///
/// # Errors
/// When it does not build.
pub fn optimized() -> Result<PathBuf> {
    if !workspace::cargo().args(workspace::OPTIMIZED).status()?.success() {
        bail!("cargo {} failed", workspace::OPTIMIZED.join(" "));
    }
    Ok(workspace::optimized("tvmscript"))
}
