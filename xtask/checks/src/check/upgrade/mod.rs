//! The programs of an older release as programs of the newest one, by the built command.
//!
//! Each program is upgraded or reported. An upgraded text reads and round trips here, and upgrading it again changes
//! nothing. With `--oracle` the newest release reads the texts, and compares them with its own programs of equal names.
//! With `--older`, programs that the packages of both releases hold or build are compared. With `--files`, Python files
//! change only inside scripts and their imports.

mod twins;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::Value;
use xtask::workspace;

use super::{Answer, Corpus, Question, Report};
use crate::command;
use crate::conformance::{Oracle, Program, equal_request, in_parallel, load_corpus, print_request};
use crate::subject;

/// Options of `cargo xtask check upgrade`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    /// Check only files whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// The virtual environment of the newest release, which reads the upgraded texts.
    #[arg(long, value_name = "DIR")]
    oracle: Option<PathBuf>,
    /// A corpus of the newest release: its programs of equal names are compared.
    #[arg(long, value_name = "DIR", requires = "oracle")]
    twins: Option<PathBuf>,
    /// The virtual environment of the older release: programs that the packages of both hold or build are compared.
    #[arg(long, value_name = "DIR", requires = "oracle")]
    older: Option<PathBuf>,
    /// A folder with Python files of the older release.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// The command [default: the optimised build].
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Causes of failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// The questions, with the share that needs a good answer.
mod question {
    use super::Question;

    const fn ask(text: &'static str, percent: f64) -> Question {
        Question { text, percent }
    }

    pub(super) const NOT_LOSSY: Question = ask("upgraded without a report", 0.0);
    pub(super) const LOCAL: Question = ask("reads and round trips here", 100.0);
    pub(super) const STABLE: Question = ask("upgrading again changes nothing", 100.0);
    pub(super) const READ: Question = ask("the newest release reads it", 98.0);
    pub(super) const TWIN: Question = ask("equal to its own program, as written", 0.0);
    pub(super) const CHOICE: Question = ask("the same, with or without `s_tir=True`", 95.0);
    pub(super) const LIBRARY: Question = ask("the same, made by the release's library", 0.0);
    pub(super) const PASSED: Question = ask("equal to its own program, after a pass", 0.0);
    pub(super) const PACKAGE_UPGRADED: Question = ask("package: upgraded without a report", 0.0);
    pub(super) const PACKAGE_HELD: Question = ask("package: the newest release's own text holds it", 0.0);
    pub(super) const PACKAGE: Question = ask("package: equal to the newest release's program", 95.0);
    pub(super) const OUTSIDE: Question = ask("Python file: only scripts and imports change", 100.0);
}

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => command::optimized()?,
    };
    let load = |dir: &Path| load_corpus(dir, &options.corpus.kind, options.filter.as_deref());
    let mut programs = Vec::new();
    for dir in options.corpus.dirs() {
        programs.extend(load(&dir)?);
    }
    let oracle = options.oracle.as_deref().map(Oracle::new).transpose()?;
    let mut twins = BTreeMap::new();
    if let Some(dir) = &options.twins {
        let read = load(dir)?.into_iter().filter(|twin| twin.tvm_parses);
        twins.extend(read.map(|twin| (format!("{}/{}", twin.kind, twin.name), twin)));
    }
    let name = |program: &Program| format!("{}/{}", program.kind, program.name);
    let answers = in_parallel(programs.len(), |i| {
        ask(&binary, &programs[i], twins.get(&name(&programs[i])), oracle.as_ref())
    });
    let mut report = Report::default();
    for (program, answers) in programs.iter().zip(answers) {
        answers?.into_iter().for_each(|(question, answer)| report.count(question, &name(program), answer));
    }
    if let (Some(older), Some(newest)) = (&options.older, &options.oracle) {
        twins::compare(&binary, older, newest, &mut report)?;
    }
    if let Some(files) = &options.files {
        python_files(&binary, files, &mut report)?;
    }
    report.finish(options.show)
}

/// The answers about one program.
type Answers = Vec<(Question, Answer)>;

