//! One token of a valid program is changed: the first error is on the changed logical line.

use std::path::{Path, PathBuf};

use tvmscript_python_syntax::prescan::{FStrings, Limits, Prescan};
use tvmscript_python_syntax::{Backend, PythonOptions, SyntaxError, parse_python};
use tvmscript_test_texts::{Changed, Random, change_token, corpus, files_below};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

struct Score {
    errors: usize,
    hits: usize,
    misses: Vec<String>,
}

fn try_file(text: &str, backend: Backend, count: usize, random: &mut Random, score: &mut Score) {
    let scan = Prescan::new(text, FStrings::Nested, &Limits::default());
    let mut options = PythonOptions::default();
    options.backend = backend;
    for _ in 0..count {
        let Some(Changed { text: changed, token, how }) = change_token(text, random) else { return };
        let at = token.range.start;
        let parsed = parse_python(&changed, &options);
        let Some(error) = parsed.errors.first() else { continue };
        let line = &scan.lines[scan.line_at(at as u32).unwrap()];
        let end = line.end as i64 + changed.len() as i64 - text.len() as i64;
        score.errors += 1;
        if error.range.start >= line.begin && i64::from(error.range.start) <= end {
            score.hits += 1;
        } else {
            score.misses.push(describe(&changed, line.start as usize, how, error));
        }
    }
}

fn describe(text: &str, at: usize, how: &str, error: &SyntaxError) -> String {
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        (text[..at].matches('\n').count() + 1, text[start..end].trim())
    };
    let (a, b) = (line(at.min(text.len())), line((error.range.start as usize).min(text.len())));
    format!("{how}\n  {}: {}\n  {}: {}\n  {error} {:?}", a.0, a.1, b.0, b.1, error.detail)
}

fn check(files: &[PathBuf], per_file: usize, max_bytes: u64) {
    for &backend in BACKENDS {
        let mut random = Random::new(7);
        let mut score = Score { errors: 0, hits: 0, misses: Vec::new() };
        for path in files {
            if path.metadata().is_ok_and(|m| m.len() <= max_bytes) {
                let text = std::fs::read_to_string(path).unwrap();
                try_file(&text, backend, per_file, &mut random, &mut score);
            }
        }
        assert!(score.errors > 100, "{backend:?}: {} errors", score.errors);
        let share = score.hits as f64 / score.errors as f64;
        println!("{backend:?}: {} of {} on the changed line: {share:.4}", score.hits, score.errors);
        if let Ok(shown) = std::env::var("SHOW_MISSES") {
            let shown = shown.parse().unwrap_or(20);
            score.misses.iter().take(shown).for_each(|miss| println!("{miss}"));
        }
        assert!(share >= 0.97, "{backend:?}: {share}");
    }
}

#[test]
fn the_first_error_lies_on_the_changed_line() {
    let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files"), "py");
    check(&files, 250, 1 << 20);
}

/// Requires the large corpus.
#[test]
fn the_first_error_lies_on_the_changed_line_of_the_corpus() {
    let files = files_below(&corpus(), "py");
    if !files.is_empty() {
        check(&files, 1, 10_000);
    }
}
