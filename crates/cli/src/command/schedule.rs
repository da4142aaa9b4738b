//! `schedule`: applies a trace of primitives to a module.

use std::fmt::Write as _;
use std::path::Path;

use tvmscript::ir::{DictAttrs, GlobalVar, IRModule, global_symbol};
use tvmscript::ir_core::{Map, Ref};
use tvmscript::prim::Expr;
use tvmscript::schedule::{
    Database, Primitive, Refusal, RegisteredIntrinsics, Schedule, ScheduleError, TensorIntrinsics, primitives,
};
use tvmscript::te::Table;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, PrinterConfig};

use super::{Answer, Run, schedule_picture, schedule_record};
use crate::failure::{FileError, FileErrorKind, RefusedTrace};
use crate::input::{self, Script, Source, Warnings};
use crate::schedule_args::{Emitted, Printed, ScheduleArgs};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

pub(super) fn run(args: &ScheduleArgs, run: &mut Run<'_>) -> Outcome {
    let settings = run.settings;
    let Some(file) = &args.file else {
        return output::write(args.output.as_deref(), &list(&primitives(settings.registry())));
    };
    run.for_each_valid(
        std::slice::from_ref(file),
        |path, settings, timings| schedule_file(path, args, settings, timings),
        |path, Scheduled { text, refused, notes }| {
            notes.iter().for_each(|note| output::diagnose(note));
            let outcome = output::write(args.output.as_deref(), &text);
            let Some(refused) = refused else { return outcome };
            output::diagnose(&refused.render(args.trace.as_deref().unwrap_or(path), &settings));
            Outcome::No
        },
    )
}

/// The result for one file.
struct Scheduled {
    text: String,
    /// Primitives that were left out.
    refused: Option<Box<FileError>>,
    /// Remarks for standard error.
    notes: Vec<String>,
}

impl Scheduled {
    fn new(text: String) -> Scheduled {
        Scheduled { text, refused: None, notes: Vec::new() }
    }
}

