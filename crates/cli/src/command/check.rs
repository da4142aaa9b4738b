//! `check`: all errors of many files.

use std::path::Path;

use serde_json::json;

use super::{Answer, Run};
use crate::args::{Check, CheckFormat};
use crate::failure::{Failed, Failure};
use crate::input::{self, Input, Warnings};
use crate::output::Progress;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

pub(super) fn run(args: &Check, run: &mut Run) -> Outcome {
    let color = run.color;
    let mut progress = Progress::new(args.files.len());
    run.for_each(&args.files, one, |path, answer| {
        progress.step();
        progress.clear();
        let is_ok = if answer.is_ok() { Outcome::Done } else { Outcome::No };
        match args.format {
            CheckFormat::Json => {
                let errors = match &answer {
                    Ok(warnings) => warnings.diagnostics(),
                    Err(failed) => failed.failure.diagnostics(failed.source.as_ref()),
                };
                let name = input::display_name(path);
                let line = json!({"file": name, "ok": answer.is_ok(), "errors": errors});
                output::result(&format!("{line}\n")).and(is_ok)
            }
            CheckFormat::Human => {
                match &answer {
                    Ok(warnings) => warnings.show(color),
                    Err(failed) => output::diagnose(&failed.render(path, color)),
                }
                is_ok
            }
        }
    })
}

/// The warnings of a file without errors.
fn one(path: &Path, timings: &mut Timings) -> Answer<Warnings> {
    let Input { source, scripts, warnings } = input::load(path, timings)?;
    let errors = timings.time("check", || well_formed::errors(&scripts));
    if errors.is_empty() {
        return Ok(warnings);
    }
    let errors = input::merge(errors, warnings.found);
    Err(Failed::new(Failure::IllFormed { errors }, Some(source)))
}
