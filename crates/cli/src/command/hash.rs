//! `hash`: structural hashes, and keys of programs.

use tvmscript::ir::program_key::ProgramKey;
use tvmscript::{releases, structural_hash};

use super::Run;
use crate::failure::{FileError, FileErrorKind};
use crate::hash_args::Hash;
use crate::input::{self, Script};
use crate::settings::Settings;
use crate::{Outcome, output};

pub(super) fn run(args: &Hash, run: &mut Run<'_>) -> Outcome {
    let several = args.files.len() > 1;
    run.for_each_valid(
        &args.files,
        |path, settings, timings| {
            let input = input::load(path, settings, timings)?;
            let hash = |script: &Script| {
                timings.time("hash", || match args.key {
                    true => key(args, script, settings),
                    false => Ok(format!("{:016x}", structural_hash(&script.node))),
                })
            };
            let hashes = input.scripts.iter().map(hash).collect::<Result<Vec<String>, FileErrorKind>>();
            match hashes {
                Ok(hashes) => Ok((hashes, input.warnings)),
                Err(failure) => Err(FileError::new(failure, Some(input.source))),
            }
        },
        |path, hashes| {
            let end = if several { format!("  {}", input::display_name(path)) } else { String::new() };
            let lines: String = hashes.iter().map(|hash| format!("{hash}{end}\n")).collect();
            output::result(&lines)
        },
    )
}

fn key(args: &Hash, script: &Script, settings: &Settings) -> Result<String, FileErrorKind> {
    let options = ProgramKey { skip_attributes: args.ignore_attributes };
    let key = releases::program_key(&script.node, script.release, settings.registry(), options);
    key.map(|key| key.to_string()).map_err(|error| FileErrorKind::Upgrade(error.to_string()))
}
