//! Codes of `upgrade`, each with the smallest script that has it.
//!
//! `tests/fixtures/upgrade/TARGET/CODE.py` is upgraded to TARGET: `CODE.report` is what the command says, and
//! `CODE.upgraded` the text if losses are accepted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tvmscript::upgrade::{Kind, Level, Step, codes, steps};

use crate::common::run_with;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/upgrade")
}

/// The steps with all rules of a direction; others have some of them.
fn full_steps() -> impl Iterator<Item = &'static Step> {
    let ends = [(Level::Nested, Level::Declared), (Level::Declared, Level::Nested)];
    steps(tvmscript::registry()).filter(move |step| ends.contains(&step.levels))
}

/// The codes that a step can have: target, code, and if it is a report.
fn cases() -> Vec<(String, &'static str, bool)> {
    let rules = full_steps().flat_map(|step| step.rules.iter().map(|rule| (step.to.id(), rule)));
    let mut cases: Vec<_> =
        rules.filter_map(|(to, rule)| Some((to, rule.code?.code, rule.kind == Kind::Report))).collect();
    // Not about programs, but about Python files.
    let files = [
        (&codes::CAPTURED, true),
        (&codes::UNCOMPARED, false),
        (&codes::AROUND, true),
        (&codes::OLDER, false),
    ];
    cases.extend(files.map(|(code, is_report)| ("tvm-0.27".to_owned(), code.code, is_report)));
    cases
}

fn recorded(path: &Path, text: &str) -> String {
    if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
        std::fs::write(path, text).expect("a fixture");
    }
    let recorded =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    recorded.replace("\r\n", "\n")
}

#[test]
fn every_code_has_a_script() {
    let cased: BTreeSet<&str> = cases().into_iter().map(|(_, code, _)| code).collect();
    let declared: BTreeSet<&str> = codes::ALL.iter().map(|code| code.code).collect();
    assert_eq!(cased, declared, "a code belongs to no rule");
    let mut files = BTreeSet::new();
    for step in full_steps() {
        for entry in std::fs::read_dir(fixtures().join(step.to.id())).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("an ASCII name");
            files.extend(name.strip_suffix(".py").map(|code| (step.to.id(), code.to_owned())));
        }
    }
    let needed: BTreeSet<_> = cases().into_iter().map(|(to, code, _)| (to, code.to_owned())).collect();
    assert_eq!(files, needed, "tests/fixtures/upgrade has a script for each code of each target");
}

#[test]
fn scripts_with_a_code_are_reported_and_upgraded() {
    for (to, code, is_report) in cases() {
        let path = fixtures().join(&to).join(format!("{code}.py"));
        let text = std::fs::read_to_string(&path).expect("a fixture").replace("\r\n", "\n");
        let name = path.display();
        let strict = run_with(&["upgrade", "--to", &to, "-"], text.as_bytes());
        let lossy = run_with(&["upgrade", "--to", &to, "--lossy", "-"], text.as_bytes());
        let severity = if is_report { "Error" } else { "Note" };
        assert!(strict.stderr.contains(&format!("[{code}] {severity}")), "{name}: {}", strict.stderr);
        assert_eq!(recorded(&path.with_extension("report"), &strict.stderr), strict.stderr, "{name}");
        let is_of_file = [codes::CAPTURED.code, codes::AROUND.code].contains(&code);
        assert_eq!(lossy.status, i32::from(is_of_file), "{name}: {}", lossy.stderr);
        assert_eq!(recorded(&path.with_extension("upgraded"), &lossy.stdout), lossy.stdout, "{name}");
        // What is reported stays, unless it is around the scripts.
        let stays = is_report && code != codes::AROUND.code;
        let (status, stdout) = (i32::from(is_report), if stays { &text } else { &lossy.stdout });
        assert_eq!((strict.status, &strict.stdout), (status, stdout), "{name}");
        if is_report && !is_of_file {
            assert!(lossy.stderr.contains(&format!("[{code}] Warning")), "{name}: {}", lossy.stderr);
        }
    }
}
