//! `cargo xtask check SUITE`: programs that are changed in a known way, and inputs that are made to hurt.
//!
//! A suite asks questions about cases; [`Report`] counts the answers and holds each question to its share. Random cases
//! depend on the seed, the corpus and their number alone.

mod attack;
mod c_source;
mod diff;
mod emit;
mod host;
mod import;
mod import_speed;
mod legalize;
mod mutate;
mod run;
mod schedule;
mod schedule_speed;
mod strip;
mod unknown;
mod upgrade;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use tvmscript_test_texts::Random;
use xtask::workspace;

use crate::conformance::{cause, in_parallel, load_kinds, share};

/// A suite.
#[derive(Subcommand)]
pub enum Suite {
    /// Change single tokens of programs: no crash, and errors at the right place.
    Mutate(mutate::Options),
    /// Rename operators of programs to unknown names: they are read, print the same bytes, and are reported.
    Unknown(unknown::Options),
    /// Change programs at known places: their differences are exactly those places.
    Diff(diff::Options),
    /// Emit the programs that build those of a corpus, compile and run them, and compare what they build.
    Emit(emit::Options),
    /// Upgrade programs of an older release: each is reported, or the newest release reads it as its own program.
    Upgrade(upgrade::Options),
    /// Take the annotations off Relax programs and compare what inference puts in their place.
    Strip(strip::Options),
    /// Give inputs that are made to hurt to the built command: no abort, no hang, no panic.
    Attack(attack::Options),
    /// Run hostile programs of host code: no panic, no hang.
    Host(host::Options),
    /// Make loops of each operator call of some programs: the same as TVM's.
    Legalize(legalize::Options),
    /// Write the functions of a corpus as C, compile and run them: the same results as the interpreter's.
    CSource(c_source::Options),
    /// Run the functions of a corpus in the interpreter: how many run, and what stops the others.
    Run(run::Options),
    /// Import models: the same module as TVM's, with the name of the layer on each call.
    Import(import::Options),
    /// Apply recorded schedules: the same module as TVM's, or a refusal of the same class.
    Schedule(schedule::Options),
}

/// Runs a suite.
///
/// # Errors
/// When a question has fewer good answers than it needs.
pub fn run(suite: &Suite) -> Result<()> {
    match suite {
        Suite::Mutate(options) => mutate::run(options),
        Suite::Unknown(options) => unknown::run(options),
        Suite::Diff(options) => diff::run(options),
        Suite::Emit(options) => emit::run(options),
        Suite::Upgrade(options) => upgrade::run(options),
        Suite::Strip(options) => strip::run(options),
        Suite::Attack(options) => attack::run(options),
        Suite::Host(options) => host::run(options),
        Suite::Legalize(options) => legalize::run(options),
        Suite::CSource(options) => c_source::run(options),
        Suite::Run(options) => run::run(options),
        Suite::Import(options) => import::run(options),
        Suite::Schedule(options) => schedule::run(options),
    }
}

/// The programs of a suite.
#[derive(Args)]
pub struct Corpus {
    /// The corpora [default: tests/corpus].
    dirs: Vec<PathBuf>,
    /// The kinds of programs.
    #[arg(long, value_delimiter = ',', default_value = "tir,tir_lowered,relax,mixed")]
    kind: Vec<String>,
}

impl Corpus {
    /// The folders.
    fn dirs(&self) -> Vec<PathBuf> {
        match self.dirs.is_empty() {
            true => vec![workspace::root().join("tests/corpus")],
            false => self.dirs.clone(),
        }
    }

    /// Names and texts of the programs up to a size.
    fn texts(&self, max_bytes: usize) -> Result<Vec<(String, String)>> {
        let mut texts = Vec::new();
        for dir in self.dirs() {
            texts.extend(load_kinds(&dir, &self.kind)?);
        }
        texts.retain(|(_, text)| text.len() <= max_bytes);
        Ok(texts)
    }
}

