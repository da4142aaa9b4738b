//! `cargo xtask tidy`: the conventions of the project that no compiler checks.
//!
//! Each check is a function that appends to one list of findings, so that a run shows all of them at once. A check
//! says which sentence of `docs/architecture.md` or of the conventions it stands for.

mod dependencies;
mod documents;
mod layering;
mod neutral;
mod releases;
mod source;
mod sources;
mod state;
mod tables;
mod unit_tests;

use std::fmt::Display;
use std::path::Path;

use anyhow::{Result, bail};

use xtask::workspace;

/// Findings, in the order of the checks.
#[derive(Default)]
pub struct Findings(Vec<String>);

impl Findings {
    /// Records a finding that has no single place.
    pub fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    /// Records a finding at a line (from 1) of a file.
    pub fn at(&mut self, file: &Path, line: usize, finding: impl Display) {
        self.0.push(format!("{}:{line}: {finding}", file.display()));
    }
}

/// Runs all checks.
///
/// # Errors
/// When there is a finding, or a check could not be made.
pub fn run() -> Result<()> {
    let mut findings = Findings::default();
    let packages = workspace::packages()?;
    let files = workspace::files()?;
    layering::direct(&packages, &mut findings);
    layering::features(&packages, &mut findings)?;
    layering::passed_on(&packages, &mut findings);
    layering::foreign_parser(&packages, &files, &mut findings)?;
    neutral::check(&files, &mut findings)?;
    releases::check(&files, &mut findings)?;
    sources::check(&files, &mut findings)?;
    state::check(&files, &mut findings)?;
    dependencies::check(&packages, &mut findings)?;
    tables::check(&packages, &files, &mut findings)?;
    unit_tests::check(&packages, &files, &mut findings)?;
    documents::check(&packages, &files, &mut findings)?;
    for finding in &findings.0 {
        println!("{finding}");
    }
    match findings.0.len() {
        0 => {
            println!("tidy: {} files, {} packages, no findings", files.len(), packages.len());
            Ok(())
        }
        n => bail!("tidy: {n} findings"),
    }
}