/// The primitives with their effects.
fn list(primitives: &[&Primitive]) -> String {
    let mut text = String::new();
    for primitive in primitives {
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
) -> Answer<(Scheduled, Warnings)> {
    let done = |text| Ok((Scheduled::new(text), Warnings::default()));
    let may_be_te = args.dot.is_some() || args.print == Printed::Record;
    if may_be_te
        && args.trace.is_none()
        && args.trace_json.is_none()
        && let Some((schedule, source)) = schedule_picture::te_schedule(path, settings, timings)?
    {
        if let Some(picture) = args.dot {
            return done(schedule_picture::of_te(picture, &schedule, source, args, settings, timings)?);
        }
        let text = |expr: &Expr| tvmscript::te::tedd::text(expr.object(), settings.registry());
        return done(Table::of(&schedule, text).to_string());
    }
    let (input, registered) =
        RegisteredIntrinsics::of(settings.registry(), || input::load(path, settings, timings));
    let input = input?;
    let refused = |error: ScheduleError| FileErrorKind::Schedule(error.to_string());
    let Some((script, module)) = scheduled(&input.scripts, &registered) else {
        return Err(FileError::new(FileErrorKind::NoFunction { name: String::new() }, Some(input.source)));
    };
    if let Some(dir) = &args.database {
        let scheduled = tuned(&module, script, dir, registered, args, settings, timings);
        return match scheduled {
            Ok(scheduled) => Ok((scheduled, input.warnings)),
            Err(error) => Err(FileError::new(error, Some(input.source))),
        };
    }
    let schedule = timings.time("schedule", || Schedule::new(module).map_err(refused));
    let mut schedule = match schedule {
        Ok(schedule) => configured(schedule, args).with_primitives_of(settings.registry()),
        Err(error) => return Err(FileError::new(error, Some(input.source))),
    };
    let mut left_out = None;
    schedule.intrinsics_mut().extend(registered);
    if let Some(file) = &args.intrins {
        let source = input::read(file, settings, timings).map_err(|failure| FileError::new(failure, None))?;
        let read = read_intrinsics(schedule.intrinsics_mut(), &source, settings);
        read.map_err(|error| FileError::new(error, Some(source)))?;
    }
    let plain = schedule.clone();
    if let Some(trace) = args.trace.as_ref().or(args.trace_json.as_ref()) {
        let form = if args.trace.is_some() { TraceForm::Python } else { TraceForm::Json };
        let failure = apply(&mut schedule, trace, form, &input.source, settings, timings)?;
        match failure {
            Some(failed) if args.keep_going && failed.is_only_refused() => left_out = Some(failed),
            Some(failed) => return Err(failed),
            None => {}
        }
    }
    if let Some(picture) = args.dot {
        let text =
            timings.time("dot", || schedule_picture::of_tir(picture, &plain, &schedule, args, settings));
        return match text {
            Ok(text) => Ok((Scheduled { refused: left_out, ..Scheduled::new(text) }, input.warnings)),
            Err(message) => Err(FileError::new(FileErrorKind::Schedule(message), Some(input.source))),
        };
    }
    let config = PrinterConfig { release: Some(script.release), ..settings.printer_config() };
    let written = match &args.record {
        Some(dir) => schedule_record::write(dir, &schedule, settings, &config),
        None => Ok(()),
    };
    let text = written.and_then(|()| match args.print {
        _ if args.emit == Some(Emitted::Rust) => {
            let program = schedule.trace().rust(&schedule);
            program.map_err(|error| FileErrorKind::Schedule(error.to_string()))
        }
        Printed::Module => tvmscript::print(schedule.module().object(), settings.registry(), &config)
            .map(|text| text + "\n")
            .map_err(FileErrorKind::Unprintable),
        Printed::Trace => Ok(schedule.trace().text(&schedule) + "\n"),
        Printed::TraceJson => Ok(schedule.trace().json(&schedule).to_string() + "\n"),
        Printed::Record => Ok(Table::of_tir(&schedule).to_string()),
    });
    match text {
        Ok(text) => Ok((Scheduled { refused: left_out, ..Scheduled::new(text) }, input.warnings)),
        Err(error) => Err(FileError::new(error, Some(input.source))),
    }
}

/// The module with the fastest schedules of a database.
fn tuned(
    module: &Ref<IRModule>,
    script: &Script,
    dir: &Path,
    mut intrinsics: TensorIntrinsics,
    args: &ScheduleArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Scheduled, FileErrorKind> {
    let mut read = |name: &str| {
        let file = dir.join(name);
        let source = input::read(&file, settings, timings);
        source
            .map(|source| source.text)
            .map_err(|error| FileErrorKind::Schedule(format!("{}: {error}", file.display())))
    };
    let (workloads, records) = (read("database_workload.json")?, read("database_tuning_record.json")?);
    let fail = |error: ScheduleError| FileErrorKind::Schedule(error.to_string());
    if let Some(file) = &args.intrins {
        let source = input::read(file, settings, timings)?;
        read_intrinsics(&mut intrinsics, &source, settings)?;
    }
    let load = |text: &str| {
        let loaded = tvmscript::load_json(text, settings.registry()).map_err(|error| error.to_string())?;
        Ok(loaded.node)
    };
    let database = Database::read(&workloads, &records, load).map_err(fail)?;
    let configure = |schedule| {
        let mut schedule = configured(schedule, args).with_primitives_of(settings.registry());
        *schedule.intrinsics_mut() = intrinsics.clone();
        schedule
    };
    let applied = timings.time("schedule", || database.apply(module, configure));
    let tuned = applied.map_err(|(function, error)| {
        FileErrorKind::Schedule(format!("the record of the function `{function}` does not apply: {error}"))
    })?;
    let config = PrinterConfig { release: Some(script.release), ..settings.printer_config() };
    let text = tvmscript::print(tuned.module.object(), settings.registry(), &config);
    let note = |function| {
        format!("note: the database has no record of the function `{function}`, which stays as it is")
    };
    Ok(Scheduled {
        notes: tuned.unknown.iter().map(note).collect(),
        ..Scheduled::new(text.map_err(FileErrorKind::Unprintable)? + "\n")
    })
}

/// Adds the intrinsics of a file: one in JSON, or one in Python that registers them.
fn read_intrinsics(
    intrinsics: &mut TensorIntrinsics,
    source: &Source,
    settings: &Settings<'_>,
) -> Result<(), FileErrorKind> {
    if source.text.trim_start().starts_with('{') {
        let read = intrinsics.read_json(&source.text, settings.registry());
        return read.map_err(|error| FileErrorKind::Schedule(error.to_string()));
    }
    let options = settings.parse_options(&source.name);
    let read = intrinsics.read_python(&source.name, &source.text, settings.registry(), &options);
    read.map_err(|errors| FileErrorKind::Script { errors })
}

/// The refused primitives, with the other errors of the trace.
fn refused_by(refusals: &[Refusal], applied: Result<(), FileErrorKind>, input: &Source) -> RefusedTrace {
    let mut errors = match applied {
        Err(FileErrorKind::Script { errors }) => errors,
        _ => Vec::new(),
    };
    errors.retain(|error| {
        let message = error.to_string();
        !refusals.iter().any(|refusal| message.contains(&refusal.error.to_string()))
    });
    let refusals = refusals.iter().map(|refusal| (refusal.module.object().clone(), refusal.diagnostic()));
    RefusedTrace {
        refusals: refusals.collect(),
        errors,
        input: Source::new(input.name.clone(), input.text.clone()),
    }
}

/// The schedule with the options of the command line.
fn configured(mut schedule: Schedule, args: &ScheduleArgs) -> Schedule {
    schedule = schedule.with_seed(args.seed);
    if args.no_check {
        schedule = schedule.without_checks();
    }
    if args.keep_going {
        schedule = schedule.keep_going();
    }
    if args.record.is_some() || args.dot.is_some() || args.print == Printed::Record {
        schedule.keep_schedule_record();
    }
    schedule
}

/// The form of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TraceForm {
    Python,
    Json,
}

/// Applies the trace in a file to the schedule of a module of `input`. The result is the failure, with the text of the trace.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn apply(
    schedule: &mut Schedule,
    trace: &Path,
    form: TraceForm,
    input: &Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Option<Box<FileError>>, Box<FileError>> {
    let source = input::read(trace, settings, timings).map_err(|failure| {
        let source = Source::new(input::display_name(trace), String::new());
        FileError::new(failure, Some(source))
    })?;
    let applied = timings.time("schedule", || apply_text(schedule, &source, form, settings));
    let failure = match (applied, schedule.refusals()) {
        (applied, []) => applied.err(),
        (applied, refusals) => Some(FileErrorKind::Refused(Box::new(refused_by(refusals, applied, input)))),
    };
    Ok(failure.map(|failure| FileError::new(failure, Some(source))))
}

fn apply_text(
    schedule: &mut Schedule,
    trace: &Source,
    form: TraceForm,
    settings: &Settings<'_>,
) -> Result<(), FileErrorKind> {
    if form == TraceForm::Python {
        let applied = schedule.apply_text(&trace.name, &trace.text, settings.registry());
        return applied.map_err(|errors| FileErrorKind::Script { errors });
    }
    let fail = |error: String| FileErrorKind::Schedule(error);
    let trace = serde_json::from_str(&trace.text).map_err(|error| fail(error.to_string()))?;
    schedule.apply_json(&trace).map_err(|error| fail(error.to_string()))
}

/// The first script that can be scheduled, with its module. The functions of intrinsics are not what is scheduled.
pub(super) fn scheduled<'s>(
    scripts: &'s [Script],
    registered: &TensorIntrinsics,
) -> Option<(&'s Script, Ref<IRModule>)> {
    let mut scripts = scripts.iter().filter(|script| !registered.has_function(&script.node));
    scripts.find_map(|script| Some((script, module_of(script)?)))
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
