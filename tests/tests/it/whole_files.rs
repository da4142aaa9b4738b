//! Realistic Python files: the scripts found in each, and their round trips.
//!
//! `files/scripts.txt` records the results; `cargo xtask files` compares them with Python's syntax tree and with TVM.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tvmscript::script_parser::{ParseOptions, parse_script};
use tvmscript_tests::{canonical_options, check_roundtrip, describe, on_small_stack};

/// Environment variable to record the results.
const BLESS: &str = "TVMSCRIPT_BLESS";

/// The Python files below a folder, sorted.
fn python_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            python_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "py") {
            found.push(path);
        }
    }
}

/// Results for one file, one per line, and all errors with their positions.
fn findings(name: &str, text: &str, failures: &mut Vec<String>) -> String {
    let parsed = parse_script(name, text, tvmscript::registry(), &ParseOptions::default());
    let mut lines: Vec<(usize, String)> = Vec::new();
    for script in &parsed.scripts {
        let line = text[..script.range.start as usize].matches('\n').count() + 1;
        lines.push((line, format!("{line}: {}", script.name.as_deref().unwrap_or("?"))));
        if let Err(why) = check_roundtrip(std::slice::from_ref(&script.node), &canonical_options()) {
            failures.push(format!("{name}:{line}: {why}"));
        }
    }
    for error in parsed.errors.iter().filter(|e| e.severity != tvmscript::Severity::Warning) {
        let line = text[..error.range().start as usize].matches('\n').count() + 1;
        lines.push((line, format!("{:?}: {}", error.severity, describe(text, error))));
    }
    lines.sort();
    lines.iter().fold(format!("{name}\n"), |mut all, (_, line)| {
        let _ = writeln!(all, "    {line}");
        all
    })
}

#[test]
fn scripts_of_python_files_are_found() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("files");
    let mut files = Vec::new();
    python_files(&folder, &mut files);
    assert!(files.len() >= 80, "{}", files.len());
    let root = folder.clone();
    let (found, failures) = on_small_stack(move || {
        let mut found = String::new();
        let mut failures = Vec::new();
        for file in &files {
            let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let name = file.strip_prefix(&root).unwrap_or(file).display().to_string();
            found.push_str(&findings(&name, &text, &mut failures));
        }
        (found, failures)
    });
    assert!(failures.is_empty(), "{} scripts do not read back:\n{}", failures.len(), failures.join("\n"));
    let record = folder.join("scripts.txt");
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&record, &found).expect("the record is written");
    }
    let expected = std::fs::read_to_string(&record).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "the findings changed ({BLESS}=1 records them); first difference: {first:?}");
}
