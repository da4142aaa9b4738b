//! `check c-source`: functions of a corpus as C, compiled, run on the same random arguments as in the interpreter, and
//! compared with its results.
//!
//! Each program is a file with a `main` that reads the arguments and writes the results. Integers have to be equal, floats
//! equal up to rounding. Counted are the functions that the interpreter runs to their end.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tvmscript::interpreter::{Argument, CFunction, CInput, COptions, CSource, Functions, Scalar, c_source};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::{Ref, SourceTexts};
use tvmscript::tir::PrimFunc;
use tvmscript::{ParseOptions, Script, parse};
use xtask::workspace;

use super::run::{Ran, Runs, is_near, run_one, without_numbers};
use crate::conformance::{Program, in_parallel, share};

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    /// The kinds of programs.
    #[arg(long, value_delimiter = ',', default_value = "tir,tir_lowered,passes,source,lowered,device,host")]
    kind: Vec<String>,
    #[command(flatten)]
    runs: Runs,
    /// The C compiler.
    #[arg(long, default_value = "cc")]
    compiler: String,
    /// Further options of the compiler.
    #[arg(long, default_value = "-O1", allow_hyphen_values = true)]
    flag: Vec<String>,
    /// Functions shown per cause.
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// Share of the written functions that has to be equal, in percent.
    #[arg(long, default_value_t = 100.0)]
    floor: f64,
}

/// What became of a function that the interpreter runs.
enum Outcome {
    /// The results are equal; whether floats are bit for bit.
    Equal { is_exact: bool },
    /// It has no form in C.
    Refused(String),
    /// It does not compile, or has other results.
    Wrong(String),
}

pub(super) fn run(options: &Options) -> Result<()> {
    let programs = options.runs.programs(&options.kind)?;
    let folder = workspace::root().join("target/emitted/c");
    fs::create_dir_all(&folder)?;
    let outcomes = in_parallel(programs.len(), |index| {
        programs.get(index).map_or_else(Vec::new, |program| outcomes(program, index, &folder, options))
    });
    let mut worst = 100f64;
    for kind in &options.kind {
        let of_kind = programs.iter().zip(&outcomes).filter(|(program, _)| program.kind == *kind);
        let found: Vec<&(String, Outcome)> = of_kind.flat_map(|(_, outcomes)| outcomes).collect();
        if !found.is_empty() {
            worst = worst.min(report(kind, &found, options.show));
        }
    }
    if worst < options.floor {
        bail!(
            "check c-source: {worst:.1} % of the written functions of a kind are equal, expected {} %",
            options.floor
        );
    }
    Ok(())
}

/// Prints the figures of a kind; returns the share of written functions that are equal.
fn report(kind: &str, found: &[&(String, Outcome)], show: usize) -> f64 {
    let mut causes: BTreeMap<(bool, String), Vec<&str>> = BTreeMap::new();
    let (mut equal, mut exact) = (0, 0);
    for (name, outcome) in found {
        match outcome {
            Outcome::Equal { is_exact } => {
                equal += 1;
                exact += usize::from(*is_exact);
            }
            Outcome::Refused(why) => causes.entry((false, without_numbers(why))).or_default().push(name),
            Outcome::Wrong(why) => causes.entry((true, without_numbers(why))).or_default().push(name),
        }
    }
    let wrong: usize =
        causes.iter().filter(|((is_wrong, _), _)| *is_wrong).map(|(_, names)| names.len()).sum();
    println!(
        "{kind:<14}{} of the functions that the interpreter runs are equal in C, {exact} of them bit for bit",
        share(equal, found.len())
    );
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|((is_wrong, _), names)| (!is_wrong, std::cmp::Reverse(names.len())));
    for ((is_wrong, why), names) in causes {
        let verdict = if is_wrong { "WRONG" } else { "no form" };
        println!("    {:>4} x {verdict}: {why}", names.len());
        names.iter().take(show).for_each(|name| println!("               {name}"));
    }
    100.0 * equal as f64 / (equal + wrong).max(1) as f64
}

