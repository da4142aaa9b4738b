//! `json`: scripts as JSON, in the form of this project or in TVM's.

use std::path::Path;

use tvmscript::Value;
use tvmscript::ir_core::json::native;
use tvmscript::tvm_json::{self, SaveOptions};

use super::{Answer, Run};
use crate::args::Json;
use crate::failure::{Failed, Failure};
use crate::input::{self, Warnings};
use crate::timings::Timings;
use crate::{Outcome, output};

/// Runs the command. Several files give one document each, in order.
pub(super) fn run(args: &Json, run: &mut Run) -> Outcome {
    let color = run.color;
    let mut outcome = Outcome::Done;
    let mut whole = String::new();
    let misuse = run.for_each(
        &args.files,
        |path, timings| one(path, args, timings),
        |path, answer| match answer {
            Ok((text, warnings)) => {
                warnings.show(color);
                match args.output {
                    Some(_) => whole.push_str(&text),
                    None => outcome = outcome.and(output::result(&text)),
                }
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, color));
                outcome = Outcome::No;
            }
        },
    );
    if args.output.is_some() && misuse.and(outcome) == Outcome::Done {
        outcome = output::write(args.output.as_deref(), &whole);
    }
    misuse.and(outcome)
}

/// The JSON of a file, with a line break at the end.
fn one(path: &Path, args: &Json, timings: &mut Timings) -> Answer<(String, Warnings)> {
    let input = input::load(path, timings)?;
    let value = Value::Node(input::join(&input.scripts));
    let saved = timings.time("save", || match (args.tvm, args.compact) {
        (true, compact) => tvm_json::save_with(&value, &SaveOptions { compact, ..SaveOptions::default() }),
        (false, false) => Ok(native::save_pretty(&value)),
        (false, true) => Ok(native::save(&value)),
    });
    match saved {
        Ok(mut text) => {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Ok((text, input.warnings))
        }
        Err(error) => Err(Failed::new(Failure::LeftOut(error), Some(input.source))),
    }
}
