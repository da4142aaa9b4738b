//! `cargo xtask upgrade-check`: the programs of an older release as programs of the newest one, by the built command.
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

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::conformance::{
    Oracle, Program, cause, equal_request, in_parallel, load_corpus, print_request, share,
};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask upgrade-check`.
#[derive(Args)]
pub struct Options {
    /// The corpus of the older release [default: tests/corpus].
    dir: Option<PathBuf>,
    /// The kinds of programs.
    #[arg(long, value_delimiter = ',', default_value = "tir,tir_lowered,relax,mixed,large")]
    kind: Vec<String>,
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
    /// The command [default: built with the profile `fast`].
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Names shown for each cause.
    #[arg(long, default_value_t = 2)]
    show: usize,
}

/// The share of upgraded texts that the newest release reads, in per cent.
const READ_FLOOR: usize = 98;

/// The share of twins that are equal, in per cent.
const EQUAL_FLOOR: usize = 95;

/// Answers by name of the question: how many said yes, of how many.
#[derive(Default)]
struct Figures {
    answers: BTreeMap<&'static str, (usize, usize)>,
    causes: BTreeMap<String, Vec<String>>,
}

impl Figures {
    fn count(&mut self, question: &'static str, name: &str, answer: &Result<(), String>) {
        let (yes, of) = self.answers.entry(question).or_default();
        *of += 1;
        match answer {
            Ok(()) => *yes += 1,
            Err(why) => {
                self.causes.entry(format!("{question}: {}", cause(why))).or_default().push(name.to_owned());
            }
        }
    }

    fn show(&self, title: &str, names: usize) {
        println!("{title}");
        for (question, (yes, of)) in &self.answers {
            println!("  {:<44}{}", question.get(2..).unwrap_or(question), share(*yes, *of));
        }
        for (cause, of) in &self.causes {
            let some = of.iter().take(names).cloned().collect::<Vec<_>>().join(", ");
            println!("    {:>4}  {} ({some})", of.len(), cause.get(2..).unwrap_or(cause));
        }
    }

    fn holds(&self, question: &str, percent: usize) -> bool {
        self.answers.get(question).is_none_or(|(yes, of)| yes * 100 >= of * percent)
    }
}

/// The questions; their first letters order them.
mod question {
    pub const NOT_LOSSY: &str = "a upgraded without a report";
    pub const LOCAL: &str = "b reads and round trips here";
    pub const STABLE: &str = "c upgrading again changes nothing";
    pub const READ: &str = "d the newest release reads it";
    pub const TWIN: &str = "e equal to its own program, as written";
    pub const CHOICE: &str = "f the same, with or without `s_tir=True`";
    pub const LIBRARY: &str = "g the same, made by the release's library";
    pub const PASSED: &str = "h equal to its own program, after a pass";
    pub const PACKAGE_UPGRADED: &str = "j upgraded without a report";
    pub const PACKAGE_HELD: &str = "k the newest release's own text holds it";
    pub const PACKAGE: &str = "l equal to the newest release's program";
    pub const OUTSIDE: &str = "i only scripts and imports change";
}

/// Runs the check.
///
/// # Errors
/// When a share is below its floor, or an upgraded text is not stable.
pub fn run(options: &Options) -> Result<()> {
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => crate::attack::build()?,
    };
    let mut is_met = true;
    let dir = options.dir.clone().unwrap_or_else(|| workspace::root().join("tests/corpus"));
    let programs = load_corpus(&dir, &options.kind, options.filter.as_deref())?;
    let oracle = options.oracle.as_deref().map(Oracle::new).transpose()?;
    let twins: BTreeMap<String, Program> = match &options.twins {
        Some(twins) => load_corpus(twins, &options.kind, options.filter.as_deref())?
            .into_iter()
            .filter(|twin| twin.tvm_parses)
            .map(|twin| (format!("{}/{}", twin.kind, twin.name), twin))
            .collect(),
        None => BTreeMap::new(),
    };
    let answers = in_parallel(programs.len(), |i| {
        let program = &programs[i];
        let twin = twins.get(&format!("{}/{}", program.kind, program.name));
        one(&binary, program, twin, oracle.as_ref())
    });
    let (mut all, mut kinds) = (Figures::default(), BTreeMap::<&str, Figures>::new());
    for (program, answers) in programs.iter().zip(answers) {
        let name = format!("{}/{}", program.kind, program.name);
        for (question, answer) in answers? {
            all.count(question, &name, &answer);
            kinds.entry(&program.kind).or_default().count(question, &name, &answer);
        }
    }
    for (kind, figures) in &kinds {
        figures.show(kind, 0);
    }
    all.show("all", options.show);
    is_met &= all.holds(question::LOCAL, 100) && all.holds(question::STABLE, 100);
    is_met &= all.holds(question::READ, READ_FLOOR) && all.holds(question::CHOICE, EQUAL_FLOOR);
    if let (Some(older), Some(newest)) = (&options.older, &options.oracle) {
        let figures = twins::compare(&binary, older, newest)?;
        figures.show("programs of both packages", options.show);
        is_met &= figures.holds(question::PACKAGE, EQUAL_FLOOR);
    }
    if let Some(files) = &options.files {
        let figures = python_files(&binary, files)?;
        figures.show("Python files", options.show);
        is_met &= figures.holds(question::OUTSIDE, 100);
    }
    if is_met { Ok(()) } else { bail!("upgrade-check: a share is below its floor") }
}

/// The answers about one program.
type Answers = Vec<(&'static str, Result<(), String>)>;

fn one(binary: &Path, program: &Program, twin: Option<&Program>, oracle: Option<&Oracle>) -> Result<Answers> {
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
    let equal = |text: &str| -> Result<Result<(), String>> {
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
fn answer(given: &Value, is_yes: impl Fn(&Value) -> bool) -> Result<(), String> {
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

fn round_trips(binary: &Path, text: &str) -> Result<Result<(), String>> {
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
fn python_files(binary: &Path, dir: &Path) -> Result<Figures> {
    let mut files = Vec::new();
    workspace::walk(dir, &mut |file| {
        if file.extension().is_some_and(|extension| extension == "py") {
            files.push(file.to_owned());
        }
    })?;
    files.sort();
    let answers = in_parallel(files.len(), |i| -> Result<Option<Result<(), String>>> {
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
    let mut figures = Figures::default();
    for (file, answer) in files.iter().zip(answers) {
        if let Some(answer) = answer? {
            figures.count(question::OUTSIDE, &file.display().to_string(), &answer);
        }
    }
    Ok(figures)
}
