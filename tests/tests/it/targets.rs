//! What dialects and targets cost: the table of the page on builder programs, and what knows what.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files at a path.
fn files(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![path.to_owned()];
    while let Some(path) = work.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => work.extend(entries.map(|entry| entry.expect("an entry").path())),
            Err(_) if path.extension().is_some_and(|end| end == "rs") => found.push(path),
            Err(_) => {}
        }
    }
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of code in a file, without comments and tests.
fn lines(text: &str) -> usize {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn p74_29_the_table_of_costs_has_the_lines_of_each_dialect_and_target() {
    let page = read(&root().join("docs/builder-programs.md"));
    let table = page.split("| part | code | lines |").nth(1).expect("the table");
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    let (mut targets, mut dialects) = (0, 0);
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [part, code, stated] = cells.as_slice() else { panic!("{row}") };
        targets += usize::from(part.starts_with("target"));
        dialects += usize::from(part.starts_with("dialect"));
        let paths = code.split(", ").map(|path| root().join(path.trim_matches('`')));
        let found: Vec<PathBuf> = paths.flat_map(|path| files(&path)).collect();
        assert!(!found.is_empty(), "{row}");
        let counted: usize = found.iter().map(|path| lines(&read(path))).sum();
        let stated: usize = stated.parse().expect("a number");
        // Rounded, so that not every change changes the page.
        let tolerance = (stated / 10).max(10);
        assert!(counted.abs_diff(stated) <= tolerance, "{part}: {counted} lines, the page says {stated}");
    }
    assert!(targets >= 5 && dialects >= 4, "{targets} targets, {dialects} dialects");
}

#[test]
fn p74_29_no_dialect_knows_a_target_and_no_target_a_dialect() {
    let targets = ["doc::builder", "doc::python", "dump_json", "explain::", "-builder"];
    for dialect in ["prim", "ir", "tir", "tirx", "relax"] {
        for file in files(&root().join("crates").join(dialect).join("src")) {
            let text = read(&file);
            let known = targets.iter().find(|target| text.contains(*target));
            assert_eq!(known, None, "{} names a target", file.display());
        }
    }
    let dialects =
        ["tvmscript_tir", "tvmscript_relax", "tvmscript_ir::", "tvmscript_prim", "\"tir\"", "\"relax\""];
    for file in files(&root().join("crates/doc/src")) {
        let text = read(&file);
        let known = dialects.iter().find(|dialect| text.contains(*dialect));
        assert_eq!(known, None, "{} names a dialect", file.display());
    }
}
