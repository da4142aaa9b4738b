//! `hash`: structural hashes.

use tvmscript::structural_hash;

use super::Run;
use crate::args::Hash;
use crate::{Outcome, input, output};

/// Runs the command.
pub(super) fn run(args: &Hash, run: &mut Run) -> Outcome {
    let color = run.color;
    let several = args.files.len() > 1;
    let mut outcome = Outcome::Done;
    let misuse = run.for_each(
        &args.files,
        |path, timings| {
            let input = input::load(path, timings)?;
            let hashes = input.scripts.iter();
            let hashes: Vec<u64> =
                hashes.map(|s| timings.time("hash", || structural_hash(&s.node))).collect();
            Ok((hashes, input.warnings))
        },
        |path, answer| match answer {
            Ok((hashes, warnings)) => {
                warnings.show(color);
                let end = if several { format!("  {}", input::display_name(path)) } else { String::new() };
                let lines: String = hashes.iter().map(|hash| format!("{hash:016x}{end}\n")).collect();
                outcome = outcome.and(output::result(&lines));
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, color));
                outcome = Outcome::No;
            }
        },
    );
    misuse.and(outcome)
}
