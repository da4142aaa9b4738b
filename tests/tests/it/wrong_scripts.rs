//! Invalid scripts: each marked error is reported on its line with its text, and nothing else is reported.

use tvmscript_tests::{Fixture, check_all, folder, marks, mistakes};

fn check(fixture: &Fixture) -> Result<(), String> {
    let marks = marks(&fixture.text);
    if marks.is_empty() {
        return Err("the file marks no mistake".to_string());
    }
    let found = mistakes(&fixture.name, &fixture.text);
    if found.is_empty() {
        return Err(format!("no error; line {}: {}", marks[0].line, marks[0].words));
    }
    let told = || {
        let lines = found.iter().map(|m| format!("{}: {}", m.line, m.words.trim().replace('\n', "; ")));
        lines.collect::<Vec<_>>().join("\n    ")
    };
    for mark in &marks {
        if !found.iter().any(|m| m.line == mark.line && m.words.to_lowercase().contains(&mark.words)) {
            return Err(format!("expected {}: {}, found\n    {}", mark.line, mark.words, told()));
        }
    }
    if let Some(other) = found.iter().find(|found| !marks.iter().any(|m| m.line == found.line)) {
        return Err(format!("line {} is not marked:\n    {}", other.line, told()));
    }
    Ok(())
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    check_all("err", check);
}

#[test]
fn bytes_that_are_no_script_are_listed() {
    let expected =
        std::fs::read_to_string(folder("err_bytes").join("expect.txt")).expect("the list is there");
    let listed = expected.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_whitespace().next());
    let listed: Vec<&str> = listed.collect();
    let there = std::fs::read_dir(folder("err_bytes")).expect("the folder is there");
    for file in there.filter_map(|e| e.ok()?.file_name().into_string().ok()).filter(|f| f.ends_with(".py")) {
        assert!(listed.contains(&file.as_str()), "{file} is not in expect.txt");
    }
}