fn ask(binary: &Path, program: &Program, twin: Option<&Program>, oracle: Option<&Oracle>) -> Result<Answers> {
    let mut answers = Answers::new();
    let text = match upgrade(binary, &program.text)? {
        Ok(upgraded) => upgraded["text"].as_str().unwrap_or_default().to_owned(),
        Err(reason) => return Ok(vec![(question::NOT_LOSSY, Err(reason))]),
    };
    answers.push((question::NOT_LOSSY, Ok(())));
    answers.push((question::LOCAL, round_trips(binary, &text)?));
    let again = upgrade(binary, &text)?.and_then(|again| match again["changed"].as_bool() {
        Some(false) => Ok(()),
        _ => Err("the text changes again".to_owned()),
    });
    answers.push((question::STABLE, again));
    let Some(oracle) = oracle else { return Ok(answers) };
    let read = answer(&oracle.ask(&print_request(&text))?, |_| true);
    let is_read = read.is_ok();
    answers.push((question::READ, read));
    let Some(twin) = twin.filter(|_| is_read) else { return Ok(answers) };
    // Programs of both releases that the release reads in time.
    if oracle.ask(&print_request(&twin.text))?["ok"] != true {
        return Ok(answers);
    }
    let equal = |text: &str| -> Result<Answer> {
        let given = oracle.ask(&equal_request(text, &twin.text, true))?;
        Ok(answer(&given, |given| given["equal"] == true))
    };
    let same = equal(&text)?;
    if is_after_pass(program) {
        answers.push((question::PASSED, same));
        return Ok(answers);
    }
    // The flag is a choice of the upgrade: both ways are right.
    let other = match &same {
        Err(why) if why.contains("s_tir") => {
            equal(&text.replace("@T.prim_func(s_tir=True)", "@T.prim_func"))?
        }
        same => same.clone(),
    };
    if ["topi_", "sch_", "dlight_"].iter().any(|start| program.name.starts_with(start)) {
        answers.push((question::LIBRARY, other));
        return Ok(answers);
    }
    answers.push((question::TWIN, same));
    answers.push((question::CHOICE, other));
    Ok(answers)
}

/// Returns `true` for a program that a pass of its release made, of the name `NAME_NUMBER_Pass`. Passes differ between
/// releases.
fn is_after_pass(program: &Program) -> bool {
    let mut parts = program.name.rsplitn(3, '_');
    let (Some(pass), Some(number)) = (parts.next(), parts.next()) else { return false };
    pass.starts_with(|c: char| c.is_ascii_uppercase())
        && number.len() == 2
        && number.bytes().all(|c| c.is_ascii_digit())
}

/// The answer of the newest release, with its reason.
fn answer(given: &Value, is_yes: impl Fn(&Value) -> bool) -> Answer {
    if given["ok"] != true {
        let reason = given["error"]["msg"].as_str().or(given["crash"].as_str()).unwrap_or_default();
        let line = reason.lines().next().unwrap_or_default();
        let line = if line.trim() == "error:" { "error at a whole line" } else { line };
        return Err(format!("refused: {line}"));
    }
    if is_yes(given) {
        return Ok(());
    }
    let path = |side: &str| {
        let path = given["mismatch"][side].as_str().unwrap_or_default();
        path.rsplit('.').next().unwrap_or_default().replace('"', "'")
    };
    Err(format!("differs: {} against {}", path("lhs"), path("rhs")))
}

/// The answer of `upgrade`, or why the text stays.
fn upgrade(binary: &Path, text: &str) -> Result<Result<Value, String>> {
    let (_, out) = command(binary, &["upgrade", "--format", "json", "-"], text)?;
    let answer: Value = serde_json::from_str(out.trim()).context("the answer of `upgrade`")?;
    if answer["ok"] == true {
        return Ok(Ok(answer));
    }
    let findings = answer["findings"].as_array().into_iter().flatten();
    let error = findings.into_iter().find(|finding| finding["severity"] == "error");
    let part = |key: &str| error.and_then(|error| error[key].as_str()).unwrap_or_default();
    Ok(Err(format!("{} {}", part("code"), part("kind"))))
}

fn round_trips(binary: &Path, text: &str) -> Result<Answer> {
    let (is_ok, out) = command(binary, &["roundtrip", "-"], text)?;
    Ok(if is_ok { Ok(()) } else { Err(out.lines().next().unwrap_or("no round trip").to_owned()) })
}

/// The success of a run and what it wrote on standard output.
fn command(binary: &Path, arguments: &[&str], input: &str) -> Result<(bool, String)> {
    let mut child = Command::new(binary)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {}", binary.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Upgrades the Python files of a folder that hold scripts.
fn python_files(binary: &Path, dir: &Path, report: &mut Report) -> Result<()> {
    let mut files = Vec::new();
    workspace::walk(dir, &mut |file| {
        if file.extension().is_some_and(|extension| extension == "py") {
            files.push(file.to_owned());
        }
    })?;
    files.sort();
    let answers = in_parallel(files.len(), |i| -> Result<Option<Answer>> {
        let Ok(before) = std::fs::read_to_string(&files[i]) else { return Ok(None) };
        if !subject::SCRIPT_MARKS.iter().any(|mark| before.contains(*mark)) {
            return Ok(None);
        }
        let (_, out) =
            command(binary, &["upgrade", "--from", "tvm-0.23", "--lossy", "--format", "json", "-"], &before)?;
        let answer: Value = serde_json::from_str(out.trim()).context("the answer of `upgrade`")?;
        let Some(after) = answer["text"].as_str().filter(|after| *after != before) else {
            return Ok(None);
        };
        let same = subject::outside_scripts(&before) == subject::outside_scripts(after);
        Ok(Some(if same { Ok(()) } else { Err("the code around scripts changes".to_owned()) }))
    });
    for (file, answer) in files.iter().zip(answers) {
        if let Some(answer) = answer? {
            report.count(question::OUTSIDE, &file.display().to_string(), answer);
        }
    }
    Ok(())
}
