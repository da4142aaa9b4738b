//! What each command does.

mod bench;
mod check;
mod dump;
mod equal;
mod hash;
mod json;
mod print;
mod roundtrip;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::args::{Args, Command};
use crate::failure::Failed;
use crate::input::{self, Input};
use crate::internal::InternalError;
use crate::registry::InputLimits;
use crate::timings::Timings;
use crate::{Outcome, output, parallel};

/// What all commands share: flags that stand anywhere, and the times so far.
pub(crate) struct Run {
    color: bool,
    jobs: usize,
    timings: Timings,
    files: usize,
}

/// Runs the command line.
pub(crate) fn run(args: &Args) -> Outcome {
    let begin = Instant::now();
    let mut run =
        Run { color: output::use_color(args.color), jobs: args.jobs, timings: Timings::default(), files: 0 };
    crate::registry::read_fragments_of(args.fragment);
    crate::registry::read_with_header(args.header.as_ref());
    crate::registry::set_limits(InputLimits {
        file_bytes: args.max_input_bytes,
        node_bytes: args.max_node_bytes,
    });
    if let Err((path, failed)) = crate::registry::add_constants(&args.constants, &mut run.timings) {
        output::diagnose(&failed.render(&path, run.color));
        return Outcome::No;
    }
    let outcome = match &args.command {
        Command::Print(args) => print::run(args, print::From::Any, &mut run),
        Command::FromJson(args) => print::run(args, print::From::Json, &mut run),
        Command::Check(args) => check::run(args, &mut run),
        Command::Roundtrip(args) => roundtrip::run(args, &mut run),
        Command::Equal(args) => equal::run(args, &mut run),
        Command::Hash(args) => hash::run(args, &mut run),
        Command::Json(args) => json::run(args, &mut run),
        Command::Dump(args) => dump::run(args, &mut run),
        Command::Bench(args) => bench::run(args, &mut run),
    };
    if args.timings {
        output::diagnose(&run.timings.to_json(run.files, begin.elapsed()));
    }
    outcome
}

/// The answer for a file, or why there is none.
type Answer<T> = Result<T, Box<Failed>>;

impl Run {
    /// Runs `work` on all files at once, `done` on each answer in order.
    fn for_each<T: Send>(
        &mut self,
        files: &[PathBuf],
        work: impl Fn(&Path, &mut Timings) -> Answer<T> + Sync,
        mut done: impl FnMut(&Path, Answer<T>),
    ) -> Outcome {
        if input::reads_stdin_twice(files) {
            output::diagnose("error: `-` stands for standard input, which can be read only once");
            return Outcome::Misused;
        }
        let timed = |path: &PathBuf| {
            let mut timings = Timings::default();
            (work(path, &mut timings), timings)
        };
        let sum = &mut self.timings;
        parallel::for_each(files, self.jobs, timed, |path, answer: Result<_, InternalError>| match answer {
            Ok((answer, timings)) => {
                sum.merge(&timings);
                done(path, answer);
            }
            Err(error) => done(path, Err(Failed::new(error.into(), None))),
        });
        self.files += files.len();
        Outcome::Done
    }

    /// Reads one file. Its warnings are shown; if it has mistakes, those are, and nothing is returned.
    fn load(&mut self, path: &Path) -> Option<Input> {
        self.files += 1;
        match input::load(path, &mut self.timings) {
            Ok(input) => {
                input.warnings.show(self.color);
                Some(input)
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, self.color));
                None
            }
        }
    }
}
