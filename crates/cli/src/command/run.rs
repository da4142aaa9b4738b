//! `run`: runs TIR functions on generated inputs.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use tvmscript::Ref;
use tvmscript::dialect_file::lower;
use tvmscript::interpreter::{
    Argument, Functions, InputOptions, Limits, RunError, Scalar, Tensor, generate, run_in, signature,
};
use tvmscript::ir::{IRModule, global_symbol};
use tvmscript::ir_core::DataType;
use tvmscript::tir::PrimFunc;

use super::{Answer, Run};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Warnings};
use crate::run_args::{RunArgs, RunFormat};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, dialects, output, well_formed};

/// Number of values of a tensor that the text form shows.
const SHOWN_VALUES: usize = 8;

pub(super) fn run(args: &RunArgs, run: &mut Run<'_>) -> Outcome {
    run.for_each_valid(
        std::slice::from_ref(&args.file),
        |path, settings, timings| run_file(path, args, settings, timings),
        |_, text| output::write(args.output.as_deref(), &text),
    )
}

fn run_file(
    path: &Path,
    args: &RunArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(String, Warnings)> {
    let Input { source, mut scripts, warnings } = input::load(path, settings, timings)?;
    for script in &mut scripts {
        if let Err(error) = lower_dialects(script, settings) {
            return Err(FileError::new(error, Some(source)));
        }
    }
    let functions = functions(&scripts, args.function.as_deref());
    if functions.is_empty() {
        let name = args.function.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        return Err(FileError::new(FileErrorKind::NoFunction { name }, Some(source)));
    }
    if let Some(error) = unknown_argument(&functions, args) {
        return Err(FileError::new(error, Some(source)));
    }
    let mut text = String::new();
    for (script, name, function) in functions {
        let options = InputOptions {
            sizes: args.sizes.iter().cloned().collect(),
            default_size: args.size,
            seed: args.seed,
            ..InputOptions::default()
        };
        let limits = Limits { steps: args.max_steps, ..Limits::default() };
        let ran = timings.time("run", || -> Result<_, RunError> {
            let mut arguments = generate(&function, &options)?;
            let functions = script.node.as_node::<IRModule>().map(Functions::of).unwrap_or_default();
            let mut report = output::StepReport::new(&name);
            let result = run_in(&functions, &function, &mut arguments, limits, &mut |progress| {
                report.show(progress.steps, progress.limit, progress.elapsed);
            });
            report.clear();
            Ok((arguments, result?))
        });
        match ran {
            Ok((arguments, result)) => {
                let shown = match args.format {
                    RunFormat::Text => as_text(&name, &function, &arguments, result),
                    RunFormat::Json => as_json(&name, &function, &arguments, result),
                };
                text.push_str(&shown);
            }
            Err(error) => {
                let range = well_formed::range(script, error.span);
                return Err(FileError::new(
                    FileErrorKind::Run { function: name, error, range },
                    Some(source),
                ));
            }
        }
    }
    Ok((text, warnings))
}

/// The error for a name that `--arg` gives and no function has.
fn unknown_argument(functions: &[(&Script, String, Ref<PrimFunc>)], args: &RunArgs) -> Option<FileErrorKind> {
    let mut known: Vec<String> = Vec::new();
    for (_, _, function) in functions {
        let signature = signature(function);
        known.extend(signature.parameters.into_iter().map(|(name, _)| name));
        known.extend(signature.sizes);
    }
    let (name, _) = args.sizes.iter().find(|(name, _)| !known.contains(name))?;
    known.sort();
    known.dedup();
    let function = functions.iter().map(|(_, name, _)| name.clone()).collect::<Vec<_>>().join("`, `");
    Some(FileErrorKind::NoParameter { name: name.clone(), function, known })
}

/// Replaces the nodes of dialects from files by what their descriptions make of them.
fn lower_dialects(script: &mut Script, settings: &Settings<'_>) -> Result<(), FileErrorKind> {
    let files = dialects::loaded();
    let Some(registry) = settings.registry().of_release(script.release).filter(|_| !files.is_empty()) else {
        return Ok(());
    };
    let lowered = lower(script.node.clone(), files, registry, script.release);
    script.node =
        lowered.map_err(|error| FileErrorKind::Pass { errors: well_formed::of_pass(script, &error) })?;
    Ok(())
}

/// The TIR functions of scripts, with their names.
pub(super) fn functions<'s>(
    scripts: &'s [Script],
    wanted: Option<&str>,
) -> Vec<(&'s Script, String, Ref<PrimFunc>)> {
    let mut found = Vec::new();
    for script in scripts {
        if let Some(function) = script.node.downcast_ref::<PrimFunc>() {
            let name = global_symbol(&function.attrs).unwrap_or("main").to_owned();
            found.push((script, name, function.clone()));
        }
        for (var, function) in
            script.node.as_node::<IRModule>().into_iter().flat_map(|module| module.functions.iter())
        {
            if let Some(function) = function.downcast_ref::<PrimFunc>() {
                found.push((script, var.name_hint.to_string(), function.clone()));
            }
        }
    }
    found.retain(|(_, name, _)| wanted.is_none_or(|wanted| wanted == name));
    found
}

fn as_text(name: &str, function: &Ref<PrimFunc>, arguments: &[Argument], result: Option<Scalar>) -> String {
    let mut text = format!("{name}\n");
    for ((name, dtype), argument) in signature(function).parameters.iter().zip(arguments) {
        match argument {
            Argument::Scalar(value) => _ = writeln!(text, "  {name} = {}", number(*value, *dtype)),
            Argument::Tensor(tensor) => {
                let shown: Vec<String> =
                    values(tensor).take(SHOWN_VALUES).map(|value| number(value, tensor.dtype())).collect();
                let more = if tensor.len() > SHOWN_VALUES { ", .." } else { "" };
                let _ = writeln!(
                    text,
                    "  {name}: {}{:?} = [{}{more}]",
                    tensor.dtype(),
                    tensor.shape(),
                    shown.join(", ")
                );
            }
        }
    }
    if let Some(value) = result {
        let _ = writeln!(text, "  returns {}", number(value, DataType::float(64)));
    }
    text
}

fn values(tensor: &Tensor) -> impl Iterator<Item = Scalar> {
    (0..tensor.len()).filter_map(|index| tensor.get(index))
}

/// The shortest decimal that reads back as the same number of the type.
fn number(value: Scalar, dtype: DataType) -> String {
    match value {
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) if dtype.bits > 32 => format!("{value:?}"),
        Scalar::Float(value) => format!("{:?}", value as f32),
    }
}

/// One line of JSON. Floats that JSON cannot hold are strings.
fn as_json(name: &str, function: &Ref<PrimFunc>, arguments: &[Argument], result: Option<Scalar>) -> String {
    let scalar = |value: Scalar| match value {
        Scalar::Int(value) => json!(value),
        Scalar::Float(value) if value.is_finite() => json!(value),
        Scalar::Float(value) => json!(value.to_string()),
    };
    let argument = |((name, _), argument): (&(String, DataType), &Argument)| match argument {
        Argument::Scalar(value) => json!({"name": name, "value": scalar(*value)}),
        Argument::Tensor(tensor) => json!({
            "name": name,
            "dtype": tensor.dtype().to_string(),
            "shape": tensor.shape(),
            "values": values(tensor).map(scalar).collect::<Vec<_>>(),
        }),
    };
    let arguments: Vec<_> = signature(function).parameters.iter().zip(arguments).map(argument).collect();
    let line = json!({"function": name, "arguments": arguments, "result": result.map(scalar)});
    format!("{line}\n")
}
