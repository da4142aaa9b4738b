//! `cargo xtask cpython-tests`: CPython's own tests of its language, run by the evaluator.
//!
//! The files are those of the installed CPython 3.11 (package `test`); none of them is part of this repository. A child
//! process per file runs its tests one by one, each under a budget, and the parent kills a child whose test takes too
//! long. A test passes, fails, or is outside the core by the rules in [`outside`].

mod files;
mod outside;
mod suite;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use suite::Suite;

/// Options of `cargo xtask cpython-tests`.
#[derive(Args)]
pub struct Options {
    /// Files of the package `test` without `.py`; by default those about the language and its built-in types.
    names: Vec<String>,
    /// The interpreter of CPython 3.11 whose package `test` is read.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Only tests whose `Class.method` contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// Show each failing test.
    #[arg(long)]
    failures: bool,
    /// Show each test outside the core.
    #[arg(long)]
    outside: bool,
    /// Write all outcomes to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Seconds for one test.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Fail if less than this share of the tests inside the core passes, in percent.
    #[arg(long)]
    floor: Option<u64>,
    /// Run the tests of this file from the given number on, and write a line for each.
    #[arg(long, hide = true, num_args = 3, value_names = ["FILE", "PACKAGE", "FROM"])]
    child: Option<Vec<String>>,
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Pass,
    Fail,
    Outside,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Outside => "outside",
        }
    }

    fn of(name: &str) -> Outcome {
        [Outcome::Pass, Outcome::Outside].into_iter().find(|o| o.name() == name).unwrap_or(Outcome::Fail)
    }
}

/// A test with its outcome.
struct Record {
    test: String,
    outcome: Outcome,
    /// Why it fails or is outside.
    cause: String,
    /// File and line of the error.
    place: String,
    /// Number of tests, for classes that cannot be defined.
    count: usize,
}

/// The numbers of a file, or of all.
#[derive(Default, Clone, Copy)]
struct Counts {
    pass: usize,
    fail: usize,
    outside: usize,
}

impl Counts {
    fn add(&mut self, record: &Record) {
        *match record.outcome {
            Outcome::Pass => &mut self.pass,
            Outcome::Fail => &mut self.fail,
            Outcome::Outside => &mut self.outside,
        } += record.count;
    }

    fn share(self) -> f64 {
        100.0 * self.pass as f64 / (self.pass + self.fail).max(1) as f64
    }
}

/// Runs the tests.
///
/// # Errors
/// When CPython is missing, or fewer tests pass than demanded.
pub fn run(options: &Options) -> Result<()> {
    if let Some([file, package, from]) = options.child.as_deref() {
        return child(Path::new(file), Path::new(package), from.parse()?, options.filter.as_deref());
    }
    let package = package(&options.python)?;
    let names = match options.names.as_slice() {
        [] => files::FILES.iter().map(|name| (*name).to_owned()).collect(),
        names => names.to_vec(),
    };
    let mut all = Vec::new();
    let mut total = Counts::default();
    println!("{:<28}{:>6}{:>6}{:>9}{:>8}", "file", "pass", "fail", "outside", "share");
    for name in names {
        let single = package.join(format!("{name}.py"));
        let file = if single.exists() { single } else { package.join(&name).join("__init__.py") };
        let records = run_file(options, &file, &package)?;
        let mut counts = Counts::default();
        for record in &records {
            counts.add(record);
            total.add(record);
        }
        let share = format!("{:.1} %", counts.share());
        println!("{name:<28}{:>6}{:>6}{:>9}{share:>8}", counts.pass, counts.fail, counts.outside);
        for record in &records {
            let is_shown = match record.outcome {
                Outcome::Pass => false,
                Outcome::Fail => options.failures,
                Outcome::Outside => options.outside,
            };
            if is_shown {
                let Record { test, outcome, cause, place, .. } = record;
                println!("    {} {test} ({place}): {cause}", outcome.name());
            }
        }
        all.push((name, records));
    }
    println!(
        "{:<28}{:>6}{:>6}{:>9}{:>8}",
        "all",
        total.pass,
        total.fail,
        total.outside,
        format!("{:.1} %", total.share())
    );
    show_causes("failures by cause", &all, Outcome::Fail, 40);
    show_causes("outside the core by cause", &all, Outcome::Outside, 25);
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&as_json(&all, total))?)?;
    }
    if let Some(floor) = options.floor
        && total.share() < floor as f64
    {
        bail!("{:.1} % of the tests inside the core pass, which is less than {floor} %", total.share());
    }
    Ok(())
}

