//! Diagnostics as SARIF 2.1.0, the format of code scanning services and editors.
//!
//! One run holds all files. Columns count Unicode scalar values. Labels on parts of the IR are logical locations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::json::{Report, ReportEdit, ReportFix};
use crate::position::Position;
use tvmscript_ir_core::diagnostic::ErrorCode;

/// The program that made the diagnostics.
#[derive(Debug, Clone, Copy)]
pub struct Tool<'a> {
    /// Name.
    pub name: &'a str,
    /// Version.
    pub version: &'a str,
    /// Home page.
    pub home: &'a str,
    /// Page of a code; `{code}` stands for the code in lower case.
    pub help: &'a str,
}

/// Collects the diagnostics of files.
#[derive(Debug)]
pub struct Log<'a> {
    tool: Tool<'a>,
    /// Codes in use, with their explanation if it is known.
    rules: BTreeMap<&'static str, Option<&'static ErrorCode>>,
    results: Vec<(&'static str, Value)>,
    is_ok: bool,
}

impl<'a> Log<'a> {
    /// An empty log.
    pub fn new(tool: Tool<'a>) -> Log<'a> {
        Log { tool, rules: BTreeMap::new(), results: Vec::new(), is_ok: true }
    }

    /// Adds the diagnostics of a file. `explain` finds the explanation of a code.
    pub fn add_file(
        &mut self,
        name: &str,
        reports: &[Report],
        explain: impl Fn(&str) -> Option<&'static ErrorCode>,
    ) {
        let uri = uri(name);
        for report in reports {
            self.rules.entry(report.code).or_insert_with(|| explain(report.code));
            self.is_ok &= report.severity != "error";
            self.results.push((report.code, result(report, &uri)));
        }
    }

    /// The log as JSON.
    pub fn to_json(&self) -> Value {
        let index: BTreeMap<&str, usize> =
            self.rules.keys().enumerate().map(|(index, code)| (*code, index)).collect();
        let results = self.results.iter().map(|(code, result)| {
            let mut result = result.clone();
            set(&mut result, "ruleIndex", json!(index.get(code)));
            result
        });
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": self.tool.name,
                    "version": self.tool.version,
                    "informationUri": self.tool.home,
                    "rules": self.rules.iter().map(|(code, rule)| self.rule(code, *rule)).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": true}],
                "results": results.collect::<Vec<_>>(),
            }],
        })
    }

    fn rule(&self, code: &str, rule: Option<&ErrorCode>) -> Value {
        let mut value = json!({"id": code});
        if let Some(rule) = rule {
            set(&mut value, "name", json!(rule.name));
            let short = rule.meaning.split_once(". ").map_or(rule.meaning, |(first, _)| first);
            set(&mut value, "shortDescription", json!({"text": short}));
            set(&mut value, "fullDescription", json!({"text": rule.meaning}));
            let help = self.tool.help.replace("{code}", &code.to_lowercase());
            set(&mut value, "helpUri", json!(help));
        }
        value
    }
}

fn result(report: &Report, uri: &str) -> Value {
    let mut text = report.message.clone();
    for note in report.notes.iter().chain(&report.help) {
        text.push('\n');
        text.push_str(note);
    }
    let level = match report.severity {
        "help" => "note",
        severity => severity,
    };
    let mut value = json!({
        "ruleId": report.code,
        "level": level,
        "message": {"text": text},
        "locations": [location(uri, report.start, report.end, report.path.as_deref())],
    });
    if !report.labels.is_empty() {
        let related = report.labels.iter().enumerate().map(|(index, label)| {
            let mut place = location(uri, label.start, label.end, label.path.as_deref());
            set(&mut place, "id", json!(index));
            set(&mut place, "message", json!({"text": label.message}));
            place
        });
        set(&mut value, "relatedLocations", related.collect());
    }
    if !report.fixes.is_empty() {
        set(&mut value, "fixes", report.fixes.iter().map(|f| fix(f, uri)).collect());
    }
    value
}

/// Sets a property of an object.
fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(properties) = object.as_object_mut() {
        properties.insert(key.to_owned(), value);
    }
}

fn location(uri: &str, start: Position, end: Position, path: Option<&str>) -> Value {
    let artifact = json!({"uri": uri});
    match path {
        Some(path) => json!({
            "physicalLocation": {"artifactLocation": artifact},
            "logicalLocations": [{"fullyQualifiedName": path, "kind": "element"}],
        }),
        None => json!({"physicalLocation": {"artifactLocation": artifact, "region": region(start, end)}}),
    }
}

fn region(start: Position, end: Position) -> Value {
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": start.offset,
        "byteLength": end.offset.saturating_sub(start.offset),
    })
}

fn fix(fix: &ReportFix, uri: &str) -> Value {
    let replacement = |edit: &ReportEdit| {
        json!({
            "deletedRegion": region(edit.start, edit.end),
            "insertedContent": {"text": edit.replacement},
        })
    };
    json!({
        "description": {"text": fix.title},
        "artifactChanges": [{
            "artifactLocation": {"uri": uri},
            "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
        "properties": {"applicability": fix.applicability},
    })
}

/// A file name as a URI reference.
fn uri(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let name = name.replace('\\', "/");
    if name.starts_with('/') {
        out.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_uri_references() {
        assert_eq!(super::uri("a b/ä.py"), "a%20b/%C3%A4.py");
        assert_eq!(super::uri("/k/a.py"), "file:///k/a.py");
        assert_eq!(super::uri("<stdin>"), "%3Cstdin%3E");
    }
}
