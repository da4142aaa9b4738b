//! `check run`: how many functions of a corpus the interpreter runs, and what stops the others.
//!
//! Arguments are generated from the types and shapes of parameters, with small random numbers; sizes that are not known
//! are small. A function that these do not fit (an index, a divisor, an assertion, the size of a pointer's memory) runs again
//! with others. A function that reaches the limit of steps runs, as far as it is tried. Counted apart are texts that neither
//! this parser nor TVM's reads, which are no programs, and parts of functions, which use variables that nothing defines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tvmscript::interpreter::{
    Argument, Functions, InputOptions, Limits, RunError, RunErrorKind, Scalar, generate, run_in, signature,
};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::{Ref, SpanKind, UseDef};
use tvmscript::prim::Var;
use tvmscript::tir::PrimFunc;
use tvmscript::{ParseOptions, parse};
use xtask::workspace;

use crate::conformance::{Program, in_parallel, load_corpus, share};

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    /// The kinds of programs.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "tir,tir_lowered,passes,source,input,tile,lowered,device,host"
    )]
    kind: Vec<String>,
    #[command(flatten)]
    runs: Runs,
    /// Functions shown per cause.
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// Compare results with those of the program of the kind `input` of the same kernel.
    #[arg(long)]
    agree: bool,
    /// Share of functions that has to run, in percent.
    #[arg(long, default_value_t = 0.0)]
    floor: f64,
}

/// The outcome of a function: its steps, or what stopped it.
type Outcome = std::result::Result<u64, Stop>;

/// The reason for which a function stopped, and the place in the text.
pub(super) struct Stop {
    pub(super) why: String,
    start: Option<u32>,
    /// The function is a part of one: it uses variables that nothing defines.
    is_fragment: bool,
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop { why, start: None, is_fragment: false }
    }
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Stop {
        let mut span = error.span;
        while let SpanKind::CallSite { caller, .. } = span.kind() {
            span = caller;
        }
        let start = match span.kind() {
            SpanKind::Range { start_bytes, .. } => Some(start_bytes),
            _ => None,
        };
        Stop { why: error.to_string(), start, is_fragment: false }
    }
}

/// The name of a function, with the line that stopped it.
fn with_line(name: String, text: &str, outcome: &Outcome) -> String {
    let start = outcome.as_ref().err().and_then(|stop| stop.start);
    match start.and_then(|start| text.as_bytes().get(..start as usize)) {
        Some(before) => {
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            format!("{name}, line {line}")
        }
        None => name,
    }
}

/// The outcome of a text.
enum Text {
    /// The outcomes of its functions, by name.
    Ran(Vec<(String, Outcome)>),
    /// It is no program.
    Refused,
}

pub(super) fn run(options: &Options) -> Result<()> {
    let programs = options.runs.programs(&options.kind)?;
    let start = Instant::now();
    let references = match options.agree {
        true => references(&programs, options),
        false => BTreeMap::new(),
    };
    let texts: Vec<Text> = in_parallel(programs.len(), |index| match programs.get(index) {
        Some(program) => {
            outcomes(program, program.kernel.as_ref().and_then(|kernel| references.get(kernel)), options)
        }
        None => Text::Refused,
    });
    let seconds = start.elapsed().as_secs_f64();
    let mut worst = 100f64;
    let mut steps = 0;
    for kind in &options.kind {
        let of_kind: Vec<&Text> = programs
            .iter()
            .zip(&texts)
            .filter(|(program, _)| program.kind == *kind)
            .map(|(_, text)| text)
            .collect();
        if !of_kind.is_empty() {
            let (percent, own) = report(kind, &of_kind, options.show);
            worst = worst.min(percent);
            steps += own;
        }
    }
    println!("{steps} steps in {seconds:.1} s");
    if worst < options.floor {
        bail!("check run: {worst:.1} % of the functions of a kind run, expected {} %", options.floor);
    }
    Ok(())
}

/// Prints the figures of a kind and the causes of what did not run; returns the share that runs, and the steps.
fn report(kind: &str, texts: &[&Text], show: usize) -> (f64, u64) {
    let is_fragment = |outcome: &Outcome| outcome.as_ref().is_err_and(|stop| stop.is_fragment);
    let (fragments, functions): (Vec<_>, Vec<_>) = texts
        .iter()
        .flat_map(|text| match text {
            Text::Ran(functions) => functions.as_slice(),
            Text::Refused => &[],
        })
        .partition(|(_, outcome)| is_fragment(outcome));
    let ran = functions.iter().filter(|(_, outcome)| outcome.is_ok()).count();
    let refused = texts.iter().filter(|text| matches!(text, Text::Refused)).count();
    println!("{kind:<14}{} functions of {} texts", share(ran, functions.len()), texts.len() - refused);
    if refused > 0 {
        println!("    {refused} texts are no programs: TVM does not read them either");
    }
    if !fragments.is_empty() {
        println!(
            "    {} functions are parts of others: they use variables that nothing defines",
            fragments.len()
        );
    }
    let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, outcome) in &functions {
        if let Err(Stop { why, .. }) = outcome {
            let cause = without_numbers(why);
            let shown = if cause == *why { name.clone() } else { format!("{name}: {why}") };
            causes.entry(cause).or_default().push(shown);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    for (why, names) in causes {
        println!("    {:>4} x {why}", names.len());
        names.iter().take(show).for_each(|name| println!("               {name}"));
    }
    let steps = functions.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).sum();
    (100.0 * ran as f64 / functions.len().max(1) as f64, steps)
}

