//! Rules of every source file: a header, a size, no `unsafe` outside its modules, no skipped tests, no foreign paths.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source;
use xtask::workspace;

/// The number of lines above which a file needs a reason in `xtask/long-files.txt`.
const MAX_LINES: usize = 700;

/// The list of longer files: `PATH: reason` a line.
const LONG_FILES: &str = "xtask/long-files.txt";

/// The modules with unsafe code, each with its reasoning: the handles of nodes, and the two sides of the border of C.
const RAW: [&str; 3] = ["crates/ir-core/src/raw", "crates/capi/src/raw", "crates/plugin/src/raw.rs"];

/// Runs the checks on every file.
///
/// # Errors
/// When a file cannot be read.
pub fn check(files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    let root = workspace::root();
    let excused = std::fs::read_to_string(root.join(LONG_FILES)).unwrap_or_default();
    let excused: Vec<&str> = excused
        .lines()
        .filter_map(|l| l.split_once(": "))
        .filter(|(_, why)| !why.is_empty())
        .map(|(f, _)| f)
        .collect();
    for name in &excused {
        if !root.join(name).is_file() {
            findings.add(format!("{LONG_FILES}: there is no file `{name}`"));
        }
    }
    for file in files {
        let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
        if file.extension().is_some_and(|e| e == "rs") {
            rust(file, &text, &excused, findings);
        }
        if !is_recorded(file) {
            places(file, &text, findings);
        }
    }
    Ok(())
}

/// The checks of a Rust file.
fn rust(file: &Path, text: &str, excused: &[&str], findings: &mut Findings) {
    if !text.starts_with("//!") {
        findings.at(file, 1, "a file begins with a `//!` comment that says what it is for");
    }
    let count = text.lines().count();
    if count > MAX_LINES && !excused.iter().any(|e| Path::new(e) == file) {
        findings.at(file, count, format!("over {MAX_LINES} lines and not excused in {LONG_FILES}"));
    }
    let is_raw = RAW.iter().any(|module| file.starts_with(module));
    for (i, line) in source::lines(text).iter().enumerate() {
        if source::has_word(&line.bare, "unsafe") && !is_raw && !is_promise(file, &line.bare) {
            findings.at(file, i + 1, format!("`unsafe` outside of {}", RAW.join(" and ")));
        }
        for attribute in ["#[ignore", "#[should_panic"] {
            if line.bare.contains(attribute) {
                findings.at(file, i + 1, format!("`{attribute}]`: assert today's behaviour instead"));
            }
        }
        for call in ["todo!(", "unimplemented!(", "dbg!("] {
            if line.bare.contains(call) {
                findings.at(file, i + 1, format!("`{call})` left behind"));
            }
        }
    }
}

/// The promises of the type table (`unsafe trait Class`, and the impls that the derives write) run no unsafe code.
fn is_promise(file: &Path, code: &str) -> bool {
    let core = ["crates/ir-core/src", "crates/ir-macros/src"].iter().any(|d| file.starts_with(d));
    core && ["unsafe impl ", "unsafe trait ", "pub unsafe trait "]
        .iter()
        .any(|p| code.trim_start().starts_with(p))
}

/// Recorded output and input, whose text is not ours to change.
fn is_recorded(file: &Path) -> bool {
    ["tests/corpus", "tests/vectors", "tests/fixtures"].iter().any(|d| file.starts_with(d))
        || file == Path::new("Cargo.lock")
        || file.starts_with("xtask/src/tidy")
}

/// No absolute paths of a machine, no hosts of package registries.
fn places(file: &Path, text: &str, findings: &mut Findings) {
    const PATHS: &[&str] = &["/home/", "/work/", "/root/", "/opt/", "/Users/", "/tmp/"];
    const HOSTS: &[&str] =
        &["crates.io-index", "index.crates.io", "static.crates.io", "pypi.org", "pythonhosted"];
    for (i, line) in text.lines().enumerate() {
        for path in PATHS {
            let starts = line.match_indices(path).any(|(at, _)| {
                !line[..at]
                    .chars()
                    .next_back()
                    .is_some_and(|c| c.is_alphanumeric() || "._-/$}>*)".contains(c))
            });
            if starts {
                findings.at(file, i + 1, format!("an absolute path: `{path}`"));
            }
        }
        for host in HOSTS {
            if line.contains(host) {
                findings.at(file, i + 1, format!("the host of a registry: `{host}`"));
            }
        }
    }
}
