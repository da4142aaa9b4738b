//! `json`: scripts as JSON, in the form of this project or in TVM's.

use tvmscript::Value;
use tvmscript::ir_core::json::{native, tvm};

use super::Run;
use crate::args::Json;
use crate::{Outcome, input, output};

/// Runs the command.
pub(super) fn run(args: &Json, run: &mut Run) -> Outcome {
    let Some(input) = run.load(&args.file) else { return Outcome::No };
    let value = Value::Node(input::join(&input.scripts));
    let mut text = run.timings.time("save", || match (args.tvm, args.compact) {
        (true, false) => tvm::save(&value),
        (true, true) => tvm::save_with(&value, &tvm::SaveOptions { indent_spaces: 0, ..Default::default() }),
        (false, false) => native::save_pretty(&value),
        (false, true) => native::save(&value),
    });
    if !text.ends_with('\n') {
        text.push('\n');
    }
    output::write(args.output.as_deref(), &text)
}
