//! `explore` of dumps that others wrote: folders, logs, and two inputs.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Ran, file, folder, path, run};

/// A fixture in `tests/fixtures/dumps`.
fn fixture(name: &str) -> String {
    format!("{}/../../tests/fixtures/dumps/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The data of the page.
#[track_caller]
fn page(inputs: &[&str]) -> Value {
    let mut args = vec!["explore", "--format", "json"];
    args.extend(inputs);
    let Ran { status, stdout, stderr } = run(&args);
    assert_eq!((status, stderr.as_str()), (0, ""));
    serde_json::from_str(&stdout).expect("JSON")
}

/// The message of a run that fails and writes nothing.
#[track_caller]
fn refused(inputs: &[&str]) -> String {
    let mut args = vec!["explore", "--format", "json"];
    args.extend(inputs);
    let Ran { status, stdout, stderr } = run(&args);
    assert_eq!((status, stdout.as_str()), (2, ""));
    stderr
}

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// The whole text of a version.
fn text(page: &Value, version: &Value) -> String {
    let parts = items(&version["parts"]).iter();
    let texts: Vec<&str> =
        parts.map(|part| page["texts"][part["text"].as_u64().expect("a number") as usize].as_str().expect("text")).collect();
    texts.join("\n")
}

/// A line per version: index, name, and all that is special about it.
fn outline(page: &Value, run: usize) -> String {
    let mut out = String::new();
    for (index, version) in items(&page["runs"][run]["versions"]).iter().enumerate() {
        let _ = write!(out, "{index} {}", version["name"].as_str().expect("a name"));
        for (key, word) in [("phase", "phase"), ("inside", "inside"), ("ms", "ms"), ("error", "error")] {
            if !version[key].is_null() {
                let _ = write!(out, " {word}={}", version[key].to_string().trim_matches('"'));
            }
        }
        for (key, expected, word) in [("changed", true, "changed"), ("readsBack", false, "unread")] {
            if version[key] == expected {
                let _ = write!(out, " {word}");
            }
        }
        if version["language"] != "python" {
            let _ = write!(out, " {}", version["language"].as_str().expect("a language"));
        }
        out.push('\n');
    }
    out
}

/// The hunks of a version, one per line, with their first lines.
fn hunks(page: &Value, run: usize, version: usize) -> String {
    let versions = items(&page["runs"][run]["versions"]);
    let line = |version: usize, hunk: &Value, side: &str| {
        let (first, count) = (hunk[side][0].as_u64().expect("a line"), hunk[side][1].as_u64().expect("a count"));
        let text = text(page, &versions[version]);
        let line = text.lines().nth(first.saturating_sub(1) as usize).filter(|_| count > 0).unwrap_or("-");
        format!("{first}+{count} {}", line.trim())
    };
    let mut out = String::new();
    for hunk in items(&versions[version]["hunks"]) {
        let note = hunk["note"].as_str().map(|note| format!(" ({note})")).unwrap_or_default();
        let kind = hunk["kind"].as_str().expect("a kind");
        let (before, after) = (line(version - 1, hunk, "before"), line(version, hunk, "after"));
        let _ = writeln!(out, "{kind}{note}: {before} => {after}");
    }
    out
}

/// The origins of each line of a version.
fn origins(page: &Value, run: usize, version: usize) -> Vec<Vec<u64>> {
    let mut lines = Vec::new();
    for part in items(&page["runs"][run]["versions"][version]["parts"]) {
        let text = page["texts"][part["text"].as_u64().expect("a number") as usize].as_str().expect("text");
        let count = text.split('\n').count();
        let Some(links) = part["links"].as_u64() else {
            lines.extend(vec![Vec::new(); count]);
            continue;
        };
        let mut numbers = items(&page["links"][links as usize]).iter().map(|number| number.as_i64().expect("a number"));
        let mut first = 0;
        for _ in 0..count {
            let mut line = Vec::new();
            let mut last = first;
            for at in 0..numbers.next().expect("a count") {
                last += numbers.next().expect("an origin");
                first = if at == 0 { last } else { first };
                line.push(last as u64);
            }
            lines.push(line);
        }
    }
    lines
}

/// The lines of version 0 that a line of another version comes from, by its text.
#[track_caller]
fn sources(page: &Value, version: usize, needle: &str) -> Vec<u64> {
    let whole = text(page, &page["runs"][0]["versions"][version]);
    let at = whole.lines().position(|line| line.contains(needle)).expect("the line");
    let of_line = &origins(page, 0, version)[at];
    let origins = of_line.iter().map(|origin| &page["origins"][*origin as usize]);
    origins.filter(|origin| origin["kind"] == "line").map(|origin| origin["line"].as_u64().expect("a line")).collect()
}
