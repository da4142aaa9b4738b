//! Nothing is gathered by the linker: each `#[script_fn]` and `#[derive(Node)]` is named by a table.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use super::Findings;
use super::source::{self, Line};
use xtask::workspace::{self, Package};

/// Checks every declaration of the workspace.
///
/// A node is named when a line that registers nodes (`.node::<Name>()`, `.node_info(..)`) holds its name, in whatever
/// crate: `tir` registers the nodes of `prim`. A script function is named when a line of its crate, imports aside, holds
/// the name of the static that the attribute makes of it: `MATCH_BUFFER`.
///
/// # Errors
/// When a file cannot be read.
pub fn check(packages: &BTreeMap<String, Package>, files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    let mut sources: Vec<(&Package, &PathBuf, Vec<Line>)> = Vec::new();
    for package in packages.values().filter(|p| p.dir.starts_with("crates")) {
        let src = package.dir.join("src");
        for file in files.iter().filter(|f| f.starts_with(&src) && f.extension().is_some_and(|e| e == "rs")) {
            let lines = source::lines(&std::fs::read_to_string(workspace::root().join(file))?);
            let end = source::tests_start(&lines);
            sources.push((package, file, lines.into_iter().take(end).collect()));
        }
    }
    for (package, file, lines) in &sources {
        for (i, line) in lines.iter().enumerate() {
            let code = line.bare.trim();
            if code.starts_with("#[derive(") && derives_node(code) {
                let Some((name, at)) = declared(&lines[i..], "struct") else { continue };
                if !sources.iter().any(|(_, _, lines)| lines.iter().any(|l| registers(&l.bare, &name))) {
                    findings.at(file, i + at + 1, format!("no table names this #[derive(Node)]: `{name}`"));
                }
            } else if code.starts_with("#[script_fn") {
                let Some((name, at)) = declared(&lines[i..], "fn") else { continue };
                let item = name.trim_end_matches('_').to_uppercase();
                let mut own = sources.iter().filter(|(p, _, _)| p.name == package.name);
                if !own.any(|(_, _, lines)| lines.iter().any(|l| lists(&l.bare, &item))) {
                    findings.at(file, i + at + 1, format!("no table names this #[script_fn]: `{name}`"));
                }
            }
        }
    }
    Ok(())
}

/// Returns `true` if a line registers the node `name`.
fn registers(code: &str, name: &str) -> bool {
    (code.contains(".node::<") || code.contains("node_info(")) && source::has_word(code, name)
}

/// Returns `true` if a line of a table lists the static that the attribute makes of a function.
fn lists(code: &str, item: &str) -> bool {
    source::has_word(code, item) && !code.trim_start().starts_with("use ")
}

/// Returns `true` if a derive attribute lists `Node`.
fn derives_node(code: &str) -> bool {
    let list = code.trim_start_matches("#[derive(");
    list.split([',', ')']).any(|d| d.trim().rsplit("::").next() == Some("Node"))
}

/// The name that the first `keyword` of `lines` declares, and the index of its line.
fn declared(lines: &[Line], keyword: &str) -> Option<(String, usize)> {
    for (i, line) in lines.iter().enumerate().take(24) {
        let mut words =
            line.bare.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
        while let Some(word) = words.next() {
            if word == keyword && !line.bare.contains(&format!("{keyword} $")) {
                return words.next().map(|name| (name.to_string(), i));
            }
        }
    }
    None
}
