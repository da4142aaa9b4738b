//! `check schedule`: recorded schedules of TVM, applied here: the same module or a refusal of the same class.
//!
//! A case is a module, a trace and TVM's result. The result is compared structurally. A step applies one primitive; a trace is
//! a whole schedule. Cases with a primitive that is not there are counted apart.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;
use tvmscript::interpreter::{InputOptions, Limits, generate, run as interpret};
use tvmscript::ir::IRModule;
use tvmscript::schedule::{PRIMITIVES, Schedule, TraceError};
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, ParseOptions, Ref, parse, post_order_visit, structural_equal};

use crate::conformance::{in_parallel, share};
use crate::values::{Agreement, compare};

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    /// The cases: a file of JSON lines, compressed or not.
    #[arg(default_value = "tests/vectors/schedule.jsonl")]
    vectors: PathBuf,
    /// Only cases of these primitives.
    #[arg(long, value_delimiter = ',')]
    primitive: Vec<String>,
    /// Only the case with this id, whose result is shown.
    #[arg(long)]
    id: Option<String>,
    /// Apply the text of traces in place of their JSON.
    #[arg(long)]
    text: bool,
    /// Run the module before and after in the interpreter, for at most this many steps: the same values, too.
    #[arg(long, value_name = "STEPS")]
    evaluate: Option<u64>,
    /// Compare the time of whole traces with that of TVM, by its Python.
    #[arg(long, value_name = "PYTHON")]
    against: Option<PathBuf>,
    /// Failures shown per primitive.
    #[arg(long, default_value_t = 2)]
    show: usize,
    /// The least share of good answers of each primitive, in percent.
    #[arg(long, default_value_t = 0.0)]
    floor: f64,
}

/// Applies the cases.
///
/// # Errors
/// When the file cannot be read, or a primitive has a lower share than wanted.
pub fn run(options: &Options) -> Result<()> {
    let cases = load(options)?;
    if let Some(python) = &options.against {
        return super::schedule_speed::run(&cases, python);
    }
    let outcomes = in_parallel(cases.len(), |at| judge(&cases[at], options));
    let mut table: BTreeMap<String, (usize, usize, usize, Vec<String>)> = BTreeMap::new();
    let (mut runs, mut others) = (0, Vec::new());
    for (case, outcome) in cases.iter().zip(outcomes) {
        let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = if text("kind") == "trace" { "(whole traces)" } else { text("primitive") };
        let (good, of, missing, failures) = table.entry(name.to_owned()).or_default();
        match outcome {
            Outcome::Good { values } => {
                *good += 1;
                *of += 1;
                match values {
                    Some(Ok(())) => runs += 1,
                    Some(Err(problem)) => {
                        others.push(format!("{} {}: {problem}", text("id"), text("source")))
                    }
                    None => {}
                }
            }
            Outcome::Missing => *missing += 1,
            Outcome::Bad(why) => {
                *of += 1;
                failures.push(format!("{} {}: {why}", text("id"), text("source")));
            }
        }
    }
    let mut below = Vec::new();
    for (name, (good, of, missing, failures)) in &table {
        if *of > 0 {
            println!("{name:<28}{}  {missing} not supported", share(*good, *of));
        } else {
            println!("{name:<28}{missing:>24} not supported");
        }
        for failure in failures.iter().take(options.show) {
            println!("    {failure}");
        }
        if (*good as f64) * 100.0 < (*of as f64) * options.floor {
            below.push(name.as_str());
        }
    }
    if options.evaluate.is_some() {
        println!(
            "{runs} modules give the same values before and after; TVM's results that do not: {}",
            others.len()
        );
        others.iter().take(options.show).for_each(|other| println!("    {other}"));
    }
    if below.is_empty() { Ok(()) } else { bail!("below the share: {}", below.join(", ")) }
}

