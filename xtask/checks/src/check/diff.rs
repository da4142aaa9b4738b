//! Programs that are changed at 1 to 5 places: the edit script is exactly the changes, and leads to the changed program.

use anyhow::Result;
use clap::Args;
use tvmscript::diff::{apply, diff};
use tvmscript_test_texts::Random;

use super::{Answer, Cases, Corpus, Question};
use crate::ir_changes::{change_program, disagreement};
use crate::subject;

/// Options of `cargo xtask check diff`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    #[command(flatten)]
    cases: Cases,
}

const PLACES: Question = Question { text: "the edits are the changes", percent: 100.0 };
const APPLIES: Question = Question { text: "the edits lead to the changed program", percent: 100.0 };

/// A program longer than this is left out, so that a run stays short.
const MAX_BYTES: usize = 60_000;

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let texts = options.corpus.texts(MAX_BYTES)?;
    let report =
        options.cases.ask(&texts, |(name, text), random| Some((name.clone(), check(name, text, random)?)))?;
    report.finish(options.cases.show)
}

/// Changes a program and compares; `None` if it cannot be changed.
fn check(name: &str, text: &str, random: &mut Random) -> Option<Vec<(Question, Answer)>> {
    let parse = || subject::parse(name, text).ok()?.into_only();
    let (a, b) = (parse()?, parse()?);
    // A program with free variables differs from another parse of it.
    if !tvmscript::structural_equal(&a, &b) {
        return None;
    }
    let count = 1 + random.below(5);
    let (b, changes) = change_program(&b, count, random)?;
    let script = diff(&a, &b);
    let equal = tvmscript::ir_core::StructuralEqual::default();
    // The other way round as well: what was inserted is removed.
    let back = diff(&b, &a);
    let is_back = apply(&b, &back).is_ok_and(|result| equal.compare(&result, &a));
    let applies = match apply(&a, &script) {
        _ if !is_back => Err("the script of the other direction leads elsewhere".to_owned()),
        Err(error) => Err(format!("cannot be applied: {error}")),
        Ok(result) if !equal.compare(&result, &b) => {
            let first = equal.mismatches(&result, &b, 1);
            Err(format!("leads elsewhere: {}", first.first().map(ToString::to_string).unwrap_or_default()))
        }
        Ok(_) if script.is_equal != equal.compare(&a, &b) => Err("disagrees with equality".to_owned()),
        Ok(_) => Ok(()),
    };
    let places = disagreement(&script, &changes).map_or(Ok(()), |what| {
        let made: Vec<String> = changes.iter().map(|c| format!("{} {} {}", c.kind, c.op, c.at)).collect();
        let told: Vec<String> = script.edits.iter().take(12).map(ToString::to_string).collect();
        Err(format!("{what}\n    made: {}\n    told: {}", made.join("; "), told.join("; ")))
    });
    Some(vec![(PLACES, places), (APPLIES, applies)])
}
