//! Inputs that are made to hurt, given to the built command under limits of memory and time.
//!
//! Each input comes from a seed and a number ([`Attack`]) and is given to every command that takes such files. A command
//! must answer or refuse: with status 0, 1 or 2, within the time, without a signal, and without an internal error. The file
//! of a failure is kept in `target/attack`. The limits need a Unix shell.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use tvmscript_test_texts::attack::{Attack, Bases, families};
use tvmscript_test_texts::files_of;

use xtask::workspace;

use super::{Answer, Question, Report};
use crate::command;
use crate::conformance::in_parallel;
use crate::subject;

/// Options of `cargo xtask check attack`.
#[derive(Args)]
pub struct Options {
    /// The seed of the inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of inputs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The number of the first input; with `--count 1`, one input alone.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Only inputs of these families.
    #[arg(long, value_delimiter = ',')]
    family: Vec<String>,
    /// Only these commands.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The command [default: the optimised build].
    #[arg(long)]
    binary: Option<PathBuf>,
    /// The address space of a run, in megabytes.
    #[arg(long, default_value_t = 2000)]
    megabytes: u64,
    /// The CPU time of a run, in seconds; the time on the clock is bounded by some times that.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Causes of failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

const ENDS: Question = Question { text: "the command answers or refuses", percent: 100.0 };

/// A run may take so many times its CPU time on the clock, on a machine that does other things as well.
const WAITING: u64 = 12;

/// The commands, each with the arguments before the file.
const COMMANDS: &[&[&str]] = &[
    &["print"],
    &["print", "--show-meta", "--width", "80"],
    &["check"],
    &["check", "--format", "json"],
    &["roundtrip"],
    &["equal"],
    &["hash"],
    &["json"],
    &["json", "--tvm"],
    &["from-json"],
    &["dump"],
    &["dump", "--format", "json", "--dedupe"],
];

/// Commands that take the options of printing.
const PRINTING: &[&str] = &["print", "roundtrip", "equal", "from-json"];

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    if let Some(unknown) = options.family.iter().find(|name| !families().any(|known| known == *name)) {
        bail!("no family `{unknown}`; there are {}", families().collect::<Vec<_>>().join(", "));
    }
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => command::optimized()?,
    };
    let folder = workspace::root().join("target/attack");
    std::fs::create_dir_all(&folder)?;
    let bases = bases()?;
    let last = options.first + options.count;
    println!("seed {}, inputs {} to {last}", options.seed, options.first);
    let results = in_parallel(options.count as usize, |i| {
        let number = options.first + i as u64;
        let attack = Attack::new(options.seed, number, &bases, 100);
        match options.family.is_empty() || options.family.iter().any(|name| name == attack.family) {
            true => give(options, &binary, &folder, number, &attack),
            false => Ok(Vec::new()),
        }
    });
    let mut report = Report::default();
    for result in results {
        result?.into_iter().for_each(|(run, answer)| report.count(ENDS, &run, answer));
    }
    report.finish(options.show)
}

/// Scripts of the fixtures, and their JSON in TVM's form.
fn bases() -> Result<Bases> {
    let mut bases = Bases::default();
    for file in files_of(&workspace::root().join("tests/fixtures/ok"), "py") {
        let text = std::fs::read_to_string(&file)?;
        if let Ok(program) = subject::parse("<fixture>", &text)
            && let Ok(json) = program.to_tvm_json()
        {
            bases.jsons.push(json);
        }
        bases.scripts.push(text);
    }
    Ok(bases)
}

/// Gives one input to all commands; each run with its answer.
fn give(
    options: &Options,
    binary: &Path,
    folder: &Path,
    number: u64,
    attack: &Attack,
) -> Result<Vec<(String, Answer)>> {
    let extension = if attack.is_json { "json" } else { "py" };
    let file = folder.join(format!("{}-{number}.{extension}", options.seed));
    std::fs::write(&file, &attack.content)?;
    let mut answers = Vec::new();
    for command in COMMANDS {
        let name = command[0];
        let is_wanted = options.only.is_empty() || options.only.iter().any(|only| only == name);
        if !is_wanted || name == "from-json" && !attack.is_json {
            continue;
        }
        let mut arguments: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        if PRINTING.contains(&name) {
            arguments.extend(attack.options.iter().cloned());
        }
        let answer = limited(options, binary, &arguments, &file, name == "equal")?;
        let run = format!("number {number} ({}): {} {}", attack.family, arguments.join(" "), file.display());
        answers.push((run, answer));
    }
    if answers.iter().all(|(_, answer)| answer.is_ok()) {
        let _ = std::fs::remove_file(&file);
    }
    Ok(answers)
}

/// Runs a command under the limits.
fn limited(
    options: &Options,
    binary: &Path,
    arguments: &[String],
    file: &Path,
    is_given_twice: bool,
) -> Result<Answer> {
    // A process that used up its time is killed by the system.
    let (kilobytes, seconds) = (options.megabytes * 1000, options.seconds);
    let script = format!("ulimit -c 0; ulimit -v {kilobytes}; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(binary).args(arguments).arg(file);
    if is_given_twice {
        command.arg(file);
    }
    let start = Instant::now();
    let mut child = command
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("a shell")?;
    // Standard error is read to its end, or the command waits for a reader; only its beginning is kept.
    let mut stderr = child.stderr.take().context("standard error")?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = (&mut stderr).take(64 << 10).read_to_end(&mut text);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = wait(&mut child, start, Duration::from_secs(options.seconds * WAITING))?;
    let said = reader.join().unwrap_or_default();
    Ok(wrong(status, &said).map_or(Ok(()), Err))
}

/// Exit of the command; `None` if it had to be killed.
fn wait(child: &mut Child, start: Instant, limit: Duration) -> Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the fault of an exit, if there is one.
fn wrong(status: Option<ExitStatus>, said: &str) -> Option<String> {
    let Some(status) = status else { return Some("hang".to_owned()) };
    if said.contains("internal error") {
        let line = said.lines().find(|line| line.contains("internal error")).unwrap_or_default();
        return Some(format!("panic ({})", line.chars().take(200).collect::<String>()));
    }
    match status.code() {
        Some(0..=2) => None,
        Some(code) => Some(format!("status {code}")),
        None if is_out_of_time(status) => Some("hang".to_owned()),
        None => Some(format!("{status} ({})", said.lines().next().unwrap_or_default())),
    }
}

/// Returns `true` if the system killed the command because its CPU time was used up.
fn is_out_of_time(status: ExitStatus) -> bool {
    let text = status.to_string();
    // The signals that a CPU limit sends, by their names on Unix.
    text.contains("SIGXCPU") || text.contains("SIGKILL")
}
