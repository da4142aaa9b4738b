//! `check run`: how many functions of a corpus the interpreter runs, and what stops the others.
//!
//! Arguments are generated from the types and shapes of parameters, with small random numbers; sizes that are not known
//! are small; a function that an index or divisor of its data stops runs again with all integers 1. A function that reaches the limit of steps runs, as far as it is tried.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use tvmscript::interpreter::{
    Argument, Functions, InputOptions, Limits, RunErrorKind, Scalar, generate, run_in,
};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::Ref;
use tvmscript::tir::PrimFunc;
use tvmscript::{ParseOptions, parse};

use super::Corpus;
use crate::conformance::{cause, in_parallel, share};

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    /// Value of the sizes that a function leaves open.
    #[arg(long, default_value_t = 8)]
    size: i64,
    /// Seed of the arguments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of steps per function.
    #[arg(long, default_value_t = 100_000_000)]
    max_steps: u64,
    /// Functions shown per cause.
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// Share of functions that has to run, in percent.
    #[arg(long, default_value_t = 0.0)]
    floor: f64,
}

/// The functions of a text with what became of them.
type Outcomes = Vec<(String, std::result::Result<u64, String>)>;

pub(super) fn run(options: &Options) -> Result<()> {
    let texts = options.corpus.texts(usize::MAX)?;
    let start = Instant::now();
    let outcomes: Vec<Outcomes> = in_parallel(texts.len(), |index| match texts.get(index) {
        Some((name, text)) => text_outcomes(name, text, options),
        None => Vec::new(),
    });
    let seconds = start.elapsed().as_secs_f64();
    let whole =
        outcomes.iter().filter(|outcomes| outcomes.iter().all(|(_, outcome)| outcome.is_ok())).count();
    let all: Vec<&(String, std::result::Result<u64, String>)> = outcomes.iter().flatten().collect();
    let ran = all.iter().filter(|(_, outcome)| outcome.is_ok()).count();
    let steps: u64 = all.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).sum();
    println!("functions that run  {}", share(ran, all.len()));
    println!("texts that run      {}", share(whole, outcomes.len()));
    println!("steps               {steps} in {seconds:.1} s");
    let mut causes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, outcome) in &all {
        if let Err(why) = outcome {
            causes.entry(cause(why)).or_default().push(name);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    for (why, names) in causes {
        println!("    {} x {why}", names.len());
        names.iter().take(options.show).for_each(|name| println!("        {name}"));
    }
    let percent = 100.0 * ran as f64 / all.len().max(1) as f64;
    if percent < options.floor {
        bail!("check run: {percent:.1} % of the functions run, expected {} %", options.floor);
    }
    Ok(())
}

fn text_outcomes(name: &str, text: &str, options: &Options) -> Outcomes {
    let parsed = parse(name, text, tvmscript::registry(), &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        return vec![(name.to_owned(), Err(format!("does not parse: {}", error.kind)))];
    }
    let mut outcomes = Outcomes::new();
    for script in &parsed.scripts {
        if let Some(function) = script.node.downcast_ref::<PrimFunc>() {
            outcomes.push((name.to_owned(), outcome(&Functions::default(), function, options)));
        }
        let Some(module) = script.node.as_node::<IRModule>() else { continue };
        for (var, function) in module.functions.iter() {
            if let Some(function) = function.downcast_ref::<PrimFunc>() {
                let outcome = outcome(&Functions::of(module), function, options);
                outcomes.push((format!("{name}: {}", var.name_hint), outcome));
            }
        }
    }
    outcomes
}

fn outcome(
    functions: &Functions<'_>,
    function: &Ref<PrimFunc>,
    options: &Options,
) -> std::result::Result<u64, String> {
    let inputs = InputOptions {
        default_size: options.size,
        seed: options.seed,
        max_bytes: 1 << 28,
        ..InputOptions::default()
    };
    let mut arguments = generate(function, &inputs).map_err(|error| format!("no arguments: {error}"))?;
    let limits = Limits { steps: options.max_steps, ..Limits::default() };
    let mut steps = 0;
    let mut attempt = |arguments: &mut Vec<Argument>| match run_in(
        functions,
        function,
        arguments,
        limits,
        &mut |progress| steps = progress.steps,
    ) {
        Ok(_) => Ok(steps),
        Err(error) if matches!(error.kind, RunErrorKind::Steps { .. }) => Ok(steps),
        Err(error) => Err(error),
    };
    let first = attempt(&mut arguments);
    let depends_on_data = |kind: &RunErrorKind| {
        matches!(
            kind,
            RunErrorKind::OutOfBounds { .. }
                | RunErrorKind::OutsideMemory { .. }
                | RunErrorKind::DivisionByZero
        )
    };
    match first {
        // Integers that are indices or divisors of the function have to fit.
        Err(error) if depends_on_data(&error.kind) => {
            arguments.iter_mut().for_each(set_integers);
            attempt(&mut arguments).map_err(|_| error.to_string())
        }
        outcome => outcome.map_err(|error| error.to_string()),
    }
}

/// Makes all integers of an argument 1.
fn set_integers(argument: &mut Argument) {
    if let Argument::Tensor(tensor) = argument {
        for index in 0..tensor.len() {
            tensor.set(index, Scalar::Int(1));
        }
    }
}
