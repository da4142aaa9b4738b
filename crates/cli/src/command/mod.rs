//! The subcommands.

mod bench;
mod check;
mod dialect;
mod diff;
mod dump;
mod emit;
mod equal;
mod explain;
mod explain_code;
mod explore;
mod hash;
mod import;
mod import_summary;
mod json;
mod opt;
mod print;
mod roundtrip;
mod run;
mod schedule;
mod schedule_picture;
mod schedule_record;
mod stubs;
mod trace;
mod upgrade;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::args::{Args, Command};
use crate::failure::FileError;
use crate::input::{self, Input, Warnings};
use crate::internal::InternalError;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, constants, dialects, folders, output, parallel};

/// State shared by all subcommands.
pub(crate) struct Run<'a> {
    pub(crate) settings: Settings<'a>,
    pub(crate) timings: Timings,
    files: usize,
}

/// Runs the command line.
pub(crate) fn run(args: &Args) -> Outcome {
    let begin = Instant::now();
    let global = &args.global;
    let color = output::use_color(global.color, std::io::stderr().is_terminal());
    let settings = Settings::new(dialects::registry(), global, color);
    let mut timings = Timings::default();
    let with_constants = match constants::load(&global.constants, &settings, &mut timings) {
        Ok(registry) => registry,
        Err((path, failed)) => {
            output::diagnose(&failed.render(path, &settings));
            return failed.outcome();
        }
    };
    let settings = with_constants.as_ref().map_or(settings, |registry| settings.with_registry(registry));
    let mut run = Run { settings, timings, files: 0 };
    let outcome = match &args.command {
        Command::Print(args) => print::run(args, print::From::Any, &mut run),
        Command::FromJson(args) => print::run(args, print::From::Json, &mut run),
        Command::Check(args) => check::run(args, &mut run),
        Command::Roundtrip(args) => roundtrip::run(args, &mut run),
        Command::Equal(args) => equal::run(args, &mut run),
        Command::Dialect(args) => dialect::run(args, &mut run),
        Command::Diff(args) => diff::run(args, &mut run),
        Command::ExplainCode(args) => explain_code::run(args),
        Command::Hash(args) => hash::run(args, &mut run),
        Command::Import(args) => import::run(args, &mut run),
        Command::Json(args) => json::run(args, &mut run),
        Command::Dump(args) => dump::run(args, &mut run),
        Command::Opt(args) => opt::run(args, &mut run),
        Command::Explain(args) => explain::run(args, &mut run),
        Command::Emit(args) => emit::run(args, &mut run),
        Command::Trace(args) => trace::run(args, &mut run),
        Command::Explore(args) => explore::run(args, &mut run),
        Command::Run(args) => run::run(args, &mut run),
        Command::Schedule(args) => schedule::run(args, &mut run),
        Command::Bench(args) => bench::run(args, &mut run),
        Command::Stubs(args) => stubs::run(args, &run),
        Command::Upgrade(args) => upgrade::run(args, &mut run),
    };
    if global.timings {
        output::diagnose(&run.timings.to_json(run.files, begin.elapsed()));
    }
    outcome
}

/// The files that arguments name, with the Python files below folders.
///
/// # Errors
/// The outcome of arguments that name no file or standard input twice, which is shown.
fn input_files(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Outcome> {
    if input::reads_stdin_twice(arguments) {
        return Err(output::stdin_twice());
    }
    folders::expanded(arguments).map_err(|empty| {
        output::diagnose(&format!("error: {}: no `.py` file in the folder", empty.display()));
        Outcome::Misused
    })
}

/// Result for one file.
type Answer<T> = Result<T, Box<FileError>>;

impl Run<'_> {
    /// Runs `work` on all files in parallel, and `done` on each answer in the order of the files.
    fn for_each<T: Send>(
        &mut self,
        files: &[PathBuf],
        work: impl Fn(&Path, &Settings<'_>, &mut Timings) -> Answer<T> + Sync,
        done: impl FnMut(&Path, Answer<T>) -> Outcome,
    ) -> Outcome {
        match input_files(files) {
            Ok(files) => self.for_each_file(&files, work, done),
            Err(misused) => misused,
        }
    }

    /// As [`Run::for_each`], for files without folders among them.
    fn for_each_file<T: Send>(
        &mut self,
        files: &[PathBuf],
        work: impl Fn(&Path, &Settings<'_>, &mut Timings) -> Answer<T> + Sync,
        mut done: impl FnMut(&Path, Answer<T>) -> Outcome,
    ) -> Outcome {
        let settings = &self.settings;
        let timed = |path: &PathBuf| {
            let mut timings = Timings::default();
            (work(path, settings, &mut timings), timings)
        };
        let mut outcome = Outcome::Done;
        let sum = &mut self.timings;
        parallel::for_each(files, settings.jobs(), timed, |path, answer: Result<_, InternalError>| {
            outcome = outcome.and(match answer {
                Ok((answer, timings)) => {
                    sum.merge(&timings);
                    done(path, answer)
                }
                Err(error) => done(path, Err(FileError::new(error.into(), None))),
            });
        });
        self.files += files.len();
        outcome
    }

    /// As [`Run::for_each`], but shows warnings and failures; `done` gets the successful results.
    fn for_each_valid<T: Send>(
        &mut self,
        files: &[PathBuf],
        work: impl Fn(&Path, &Settings<'_>, &mut Timings) -> Answer<(T, Warnings)> + Sync,
        done: impl FnMut(&Path, T) -> Outcome,
    ) -> Outcome {
        match input_files(files) {
            Ok(files) => self.for_each_valid_file(&files, work, done),
            Err(misused) => misused,
        }
    }

    /// Like [`Run::for_each_valid`], for paths that are not searched for files.
    fn for_each_valid_file<T: Send>(
        &mut self,
        files: &[PathBuf],
        work: impl Fn(&Path, &Settings<'_>, &mut Timings) -> Answer<(T, Warnings)> + Sync,
        mut done: impl FnMut(&Path, T) -> Outcome,
    ) -> Outcome {
        let settings = self.settings;
        self.for_each_file(files, work, |path, answer| match answer {
            Ok((result, warnings)) => {
                warnings.show(settings.color);
                done(path, result)
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, &settings));
                failed.outcome()
            }
        })
    }

    /// Reads and parses one file and shows its warnings.
    ///
    /// # Errors
    /// The outcome of a failure, whose errors are shown.
    fn load(&mut self, path: &Path) -> Result<Input, Outcome> {
        self.files += 1;
        match input::load(path, &self.settings, &mut self.timings) {
            Ok(input) => {
                input.warnings.show(self.settings.color);
                Ok(input)
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, &self.settings));
                Err(failed.outcome())
            }
        }
    }
}
