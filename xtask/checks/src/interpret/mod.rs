//! `cargo xtask interpret`: kernels in the reference interpreter and in code that TVM builds.
//!
//! Functions of a corpus run on random inputs, here and as machine code of one of TVM's targets. The contents of their
//! buffers and their results must then agree: integers and bools exactly, floats up to the rounding that a compiler may
//! choose (fused multiply-adds, its library of functions). Functions that the interpreter leaves out or that TVM cannot
//! build are counted by cause.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tvmscript::interpreter::{Argument, InputOptions, Limits, Scalar, Tensor, generate, run as interpret};
use tvmscript::ir::IRModule;
use tvmscript::tir::PrimFunc;
use tvmscript::{ParseOptions, Ref, parse, registry};
use tvmscript_test_texts::Random;

use crate::conformance::{Oracle, Program, cause, in_parallel, load_corpus, share};
use crate::values::{Agreement, compare};
use xtask::workspace;

/// Options of `cargo xtask interpret`.
#[derive(Args)]
pub struct Options {
    /// The interpreter of a virtual environment with TVM, such as `DIR/bin/python`.
    #[arg(long)]
    oracle: PathBuf,
    /// The corpus: a folder with an `index.jsonl`; repeatable [default: tests/corpus].
    #[arg(long)]
    corpus: Vec<PathBuf>,
    /// The target of TVM's build.
    #[arg(long, default_value = "c")]
    target: String,
    /// Kernels to compare; 0 for all.
    #[arg(long, default_value_t = 100)]
    kernels: usize,
    /// The seed of the choice and of the inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Value of sizes and scalar parameters.
    #[arg(long, default_value_t = 8)]
    size: i64,
    /// Steps of the interpreter after which a kernel is left out.
    #[arg(long, default_value_t = 3_000_000)]
    max_steps: u64,
    /// Check only programs whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// Programs shown for each cause.
    #[arg(long, default_value_t = 4)]
    show: usize,
}

/// Programs between two looks at how many kernels were compared.
const BATCH: usize = 16;

/// Result for a kernel.
enum Outcome {
    /// The same bytes.
    Same,
    /// The same up to the rounding of floats.
    Close,
    /// Other values; which.
    Differs(String),
    /// Not compared; why.
    LeftOut(String),
}

/// Runs the check.
///
/// # Errors
/// When a corpus cannot be read, the oracle does not start, a kernel differs, or too few kernels can be compared.
pub fn run(options: &Options) -> Result<()> {
    let script = workspace::root().join("xtask/checks/src/interpret/driver.py");
    let oracle = Oracle::with_script(options.oracle.clone(), script)?;
    let default = [workspace::root().join("tests/corpus")];
    let dirs = if options.corpus.is_empty() { &default[..] } else { &options.corpus };
    let kinds = ["tir", "tir_lowered"].map(String::from);
    let mut programs = Vec::new();
    for dir in dirs {
        let loaded = load_corpus(dir, &kinds, options.filter.as_deref());
        programs.extend(loaded.with_context(|| format!("reading {}", dir.display()))?);
    }
    programs.retain(|program| program.tvm_parses);
    shuffle(&mut programs, options.seed);
    let mut outcomes: Vec<Outcome> = Vec::new();
    let compared = |outcomes: &[Outcome]| {
        outcomes.iter().filter(|outcome| !matches!(outcome, Outcome::LeftOut(_))).count()
    };
    for batch in programs.chunks(BATCH) {
        if options.kernels > 0 && compared(&outcomes) >= options.kernels {
            break;
        }
        outcomes.extend(in_parallel(batch.len(), |index| {
            one(&batch[index], options, &oracle).unwrap_or_else(Outcome::LeftOut)
        }));
    }
    let failed = report(&programs, &outcomes, compared(&outcomes), options);
    if failed > 0 || compared(&outcomes) < options.kernels {
        bail!("interpret: {failed} kernels differ, {} compared", compared(&outcomes));
    }
    Ok(())
}

fn shuffle(programs: &mut [Program], seed: u64) {
    let mut random = Random::new(seed);
    for end in (1..programs.len()).rev() {
        programs.swap(end, random.below(end + 1));
    }
}

