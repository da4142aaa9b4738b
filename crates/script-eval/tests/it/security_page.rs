//! `docs/security.md` lists every built-in function, type and method, with what bounds its cost.
//!
//! The names come from the sources: each row of a table begins with `own("name")` or `linear("name")`. The reason in the
//! last column is written by hand, so a new built-in is looked at before the page accepts it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Environment variable to record the names; reasons of known tables stay.
const BLESS: &str = "TVMSCRIPT_BLESS";
const BEGIN: &str = "<!-- begin of the built-ins -->\n";
const END: &str = "<!-- end of the built-ins -->";
const HEAD: &str = "| table | names | bounded by |\n|---|---|---|\n";

/// Names by the table that they are rows of. Names that are charged by the size of their arguments end with `*`.
type Tables = BTreeMap<String, Vec<String>>;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The text between quotes at the start.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.split('"').next()
}

/// The identifier behind `static`, if a line declares one.
fn declared(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .split_once("static ")
        .filter(|(before, _)| before.is_empty() || before.trim_end().starts_with("pub"))?;
    rest.1.split(':').next()
}

fn tables(root: &Path) -> Tables {
    let mut files = Vec::new();
    rust_files(root, &mut files);
    let mut tables = Tables::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let module = file.strip_prefix(root).unwrap().with_extension("").display().to_string();
        let (mut table, mut in_macro) = (String::new(), false);
        for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
            if let Some(name) = declared(line) {
                table = name.to_owned();
                in_macro = line.contains("! {");
            } else if line.starts_with("fn ") || line.starts_with("pub") || line.starts_with("impl") {
                table.clear();
            }
            in_macro &= !line.starts_with('}');
            let mut add = |name: &str, mark: &str| {
                let key = format!("`{module}` {table}").trim_end().to_owned();
                tables.entry(key).or_default().push(format!("`{name}`{mark}"));
            };
            for (word, mark) in [("own(", ""), ("linear(", "*")] {
                for (at, _) in line.match_indices(word) {
                    let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._".contains(c));
                    if let Some(name) = quoted(&line[at + word.len()..]).filter(|_| is_word) {
                        add(name, mark);
                    }
                }
            }
            if in_macro {
                // `"name" function;` in a macro that makes rows.
                let parts =
                    line.split(';').filter_map(|part| quoted(part.rsplit("! {").next()?.trim_start()));
                parts.for_each(|name| add(name, ""));
            }
        }
    }
    for names in tables.values_mut() {
        names.sort();
        names.dedup();
    }
    tables
}

#[test]
fn the_security_page_lists_every_builtin() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = tables(&crate_root.join("src"));
    let count: usize = found.values().map(Vec::len).sum();
    assert!(count > 500, "only {count} names found");
    let path = crate_root.join("../../docs/security.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (listed, after) = rest.split_once(END).unwrap();
    let mut reasons = BTreeMap::new();
    let mut names = Tables::new();
    for line in listed.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [table, listed, reason] = cells[..] else { panic!("a row needs three cells: {line}") };
        reasons.insert(table.to_owned(), reason.to_owned());
        names.insert(table.to_owned(), listed.split(' ').map(str::to_owned).collect());
    }
    if std::env::var_os(BLESS).is_some() {
        let mut text = format!("{before}{BEGIN}{HEAD}");
        for (table, names) in &found {
            let reason = reasons.get(table).map_or("?", String::as_str);
            text.push_str(&format!("| {table} | {} | {reason} |\n", names.join(" ")));
        }
        text.push_str(END);
        text.push_str(after);
        std::fs::write(&path, text).unwrap();
        return;
    }
    for (table, found) in &found {
        let listed = names.remove(table).unwrap_or_default();
        let missing: Vec<&String> = found.iter().filter(|name| !listed.contains(name)).collect();
        assert!(missing.is_empty(), "{table}: not in docs/security.md: {missing:?}; {BLESS}=1 adds them");
        let gone: Vec<&String> = listed.iter().filter(|name| !found.contains(name)).collect();
        assert!(gone.is_empty(), "{table}: no longer there: {gone:?}; {BLESS}=1 removes them");
        let reason = &reasons[table];
        assert!(reason.len() > 3, "{table}: say in docs/security.md what bounds its cost");
    }
    assert!(names.is_empty(), "tables that no longer exist: {names:?}");
}
