//! Programs that are changed at several places, names and parts at once: the edit script is exactly the changes, and leads to the changed program.

use anyhow::Result;
use clap::Args;
use tvmscript::Object;
use tvmscript::diff::{EditScript, apply, diff};
use tvmscript_test_texts::Random;

use super::{Answer, Cases, Corpus, Question};
use crate::ir_changes::{Change, Plan, change_program, disagreement, shown};
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

const TEXTS: Question = Question { text: "the edits between texts are the changes", percent: 100.0 };

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
    let plan = Plan::choose(random);
    let (b, changes) = change_program(&b, plan, random)?;
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
    let places = compare(&a, &script, &changes);
    let mut answers = vec![(PLACES, places), (APPLIES, applies)];
    // A program whose text reads back as another one is a case for other suites.
    let read_again = |node| read_again(name, node).filter(|again| equal.compare(again, node));
    if let (Some(a), Some(b)) = (read_again(&a), read_again(&b)) {
        let script = diff(&a, &b);
        let changes = shown(changes, &b);
        answers.push((TEXTS, compare(&a, &script, &changes)));
    }
    Some(answers)
}

/// The program that the text of another one reads back to.
fn read_again(name: &str, node: &Object) -> Option<Object> {
    let text = tvmscript::print(
        node,
        tvmscript::registry(),
        &tvmscript::PrinterConfig { show_meta: true, ..Default::default() },
    )
    .ok()?;
    subject::parse(name, &text).ok()?.into_only()
}

/// Compares an edit script with the changes that were made.
fn compare(a: &Object, script: &EditScript, changes: &[Change]) -> Answer {
    let Some(what) = disagreement(a, script, changes) else { return Ok(()) };
    let made: Vec<String> = changes.iter().map(|c| format!("{} {} {}", c.kind, c.op, c.at)).collect();
    let told = script.edits.iter().take(12).map(|edit| match (edit.old.as_str(), edit.new.as_str()) {
        (Some(old), Some(new)) => format!("{edit} (`{old}`, now `{new}`)"),
        _ => edit.to_string(),
    });
    let told: Vec<String> = told.collect();
    Err(format!("{what}\n    made: {}\n    told: {}", made.join("; "), told.join("; ")))
}
