//! "Neutral means neutral": the generic crates contain no vocabulary of a family of dialects.
//!
//! Code and comments outside of tests must not name TVM, its dialects, their type keys or the prefixes of their scripts;
//! comments may do so in a line "Upstream counterpart:". Names of this project's crates are not vocabulary.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source;
use xtask::workspace;

/// Crates that know no dialect. Those that do not exist yet are skipped.
pub(super) const GENERIC: &[&str] = &[
    "ir-core",
    "ir-macros",
    "diagnostics",
    "doc",
    "docsifier",
    "diff",
    "python-syntax",
    "script-value",
    "script-eval",
    "irbuilder",
    "script-parser",
    "stubs",
    "dialect-file",
    "si-builder",
    "pass",
];

/// Beginnings of string literals that are type keys of the dialects.
const KEYS: &[&str] = &["\"ffi.", "\"ir.", "\"tir.", "\"relax."];

/// Prefixes of names in TVM's scripts.
const PREFIXES: &[&str] = &["T.", "R.", "I."];

/// Names of TVM's dialects and their functions in comments.
const WORDS: &[&str] = &["tir", "tirx", "relax", "TIR", "Relax", "PrimFunc"];

/// Beginnings of type keys in comments, those of [`WORDS`] aside.
const KEY_PREFIXES: &[&str] = &["ffi.", "ir."];

/// Crates above the generic ones.
const DIALECTS: &[&str] =
    &["tvmscript_prim", "tvmscript_ir::", "tvmscript_tir", "tvmscript_relax", "tvmscript_tvm"];

/// Checks the sources of the generic crates.
///
/// # Errors
/// When a file cannot be read.
pub fn check(files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    for file in files.iter().filter(|file| is_generic(file) && !is_test_file(file)) {
        let text = std::fs::read_to_string(workspace::root().join(file))?;
        let lines = source::lines(&text);
        let end = source::tests_start(&lines);
        for (index, (line, raw)) in lines[..end].iter().zip(text.lines()).enumerate() {
            for word in in_code(&line.code) {
                findings.at(
                    file,
                    index + 1,
                    format!("a generic crate names a dialect or its family: `{word}`"),
                );
            }
            if is_comment(raw) && !raw.contains("Upstream counterpart:") {
                for word in in_comment(raw) {
                    findings.at(
                        file,
                        index + 1,
                        format!("a comment names a dialect or its family outside of \"Upstream counterpart:\": `{word}`"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// The words of a line of code that belong to a family of dialects.
fn in_code(code: &str) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    found.extend(DIALECTS.iter().chain(KEYS).filter(|word| code.contains(**word)));
    found.extend(names_family(code).then_some("tvm"));
    let texts = code.split('"').skip(1).step_by(2);
    for text in texts {
        found.extend(PREFIXES.iter().filter(|prefix| has_prefix(text, prefix)));
    }
    found
}

/// The words of a comment that belong to a family of dialects.
fn in_comment(comment: &str) -> Vec<&'static str> {
    let words: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut found: Vec<&str> = WORDS.iter().copied().filter(|word| words.contains(word)).collect();
    found.extend(PREFIXES.iter().chain(KEY_PREFIXES).filter(|prefix| has_prefix(comment, prefix)));
    found.extend(names_family(comment).then_some("tvm"));
    found
}

/// Returns `true` if a text has `T.name`, with nothing of a name in front.
fn has_prefix(text: &str, prefix: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text.match_indices(prefix).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && text[at + prefix.len()..].starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// Returns `true` if a line names TVM in any case, names of this project aside.
fn names_family(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.match_indices("tvm").any(|(at, _)| !line[at..].starts_with("tvmscript"))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn is_generic(file: &Path) -> bool {
    let is_source = file.extension().is_some_and(|extension| extension == "rs");
    is_source && GENERIC.iter().any(|name| file.starts_with(Path::new("crates").join(name).join("src")))
}

/// Returns `true` if a source file contains only tests.
fn is_test_file(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
        || file.components().any(|part| part.as_os_str() == "tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vocabulary_is_found_in_code() {
        assert_eq!(in_code(r#"let key = "ffi.Array";"#), ["\"ffi."]);
        assert_eq!(in_code(r#"help("use `T.block`")"#), ["T."]);
        assert_eq!(in_code(r#"path.starts_with("tvm.script")"#), ["tvm"]);
        assert_eq!(in_code("use tvmscript_tir::Stmt;"), ["tvmscript_tir"]);
    }

    #[test]
    fn vocabulary_is_found_in_comments() {
        assert_eq!(in_comment("/// Type key, such as `tir.For`."), ["tir"]);
        assert_eq!(in_comment("/// A scope (`T.block`) of `ir.Module`."), ["T.", "ir."]);
        assert_eq!(in_comment("//! Like TVM's."), ["tvm"]);
        assert!(in_comment("/// The toy dialect's `Toy.trace` of `dir.file`, as a `T`.").is_empty());
    }

    #[test]
    fn names_of_the_project_and_other_dots_are_allowed() {
        assert!(
            in_code(r#"use tvmscript_ir_core::Node; let t = "tvmscript-ir"; f("AT.b", "T. ", T.b);"#)
                .is_empty()
        );
    }
}
