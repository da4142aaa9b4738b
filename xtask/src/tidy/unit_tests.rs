//! Libraries without unit tests are not built once more for them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use super::{Findings, source};
use xtask::workspace::{self, Package};

/// Compares `test = false` of each library with its sources.
///
/// # Errors
/// When a file cannot be read.
pub fn check(packages: &BTreeMap<String, Package>, files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    for package in packages.values().filter(|package| package.has_library) {
        let sources = package.dir.join("src");
        let mut has_tests = false;
        for file in files.iter().filter(|file| file.starts_with(&sources)) {
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(workspace::root().join(file))?;
            let Some(line) = source::lines(&text).iter().position(|line| line.bare.contains("#[test]"))
            else {
                continue;
            };
            has_tests = true;
            if !package.builds_unit_tests {
                findings.at(file, line + 1, "a unit test of a library with `test = false` does not run");
            }
        }
        if package.builds_unit_tests && !has_tests {
            let finding =
                "without unit tests, `[lib]` needs `test = false`, or tests build the library once more";
            findings.at(&package.dir.join("Cargo.toml"), 1, finding);
        }
    }
    Ok(())
}