fn load(options: &Options) -> Result<Vec<Value>> {
    let bytes =
        std::fs::read(&options.vectors).with_context(|| format!("reading {}", options.vectors.display()))?;
    let mut text = String::new();
    match options.vectors.extension().is_some_and(|extension| extension == "gz") {
        true => {
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
        }
        false => text = String::from_utf8(bytes)?,
    }
    let mut cases = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line)?;
        let is = |key: &str, value: &str| case.get(key).and_then(Value::as_str) == Some(value);
        let is_wanted = match &options.id {
            Some(id) => is("id", id),
            None => {
                options.primitive.is_empty() || options.primitive.iter().any(|name| is("primitive", name))
            }
        };
        if is_wanted {
            cases.push(case);
        }
    }
    if cases.is_empty() {
        bail!("no cases");
    }
    Ok(cases)
}

enum Outcome {
    Good {
        /// The result of a run before and after, if there was one.
        values: Option<std::result::Result<(), String>>,
    },
    /// A primitive is not there.
    Missing,
    Bad(String),
}

/// Compares traces; nodes in strings are compared without what TVM says about itself.
fn is_same(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Array(own), Value::Array(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| is_same(own, other))
        }
        (Value::String(own), Value::String(other)) if own.starts_with('{') && other.starts_with('{') => {
            let graph = |text: &str| {
                let value: Value = serde_json::from_str(text).unwrap_or_default();
                (value["root_index"].clone(), value["nodes"].clone())
            };
            graph(own) == graph(other)
        }
        _ => own == other,
    }
}

/// The first thing that a result lacks: each node has a span, the module is well-formed and its text reads back.
fn unsound(module: &Object, may_be_ill_formed: bool) -> Option<String> {
    let registry = tvmscript::registry();
    let mut without_span = Vec::new();
    post_order_visit(module, |node| {
        if node.info().has_span() && !node.span().is_known() && !node.is::<IRModule>() {
            without_span.push(node.info().display_key());
        }
    });
    if !without_span.is_empty() {
        let first = without_span.first().copied().unwrap_or_default();
        return Some(format!("{} nodes without a span, the first one a `{first}`", without_span.len()));
    }
    let found = registry.check(module);
    if let Some(error) = found.first().filter(|_| !may_be_ill_formed) {
        return Some(format!("the result is not well-formed: {error}"));
    }
    let text = match tvmscript::print(module, registry, &Default::default()) {
        Ok(text) => text,
        Err(error) => return Some(format!("the result has no text: {error}")),
    };
    let parsed = parse("result.py", &text, registry, &ParseOptions::default());
    match (parsed.errors.first(), parsed.scripts.into_iter().next()) {
        (Some(error), _) => Some(format!("the text of the result is not read: {error}")),
        (None, Some(script)) if structural_equal(&script.node, module) => None,
        _ => Some("the text of the result is another module".to_owned()),
    }
}

/// Runs the functions of a module before and after a schedule on the same inputs. `None` if they cannot be run.
fn evaluated(before: &IRModule, after: &IRModule, max_steps: u64) -> Option<std::result::Result<(), String>> {
    let mut was_run = false;
    for ((var, old), (_, new)) in before.functions.iter().zip(after.functions.iter()) {
        let (old, new) = (old.object().downcast_ref::<PrimFunc>()?, new.object().downcast_ref::<PrimFunc>()?);
        let inputs = generate(old, &InputOptions::default()).ok()?;
        let run = |function: &Ref<PrimFunc>| {
            let mut arguments = inputs.clone();
            let limits = Limits { steps: max_steps, ..Limits::default() };
            interpret(function, &mut arguments, limits).map(|_| arguments).map_err(|error| error.to_string())
        };
        let old = run(old).ok()?;
        let new = match run(new) {
            Ok(new) => new,
            Err(error) if error.contains("steps") => return None,
            Err(error) => return Some(Err(format!("`{}` does not run: {error}", var.name_hint.as_str()))),
        };
        for (old, new) in old.iter().zip(&new) {
            let (Some(old), Some(new)) = (old.tensor(), new.tensor()) else { continue };
            if let Agreement::Differs(why) = compare(new, old) {
                return Some(Err(format!("`{}` gives other values: {why}", var.name_hint.as_str())));
            }
        }
        was_run = true;
    }
    was_run.then_some(Ok(()))
}