/// The folder of the package `test` of the installed CPython.
fn package(python: &str) -> Result<PathBuf> {
    let code = "import sys, test; print(*sys.version_info[:2], test.__path__[0])";
    let output = Command::new(python)
        .args(["-I", "-c", code])
        .output()
        .with_context(|| format!("missing: CPython 3.11 as `{python}` (choose another with --python)"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.trim().splitn(3, ' ').collect::<Vec<_>>().as_slice() {
        ["3", "11", path] => Ok(PathBuf::from(path)),
        _ => bail!("missing: CPython 3.11 with its package `test`; `{python}` answers {text:?}"),
    }
}

/// Runs the tests of a file in child processes.
fn run_file(options: &Options, file: &Path, package: &Path) -> Result<Vec<Record>> {
    let mut records: Vec<Record> = Vec::new();
    let mut from = 0;
    loop {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("cpython-tests").arg("--child").args([file, package]).arg(from.to_string());
        if let Some(filter) = &options.filter {
            command.arg("--filter").arg(filter);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let Some(stdout) = child.stdout.take() else { bail!("the child has no output") };
        let (sender, lines) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut running: Option<String> = None;
        let mut is_slow = false;
        loop {
            match lines.recv_timeout(Duration::from_secs(options.seconds)) {
                Ok(line) => {
                    let value: Value = serde_json::from_str(&line)?;
                    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
                    if let Some(test) = value["start"].as_str() {
                        running = Some(test.to_owned());
                        from += 1;
                        continue;
                    }
                    running = None;
                    records.push(Record {
                        test: text("test"),
                        outcome: Outcome::of(&text("outcome")),
                        cause: text("cause"),
                        place: text("place"),
                        count: value["count"].as_u64().unwrap_or(1) as usize,
                    });
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    is_slow = true;
                    break;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = child.kill();
        let status = child.wait()?;
        drop(lines);
        let _ = reader.join();
        let cause = if is_slow { "time limit".to_owned() } else { format!("the process ended: {status}") };
        match running {
            Some(test) => {
                let place = String::new();
                records.push(Record { test, outcome: Outcome::Fail, cause, place, count: 1 });
            }
            None if is_slow || !status.success() => {
                let (test, place) = ("the file".to_owned(), String::new());
                records.push(Record { test, outcome: Outcome::Fail, cause, place, count: 1 });
                return Ok(records);
            }
            None => return Ok(records),
        }
    }
}

/// Runs the tests of a file and writes their outcomes as lines.
fn child(file: &Path, package: &Path, from: usize, filter: Option<&str>) -> Result<()> {
    let suite = Suite::load(file, package)?;
    let missing = outside::Missing::of(&suite);
    let mut out = std::io::stdout();
    let mut write = |value: Value| -> Result<()> {
        writeln!(out, "{value}")?;
        Ok(out.flush()?)
    };
    let (tests, failed) = suite.tests();
    if from == 0 && filter.is_none() {
        for (class, reason, count) in failed.into_iter().filter(|(_, _, count)| *count > 0) {
            let cause = outside::of_reason(&reason, &missing);
            let outcome = if cause.is_some() { Outcome::Outside } else { Outcome::Fail };
            let cause = cause.unwrap_or(reason);
            write(json!({"test": class, "outcome": outcome.name(), "cause": cause, "count": count}))?;
        }
    }
    let name = |test: &suite::Test| format!("{}.{}", test.class_name, test.method);
    let tests = tests.iter().filter(|test| filter.is_none_or(|filter| name(test).contains(filter)));
    for test in tests.skip(from) {
        let name = name(test);
        write(json!({"start": name}))?;
        let (outcome, cause, place) = match outside::of_text(suite.method_text(test), &missing) {
            Some(cause) => (Outcome::Outside, cause, String::new()),
            None => match suite.run(test) {
                None => (Outcome::Pass, String::new(), String::new()),
                Some(error) => match outside::of_error(&error, &suite.text_around(test), &missing) {
                    Some(cause) => (Outcome::Outside, cause, suite.place(&error)),
                    None => (Outcome::Fail, suite::describe(&error), suite.place(&error)),
                },
            },
        };
        write(json!({"test": name, "outcome": outcome.name(), "cause": cause, "place": place}))?;
    }
    Ok(())
}

/// Prints how often each cause occurs. Values in messages do not distinguish causes.
fn show_causes(title: &str, all: &[(String, Vec<Record>)], outcome: Outcome, most: usize) {
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for record in all.iter().flat_map(|(_, records)| records).filter(|record| record.outcome == outcome) {
        let cause = record.cause.lines().next().unwrap_or_default();
        let cause: String = cause.chars().take(100).collect();
        *causes.entry(cause).or_default() += record.count;
    }
    let mut causes: Vec<(String, usize)> = causes.into_iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    println!("\n{title}:");
    causes.iter().take(most).for_each(|(cause, count)| println!("{count:>6}  {cause}"));
    let rest: usize = causes.iter().skip(most).map(|(_, count)| count).sum();
    if rest > 0 {
        println!("{rest:>6}  (others)");
    }
}

fn as_json(all: &[(String, Vec<Record>)], total: Counts) -> Value {
    let numbers = |counts: Counts| json!({"pass": counts.pass, "fail": counts.fail, "outside": counts.outside, "share": counts.share()});
    let files = all.iter().map(|(name, records)| {
        let mut counts = Counts::default();
        records.iter().for_each(|record| counts.add(record));
        let tests = records.iter().map(|record| {
            let Record { test, outcome, cause, place, count } = record;
            json!({"test": test, "outcome": outcome.name(), "cause": cause, "place": place, "count": count})
        });
        json!({"file": name, "counts": numbers(counts), "tests": tests.collect::<Vec<_>>()})
    });
    json!({"total": numbers(total), "files": files.collect::<Vec<_>>()})
}
