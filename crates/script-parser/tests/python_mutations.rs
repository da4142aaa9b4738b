//! One token of a right program is changed: the first error lies on the logical line that changed.

use std::path::{Path, PathBuf};

use tvmscript_script_parser::prescan::{FStrings, Limits, Prescan};
use tvmscript_script_parser::python::{Backend, PythonOptions, SyntaxError, parse_python};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// The tokens of a text, comments and blanks aside. Strings are one token.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'#' => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b if b.is_ascii_whitespace() || b == b'\\' => {
                at += 1;
                continue;
            }
            b if b.is_ascii_alphanumeric() || b == b'_' => {
                let len = text[at..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
                at += len.unwrap_or(text.len() - at);
                if !b.is_ascii_digit() {
                    at = start + text[start..at].find('.').unwrap_or(at - start);
                }
            }
            quote @ (b'"' | b'\'') => {
                let triple = text[at..].starts_with(&[quote as char; 3].iter().collect::<String>());
                let mark: String = std::iter::repeat_n(quote as char, if triple { 3 } else { 1 }).collect();
                at += mark.len();
                while at < bytes.len() && !text[at..].starts_with(&mark) {
                    at += if bytes[at] == b'\\' { 2 } else { text[at..].chars().next().unwrap().len_utf8() };
                }
                at = (at + mark.len()).min(text.len());
            }
            _ => {
                let two = text.get(at..at + 2).unwrap_or("");
                at += match two {
                    "**" | "//" | "<=" | ">=" | "==" | "!=" | "->" | "<<" | ">>" | ":=" | "+=" => 2,
                    _ => text[at..].chars().next().unwrap().len_utf8(),
                };
            }
        }
        tokens.push(start..at);
    }
    tokens
}

/// The text with one token deleted, doubled, swapped with the next or misspelt; and where the change begins.
fn mutate(
    text: &str,
    tokens: &[std::ops::Range<usize>],
    random: &mut Random,
) -> (String, usize, &'static str) {
    let index = random.below(tokens.len() - 1);
    let (token, next) = (tokens[index].clone(), tokens[index + 1].clone());
    let (before, this, after) = (&text[..token.start], &text[token.clone()], &text[token.end..]);
    match random.below(4) {
        0 => (format!("{before}{after}"), token.start, "deleted"),
        1 => (format!("{before}{this} {this}{after}"), token.start, "doubled"),
        2 => {
            let between = &text[token.end..next.start];
            let other = &text[next.clone()];
            (format!("{before}{other}{between}{this}{}", &text[next.end..]), token.start, "swapped")
        }
        _ => {
            let mut letters: Vec<char> = this.chars().collect();
            let at = random.below(letters.len());
            if letters.len() > 1 && random.below(2) == 0 {
                let other = (at + 1) % letters.len();
                letters.swap(at, other);
            } else {
                letters[at] = ['x', '(', '.', '"', ':', '7'][random.below(6)];
            }
            (format!("{before}{}{after}", letters.into_iter().collect::<String>()), token.start, "misspelt")
        }
    }
}

struct Score {
    errors: usize,
    hits: usize,
    misses: Vec<String>,
}

fn try_file(text: &str, backend: Backend, count: usize, random: &mut Random, score: &mut Score) {
    let scan = Prescan::new(text, FStrings::Nested, &Limits::default());
    let tokens = tokens(text);
    if tokens.len() < 2 {
        return;
    }
    let mut options = PythonOptions::default();
    options.backend = backend;
    for _ in 0..count {
        let (changed, at, how) = mutate(text, &tokens, random);
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

fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "py") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn check(root: &Path, per_file: usize, max_bytes: u64) {
    let files = files(root);
    for &backend in BACKENDS {
        let mut random = Random(7);
        let mut score = Score { errors: 0, hits: 0, misses: Vec::new() };
        for path in &files {
            if path.metadata().is_ok_and(|m| m.len() <= max_bytes) {
                let text = std::fs::read_to_string(path).unwrap();
                try_file(&text, backend, per_file, &mut random, &mut score);
            }
        }
        if score.errors == 0 {
            continue;
        }
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
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_files"), 250, 1 << 20);
}

/// Only where the large corpus is at hand.
#[test]
fn the_first_error_lies_on_the_changed_line_of_the_corpus() {
    let root = std::env::var_os("TVMSCRIPT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    check(&root, 1, 10_000);
}
