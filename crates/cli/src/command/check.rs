//! `check`: all mistakes of many files.

use std::path::Path;

use serde_json::json;

use super::{Answer, Run};
use crate::args::{Check, CheckFormat};
use crate::failure::{Failed, Failure};
use crate::input::{self, Input};
use crate::output::Progress;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

/// Runs the command.
pub(super) fn run(args: &Check, run: &mut Run) -> Outcome {
    let color = run.color;
    let mut outcome = Outcome::Done;
    let mut progress = Progress::new(args.files.len());
    let misuse = run.for_each(&args.files, one, |path, answer| {
        progress.step();
        if args.format == CheckFormat::Json {
            let errors = answer.as_ref().err().map(|f| f.failure.diagnostics(f.source.as_ref()));
            let name = input::display_name(path);
            let line = json!({"file": name, "ok": answer.is_ok(), "errors": errors.unwrap_or_default()});
            progress.clear();
            outcome = outcome.and(output::result(&format!("{line}\n")));
        }
        if let Err(failed) = &answer {
            outcome = Outcome::No;
            if args.format == CheckFormat::Human {
                progress.clear();
                output::diagnose(&failed.render(path, color));
            }
        }
    });
    progress.clear();
    misuse.and(outcome)
}

fn one(path: &Path, timings: &mut Timings) -> Answer<()> {
    let Input { source, scripts } = input::load(path, timings)?;
    let errors = timings.time("check", || well_formed::errors(&scripts));
    if errors.is_empty() { Ok(()) } else { Err(Failed::new(Failure::IllFormed { errors }, Some(source))) }
}