/// Prints the figures and causes; returns the number of kernels that differ.
fn report(programs: &[Program], outcomes: &[Outcome], compared: usize, options: &Options) -> usize {
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(outcome)).count();
    let same = count(|outcome| matches!(outcome, Outcome::Same));
    let close = count(|outcome| matches!(outcome, Outcome::Close));
    println!("{} programs of {}, target {}", outcomes.len(), programs.len(), options.target);
    println!("    {:<20}{}", "same bytes", share(same, compared));
    println!("    {:<20}{}", "same but rounding", share(close, compared));
    println!("    {:<20}{}", "different", share(compared - same - close, compared));
    let mut causes: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
    for (program, outcome) in programs.iter().zip(outcomes) {
        let (is_compared, why) = match outcome {
            Outcome::Differs(why) => (true, why),
            Outcome::LeftOut(why) => (false, why),
            Outcome::Same | Outcome::Close => continue,
        };
        let label = format!("{}/{}: {why}", program.kind, program.name);
        causes.entry((is_compared, cause(why))).or_default().push(label);
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|((is_compared, _), programs)| std::cmp::Reverse((*is_compared, programs.len())));
    for ((is_compared, cause), programs) in &causes {
        let what = if *is_compared { "different" } else { "left out" };
        println!("    {what}: {} x {cause}", programs.len());
        programs.iter().take(options.show).for_each(|program| println!("        {program}"));
    }
    compared - same - close
}

/// Compares a kernel. The error is why it cannot be compared.
fn one(program: &Program, options: &Options, oracle: &Oracle) -> Result<Outcome, String> {
    let function = function(program)?;
    let inputs = InputOptions { default_size: options.size, seed: options.seed, ..InputOptions::default() };
    let before = generate(&function, &inputs).map_err(|error| format!("no inputs: {error}"))?;
    let mut ours = before.clone();
    let limits = Limits { steps: options.max_steps, ..Limits::default() };
    let result =
        interpret(&function, &mut ours, limits).map_err(|error| format!("the interpreter: {error}"))?;
    let request = json!({
        "op": "run",
        "text": program.text,
        "target": options.target,
        "arguments": before.iter().map(to_json).collect::<Value>(),
    });
    let answer = oracle.ask(&request).map_err(|error| format!("TVM: {error}"))?;
    if answer["ok"] != true {
        let message = [&answer["build"], &answer["error"]["msg"], &answer["crash"]];
        let message = message.iter().find_map(|part| part.as_str()).unwrap_or("no answer");
        let stage = if answer["build"].is_string() { "build" } else { "run" };
        return Err(format!("TVM's {stage}: {}", message.lines().next().unwrap_or_default()));
    }
    let mut outcome = Outcome::Same;
    for (index, (ours, theirs)) in
        ours.iter().zip(answer["arguments"].as_array().into_iter().flatten()).enumerate()
    {
        let Argument::Tensor(ours) = ours else { continue };
        let theirs = from_json(ours, theirs).ok_or("TVM's answer: another size")?;
        match compare(ours, &theirs) {
            Agreement::Same => {}
            Agreement::Close => outcome = Outcome::Close,
            Agreement::Differs(why) => return Ok(Outcome::Differs(format!("argument {index}: {why}"))),
        }
    }
    if let Some(result) = result
        && !is_same_number(result, &answer["result"])
    {
        return Ok(Outcome::Differs(format!("result: {result:?} | {}", answer["result"])));
    }
    Ok(outcome)
}

/// The only function of a program: the program itself, or that of a module.
fn function(program: &Program) -> Result<Ref<PrimFunc>, String> {
    let parsed = parse(&program.name, &program.text, registry(), &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        return Err(format!("does not parse: {}", error.kind));
    }
    let script = match parsed.scripts.as_slice() {
        [script] => &script.node,
        scripts => return Err(format!("{} scripts", scripts.len())),
    };
    let function = match script.as_node::<IRModule>() {
        None => script.downcast_ref::<PrimFunc>(),
        Some(module) if module.functions.len() == 1 => {
            module.functions.iter().find_map(|(_, function)| function.downcast_ref::<PrimFunc>())
        }
        Some(module) => return Err(format!("{} functions", module.functions.len())),
    };
    function.cloned().ok_or_else(|| "no TIR function".to_owned())
}

fn to_json(argument: &Argument) -> Value {
    match argument {
        Argument::Scalar(Scalar::Float(value)) => json!(value),
        Argument::Scalar(Scalar::Int(value)) => json!(value),
        Argument::Tensor(tensor) => {
            let bytes: String = tensor.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"dtype": tensor.dtype().to_string(), "shape": tensor.shape(), "bytes": bytes})
        }
    }
}

/// A tensor of the type and shape of `like`.
fn from_json(like: &Tensor, value: &Value) -> Option<Tensor> {
    let digits = value["bytes"].as_str()?.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    Tensor::from_bytes(like.dtype(), like.shape(), bytes?).ok()
}

fn is_same_number(ours: Scalar, theirs: &Value) -> bool {
    match ours {
        Scalar::Int(value) => theirs.as_i64() == Some(value) || theirs.as_bool() == Some(value != 0),
        Scalar::Float(value) => {
            theirs.as_f64().is_some_and(|theirs| (value - theirs).abs() <= 3e-5 * value.abs().max(1.0))
        }
    }
}
