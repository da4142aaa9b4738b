//! Whole Python files: the scripts found, their paths, and the diagnostics.

use tvmscript::{ParseOptions, parse, registry};
use tvmscript_tests::{File, Fixture, check_all, check_roundtrip, file, file_marks, folder};

/// A list for messages: `12: error: undefined name`.
fn listed<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join("\n    ")
}

fn check(fixture: &Fixture) -> Result<(), String> {
    let expected = file_marks(&fixture.text);
    let File { scripts, diagnostics } = file(&fixture.name, &fixture.text);
    let mut found: Vec<_> = scripts.iter().map(|script| (script.line, script.path.clone())).collect();
    found.sort();
    if found != expected.scripts {
        let show = |(line, path): &(usize, String)| format!("{line}: {path}");
        return Err(format!(
            "found the scripts\n    {}\nexpected\n    {}",
            listed(&found, show),
            listed(&expected.scripts, show)
        ));
    }
    let told =
        listed(&diagnostics, |d| format!("{}: {}: {}", d.line, d.severity, d.words.replace('\n', "; ")));
    for mark in &expected.diagnostics {
        let meets = |d: &&tvmscript_tests::Told| {
            d.line == mark.line && d.severity == mark.severity && d.words.to_lowercase().contains(&mark.words)
        };
        if !diagnostics.iter().any(|d| meets(&d)) {
            return Err(format!(
                "expected {}: {}: {}, found\n    {told}",
                mark.line, mark.severity, mark.words
            ));
        }
    }
    let is_marked = |d: &tvmscript_tests::Told| {
        expected.diagnostics.iter().any(|mark| mark.line == d.line && mark.severity == d.severity)
    };
    if let Some(other) = diagnostics.iter().find(|d| !is_marked(d)) {
        return Err(format!("line {} is not marked:\n    {told}", other.line));
    }
    let mut text = String::new();
    for script in &scripts {
        let printed =
            check_roundtrip(std::slice::from_ref(&script.node), &tvmscript_tests::canonical_options())
                .map_err(|why| format!("{}: {why}", script.path))?;
        text.push_str(&format!("# {}\n{printed}\n\n", script.path));
    }
    let path = folder("files").join(format!("{}.printed", fixture.name));
    if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
        return std::fs::write(&path, &text).map_err(|e| e.to_string());
    }
    let kept = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if kept == text { Ok(()) } else { Err(format!("prints\n{text}\ninstead of\n{kept}")) }
}

#[test]
fn every_script_of_a_file_is_found() {
    check_all("files", check);
}

#[test]
fn calls_with_large_arguments_cost_no_search() {
    // Each call that searched its arguments would look at a million elements.
    let text = "values = []\nwhile True:\n    values.append(values)\n";
    let failing = "values = [[0] * 1000] * 1000\nwhile True:\n    try:\n        len(values, 1)\n    except TypeError:\n        pass\n";
    for text in [text, failing] {
        let mut options = ParseOptions::default();
        options.limits.max_steps = 500_000;
        let parsed = parse("loop.py", text, registry(), &options);
        let told: Vec<String> =
            parsed.warnings.iter().chain(&parsed.errors).map(ToString::to_string).collect();
        assert!(told.iter().any(|told| told.contains("steps")), "{told:?}");
    }
}
