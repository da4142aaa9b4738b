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
    let scripts: Vec<_> =
        pages.iter().filter_map(|(code, scripts)| Some((code, scripts.as_ref()?))).collect();
    assert!(scripts.len() > 60, "{}", scripts.len());
    let files = |kind: &str, text: fn(&(String, String)) -> &String| -> Vec<String> {
        let write = |(code, pair): &(&String, &(String, String))| {
            file(&format!("{code}_{kind}.py"), format!("{}\n", text(pair)))
        };
        scripts.iter().map(write).collect()
    };
    let check = |files: &[String]| {
        let checked = run(&["check", "--format", "json"]
            .into_iter()
            .chain(files.iter().map(String::as_str))
            .collect::<Vec<_>>());
        let lines: Vec<String> = checked.stdout.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), files.len(), "{}", checked.stderr);
        lines
    };
    for ((code, _), line) in scripts.iter().zip(check(&files("wrong", |(wrong, _)| wrong))) {
        if !line.contains(&format!("\"code\":\"{code}\"")) {
            failures.push(format!("{code} wrong: {line}"));
        }
    }
    for ((code, _), line) in scripts.iter().zip(check(&files("right", |(_, right)| right))) {
        if !line.contains("\"ok\":true") || !line.contains("\"errors\":[]") {
            failures.push(format!("{code} right: {line}"));
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
