//! `json`: scripts as JSON, in the form of this project or in TVM's.

use tvmscript::Value;
use tvmscript::ir_core::json::{native, tvm};

use super::Run;
use crate::args::Json;
use crate::failure::Failure;
use crate::{Outcome, input, output};

/// Runs the command.
pub(super) fn run(args: &Json, run: &mut Run) -> Outcome {
    let Some(input) = run.load(&args.file) else { return Outcome::No };
    let value = Value::Node(input::join(&input.scripts));
    let saved = run.timings.time("save", || match (args.tvm, args.compact) {
        (true, false) => tvm::save(&value),
        (true, true) => tvm::save_with(&value, &tvm::SaveOptions { indent_spaces: 0, ..Default::default() }),
        (false, false) => Ok(native::save_pretty(&value)),
        (false, true) => Ok(native::save(&value)),
    });
    let mut text = match saved {
        Ok(text) => text,
        Err(error) => {
            output::diagnose(&Failure::LeftOut(error).render(&input.source.name, None, run.color));
            return Outcome::No;
        }
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    output::write(args.output.as_deref(), &text)
}
