//! Programs with one operator renamed to a name that no dialect has: they are read, print the same bytes, and the name is
//! reported. Only programs that print the same bytes before the change take part.

use anyhow::Result;
use clap::Args;

use super::{Answer, Cases, Corpus, Question};
use crate::conformance::{in_parallel, one_line_difference};
use crate::subject;

/// Options of `cargo xtask check unknown`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    #[command(flatten)]
    cases: Cases,
}

const KEPT: Question = Question { text: "is read, prints the same bytes and is reported", percent: 100.0 };

/// Text before the last part of the new name.
const MARK: &str = "unheard_of_";

/// The operator that is a part of data types.
const IN_TYPES: &str = "vscale";

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let texts = options.corpus.texts(usize::MAX)?;
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
    let report = options.cases.ask(&choices, |(program, path), _| {
        let (name, text) = &texts[*program];
        Some((format!("{name}, `{path}`"), vec![(KEPT, check(text, path))]))
    })?;
    report.finish(options.cases.show)
}
/// Renames an operator in a program that prints as it is written.
fn check(text: &str, path: &str) -> Answer {
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
