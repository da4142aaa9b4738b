//! `roundtrip`: that text is not lost.

use std::path::Path;

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::{Object, mismatches};

use super::print::{Naming, print_all};
use super::{Answer, Run};
use crate::args::Roundtrip;
use crate::failure::Failed;
use crate::input::{self, Input, Source};
use crate::output::Progress;
use crate::printer::TextArgs;
use crate::registry::{left_out, registry, with_constants};
use crate::timings::Timings;
use crate::{Outcome, output};

/// Runs the command.
pub(super) fn run(args: &Roundtrip, run: &mut Run) -> Outcome {
    let text = args.text.for_round_trip();
    if text.is_misused() {
        return Outcome::Misused;
    }
    let mut outcome = Outcome::Done;
    let mut failing = 0;
    let mut progress = Progress::new(args.files.len());
    let misuse = run.for_each(
        &args.files,
        |path, timings| one(path, &text, timings),
        |path, answer| {
            progress.step();
            let why = match answer {
                Ok(None) => return,
                Ok(Some(why)) => why,
                Err(failed) => failed.failure.one_line(failed.source.as_ref()),
            };
            failing += 1;
            progress.clear();
            outcome = outcome.and(output::result(&format!("{}: {why}\n", input::display_name(path))));
        },
    );
    progress.clear();
    if misuse != Outcome::Done {
        return misuse;
    }
    let total = args.files.len();
    let summary = format!("{} of {total} files round trip", total - failing);
    let end = if failing == 0 { String::new() } else { format!(", {failing} do not") };
    outcome = outcome.and(output::result(&format!("{summary}{end}\n")));
    if failing == 0 { outcome } else { Outcome::No }
}

/// What does not hold, if anything.
fn one(path: &Path, text_args: &TextArgs, timings: &mut Timings) -> Answer<Option<String>> {
    let Input { source, scripts, .. } = input::load(path, timings)?;
    let config = |_: &Object| Ok(text_args.config());
    let text = match print_all(&scripts, Naming::None, config, timings) {
        Ok(printed) => printed.text,
        Err(failure) => return Err(Failed::new(failure, Some(source))),
    };
    let printed = Source { name: format!("{} (printed)", source.name), text };
    // What the text leaves out is found in what was printed, unless it was not there either.
    let left_out = left_out(&scripts, &text_args.config()).ok().flatten().and_then(with_constants);
    let again = match input::parse_printed(left_out.as_ref().unwrap_or(registry()), &printed, timings) {
        Ok((again, _)) => again,
        Err(failure) => {
            return Ok(Some(format!("the print does not parse: {}", failure.one_line(Some(&printed)))));
        }
    };
    if again.len() != scripts.len() {
        let (before, after) = (scripts.len(), again.len());
        return Ok(Some(format!("the print reads back as {after} scripts instead of {before}")));
    }
    for (before, after) in scripts.iter().zip(&again) {
        // A variable that nothing defines comes back as another node.
        let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
        if !timings.time("equal", || equal.compare(&before.node, &after.node)) {
            let place = match mismatches(&before.node, &after.node).first() {
                Some(first) => format!(": {} at {}", first.kind, first.lhs),
                None => String::new(),
            };
            return Ok(Some(format!("the print reads back as another program{place}")));
        }
    }
    // Addresses are others each time: what is compared then is the text without.
    let (first, config) = match text_args.has_addresses() {
        false => (Ok(printed.text), text_args.clone()),
        true => {
            let plain = text_args.without_addresses();
            (
                print_all(&scripts, Naming::None, |_| Ok(plain.config()), timings)
                    .map(|printed| printed.text),
                plain,
            )
        }
    };
    let second = print_all(&again, Naming::None, |_| Ok(config.config()), timings);
    match first.and_then(|first| Ok((first, second?.text))) {
        Ok((first, second)) if second == first => Ok(None),
        Ok((first, second)) => Ok(Some(first_difference(&first, &second))),
        Err(failure) => Ok(Some(format!("the second print fails: {}", failure.one_line(None)))),
    }
}

fn first_difference(first: &str, second: &str) -> String {
    let line = first.lines().zip(second.lines()).take_while(|(a, b)| a == b).count();
    let show =
        |text: &str| text.lines().nth(line).unwrap_or("nothing").trim().chars().take(60).collect::<String>();
    format!("the second print differs in line {}: `{}`, then `{}`", line + 1, show(first), show(second))
}
