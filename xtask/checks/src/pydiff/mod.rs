//! `cargo xtask pydiff`: random programs of host code, run by CPython and by the evaluator.
//!
//! Both must come to the same value (its `repr`) or raise the same exception. CPython runs in one process, which reads
//! programs and writes answers line by line. Each run prints its seed; the same seed and count give the same programs.
//!
//! By default a program is an expression or a few statements. With `--programs N`, it is a whole program with functions,
//! classes and generators; messages of exceptions must then agree, too, and most programs must end with a value.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use tvmscript_test_texts::{Random, Scale, host_program, whole_program};

use crate::subject::{self, HostAnswer};

/// Options of `cargo xtask pydiff`.
#[derive(Args)]
pub struct Options {
    /// The number of programs.
    #[arg(long, default_value_t = 100_000)]
    count: usize,
    /// Run this number of whole programs instead.
    #[arg(long, conflicts_with_all = ["count", "record"])]
    programs: Option<usize>,
    /// The seed of the random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Differences shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
    /// The interpreter of CPython, 3.10 or later.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Write cases with CPython's answers to this file, as the tests keep them, instead of comparing.
    #[arg(long)]
    record: Option<std::path::PathBuf>,
}

/// Compares the two.
///
/// # Errors
/// When CPython is missing, or a program differs.
pub fn run(options: &Options) -> Result<()> {
    check_version(&options.python)?;
    let programs = Programs { seed: options.seed, whole: options.programs.is_some() };
    let count = options.programs.unwrap_or(options.count);
    println!("seed {}, {count} {}programs", options.seed, if programs.whole { "whole " } else { "" });
    let mut python = Command::new(&options.python)
        .args(["-I", "-c", include_str!("driver.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("CPython does not start")?;
    let (Some(stdin), Some(stdout)) = (python.stdin.take(), python.stdout.take()) else {
        bail!("CPython has no pipes");
    };
    let writer = std::thread::spawn(move || -> Result<()> {
        let mut out = BufWriter::new(stdin);
        for index in 0..count {
            writeln!(out, "{}", Value::from(programs.text(index)))?;
        }
        Ok(out.flush()?)
    });
    let mut record = options.record.as_ref().map(std::fs::File::create).transpose()?;
    let (mut same, mut skipped, mut errors, mut differ) = (0, 0, 0, 0);
    for (index, line) in BufReader::new(stdout).lines().enumerate() {
        let answer: Value = serde_json::from_str(&line?)?;
        let code = programs.text(index);
        if answer.get("skip").is_some() {
            skipped += 1;
            continue;
        }
        if let Some(file) = &mut record {
            keep(file, &code, &answer)?;
            continue;
        }
        let (ours, message) = subject::run_host(&code);
        let theirs = match answer.get("value").and_then(Value::as_str) {
            Some(value) => HostAnswer::Value(value.to_owned()),
            None => HostAnswer::Raises(answer["error"].as_str().unwrap_or_default().to_owned()),
        };
        errors += usize::from(matches!(theirs, HostAnswer::Raises(_)));
        let expected = answer["message"].as_str().unwrap_or_default();
        if ours.agrees_with(&theirs) && (!programs.whole || is_same_message(&message, expected)) {
            same += 1;
            continue;
        }
        differ += 1;
        if differ <= options.show {
            println!(
                "--- program {index}\n{}\nCPython: {theirs:?} {expected}\nhere:    {ours:?} {message}",
                shown(&code)
            );
        }
    }
    writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    python.wait()?;
    if record.is_some() {
        return Ok(());
    }
    println!("{same} agree ({errors} programs raise), {skipped} skipped, {differ} differ");
    if differ > 0 || same + skipped != count {
        bail!("{differ} programs differ; {} were answered", same + skipped + differ);
    }
    // Programs that raise at once compare little.
    let share = (same - errors.min(same)) * 100 / count.max(1);
    if programs.whole {
        println!("{share} % of the programs end with a value");
        if share < 50 {
            bail!("less than half of the programs end with a value");
        }
    }
    Ok(())
}

/// The programs of a run.
#[derive(Clone, Copy)]
struct Programs {
    seed: u64,
    whole: bool,
}

impl Programs {
    /// The program of this number.
    fn text(self, index: usize) -> String {
        let mut random = Random::new(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64 + 1));
        for _ in 0..8 {
            random.below(2);
        }
        if self.whole { whole_program(&mut random) } else { host_program(&mut random, Scale::Small) }
    }
}

/// Compares the first 20 characters of messages. A limit of ours has its own message.
fn is_same_message(ours: &str, theirs: &str) -> bool {
    ours.chars().take(20).eq(theirs.chars().take(20)) || ours.starts_with("calls are nested deeper")
}

/// The program without the lines that all have.
fn shown(code: &str) -> String {
    let skipped = code.lines().position(|line| line.starts_with("i0, ")).map_or(0, |at| at + 1);
    code.lines().skip(skipped).collect::<Vec<_>>().join("\n")
}

/// Writes a case in the form of the recorded ones.
fn keep(file: &mut std::fs::File, code: &str, answer: &Value) -> Result<()> {
    let mut case = serde_json::Map::new();
    case.insert("code".into(), code.into());
    match answer.get("value") {
        Some(value) => drop(case.insert("result".into(), value.clone())),
        None => drop(case.insert("error".into(), answer["error"].clone())),
    }
    Ok(writeln!(file, "{}", Value::Object(case))?)
}

fn check_version(python: &str) -> Result<()> {
    let code = "import sys; print(*sys.version_info[:2], sys.implementation.name)";
    let output = Command::new(python).args(["-I", "-c", code]).output().with_context(|| {
        format!("missing: CPython 3.10 or later as `{python}` (choose another with --python)")
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| words.get(at).and_then(|word: &&str| word.parse::<u32>().ok()).unwrap_or(0);
    if (number(0), number(1)) < (3, 10) || words.get(2) != Some(&"cpython") {
        bail!("missing: CPython 3.10 or later; `{python}` is {text:?}");
    }
    Ok(())
}
