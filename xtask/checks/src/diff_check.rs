//! `cargo xtask diff-check`: edit scripts of changed programs are the changes, and lead to the changed program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tvmscript::diff::{apply, diff};
use tvmscript_test_texts::Random;

use crate::conformance::{in_parallel, load_kinds};
use crate::ir_changes::{change_program, disagreement};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask diff-check`.
#[derive(Args)]
pub struct Options {
    /// The corpora [default: tests/corpus, and ../shared/corpus/classic if it is there].
    dirs: Vec<PathBuf>,
    /// The kinds of programs.
    #[arg(long, value_delimiter = ',', default_value = "tir,tir_lowered,relax,mixed")]
    kind: Vec<String>,
    /// The number of pairs.
    #[arg(long, default_value_t = 500)]
    pairs: usize,
    /// The seed of the random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// A program longer than this is left out, so that a run stays short.
const MAX_BYTES: usize = 60_000;

/// Result for a pair.
struct Outcome {
    name: String,
    /// Kinds of the changes.
    kinds: Vec<&'static str>,
    /// Fault of the reported places.
    places: Option<String>,
    /// Fault of the application of the script.
    application: Option<String>,
}

/// Runs the check.
///
/// # Errors
/// When a script reports other places, or leads elsewhere.
pub fn run(options: &Options) -> Result<()> {
    let mut dirs = options.dirs.clone();
    if dirs.is_empty() {
        dirs.push(workspace::root().join("tests/corpus"));
        dirs.extend(Some(workspace::root().join("../shared/corpus/classic")).filter(|dir| dir.is_dir()));
    }
    let mut texts = Vec::new();
    for dir in &dirs {
        texts.extend(load_kinds(dir, &options.kind)?);
    }
    texts.retain(|(_, text)| text.len() <= MAX_BYTES);
    if texts.is_empty() {
        bail!("no programs");
    }
    println!("seed {}, {} pairs of {} programs", options.seed, options.pairs, texts.len());
    let outcomes = in_parallel(options.pairs, |index| {
        let mut random = Random::new(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64 + 1));
        // Some programs do not parse or have no place to change.
        (0..50).find_map(|_| {
            let (name, text) = &texts[random.below(texts.len())];
            check(name, text, &mut random)
        })
    });
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut wrong_places, mut wrong_results, mut shown) = (0, 0, 0);
    let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    for outcome in &outcomes {
        outcome.kinds.iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
        wrong_places += usize::from(outcome.places.is_some());
        wrong_results += usize::from(outcome.application.is_some());
        for failure in outcome.places.iter().chain(&outcome.application) {
            shown += 1;
            if shown <= options.show {
                println!("{}: {failure}", outcome.name);
            }
        }
    }
    let list: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    println!("changes: {}", list.join(", "));
    println!(
        "{} pairs: {} with other places, {} scripts lead elsewhere",
        outcomes.len(),
        wrong_places,
        wrong_results
    );
    if wrong_places + wrong_results > 0 || outcomes.len() < options.pairs {
        bail!("diff-check: {wrong_places} with other places, {wrong_results} lead elsewhere");
    }
    Ok(())
}

/// Changes a program and compares; `None` if it cannot be changed.
fn check(name: &str, text: &str, random: &mut Random) -> Option<Outcome> {
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
    let application = match apply(&a, &script) {
        _ if !is_back => Some("the script of the other direction leads elsewhere".to_owned()),
        Err(error) => Some(format!("cannot be applied: {error}")),
        Ok(result) if !equal.compare(&result, &b) => {
            let first = equal.mismatches(&result, &b, 1);
            Some(format!("leads elsewhere: {}", first.first().map(ToString::to_string).unwrap_or_default()))
        }
        Ok(_) if script.is_equal != equal.compare(&a, &b) => Some("disagrees with equality".to_owned()),
        Ok(_) => None,
    };
    Some(Outcome {
        name: name.to_owned(),
        kinds: changes.iter().map(|change| change.kind).collect(),
        places: disagreement(&script, &changes).map(|what| {
            let made: Vec<String> = changes.iter().map(|c| format!("{} {} {}", c.kind, c.op, c.at)).collect();
            let told: Vec<String> = script.edits.iter().take(12).map(ToString::to_string).collect();
            format!("{what}\n    made: {}\n    told: {}", made.join("; "), told.join("; "))
        }),
        application,
    })
}
