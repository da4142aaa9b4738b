//! `explain-code`, and the scripts of its pages.

use std::path::Path;

use crate::common::{file, run};

/// The codes with their scripts: the wrong and the right one, or nothing.
fn pages() -> Vec<(String, Option<(String, String)>)> {
    let markdown = run(&["explain-code", "--markdown"]).stdout;
    let page = |text: &str| {
        let code = text.lines().next().expect("a code").to_owned();
        let mut scripts = text.split("```python\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
        let (wrong, right) = (scripts.next(), scripts.next());
        let scripts = wrong.zip(right).map(|((wrong, _), (right, _))| (wrong.to_owned(), right.to_owned()));
        (code, scripts)
    };
    markdown.split("\n## ").skip(1).map(page).collect()
}

#[test]
fn every_wrong_script_gives_its_code_and_every_right_one_is_clean() {
    let pages = pages();
    assert!(pages.len() > 120, "{}", pages.len());
    let mut failures = Vec::new();
    for (code, scripts) in &pages {
        let Some((wrong, right)) = scripts else { continue };
        let wrong = file(&format!("{code}_wrong.py"), format!("{wrong}\n"));
        let checked = run(&["check", "--format", "json", &wrong]);
        if !checked.stdout.contains(&format!("\"code\":\"{code}\"")) {
            failures.push(format!("{code} wrong: {}", checked.stdout));
        }
        let right = file(&format!("{code}_right.py"), format!("{right}\n"));
        let checked = run(&["check", "--format", "json", &right]);
        if checked.status != 0 || !checked.stdout.contains("\"errors\":[]") {
            failures.push(format!("{code} right: {}", checked.stdout));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_document_of_all_codes_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/error-codes.md");
    let recorded = std::fs::read_to_string(file).expect("docs/error-codes.md").replace("\r\n", "\n");
    let generated = run(&["explain-code", "--markdown"]).stdout;
    assert!(recorded == generated, "docs/error-codes.md is out of date: run `cargo xtask error-codes`");
}

#[test]
fn a_code_is_explained_and_all_codes_are_listed() {
    let page = run(&["explain-code", "e0201"]);
    assert_eq!(page.status, 0);
    assert!(page.stdout.starts_with("E0201: undefined-name\n\nA name is used"), "{}", page.stdout);
    assert!(page.stdout.contains("\nWrong:\n\n    @T.prim_func\n"), "{}", page.stdout);
    let limit = run(&["explain-code", "E0808"]).stdout;
    assert!(limit.contains("There is no example script. The limit is `--max-input-bytes`"), "{limit}");
    let list = run(&["explain-code"]).stdout;
    assert!(list.lines().count() > 120 && list.contains("\nE0201  undefined-name"), "{list}");
    let unknown = run(&["explain-code", "E9999"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("unknown code `E9999`"), "{}", unknown.stderr);
}
