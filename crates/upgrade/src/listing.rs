//! The differences of two releases, as a list.

use std::collections::BTreeMap;

use tvmscript_ir_core::diagnostic::ErrorCode;
use tvmscript_ir_core::release::{NameChange, Release};

use crate::{Kind, Step};

/// A difference, with the forms of both releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Stable name, such as `flat-bindings`.
    pub name: String,
    /// Its treatment by the step.
    pub kind: Kind,
    /// The form in the older text.
    pub old: String,
    /// The form in the target's text; for a report, what happens to the program.
    pub new: String,
    /// The code of its notes and reports.
    pub code: Option<&'static ErrorCode>,
}

/// The differences that a step rewrites or reports: names of the releases, then the rules of its levels.
pub fn differences(step: &Step) -> Vec<Difference> {
    let mut out = Vec::new();
    let mut add = |name: String, kind, pairs: Vec<(String, String)>| {
        if !pairs.is_empty() {
            let (old, new): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
            out.push(Difference { name, kind, old: old.join(", "), new: new.join(", "), code: None });
        }
    };
    add("namespaces".to_owned(), Kind::Rename, modules(step));
    for (dialect, pairs) in functions(step) {
        add(format!("{dialect}-functions"), Kind::Rename, pairs);
    }
    for (dialect, pairs) in keywords(step) {
        add(format!("{dialect}-keywords"), Kind::Rename, pairs);
    }
    let prefix = step.key_prefix();
    add(
        "attribute-keys".to_owned(),
        Kind::Rewrite,
        prefix
            .map(|prefix| (format!("\"{}noalias\"", prefix.from), format!("\"{}noalias\"", prefix.to)))
            .into_iter()
            .collect(),
    );
    out.extend(step.rules().map(|rule| Difference {
        name: rule.name.to_owned(),
        kind: rule.kind,
        old: rule.old.to_owned(),
        new: rule.new.to_owned(),
        code: rule.code,
    }));
    out
}

/// The pairs of names that differ.
fn changed(old: String, new: String) -> Option<(String, String)> {
    (old != new).then_some((old, new))
}

/// Modules of scripts.
fn modules(step: &Step) -> Vec<(String, String)> {
    let own = step.from.renames.modules.iter().chain(step.to.renames.modules).map(|(path, _)| *path);
    let mut paths: Vec<&str> = own.collect();
    paths.sort_unstable();
    paths.dedup();
    let path_in = |release: &Release, path: &str| match (release.renames.module(path), path.rsplit_once('.'))
    {
        (Some(last), Some((parent, _))) => format!("{parent}.{last}"),
        _ => path.to_owned(),
    };
    paths.into_iter().filter_map(|path| changed(path_in(step.from, path), path_in(step.to, path))).collect()
}

/// Functions that have a name in both releases, by dialect.
fn functions(step: &Step) -> BTreeMap<&'static str, Vec<(String, String)>> {
    let changes = step.from.renames.function_changes().chain(step.to.renames.function_changes());
    let mut seen: Vec<(&str, &str)> = changes.map(|(dialect, name, _)| (*dialect, *name)).collect();
    let mut unique = Vec::new();
    seen.retain(|function| {
        let is_new = !unique.contains(function);
        unique.push(*function);
        is_new
    });
    let mut out: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (dialect, name) in seen {
        let name_in = |release: &Release| match release.renames.function(dialect, name) {
            None => Some(name.to_owned()),
            Some(NameChange::Renamed(new) | NameChange::Replaced(new)) => Some(new.to_owned()),
            Some(NameChange::Removed(_)) => None,
        };
        if let (Some(old), Some(new)) = (name_in(step.from), name_in(step.to)) {
            out.entry(dialect).or_default().extend(changed(old, new));
        }
    }
    out
}

/// Keywords of calls, by dialect.
fn keywords(step: &Step) -> BTreeMap<&'static str, Vec<(String, String)>> {
    let own = step.from.renames.keywords.iter().chain(step.to.renames.keywords);
    let mut out: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (dialect, name, _) in own {
        let keyword_in = |release: &Release| format!("{}=", release.renames.keyword(dialect, name));
        let pair = changed(keyword_in(step.from), keyword_in(step.to));
        let pairs = out.entry(*dialect).or_default();
        pairs.extend(pair.filter(|pair| !pairs.contains(pair)));
    }
    out
}
