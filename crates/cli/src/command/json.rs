//! `json`: scripts as JSON, in the native format or in TVM's.

use std::path::Path;

use tvmscript::Value;
use tvmscript::ir_core::SourceTexts;
use tvmscript::tvm_json::Form;

use super::{Answer, Run};
use crate::Outcome;
use crate::args::Json;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Warnings};
use crate::json_form::JsonForm;
use crate::output::Results;
use crate::settings::Settings;
use crate::timings::Timings;

pub(super) fn run(args: &Json, run: &mut Run<'_>) -> Outcome {
    let mut results = Results::new(args.output.as_deref());
    let outcome = run.for_each_valid(
        &args.files,
        |path, settings, timings| file_to_json(path, args, settings, timings),
        |_, text| results.add(&text),
    );
    results.finish(outcome)
}

/// The JSON of a file, with a line break at the end.
fn file_to_json(
    path: &Path,
    args: &Json,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(String, Warnings)> {
    let input = input::load(path, settings, timings)?;
    let value = Value::Node(input::join(&input.scripts));
    let texts = match args.spans {
        true => input::texts_of(&input.scripts, &input.source.text),
        false => SourceTexts::new(),
    };
    let form = JsonForm { form: if args.tvm { Form::Tvm } else { Form::Native }, compact: args.compact };
    let release = input.scripts.first().map_or(settings.registry().release(), |script| script.release);
    match timings.time("save", || form.write(&value, release, settings.registry(), texts)) {
        Ok(text) => Ok((text, input.warnings)),
        Err(error) => Err(FileError::new(FileErrorKind::Unsaved(error), Some(input.source))),
    }
}