fn outcomes(program: &Program, index: usize, folder: &Path, options: &Options) -> Vec<(String, Outcome)> {
    let parsed = parse(&program.name, &program.text, tvmscript::registry(), &ParseOptions::default());
    if !parsed.errors.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, script) in parsed.scripts.iter().enumerate() {
        let inputs = functions(script);
        let module = script.node.as_node::<IRModule>().map(Functions::of).unwrap_or_default();
        let run = |input: &CInput| {
            let ran = run_one(&module, &input.function, &options.runs).ok().filter(|ran| !ran.is_cut)?;
            Some((input.clone(), ran))
        };
        let ran: Vec<(CInput, Ran)> = inputs.iter().filter_map(run).collect();
        if ran.is_empty() {
            continue;
        }
        let path = folder.join(format!("{index}_{number}.c"));
        let made = |inputs: &[CInput]| {
            let source = written(inputs).map_err(Outcome::Refused)?;
            let compiled = compile(&source, &path, options);
            compiled.map_err(|message| Outcome::Wrong(format!("does not compile: {message}")))?;
            Ok(source)
        };
        // All functions, so that they can call each other; else those that have a form.
        let all = made(&inputs);
        for (input, ran) in ran {
            let name = format!("{}: {}", program.name, input.name);
            let outcome = match &all {
                Ok(source) => compare(source, &input.name, &path, &ran),
                Err(Outcome::Wrong(why)) => Outcome::Wrong(why.clone()),
                Err(_) => match made(std::slice::from_ref(&input)) {
                    Ok(source) => compare(&source, &input.name, &path, &ran),
                    Err(outcome) => outcome,
                },
            };
            found.push((name, outcome));
        }
    }
    found
}

fn functions(script: &Script) -> Vec<CInput> {
    let input =
        |name: String, function: &Ref<PrimFunc>| CInput { module: 0, name, function: function.clone() };
    if let Some(function) = script.node.downcast_ref::<PrimFunc>() {
        return vec![input(script.name.clone().unwrap_or_default(), function)];
    }
    let module = script.node.as_node::<IRModule>();
    let functions = module.into_iter().flat_map(|module| module.functions.iter());
    functions
        .filter_map(|(var, function)| {
            Some(input(var.name_hint.to_string(), function.downcast_ref::<PrimFunc>()?))
        })
        .collect()
}

/// The text of functions, or the first reason why there is none.
fn written(functions: &[CInput]) -> std::result::Result<CSource, String> {
    let texts = SourceTexts::new();
    c_source(functions, COptions { texts: &texts, has_lines: false, has_main: true })
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))
}

/// Compiles a text; the messages of the compiler if it does not.
fn compile(source: &CSource, path: &Path, options: &Options) -> std::result::Result<(), String> {
    let compiled = || -> Result<std::process::Output> {
        fs::write(path, &source.text)?;
        let mut command = Command::new(&options.compiler);
        command.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).args(&options.flag);
        Ok(command.arg("-o").arg(path.with_extension("")).arg(path).arg("-lm").output()?)
    };
    match compiled() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(messages.lines().find(|line| line.contains("error")).unwrap_or("no message").to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Runs a compiled function and compares its results.
fn compare(source: &CSource, name: &str, path: &Path, ran: &Ran) -> Outcome {
    let Some(function) = source.functions.iter().find(|function| function.name == name) else {
        return Outcome::Wrong("the function is not in the text".to_owned());
    };
    // The arguments of a packed function are records.
    if function.input(&ran.before).is_err() {
        return Outcome::Refused("packed arguments".to_owned());
    }
    match results(function, path, ran) {
        Ok((arguments, result)) => match difference(ran, &arguments, result) {
            Ok(is_exact) => Outcome::Equal { is_exact },
            Err(why) => Outcome::Wrong(why),
        },
        Err(error) => Outcome::Wrong(format!("does not run: {error}")),
    }
}

fn results(function: &CFunction, path: &Path, ran: &Ran) -> Result<(Vec<Argument>, Option<Scalar>)> {
    let input = function.input(&ran.before)?;
    let mut child = Command::new(path.with_extension(""))
        .arg(&function.c_name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("a standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    if !output.status.success() {
        bail!("{} {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(function.output(&ran.before, &output.stdout)?)
}

/// Compares results; returns whether floats are equal bit for bit.
fn difference(
    ran: &Ran,
    arguments: &[Argument],
    result: Option<Scalar>,
) -> std::result::Result<bool, String> {
    let mut is_exact = true;
    for (index, (expected, found)) in ran.arguments.iter().zip(arguments).enumerate() {
        let (Some(expected), Some(found)) = (expected.tensor(), found.tensor()) else { continue };
        is_exact &= expected.bytes() == found.bytes();
        for at in 0..expected.len() {
            let (a, b) = (expected.get(at), found.get(at));
            if !is_near(a, b, scale_of(expected.dtype().bits)) {
                return Err(format!("argument {index} differs at {at}: {b:?} instead of {a:?}"));
            }
        }
    }
    match is_near(ran.result, result, scale_of(32)) || ran.result.is_none() {
        true => Ok(is_exact),
        false => Err(format!("the result is {result:?} instead of {:?}", ran.result)),
    }
}

/// The share of its size by which a float may differ.
fn scale_of(bits: u8) -> f64 {
    match bits {
        64.. => 1e-12,
        32.. => 1e-5,
        16.. => 4e-3,
        _ => 0.13,
    }
}