/// The first line of a message, with `#` for each number.
pub(super) fn without_numbers(message: &str) -> String {
    let mut text = String::new();
    for c in message.lines().next().unwrap_or_default().chars().take(200) {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

fn outcomes(program: &Program, reference: Option<&Vec<Argument>>, options: &Options) -> Text {
    let parsed = parse(&program.name, &program.text, tvmscript::registry(), &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        return match program.tvm_parses || program.kind != "tir" && program.kind != "tir_lowered" {
            true => {
                Text::Ran(vec![(program.name.clone(), Err(format!("does not parse: {}", error.kind).into()))])
            }
            false => Text::Refused,
        };
    }
    let mut outcomes = Vec::new();
    for script in &parsed.scripts {
        if let Some(function) = script.node.downcast_ref::<PrimFunc>() {
            let ran = run_one(&Functions::default(), function, &options.runs).and_then(agreement(reference));
            outcomes.push((with_line(program.name.clone(), &program.text, &ran), ran));
        }
        let Some(module) = script.node.as_node::<IRModule>() else { continue };
        for (var, function) in module.functions.iter() {
            if let Some(function) = function.downcast_ref::<PrimFunc>() {
                // The arguments are those of the function that the others belong to.
                let is_entry = module.functions.len() == 1
                    || signature(function).parameters.len() != function.params.len();
                let ran = run_one(&Functions::of(module), function, &options.runs);
                let ran = ran.and_then(agreement(reference.filter(|_| is_entry)));
                let name = format!("{}: {}", program.name, var.name_hint);
                outcomes.push((with_line(name, &program.text, &ran), ran));
            }
        }
    }
    Text::Ran(outcomes)
}

/// The results of programs of the kind `input`, by kernel.
fn references(programs: &[Program], options: &Options) -> BTreeMap<String, Vec<Argument>> {
    let inputs: Vec<&Program> = programs.iter().filter(|program| program.kind == "input").collect();
    let results = in_parallel(inputs.len(), |index| {
        let program = inputs.get(index)?;
        let parsed = parse(&program.name, &program.text, tvmscript::registry(), &ParseOptions::default());
        let node = &parsed.scripts.first()?.node;
        let function = match node.as_node::<IRModule>() {
            Some(module) => {
                module.functions.iter().find_map(|(_, function)| function.downcast_ref::<PrimFunc>())
            }
            None => node.downcast_ref::<PrimFunc>(),
        }?;
        let ran = run_one(&Functions::default(), function, &options.runs).ok().filter(|ran| !ran.is_cut)?;
        Some((program.kernel.clone()?, ran.arguments))
    });
    results.into_iter().flatten().collect()
}

/// Share of the elements of a result that may differ from the reference by more than rounding.
const MAX_DIFFERENT: f64 = 0.001;

/// Compares the arguments after a run with those of the reference.
fn agreement<'r>(reference: Option<&'r Vec<Argument>>) -> impl FnOnce(Ran) -> Outcome + 'r {
    move |Ran { steps, is_cut, arguments, .. }| {
        let Some(reference) = reference.filter(|_| !is_cut) else { return Ok(steps) };
        if reference.len() != arguments.len() {
            return Err(
                format!("{} arguments, the reference has {}", arguments.len(), reference.len()).into()
            );
        }
        for (index, (ours, theirs)) in arguments.iter().zip(reference).enumerate() {
            let (Some(ours), Some(theirs)) = (ours.tensor(), theirs.tensor()) else { continue };
            if ours.len() != theirs.len() {
                return Err(
                    format!("argument {index} has {} elements, not {}", ours.len(), theirs.len()).into()
                );
            }
            let scale = if ours.dtype().bits < 32 { 0.02 } else { 0.002 };
            let is_different = |at: &usize| !is_near(theirs.get(*at), ours.get(*at), scale);
            let different: Vec<usize> = (0..ours.len()).filter(is_different).collect();
            if different.len() as f64 > MAX_DIFFERENT * ours.len() as f64 {
                let at = different.first().copied().unwrap_or_default();
                return Err(format!(
                    "differs from the reference: argument {index}, {} of {} elements, such as {at}: {:?} instead of {:?}",
                    different.len(),
                    ours.len(),
                    ours.get(at),
                    theirs.get(at)
                )
                .into());
            }
        }
        Ok(steps)
    }
}

/// The end of a run: the steps, whether they reached the limit, the arguments and the result.
pub(super) struct Ran {
    pub(super) steps: u64,
    pub(super) is_cut: bool,
    /// The arguments before the run.
    pub(super) before: Vec<Argument>,
    pub(super) arguments: Vec<Argument>,
    pub(super) result: Option<Scalar>,
}