fn judge(case: &Value, options: &Options) -> Outcome {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
    let module = |text: &str| {
        let parsed = parse("case.py", text, tvmscript::registry(), &ParseOptions::default());
        match (parsed.errors.first(), parsed.scripts.into_iter().next()) {
            (Some(error), _) => Err(error.to_string()),
            (None, Some(script)) => Ok(script.node),
            (None, None) => Err("no script".to_owned()),
        }
    };
    let before = match module(text("before")) {
        Ok(node) => node,
        Err(error) => return Outcome::Bad(format!("the module is not read: {error}")),
    };
    let Some(before) = before.downcast_ref::<IRModule>().cloned() else {
        return Outcome::Bad("the script is no module".to_owned());
    };
    let trace = &case["trace_json"];
    let is_known = |kind: &str| PRIMITIVES.iter().any(|primitive| primitive.kind == kind);
    let mut kinds =
        trace[0].as_array().into_iter().flatten().filter_map(|instruction| instruction[0].as_str());
    if !kinds.all(is_known) {
        return Outcome::Missing;
    }
    let schedule = Schedule::new(before.clone());
    let schedule = if case["enable_check"] == Value::Bool(false) {
        schedule.map(Schedule::without_checks)
    } else {
        schedule
    };
    let mut schedule = match schedule {
        Ok(schedule) => schedule,
        Err(error) => return Outcome::Bad(error.to_string()),
    };
    if case["intrins"].is_object()
        && let Err(error) =
            schedule.intrinsics_mut().read_json(&case["intrins"].to_string(), tvmscript::registry())
    {
        return Outcome::Bad(error.to_string());
    }
    let applied = match options.text {
        true => schedule
            .apply_text("trace.py", text("trace"), tvmscript::registry())
            .map_err(|errors| errors.first().map(ToString::to_string).unwrap_or_default()),
        false => schedule.apply_json(trace).map_err(|error| match &error {
            // The recorded refusal is that of the last primitive.
            TraceError::Refused { at, error, .. } if Some(at + 1) == trace[0].as_array().map(Vec::len) => {
                error.to_string()
            }
            other => format!("early: {other}"),
        }),
    };
    let found = schedule.module();
    if options.id.is_some() {
        println!("{}\n{}", text("before"), text("trace"));
        let shown = tvmscript::print(found.object(), tvmscript::registry(), &Default::default());
        println!(
            "== here\n{}\n== {:?}\n== TVM\n{}{}",
            shown.unwrap_or_default(),
            applied,
            text("after"),
            case["error"]["message"]
        );
    }
    match (applied, case["ok"].as_bool().unwrap_or_default()) {
        (Ok(()), true) => match module(text("after")) {
            Ok(after) if structural_equal(&after, found.object()) => {
                // The trace reads back.
                let own = schedule.trace().json(&schedule);
                if !is_same(&own, trace) {
                    return Outcome::Bad(format!("the trace is {own}, for TVM {trace}"));
                }
                // TVM makes some modules that are not well-formed.
                let may_be_ill_formed = case["ill_formed"].as_bool().unwrap_or_default()
                    || !tvmscript::registry().check(&after).is_empty();
                match unsound(found.object(), may_be_ill_formed) {
                    Some(problem) => Outcome::Bad(problem),
                    None => Outcome::Good {
                        values: options.evaluate.and_then(|steps| evaluated(&before, &found, steps)),
                    },
                }
            }
            Ok(after) => {
                let difference = tvmscript::explain_difference(&after, found.object());
                Outcome::Bad(difference.unwrap_or_default().chars().take(300).collect())
            }
            Err(error) => Outcome::Bad(format!("TVM's result is not read: {error}")),
        },
        (Ok(()), false) => Outcome::Bad(format!("applied, for TVM {}", case["error"]["class"])),
        (Err(error), true) => Outcome::Bad(format!("refused: {error}")),
        (Err(error), false) => match case["error"]["class"].as_str() {
            _ if error.starts_with("early: ") => Outcome::Bad(error),
            Some(class) if !error.contains(class) => Outcome::Bad(format!("{error}, for TVM {class}")),
            _ => Outcome::Good { values: None },
        },
    }
}
