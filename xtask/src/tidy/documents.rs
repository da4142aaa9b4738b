//! Documents: relative links and paths in backticks lead somewhere, the crate map is complete, and the deviations name their fixtures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use xtask::workspace::{self, Package};

/// The documents that hold the crate map.
const MAPS: [&str; 2] = ["README.md", "docs/architecture.md"];

/// Runs the checks.
///
/// # Errors
/// When a document cannot be read.
pub fn check(packages: &BTreeMap<String, Package>, files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    let root = workspace::root();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(root.join(file))?;
        links(file, &text, findings);
        // The changelog names files of its time.
        if file != Path::new("CHANGELOG.md") {
            paths(file, &text, findings);
        }
    }
    for map in MAPS {
        let Ok(text) = std::fs::read_to_string(root.join(map)) else {
            findings.add(format!("{map}: missing"));
            continue;
        };
        for package in packages.values().filter(|p| p.dir.starts_with("crates")) {
            let folder = package.dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !text.contains(&format!("`{folder}`")) {
                findings.at(Path::new(map), 1, format!("the crate map does not name `{folder}`"));
            }
        }
    }
    deviations(findings)
}

/// Relative links of a Markdown file.
fn links(file: &Path, text: &str, findings: &mut Findings) {
    let folder = file.parent().unwrap_or(Path::new(""));
    for (i, line) in text.lines().enumerate() {
        for (at, _) in line.match_indices("](") {
            let rest = &line[at + 2..];
            let target = rest.split(')').next().unwrap_or(rest);
            let path = target.split('#').next().unwrap_or(target);
            if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                continue;
            }
            if !workspace::root().join(folder).join(path).exists() {
                findings.at(file, i + 1, format!("a link to nothing: `{path}`"));
            }
        }
    }
}

/// Paths in backticks, such as `crates/doc/src`; those with `NAME` are patterns.
fn paths(file: &Path, text: &str, findings: &mut Findings) {
    let is_path = |part: &&str| {
        ["crates/", "docs/", "tests/", "xtask/"].iter().any(|folder| part.starts_with(folder))
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
            && !part.contains("NAME")
    };
    let (root, folder) = (workspace::root(), file.parent().unwrap_or(Path::new("")));
    for (i, line) in text.lines().enumerate() {
        for path in line.split('`').skip(1).step_by(2).filter(is_path) {
            if !root.join(path).exists() && !root.join(folder).join(path).exists() {
                findings.at(file, i + 1, format!("a path to nothing: `{path}`"));
            }
        }
    }
}

/// Each entry of `deviations.toml` has an id of its own, a side, a rule, a reason and a fixture that is there.
fn deviations(findings: &mut Findings) -> Result<()> {
    let file = Path::new("tests/conformance/deviations.toml");
    let text = std::fs::read_to_string(workspace::root().join(file))?;
    let mut ids: Vec<&str> = Vec::new();
    for (number, entry) in text.split("[[deviation]]").enumerate().skip(1) {
        let field = |name: &str| {
            entry.lines().find_map(|l| {
                let (key, value) = l.split_once('=')?;
                (key.trim() == name).then(|| value.trim().trim_matches('"'))
            })
        };
        let line =
            1 + text.split("[[deviation]]").take(number).map(|e| e.matches('\n').count()).sum::<usize>();
        for name in ["id", "side", "rule", "reason", "fixture"] {
            if field(name).is_none_or(str::is_empty) {
                findings.at(file, line, format!("an entry without `{name}`"));
            }
        }
        if !matches!(field("side"), Some("print" | "read" | "fork") | None) {
            findings.at(file, line, "`side` is none of print, read, fork");
        }
        if let Some(id) = field("id") {
            if ids.contains(&id) {
                findings.at(file, line, format!("a second entry `{id}`"));
            }
            ids.push(id);
        }
        if let Some(fixture) = field("fixture")
            && !workspace::root().join("tests/fixtures").join(fixture).is_file()
        {
            findings.at(file, line, format!("no fixture `{fixture}`"));
        }
    }
    Ok(())
}
