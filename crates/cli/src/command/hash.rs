//! `hash`: structural hashes.

use tvmscript::structural_hash;

use super::Run;
use crate::args::Hash;
use crate::{Outcome, input, output};

pub(super) fn run(args: &Hash, run: &mut Run<'_>) -> Outcome {
    let several = args.files.len() > 1;
    run.for_each_valid(
        &args.files,
        |path, settings, timings| {
            let input = input::load(path, settings, timings)?;
            let hash = |script: &input::Script| timings.time("hash", || structural_hash(&script.node));
            Ok((input.scripts.iter().map(hash).collect::<Vec<u64>>(), input.warnings))
        },
        |path, hashes| {
            let end = if several { format!("  {}", input::display_name(path)) } else { String::new() };
            let lines: String = hashes.iter().map(|hash| format!("{hash:016x}{end}\n")).collect();
            output::result(&lines)
        },
    )
}
