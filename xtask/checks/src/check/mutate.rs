//! Programs with one token changed: deleted, doubled, swapped with the next, or misspelt. If the result is an error, the
//! first diagnostic has to lie on the logical line that was changed.

use anyhow::Result;
use clap::Args;
use tvmscript_test_texts::{Changed, Random, change_token, tokens};

use super::{Answer, Cases, Corpus, Question};
use crate::subject;

/// Options of `cargo xtask check mutate`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    #[command(flatten)]
    cases: Cases,
}

const PLACED: Question = Question { text: "the error is on the changed line", percent: 90.0 };

/// A program longer than this is left out, so that a run stays short.
const MAX_BYTES: usize = 20_000;

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let mut texts = options.corpus.texts(MAX_BYTES)?;
    texts.retain(|(_, text)| subject::parse("<corpus>", text).is_ok());
    let report = options.cases.ask(&texts, |(name, text), random| {
        let (changed, what, lines) = change(text, random);
        let placed = placed(&changed, lines).map(|answer| (PLACED, answer));
        Some((format!("{name}, {what}"), placed.into_iter().collect()))
    })?;
    report.finish(options.cases.show)
}

/// Whether the first error of a text lies within `lines` (from 1, inclusive); `None` if it parses.
fn placed(text: &str, lines: (usize, usize)) -> Option<Answer> {
    let errors = subject::parse("<changed>", text).err()?;
    Some(match errors.first() {
        Some(first) if (lines.0..=lines.1).contains(&first.line) => Ok(()),
        Some(first) => {
            Err(format!("changed {}-{}, error at {}: {}", lines.0, lines.1, first.line, first.message))
        }
        None => Err("an error without a diagnostic".to_owned()),
    })
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
