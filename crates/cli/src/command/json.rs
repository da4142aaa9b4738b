//! `json`: scripts as JSON, in the native format or in TVM's.

use std::path::Path;

use tvmscript::Value;
use tvmscript::ir_core::SourceTexts;
use tvmscript::ir_core::json::native;
use tvmscript::tvm_json::{self, SaveOptions};

use super::{Answer, Run};
use crate::Outcome;
use crate::args::Json;
use crate::failure::{Failed, Failure};
use crate::input::{self, Warnings};
use crate::output::Results;
use crate::timings::Timings;

pub(super) fn run(args: &Json, run: &mut Run) -> Outcome {
    let mut results = Results::new(args.output.as_deref());
    let outcome = run.for_each_valid(
        &args.files,
        |path, timings| one(path, args, timings),
        |_, text| results.add(&text),
    );
    results.finish(outcome)
}

/// The JSON of a file, with a line break at the end.
fn one(path: &Path, args: &Json, timings: &mut Timings) -> Answer<(String, Warnings)> {
    let input = input::load(path, timings)?;
    let value = Value::Node(input::join(&input.scripts));
    let origin = input.scripts.first().and_then(|script| script.origin.as_ref()).filter(|_| args.spans);
    let texts = match origin {
        Some(origin) => origin.texts(&input.source.text),
        None => SourceTexts::new(),
    };
    let saved = timings.time("save", || match (args.tvm, args.compact) {
        (true, compact) => {
            tvm_json::save_with(&value, &SaveOptions { compact, texts, ..SaveOptions::default() })
        }
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
        Err(error) => Err(Failed::new(Failure::Unsaved(error), Some(input.source))),
    }
}
