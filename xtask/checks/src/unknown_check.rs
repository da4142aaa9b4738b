//! `cargo xtask unknown-check`: corpus programs with one operator renamed to a name that no dialect has must be read,
//! printed with the same bytes, and reported.
//!
//! Only programs that print the same bytes before the change take part. The same seed, count and corpus give the same
//! changes.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tvmscript_test_texts::Random;

use crate::conformance::{in_parallel, load_kinds, one_line_difference};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask unknown-check`.
#[derive(Args)]
pub struct Options {
    /// The corpus [default: tests/corpus].
    dir: Option<PathBuf>,
    /// The kinds of programs.
    #[arg(long, value_delimiter = ',', default_value = "tir,tir_lowered,relax,mixed")]
    kind: Vec<String>,
    /// The seed of the random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of renamed operators.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// Text before the last part of the new name.
const MARK: &str = "unheard_of_";

/// The operator that is a part of data types.
const IN_TYPES: &str = "vscale";

/// Runs the check.
///
/// # Errors
/// When a renamed program is not read, prints other bytes, or is not reported.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.dir.clone().unwrap_or_else(|| workspace::root().join("tests/corpus"));
    let texts = load_kinds(&dir, &options.kind)?;
    let callable = in_parallel(texts.len(), |i| {
        let (name, text) = &texts[i];
        let Ok(program) = subject::parse(name, text) else { return Vec::new() };
        if !program.print().is_ok_and(|printed| one_line_difference(text, &printed).is_ok()) {
            return Vec::new();
        }
        let names = program.operator_names();
        let paths = names.iter().filter_map(|name| name.split_once('.').map(|(_, path)| path.to_owned()));
        paths.filter(|path| *path != IN_TYPES && !calls(text, path).is_empty()).collect()
    });
    let choices: Vec<(usize, &String)> =
        callable.iter().enumerate().flat_map(|(i, paths)| paths.iter().map(move |path| (i, path))).collect();
    if choices.is_empty() {
        bail!("no program of {} calls an operator by its name", dir.display());
    }
    println!("seed {}: {} of {} calls are renamed", options.seed, options.count, choices.len());
    let failures = in_parallel(options.count, |i| {
        let mut random = Random::new(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i as u64 + 1));
        let (program, path) = choices[random.below(choices.len())];
        let (name, text) = &texts[program];
        check(text, path).err().map(|failure| format!("{name}, `{path}`: {failure}"))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    failures.iter().take(options.show).for_each(|failure| println!("{failure}"));
    println!(
        "{} of {} are read, print the same bytes and are reported",
        options.count - failures.len(),
        options.count
    );
    if failures.is_empty() { Ok(()) } else { bail!("unknown-check: {} failures", failures.len()) }
}

/// Renames an operator in a program that prints as it is written.
fn check(text: &str, path: &str) -> Result<(), String> {
    let (outer, last) =
        path.rsplit_once('.').map_or((String::new(), path), |(o, last)| (format!("{o}."), last));
    let renamed = format!("{outer}{MARK}{last}");
    let (mut changed, mut from) = (String::with_capacity(text.len()), 0);
    let calls = calls(text, path);
    for at in &calls {
        changed.push_str(&text[from..*at]);
        changed.push_str(&renamed);
        from = at + path.len();
    }
    changed.push_str(&text[from..]);
    let (program, unknown) = subject::parse_with_unknown("<renamed>", &changed).map_err(|errors| {
        errors.first().map_or_else(String::new, |e| format!("line {}:{}: {}", e.line, e.column, e.message))
    })?;
    let printed = program.print()?;
    one_line_difference(&changed, &printed)?;
    match unknown.as_slice() {
        [(name, count)] if *name == renamed && *count == calls.len() => Ok(()),
        other => Err(format!("{} calls are reported as {other:?}", calls.len())),
    }
}

/// Places where a text calls a function of a dialect by its path: outside of strings, after a prefix of one capital letter
/// and a dot, and before a parenthesis.
fn calls(text: &str, path: &str) -> Vec<usize> {
    let found = text.match_indices(path).map(|(at, _)| at);
    found
        .filter(|at| {
            let (before, after) = (&text[..*at], &text[at + path.len()..]);
            let line = before.rsplit('\n').next().unwrap_or_default();
            let is_text = line.replace("\\\"", "").matches('"').count() % 2 == 1;
            let mut before = before.bytes().rev();
            after.starts_with('(')
                && !is_text
                && before.next() == Some(b'.')
                && before.next().is_some_and(|prefix| prefix.is_ascii_uppercase())
                && !before
                    .next()
                    .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'"'))
        })
        .collect()
}