/// The random cases of a suite.
#[derive(Args)]
pub struct Cases {
    /// The seed of the random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of cases.
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// Causes of failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// CPU time that no case may need, in seconds.
const MAX_SECONDS: f64 = 10.0;

/// A case ends.
const ENDS: Question = Question { text: "ends without a panic within 10 s", percent: 100.0 };

/// A subject yields a case.
const FOUND: Question = Question { text: "is a case", percent: 100.0 };

impl Cases {
    /// Asks about random subjects. `work` returns the name of the case with its answers, or `None` if the subject gives
    /// none; another one is then taken.
    ///
    /// # Errors
    /// When there is no subject.
    fn ask<T: Sync>(
        &self,
        subjects: &[T],
        work: impl Fn(&T, &mut Random) -> Option<(String, Vec<(Question, Answer)>)> + Sync,
    ) -> Result<Report> {
        if subjects.is_empty() {
            bail!("no programs");
        }
        println!("seed {}, {} cases of {} subjects", self.seed, self.count, subjects.len());
        std::panic::set_hook(Box::new(|_| {}));
        let outcomes = in_parallel(self.count, |i| {
            let mut random = Random::new(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i as u64 + 1));
            let start = processor_seconds();
            let case = catch_unwind(AssertUnwindSafe(|| {
                (0..50).find_map(|_| work(&subjects[random.below(subjects.len())], &mut random))
            }));
            let seconds = processor_seconds() - start;
            let (name, mut answers) = match case {
                Ok(Some(case)) => case,
                Ok(None) => (format!("case {i}"), vec![(FOUND, Err("none of 50 programs".to_owned()))]),
                Err(_) => (format!("case {i}"), vec![(ENDS, Err("panic".to_owned()))]),
            };
            let in_time = seconds <= MAX_SECONDS;
            answers.push((ENDS, if in_time { Ok(()) } else { Err(format!("{seconds:.1} s")) }));
            (name, answers)
        });
        let _ = std::panic::take_hook();
        let mut report = Report::default();
        for (name, answers) in outcomes {
            answers.into_iter().for_each(|(question, answer)| report.count(question, &name, answer));
        }
        Ok(report)
    }
}

/// The processor time of this thread: a busy machine does not count.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A question, and the share of good answers that it needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    text: &'static str,
    percent: f64,
}

/// An answer: good, or why not.
type Answer = Result<(), String>;

/// The answers of a suite.
#[derive(Default)]
pub struct Report {
    /// Good answers, of how many, in the order in which the questions were first asked.
    answers: Vec<(Question, usize, usize)>,
    /// By question and cause, the name of each case; the first with its full reason.
    failures: BTreeMap<(&'static str, String), Vec<String>>,
}

impl Report {
    /// Counts the answer to a question about the case of this name.
    fn count(&mut self, question: Question, name: &str, answer: Answer) {
        let at = match self.answers.iter().position(|(known, ..)| *known == question) {
            Some(at) => at,
            None => {
                self.answers.push((question, 0, 0));
                self.answers.len() - 1
            }
        };
        let (_, good, of) = &mut self.answers[at];
        *of += 1;
        match answer {
            Ok(()) => *good += 1,
            Err(why) => {
                let names = self.failures.entry((question.text, cause(&why))).or_default();
                names.push(if names.is_empty() { format!("{name}: {why}") } else { name.to_owned() });
            }
        }
    }

    /// Prints the shares, and for each cause the number of failures and the first one.
    ///
    /// # Errors
    /// When a question has fewer good answers than it needs, or there is no answer at all.
    fn finish(self, show: usize) -> Result<()> {
        for ((question, _), names) in self.failures.iter().take(show) {
            println!("{:>5}  {question}? {}", names.len(), names[0]);
        }
        let mut below = Vec::new();
        for (Question { text, percent }, good, of) in &self.answers {
            println!("{text:<48}{}  (at least {percent} %)", share(*good, *of));
            if (*good as f64) * 100.0 < (*of as f64) * percent {
                below.push(*text);
            }
        }
        if self.answers.is_empty() {
            bail!("no cases");
        }
        if below.is_empty() { Ok(()) } else { bail!("below the share: {}", below.join("; ")) }
    }
}
