//! Relax programs without their annotations, and what inference puts in their place.
//!
//! Each annotated binding of a program that TVM printed loses its annotation. The stripped text is read and printed; a
//! binding agrees when its line is that of the text as it was.

use anyhow::Result;
use clap::Args;

use super::{Answer, Corpus, Question, Report};
use crate::conformance::in_parallel;
use crate::subject;

/// Options of `cargo xtask check strip`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    /// Causes of failures shown.
    #[arg(long, default_value_t = 10)]
    show: usize,
}

const AGREES: Question = Question { text: "the binding is inferred as it was", percent: 97.0 };

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let programs = options.corpus.texts(usize::MAX)?;
    let outcomes = in_parallel(programs.len(), |i| check(&programs[i].0, &programs[i].1));
    let mut report = Report::default();
    for ((name, _), answers) in programs.iter().zip(outcomes) {
        answers.into_iter().for_each(|answer| report.count(AGREES, name, answer));
    }
    report.finish(options.show)
}

/// An answer for each annotated binding.
fn check(name: &str, text: &str) -> Vec<Answer> {
    let lines: Vec<&str> = text.lines().collect();
    let stripped: Vec<String> = lines.iter().map(|line| without_annotation(line)).collect();
    let bindings: Vec<usize> = (0..lines.len()).filter(|i| stripped[*i] != lines[*i]).collect();
    if bindings.is_empty() {
        return Vec::new();
    }
    let printed = subject::parse(name, &stripped.join("\n")).map_err(|errors| {
        errors.first().map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message))
    });
    let found = printed.and_then(|program| program.print()).and_then(|printed| {
        let found: Vec<String> = printed.lines().map(str::to_owned).collect();
        match found.len() == lines.len() {
            true => Ok(found),
            false => Err(format!("{} lines became {}", lines.len(), found.len())),
        }
    });
    let answer = |i: usize| match &found {
        Ok(found) if found[i] == lines[i] => Ok(()),
        Ok(found) => {
            let (expected, found) = (lines[i].trim(), found[i].trim());
            Err(format!("line {}\n    expected {expected}\n    found    {found}", i + 1))
        }
        Err(error) => Err(error.clone()),
    };
    bindings.into_iter().map(answer).collect()
}
/// `x: R.Tensor((2,), dtype="float32") = value` as `x = value`; any other line as it is.
fn without_annotation(line: &str) -> String {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let Some((name, rest)) = body.split_once(": ") else { return line.to_owned() };
    let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    if !is_name || !rest.starts_with("R.") {
        return line.to_owned();
    }
    let mut depth = 0i32;
    let mut quoted = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            '=' if !quoted && depth == 0 => return format!("{indent}{name} {}", &rest[at..]),
            _ => {}
        }
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_annotation;

    #[test]
    fn only_annotations_of_bindings_go() {
        let line = "    x: R.Tensor((n, 3), dtype=\"float32\") = R.add(a, b)";
        assert_eq!(without_annotation(line), "    x = R.add(a, b)");
        assert_eq!(without_annotation("def f(x: R.Tensor((2,))):"), "def f(x: R.Tensor((2,))):");
        assert_eq!(without_annotation("    y = R.call_tir(cls.f, (x,))"), "    y = R.call_tir(cls.f, (x,))");
    }
}
