//! `cargo xtask strip`: Relax programs without their annotations, and what inference puts in their place.
//!
//! Each annotated binding of a program that TVM printed loses its annotation. The stripped text is read and printed; a
//! binding agrees when its line is that of the text as it was.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::conformance::{in_parallel, load_kinds};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask strip`.
#[derive(Args)]
pub struct Options {
    /// The corpus [default: tests/corpus].
    dir: Option<PathBuf>,
    /// Bindings shown that do not agree.
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// The share of bindings that must agree, in per cent.
    #[arg(long, default_value_t = 97.0)]
    floor: f64,
}

/// Result for one program.
#[derive(Default)]
struct Outcome {
    bindings: usize,
    agreed: usize,
    misses: Vec<String>,
}

/// Strips the programs, reads and prints them, and counts.
///
/// # Errors
/// When fewer bindings agree than the floor says, or the corpus cannot be read.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.dir.clone().unwrap_or_else(|| workspace::root().join("tests/corpus"));
    let programs = load_kinds(&dir, &["relax".to_owned(), "mixed".to_owned()])?;
    let outcomes = in_parallel(programs.len(), |i| check(&programs[i].0, &programs[i].1));
    let (mut bindings, mut agreed) = (0, 0);
    let mut misses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for outcome in outcomes {
        bindings += outcome.bindings;
        agreed += outcome.agreed;
        for miss in outcome.misses {
            let cause = miss.split('\n').next().unwrap_or_default().split(": ").nth(1).unwrap_or_default();
            misses.entry(cause.to_owned()).or_default().push(miss);
        }
    }
    let percent = if bindings == 0 { 100.0 } else { 100.0 * agreed as f64 / bindings as f64 };
    println!(
        "{} programs, {agreed} / {bindings} bindings agree: {percent:.1} %  (at least {} %)",
        programs.len(),
        options.floor
    );
    for miss in misses.values().flat_map(|all| all.first()).take(options.show) {
        println!("  {miss}");
    }
    if percent < options.floor { bail!("below {} %", options.floor) } else { Ok(()) }
}

fn check(name: &str, text: &str) -> Outcome {
    let lines: Vec<&str> = text.lines().collect();
    let stripped: Vec<String> = lines.iter().map(|line| without_annotation(line)).collect();
    let annotated = |i: usize| stripped[i] != lines[i];
    let bindings = (0..lines.len()).filter(|i| annotated(*i)).count();
    let mut outcome = Outcome { bindings, ..Outcome::default() };
    let printed = subject::parse(name, &stripped.join("\n")).map_err(|errors| {
        errors.first().map_or_else(String::new, |e| format!("{name}: {}:{}: {}", e.line, e.column, e.message))
    });
    let printed = match printed.and_then(|program| program.print()) {
        Ok(printed) => printed,
        Err(error) => {
            outcome.misses.push(error);
            return outcome;
        }
    };
    let found: Vec<&str> = printed.lines().collect();
    if found.len() != lines.len() {
        outcome.misses.push(format!("{name}: {} lines became {}", lines.len(), found.len()));
        return outcome;
    }
    for i in (0..lines.len()).filter(|i| annotated(*i)) {
        if found[i] == lines[i] {
            outcome.agreed += 1;
        } else {
            let (expected, found) = (lines[i].trim(), found[i].trim());
            outcome
                .misses
                .push(format!("{name}: line {}\n    expected {expected}\n    found    {found}", i + 1));
        }
    }
    outcome
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
