//! Every dependency is declared once, in the root manifest, with its licence and its reason beside it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::Findings;
use xtask::workspace::{self, Package};

/// Runs the checks on the manifests and the lock file.
///
/// # Errors
/// When a manifest cannot be read.
pub fn check(packages: &BTreeMap<String, Package>, findings: &mut Findings) -> Result<()> {
    let root = workspace::root();
    reasons(&std::fs::read_to_string(root.join("Cargo.toml"))?, findings);
    for package in packages.values() {
        let file = package.dir.join("Cargo.toml");
        inherited(&file, &std::fs::read_to_string(root.join(&file))?, findings);
        let is_kept_here = |name: &str| packages.get(name).is_some_and(|other| !other.is_published);
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.dev) {
            if package.is_published && is_kept_here(&dependency.name) {
                let name = &dependency.name;
                findings.at(&file, 1, format!("a published package needs `{name}`, which is not published"));
            }
        }
    }
    if let Ok(lock) = std::fs::read_to_string(root.join("Cargo.lock")) {
        let usual = "registry+https://github.com/rust-lang/crates.io-index";
        for (i, line) in lock.lines().enumerate() {
            if let Some(source) = line.strip_prefix("source = ")
                && source.trim_matches('"') != usual
            {
                findings.at(Path::new("Cargo.lock"), i + 1, format!("a package from elsewhere: {source}"));
            }
        }
    }
    Ok(())
}

/// Each external entry of `[workspace.dependencies]` follows a comment that names a licence.
fn reasons(manifest: &str, findings: &mut Findings) {
    let file = Path::new("Cargo.toml");
    let mut inside = false;
    let mut explained = false;
    for (i, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
            explained = false;
        } else if inside && line.is_empty() {
            explained = false;
        } else if inside && let Some(comment) = line.strip_prefix('#') {
            explained |=
                ["MIT", "Apache", "BSD", "Zlib", "MPL", "ISC", "Unicode"].iter().any(|l| comment.contains(l));
        } else if inside && !explained && !line.contains("path = ") {
            let name = line.split('=').next().unwrap_or(line).trim();
            findings.at(file, i + 1, format!("`{name}` lacks a comment with its reason and licence"));
        } else if inside && line.contains("path = \"crates/") && !line.contains("version = ") {
            findings.at(file, i + 1, "a package of the workspace without its version, which packages need");
        }
    }
}

/// Members inherit every dependency from the workspace. Tests may name a package of the workspace by path alone: packages
/// leave such dependencies out, so that two crates may test each other.
fn inherited(file: &Path, manifest: &str, findings: &mut Findings) {
    let (mut inside, mut for_tests) = (false, false);
    for (i, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
            for_tests = line == "[dev-dependencies]";
        } else if inside
            && line.contains('=')
            && !line.starts_with('#')
            && !line.contains("workspace = true")
            && !(for_tests && line.starts_with("tvmscript") && line.contains("path = "))
        {
            findings.at(file, i + 1, "a dependency that the root manifest does not declare");
        }
    }
}
