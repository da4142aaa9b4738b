//! `roundtrip`: checks that printed text reads back to the same scripts and prints the same again.

use std::path::Path;

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::mismatches;

use super::print::{Naming, Text, print_all};
use super::{Answer, Run};
use crate::args::Roundtrip;
use crate::constants::{elided, with_constants};
use crate::failure::FileError;
use crate::input::{self, Input, Script, Source, Warnings};
use crate::output::Progress;
use crate::printer::TextArgs;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

pub(super) fn run(args: &Roundtrip, run: &mut Run<'_>) -> Outcome {
    let text = args.text.for_round_trip();
    if text.is_misused(&run.settings) {
        return Outcome::Misused;
    }
    let settings = run.settings;
    let mut failing = 0;
    let mut progress = Progress::new(args.files.len());
    let outcome = run.for_each(
        &args.files,
        |path, settings, timings| roundtrip_file(path, &text, settings, timings),
        |path, answer| {
            progress.step();
            let mut outcome = Outcome::No;
            let failure = match answer {
                Ok((failure, warnings)) => {
                    if !warnings.found.is_empty() {
                        progress.clear();
                        warnings.show(settings.color);
                    }
                    failure
                }
                Err(failed) => {
                    outcome = failed.outcome();
                    Some(failed.failure.one_line(failed.source.as_ref()))
                }
            };
            let Some(failure) = failure else { return Outcome::Done };
            failing += 1;
            progress.clear();
            output::result(&format!("{}: {failure}\n", input::display_name(path))).and(outcome)
        },
    );
    progress.clear();
    if outcome == Outcome::Misused {
        return outcome;
    }
    let total = args.files.len();
    let end = if failing == 0 { String::new() } else { format!(", {failing} do not") };
    outcome.and(output::result(&format!("{} of {total} files round trip{end}\n", total - failing)))
}

/// Returns the failure in the round trip of a file, if any.
fn roundtrip_file(
    path: &Path,
    args: &TextArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Option<String>, Warnings)> {
    let Input { source, scripts, warnings } = input::load(path, settings, timings)?;
    match print_all(&scripts, Naming::None, |_| Ok(args.config(settings)), settings, timings) {
        Ok(Text { text, .. }) => {
            let printed = Source::new(format!("{} (printed)", source.name), text);
            Ok((difference(&scripts, printed, args, settings, timings), warnings))
        }
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// The first difference between scripts and their printed text, if any.
fn difference(
    scripts: &[Script],
    printed: Source,
    args: &TextArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Option<String> {
    // All scripts of the file need arguments.
    if scripts.is_empty() {
        return None;
    }
    // Constants that the text leaves out come from the scripts, unless those lack them too.
    let elided = elided(scripts, &args.config(settings)).ok().flatten().and_then(with_constants);
    let complete = elided.as_ref().map_or(*settings, |registry| settings.with_registry(registry));
    let again = match input::parse_printed(&printed, &complete, timings) {
        Ok((again, _)) => again,
        Err(failure) => {
            return Some(format!("the print does not parse: {}", failure.one_line(Some(&printed))));
        }
    };
    if again.len() != scripts.len() {
        let (before, after) = (scripts.len(), again.len());
        return Some(format!("the print reads back as {after} scripts instead of {before}"));
    }
    for (before, after) in scripts.iter().zip(&again) {
        // A free variable reads back as another node.
        let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
        if !timings.time("equal", || equal.compare(&before.node, &after.node)) {
            let place = match mismatches(&before.node, &after.node).first() {
                Some(first) => format!(": {} at {}", first.kind, first.lhs),
                None => String::new(),
            };
            return Some(format!("the print reads back as another program{place}"));
        }
    }
    // Addresses differ each time, so the texts are compared without them.
    let plain = args.without_addresses();
    let mut print = |scripts: &[Script]| {
        print_all(scripts, Naming::None, |_| Ok(plain.config(settings)), settings, timings)
    };
    let first = if args.has_addresses() { print(scripts).map(|text| text.text) } else { Ok(printed.text) };
    match first.and_then(|first| Ok((first, print(&again)?.text))) {
        Ok((first, second)) if second == first => None,
        Ok((first, second)) => Some(first_difference(&first, &second)),
        Err(failure) => Some(format!("the second print fails: {}", failure.one_line(None))),
    }
}

fn first_difference(first: &str, second: &str) -> String {
    let line = first.lines().zip(second.lines()).take_while(|(a, b)| a == b).count();
    let show =
        |text: &str| text.lines().nth(line).unwrap_or("nothing").trim().chars().take(60).collect::<String>();
    format!("the second print differs in line {}: `{}`, then `{}`", line + 1, show(first), show(second))
}
