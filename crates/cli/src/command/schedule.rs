//! `schedule`: applies a trace of primitives to a module.

use std::fmt::Write as _;
use std::path::Path;

use tvmscript::ir::{DictAttrs, GlobalVar, IRModule, global_symbol};
use tvmscript::ir_core::{Map, Ref};
use tvmscript::schedule::{PRIMITIVES, Schedule, ScheduleError};
use tvmscript::te::{Row, Table};
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, PrinterConfig};

use super::{Answer, Run, schedule_picture};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script, Source, Warnings};
use crate::schedule_args::{Printed, ScheduleArgs};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

pub(super) fn run(args: &ScheduleArgs, run: &mut Run<'_>) -> Outcome {
    let Some(file) = &args.file else { return output::write(args.output.as_deref(), &list()) };
    run.for_each_valid(
        std::slice::from_ref(file),
        |path, settings, timings| schedule_file(path, args, settings, timings),
        |_, text| output::write(args.output.as_deref(), &text),
    )
}

/// The primitives with their effects.
fn list() -> String {
    let mut text = String::new();
    for primitive in PRIMITIVES {
        let parameters: Vec<&str> = primitive.parameters.iter().map(|parameter| parameter.name).collect();
        let _ = writeln!(text, "{}({})\n    {}", primitive.name, parameters.join(", "), primitive.doc);
    }
    text
}

fn schedule_file(
    path: &Path,
    args: &ScheduleArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(String, Warnings)> {
    let has_trace = args.trace.is_some() || args.trace_json.is_some();
    if let Some(picture) = args.dot
        && !has_trace
    {
        let text = schedule_picture::of_te(path, picture, args, settings, timings)?;
        return Ok((text, Warnings::default()));
    }
    if args.print == Printed::Record && !has_trace {
        let (schedule, _) = schedule_picture::te_schedule(path, settings, timings)?;
        let text = |expr: &tvmscript::prim::Expr| tvmscript::te::tedd::text(expr.object(), settings.registry());
        return Ok((Table::of(&schedule, text).to_string(), Warnings::default()));
    }
    let input = input::load(path, settings, timings)?;
    let refused = |error: ScheduleError| FileErrorKind::Schedule(error.to_string());
    let Some((script, module)) = input.scripts.iter().find_map(|script| Some((script, module_of(script)?)))
    else {
        return Err(FileError::new(FileErrorKind::NoFunction { name: String::new() }, Some(input.source)));
    };
    let schedule = timings.time("schedule", || Schedule::new(module).map_err(refused));
    let mut schedule = match schedule {
        Ok(schedule) if args.no_check => schedule.without_checks(),
        Ok(schedule) => schedule,
        Err(error) => return Err(FileError::new(error, Some(input.source))),
    };
    let plain = schedule.clone();
    if let Some(trace) = args.trace.as_ref().or(args.trace_json.as_ref()) {
        let source =
            input::read(trace, settings, timings).map_err(|failure| FileError::new(failure, None))?;
        let applied = timings.time("schedule", || apply(&mut schedule, &source, args, settings));
        applied.map_err(|error| FileError::new(error, Some(source)))?;
    }
    if let Some(picture) = args.dot {
        let text = timings.time("dot", || schedule_picture::of_tir(picture, &plain, &schedule, args, settings));
        return match text {
            Ok(text) => Ok((text, input.warnings)),
            Err(message) => Err(FileError::new(FileErrorKind::Schedule(message), Some(input.source))),
        };
    }
    let text = match args.print {
        Printed::Module => {
            let config = PrinterConfig { release: Some(script.release), ..settings.printer_config() };
            match tvmscript::print(schedule.module().object(), settings.registry(), &config) {
                Ok(text) => text + "\n",
                Err(error) => {
                    return Err(FileError::new(FileErrorKind::Unprintable(error), Some(input.source)));
                }
            }
        }
        Printed::Trace => schedule.trace().text(&schedule) + "\n",
        Printed::Record => record(&schedule).to_string(),
        Printed::TraceJson => schedule.trace().json(&schedule).to_string() + "\n",
    };
    Ok((text, input.warnings))
}

/// The primitives that change the module; record 0 is the module before them.
fn record(schedule: &Schedule) -> Table {
    let first = Row { primitive: "vanilla".to_owned(), ..Row::default() };
    let text = schedule.trace().text(schedule);
    let lines = text.lines().skip(2).map(|line| line.trim().to_owned());
    let changes = schedule.trace().instructions().iter().zip(lines).filter(|(one, _)| !one.primitive.is_pure);
    let rows = changes.enumerate().map(|(at, (one, line))| {
        // The variables of the results come first in the line.
        let results = line.split_once(" = sch.").map_or("", |(results, _)| results).to_owned();
        let call = line.get(results.len()..).unwrap_or_default().trim_start_matches(" = ").to_owned();
        let names = results.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        Row {
            record: at + 1,
            primitive: one.primitive.name.to_owned(),
            arguments: vec![call],
            loops: names.collect(),
            ..Row::default()
        }
    });
    let mut table = Table::default();
    table.rows.push(first);
    table.rows.extend(rows);
    table
}

fn apply(
    schedule: &mut Schedule,
    trace: &Source,
    args: &ScheduleArgs,
    settings: &Settings<'_>,
) -> Result<(), FileErrorKind> {
    if args.trace.is_some() {
        let applied = schedule.apply_text(&trace.name, &trace.text, settings.registry());
        return applied.map_err(|errors| FileErrorKind::Script { errors });
    }
    let fail = |error: String| FileErrorKind::Schedule(error);
    let trace = serde_json::from_str(&trace.text).map_err(|error| fail(error.to_string()))?;
    schedule.apply_json(&trace).map_err(|error| fail(error.to_string()))
}

/// The module of a script; a function alone is the function `main` of a module.
fn module_of(script: &Script) -> Option<Ref<IRModule>> {
    let node: &Object = &script.node;
    if let Some(module) = node.downcast_ref::<IRModule>() {
        return Some(module.clone());
    }
    let function = node.downcast_ref::<PrimFunc>()?;
    let name = global_symbol(&function.attrs).map_or("main".to_owned(), |name| name.to_string());
    let var = GlobalVar::new(name.as_str());
    Some(IRModule::new([(var, function.clone().upcast())], DictAttrs::new([]), Map::default()))
}