/// Size of what a function leaves open, where it asserts something that small ones do not fulfil.
const LARGE_SIZE: i64 = 128;
/// Elements behind a pointer, where the default is too few.
const MANY_ELEMENTS: i64 = 1 << 21;

/// The programs that run, their arguments, and their end.
#[derive(Args)]
pub struct Runs {
    /// The corpora [default: tests/corpus].
    dirs: Vec<PathBuf>,
    /// Run only programs whose name contains one of these texts.
    #[arg(long, value_delimiter = ',')]
    filter: Vec<String>,
    /// Value of the sizes that a function leaves open.
    #[arg(long, default_value_t = 8)]
    size: i64,
    /// Seed of the arguments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of steps per function.
    #[arg(long, default_value_t = 100_000_000)]
    max_steps: u64,
}

impl Runs {
    /// The programs of some kinds.
    pub(super) fn programs(&self, kinds: &[String]) -> Result<Vec<Program>> {
        let default = [workspace::root().join("tests/corpus")];
        let dirs = if self.dirs.is_empty() { &default[..] } else { &self.dirs };
        let mut programs = Vec::new();
        for dir in dirs {
            let loaded = load_corpus(dir, kinds, None);
            programs.extend(loaded.with_context(|| format!("reading {}", dir.display()))?);
        }
        programs.retain(|program| {
            self.filter.is_empty() || self.filter.iter().any(|text| program.name.contains(text))
        });
        Ok(programs)
    }
}

/// Compares values: integers have to be equal, floats up to a share of the size of the expected one.
pub(super) fn is_near(expected: Option<Scalar>, found: Option<Scalar>, scale: f64) -> bool {
    match (expected, found) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => {
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= scale * a.abs().max(1.0)
        }
        (a, b) => a == b,
    }
}

/// Runs a function on generated arguments, and on others if these do not fit it.
pub(super) fn run_one(
    functions: &Functions<'_>,
    function: &Ref<PrimFunc>,
    options: &Runs,
) -> std::result::Result<Ran, Stop> {
    let inputs = InputOptions {
        default_size: options.size,
        seed: options.seed,
        max_bytes: 1 << 28,
        ..InputOptions::default()
    };
    let attempt = |inputs: &InputOptions,
                   change: fn(&mut Argument)|
     -> std::result::Result<Ran, (Stop, Option<RunErrorKind>)> {
        let mut arguments =
            generate(function, inputs).map_err(|error| (format!("no arguments: {error}").into(), None))?;
        arguments.iter_mut().for_each(change);
        let before = arguments.clone();
        let limits = Limits { steps: options.max_steps, ..Limits::default() };
        let mut steps = 0;
        match run_in(functions, function, &mut arguments, limits, &mut |progress| steps = progress.steps) {
            Ok(result) => Ok(Ran { steps, is_cut: false, before, arguments, result }),
            Err(RunError { kind: RunErrorKind::Steps { .. }, .. }) => {
                Ok(Ran { steps, is_cut: true, before, arguments, result: None })
            }
            Err(error) => Err((error.clone().into(), Some(error.kind))),
        }
    };
    let first = attempt(&inputs, |_| {});
    let Err((mut stop, Some(kind))) = first else { return first.map_err(|(stop, _)| stop) };
    stop.is_fragment = has_free_variables(function);
    // Integers that are indices or divisors of the function have to fit, and the sizes that it leaves open.
    let sized = |default_size: i64| InputOptions { default_size, ..inputs.clone() };
    let is_misfit = matches!(
        kind,
        RunErrorKind::OutsideMemory { .. }
            | RunErrorKind::OutOfBounds { .. }
            | RunErrorKind::DivisionByZero
            | RunErrorKind::Assertion { .. }
    );
    if !is_misfit {
        return Err(stop);
    }
    let more = InputOptions { pointer_elements: MANY_ELEMENTS, ..inputs.clone() };
    let again = attempt(&more, |_| {})
        .or_else(|_| attempt(&inputs, |argument| set_integers(argument, 1)))
        .or_else(|_| attempt(&inputs, |argument| set_integers(argument, 0)))
        .or_else(|_| attempt(&sized(1), |_| {}))
        .or_else(|_| attempt(&sized(3), |_| {}))
        .or_else(|_| attempt(&sized(LARGE_SIZE), |_| {}));
    again.map_err(|_| stop)
}

/// Tests whether a function uses a variable that nothing defines.
fn has_free_variables(function: &Ref<PrimFunc>) -> bool {
    let chains = UseDef::of(function);
    let mut variables = chains.variables().iter().filter(|node| node.downcast_ref::<Var>().is_some());
    variables.any(|variable| chains.definition(variable).is_none())
}

/// Makes all integers of an argument the same.
fn set_integers(argument: &mut Argument, value: i64) {
    if let Argument::Tensor(tensor) = argument {
        for index in 0..tensor.len() {
            tensor.set(index, Scalar::Int(value));
        }
    }
}
