//! `cargo xtask mutate`: corpus programs with one token changed must not crash, and errors must point at the change.
//!
//! Each run prints its seed; the same seed, count and corpus give the same changes. A change deletes, doubles, swaps
//! with the next, or misspells one token at a recorded place. If the result is an error, the first diagnostic has
//! to lie on the logical line that was changed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use tvmscript_test_texts::{Changed, Random, change_token, tokens};

use crate::conformance::{in_parallel, load_kinds};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask mutate`.
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
    /// The number of changed programs.
    #[arg(long, default_value_t = 2000)]
    count: usize,
    /// Failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// The share of errors that must lie on the changed line, in per cent.
const FLOOR: f64 = 90.0;

/// A program longer than this is left out, so that a run stays short.
const MAX_BYTES: usize = 20_000;

/// A parse slower than this counts as a hang.
const MAX_SECONDS: f64 = 10.0;

/// Result for a changed program.
enum Fate {
    /// It still parses.
    Parses,
    /// An error on the changed line.
    Placed,
    /// An error elsewhere.
    Elsewhere(String),
    /// A panic or a hang.
    Dead(String),
}

/// Runs the campaign.
///
/// # Errors
/// When a program crashes, or too many errors point elsewhere.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.dir.clone().unwrap_or_else(|| workspace::root().join("tests/corpus"));
    let mut texts = load_kinds(&dir, &options.kind)?;
    texts.retain(|(_, text)| text.len() <= MAX_BYTES && subject::parse("<corpus>", text).is_ok());
    if texts.is_empty() {
        bail!("no program of {} parses", dir.display());
    }
    println!("seed {}, {} changes of {} programs", options.seed, options.count, texts.len());
    std::panic::set_hook(Box::new(|_| {}));
    let fates = in_parallel(options.count, |i| {
        let mut random = Random::new(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i as u64 + 1));
        let (name, text) = &texts[random.below(texts.len())];
        let (changed, what, lines) = change(text, &mut random);
        (format!("{name}, {what}"), fate(&changed, lines))
    });
    let _ = std::panic::take_hook();
    let (mut parses, mut placed, mut elsewhere, mut dead, mut shown) =
        (0_usize, 0_usize, 0_usize, 0_usize, 0);
    for (what, fate) in &fates {
        let note = match fate {
            Fate::Parses => {
                parses += 1;
                continue;
            }
            Fate::Placed => {
                placed += 1;
                continue;
            }
            Fate::Elsewhere(note) => {
                elsewhere += 1;
                note
            }
            Fate::Dead(note) => {
                dead += 1;
                note
            }
        };
        shown += 1;
        if shown <= options.show {
            println!("{what}: {note}");
        }
    }
    let errors = placed + elsewhere;
    let percent = if errors == 0 { 100.0 } else { 100.0 * placed as f64 / errors as f64 };
    println!(
        "still parse: {parses}; errors: {errors}, on the changed line: {placed} ({percent:.1} %); dead: {dead}"
    );
    if dead > 0 || percent < FLOOR {
        bail!("mutate: {dead} dead, {percent:.1} % of the errors on the changed line (at least {FLOOR} %)");
    }
    Ok(())
}

/// Checks a text whose change lies within `lines` (from 1, inclusive).
fn fate(text: &str, lines: (usize, usize)) -> Fate {
    let start = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| subject::parse("<changed>", text).map(|_| ())));
    if start.elapsed().as_secs_f64() > MAX_SECONDS {
        return Fate::Dead(format!("{:.1} s", start.elapsed().as_secs_f64()));
    }
    match parsed {
        Err(_) => Fate::Dead("panic".to_string()),
        Ok(Ok(())) => Fate::Parses,
        Ok(Err(errors)) => match errors.first() {
            Some(first) if (lines.0..=lines.1).contains(&first.line) => Fate::Placed,
            Some(first) => Fate::Elsewhere(format!(
                "changed {}-{}, error at {}: {}",
                lines.0, lines.1, first.line, first.message
            )),
            None => Fate::Dead("an error without a diagnostic".to_string()),
        },
    }
}

/// Changes one token; the new text, what was done, and the lines (from 1) of the logical line.
fn change(text: &str, random: &mut Random) -> (String, String, (usize, usize)) {
    let Some(Changed { text: new, token, how }) = change_token(text, random) else {
        return (text.to_string(), "nothing".to_string(), (1, usize::MAX));
    };
    let line = text[..token.range.start].matches('\n').count() + 1;
    let lines = logical_line(text, token.range.start);
    (new, format!("line {line}: `{}` {how}", &text[token.range]), lines)
}

/// The lines (from 1) of the logical line that holds the offset: brackets and strings join lines.
fn logical_line(text: &str, offset: usize) -> (usize, usize) {
    let (mut start, mut line, mut depth) = (1, 1, 0_i32);
    let mut begun = false;
    let mut last_end = 0;
    for token in tokens(text) {
        let range = token.range;
        let gap = &text[last_end..range.start];
        if depth <= 0 && gap.contains('\n') && !gap.trim_end_matches([' ', '\t']).ends_with("\\\n") {
            if begun {
                return (start, line);
            }
            start = line + gap.matches('\n').count();
        }
        line += gap.matches('\n').count() + text[range.clone()].matches('\n').count();
        begun |= range.contains(&offset);
        match &text[range.clone()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        last_end = range.end;
    }
    (start, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_join_lines() {
        let text = "a = 1\nb = (2,\n  3)  # )\nc = 4\n";
        assert_eq!(logical_line(text, text.find('3').unwrap()), (2, 3));
        assert_eq!(logical_line(text, text.find('c').unwrap()), (4, 4));
        assert_eq!(logical_line(text, 0), (1, 1));
    }

    #[test]
    fn the_same_seed_gives_the_same_change() {
        let text = "for i in range(10):\n    A[i] = \"x\"\n";
        assert_eq!(change(text, &mut Random::new(7)), change(text, &mut Random::new(7)));
    }
}
