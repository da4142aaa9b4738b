//! "State that callers pass": a static that changes while the program runs needs a reason.
//!
//! The list has a line `PATH NAME: reason` for each thread-local and each static with interior mutability of the crates.
//! A static that is written once, when it is first needed, is a constant and not listed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source::{self, Line};
use xtask::workspace;

/// The list of statics.
const LIST: &str = "xtask/statics.txt";

/// Types whose values change behind a shared reference.
const MUTABLE: [&str; 5] = ["Cell<", "Mutex<", "RwLock<", "Atomic", "HashTable<"];

/// Compares the statics of the crates with the list.
///
/// # Errors
/// When a file cannot be read.
pub fn check(files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    let root = workspace::root();
    let list = std::fs::read_to_string(root.join(LIST))?;
    let mut listed = BTreeSet::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((name, reason)) if !reason.is_empty() => _ = listed.insert(name.to_owned()),
            _ => findings.add(format!("{LIST}: a line without reason: {line}")),
        }
    }
    for file in files.iter().filter(|file| is_source(file)) {
        let text = std::fs::read_to_string(root.join(file))?;
        let lines = source::lines(&text);
        for (number, name) in statics(&lines[..source::tests_start(&lines)]) {
            if !listed.remove(&format!("{} {name}", file.display())) {
                findings.at(file, number, format!("the static `{name}` changes and is not in {LIST}"));
            }
        }
    }
    for name in listed {
        findings.add(format!("{LIST}: there is no static `{name}`"));
    }
    Ok(())
}

/// Returns `true` for the source of a library or the command, tests aside.
fn is_source(file: &Path) -> bool {
    let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
    parts.first() == Some(&"crates")
        && parts.get(2) == Some(&"src")
        && file.extension().is_some_and(|extension| extension == "rs")
        && !file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}

/// The statics that change, each with its line from 1: those in `thread_local!`, and those of a mutable type.
fn statics(lines: &[Line]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut is_thread_local = false;
    for (index, line) in lines.iter().enumerate() {
        let code = line.bare.trim();
        is_thread_local |= code.starts_with("thread_local!");
        let declared = code.split_once("static ").filter(|(before, _)| is_visibility(before.trim()));
        if let Some((name, ty)) = declared.and_then(|(_, rest)| rest.split_once(':'))
            && (is_thread_local || MUTABLE.iter().any(|mutable| ty.contains(mutable)))
        {
            found.push((index + 1, name.trim_start_matches("mut ").to_owned()));
        }
        is_thread_local &= line.bare != "}";
    }
    found
}

fn is_visibility(before: &str) -> bool {
    before.is_empty() || before.starts_with("pub")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statics_that_change_are_found() {
        let text = "static A: u32 = 1;\nstatic B: Mutex<u32> = Mutex::new(1);\nthread_local! {\n    static C: u8 = 1;\n}\n\
                    pub(crate) static D: AtomicU8 = AtomicU8::new(0);\nlet f: &'static str = \"\";\n";
        let lines = source::lines(text);
        let names: Vec<String> = statics(&lines).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["B", "C", "D"]);
    }
}
