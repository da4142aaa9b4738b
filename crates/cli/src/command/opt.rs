//! `opt`: runs passes.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use serde_json::json;
use tvmscript::diff::render::{RenderOptions, render_unified};
use tvmscript::ir::IRModule;
use tvmscript::pass::instrument::{
    DumpFormat, DumpModules, OnChange, PassReport, Progress, Report, RoundTrip, SpanSurvival, Timing,
    WellFormed,
};
use tvmscript::pass::{OptionError, PassContext, PassError, PassOptions, PassRun, PassTable, Sequential};
use tvmscript::passes::{ProgramForm, on_module};
use tvmscript::schedule::TracedBuild;
use tvmscript::script_eval::errors::suggest::nearest;
use tvmscript::{PrinterConfig, Registry};

use super::print::{Naming, print_all};
use super::{Answer, Run};
use crate::args::{ErrorFormat, Opt, PassArgs, PassDumpFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

pub(super) fn run(args: &Opt, run: &mut Run<'_>) -> Outcome {
    if args.list_passes {
        return output::result(&list(run.settings.registry()));
    }
    let Some(file) = &args.file else {
        output::diagnose("error: `opt` needs a file, or `--list-passes`");
        return Outcome::Misused;
    };
    let passes = match sequence(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    let mut reports = Vec::new();
    let settings = run.settings;
    let outcome = run.for_each(
        std::slice::from_ref(file),
        |path, settings, timings| optimize_file(path, args, &passes, settings, timings),
        |path, answer| match answer {
            Ok(((text, passes), warnings)) => {
                warnings.show(settings.color);
                reports = passes;
                output::write(args.output.as_deref(), &text)
            }
            Err(failed) => {
                output::diagnose(&match args.error_format {
                    ErrorFormat::Human => failed.render(path, &settings),
                    ErrorFormat::Json => {
                        let errors = failed.failure.reports(failed.source.as_ref());
                        json!({"file": input::display_name(path), "ok": false, "errors": errors}).to_string()
                    }
                });
                failed.outcome()
            }
        },
    );
    match &args.report {
        Some(file) if outcome == Outcome::Done => {
            let json = serde_json::to_string_pretty(&reports).unwrap_or_default();
            output::write(Some(file), &format!("{json}\n"))
        }
        _ => outcome,
    }
}

/// The passes that the command line names.
///
/// # Errors
/// The message for an unknown pass or option.
pub(super) fn sequence(args: &PassArgs, settings: &Settings<'_>) -> Result<Sequential<IRModule>, String> {
    sequence_with_schedules(args, settings).map(|(sequence, _)| sequence)
}

/// The passes that the command line names, and the pass `schedule` if there are traces for it.
///
/// # Errors
/// See [`sequence`]; if the file of traces cannot be read.
pub(super) fn sequence_with_schedules(
    args: &PassArgs,
    settings: &Settings<'_>,
) -> Result<(Sequential<IRModule>, Option<TracedBuild>), String> {
    try_context(args, settings).map_err(|error| error.to_string())?;
    let build = args.schedules.as_ref().map(|file| {
        let read = input::read(file, settings, &mut Timings::default());
        let source = read.map_err(|error| format!("{}: {error}", file.display()))?;
        Ok::<_, String>(TracedBuild::new(&source.name, &source.text))
    });
    let build = build.transpose()?;
    let mut sequence = Sequential::new("opt");
    for name in named(args) {
        if name == SCHEDULE {
            let build = build.clone().ok_or("the pass `schedule` needs `--schedules FILE`")?;
            sequence = sequence.then(build);
            continue;
        }
        let table = PassTable::of(settings.registry());
        let pass = table.and_then(|table| table.pass(name)).ok_or_else(|| unknown_pass(name, table))?;
        sequence = sequence.then_shared(pass.clone());
    }
    match &build {
        Some(_) if !args.names.iter().any(|name| name == SCHEDULE) => {
            Err("`--schedules` is for the pass `schedule`, which `--passes` does not name".to_owned())
        }
        _ => Ok((sequence, build)),
    }
}

/// The name of the pass that applies schedules.
const SCHEDULE: &str = "schedule";

/// The name of the list of passes from operators to loops.
const DEFAULT: &str = "default";

/// The passes of the list [`DEFAULT`], each of which leaves functions alone that it does not apply to.
const DEFAULT_PASSES: [&str; 9] = [
    "relax.DecomposeOpsForInference",
    "relax.FoldConstant",
    "relax.LegalizeOps",
    "tir.LowerInitBlock",
    "tir.ConvertBlocksToOpaque",
    "tir.LowerOpaqueBlock",
    "tir.Simplify",
    "tir.UnrollLoop",
    "tir.RemoveNoOp",
];

/// The names of passes on the command line, with those of a list in its place.
pub(super) fn named(args: &PassArgs) -> impl Iterator<Item = &str> {
    args.names.iter().flat_map(|name| match name.as_str() {
        DEFAULT => DEFAULT_PASSES.to_vec(),
        name => vec![name],
    })
}

/// The message for a name that is not a pass's, with the passes that may be meant: those of this name in any dialect and
/// any case, else the nearest one.
fn unknown_pass(name: &str, table: Option<&PassTable<IRModule>>) -> String {
    let names: Vec<String> =
        table.into_iter().flat_map(PassTable::passes).map(|pass| pass.info().name.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let bare = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let mut meant: Vec<&str> = names.iter().copied().filter(|known| bare(known) == bare(name)).collect();
    if meant.is_empty() {
        let whole = nearest(name, names.iter().copied()).map(|near| near.name);
        let near = || {
            let own = name.rsplit('.').next().unwrap_or_default();
            let bare = names.iter().map(|known| known.rsplit('.').next().unwrap_or_default());
            let near = nearest(own, bare)?.name;
            names.iter().copied().find(|known| known.ends_with(near))
        };
        meant.extend(whole.or_else(near));
    }
    match meant.as_slice() {
        [] => format!("unknown pass `{name}`; `opt --list-passes` lists them"),
        meant => format!("unknown pass `{name}`; did you mean `{}`?", meant.join("` or `")),
    }
}

/// A context with the options of the command line, which [`sequence`] checked, for scripts of one release. Passes that are
/// named run at any optimisation level.
pub(super) fn context<'a>(
    args: &'a PassArgs,
    scripts: &[Script],
    settings: &Settings<'a>,
) -> PassContext<'a, IRModule> {
    let settings = settings.with_release(scripts.first().map(|script| script.release));
    try_context(args, &settings).unwrap_or_default()
}

fn try_context<'a>(
    args: &'a PassArgs,
    settings: &Settings<'a>,
) -> Result<PassContext<'a, IRModule>, OptionError> {
    let mut context = PassContext::of(settings.session());
    for pass in named(args) {
        context = context.with_required(pass);
    }
    for (key, value) in &args.options {
        context.set_option(key, value)?;
    }
    Ok(context)
}

/// Runs passes on a script.
///
/// # Errors
/// If a pass or an instrument fails.
pub(super) fn transform(
    script: &mut Script,
    passes: &Sequential<IRModule>,
    context: &PassContext<'_, IRModule>,
    timings: &mut Timings,
) -> Result<(), FileErrorKind> {
    let node = script.node.clone();
    let result = timings.time("passes", || on_module(node, |module| context.run(passes, module)));
    script.node =
        result.map_err(|error| FileErrorKind::Pass { errors: well_formed::of_pass(script, &error) })?;
    Ok(())
}

/// Runs passes on a script and checks the result.
///
/// # Errors
/// Those of [`transform`], and if the result is not well-formed although the script is: the error of the pass that breaks it.
fn transform_checked(
    script: &mut Script,
    passes: &Sequential<IRModule>,
    context: &PassContext<'_, IRModule>,
    args: &PassArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<(), FileErrorKind> {
    let before = script.node.clone();
    transform(script, passes, context, timings)?;
    if !script.is_checked {
        return Ok(());
    }
    let dialects = well_formed::dialects_of(script, settings.registry());
    let found = timings.time("check", || dialects.check(&script.node));
    let Some(first) = found.first() else { return Ok(()) };
    if !dialects.check(&before).is_empty() {
        return Ok(());
    }
    script.node = before.clone();
    let checked =
        self::context(args, std::slice::from_ref(script), settings).with_instrument(WellFormed(dialects));
    let again = on_module(before, |module| checked.run(passes, module));
    let error = again.err().unwrap_or_else(|| PassError::from_diagnostic(first));
    Err(FileErrorKind::Pass { errors: well_formed::of_pass(script, &error) })
}

/// The text of a file after the passes, and their records.
fn optimize_file(
    path: &Path,
    args: &Opt,
    passes: &Sequential<IRModule>,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<((String, Vec<PassReport>), Warnings)> {
    let Input { source, mut scripts, warnings } = input::load(path, settings, timings)?;
    let (report, timing) = (Report::default(), Timing::default());
    // The form of the script that the passes run on.
    let form = Rc::new(RefCell::new(ProgramForm::default()));
    let config = match scripts.first() {
        Some(script) => script.with_own_release(args.text.config(settings)),
        None => args.text.config(settings),
    };
    let run = || -> Result<String, FileErrorKind> {
        let context = context(&args.passes, &scripts, settings);
        let context = instruments(args, context, config, &report, &timing, &form, settings);
        for script in &mut scripts {
            form.replace(ProgramForm::of(&script.node));
            transform_checked(script, passes, &context, &args.passes, settings, timings)?;
        }
        let mut text =
            print_all(&scripts, Naming::Paths, |_| Ok(args.text.config(settings)), settings, timings)?;
        text.text.push('\n');
        Ok(text.text)
    };
    let result = run();
    output::clear_progress();
    if args.timing {
        output::diagnose(&timing.to_string());
    }
    match result {
        Ok(text) => Ok(((text, report.passes()), warnings)),
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// Adds the instruments of the command line.
fn instruments<'a>(
    args: &'a Opt,
    mut context: PassContext<'a, IRModule>,
    config: PrinterConfig,
    report: &Report,
    timing: &Timing,
    form: &Rc<RefCell<ProgramForm>>,
    settings: &Settings<'a>,
) -> PassContext<'a, IRModule> {
    if args.report.is_some() {
        context = context.with_instrument(report.clone());
    }
    if args.timing {
        context = context.with_instrument(timing.clone());
    }
    if args.timing {
        let total = named(&args.passes).count();
        context = context.with_instrument(Progress::new(move |done, pass| {
            output::show_progress(&format!("{done} of {total} passes: {pass}"));
        }));
    }
    if args.print_changed {
        let config = config.clone();
        let (registry, color) = (settings.registry(), settings.color);
        context = context.with_instrument(OnChange(move |run: &PassRun<'_>| {
            let name = &run.pass.name;
            let options = RenderOptions {
                name_a: format!("before {name}"),
                name_b: format!("after {name}"),
                color,
                ..RenderOptions::default()
            };
            let text = render_unified(run.before, run.after, registry, &config, &options);
            output::clear_progress();
            output::diagnose(&text.unwrap_or_else(|error| format!("{name}: cannot be printed: {error}")));
        }));
    }
    if let Some(dir) = &args.dump_dir {
        let format = match args.dump_format {
            PassDumpFormat::Text => DumpFormat::Text,
            PassDumpFormat::Json => DumpFormat::Json,
            PassDumpFormat::Dot => DumpFormat::Dot,
        };
        let write = move |name: &str, text: &str| {
            let file = dir.join(name);
            let written = std::fs::create_dir_all(dir).and_then(|()| output::replace(&file, text));
            written.map_err(|error| format!("{}: {error}", file.display()))
        };
        let form = form.clone();
        let dump = DumpModules::new(format, settings.registry(), config.clone(), write);
        context = context.with_instrument(dump.in_form(move |module| form.borrow().restore(module)));
    }
    if args.verify {
        context = context
            .with_instrument(WellFormed(settings.registry()))
            .with_instrument(RoundTrip { registry: settings.registry(), config });
    }
    match args.min_sources {
        Some(floor) => context.with_instrument(SpanSurvival::at_least(floor)),
        None => context,
    }
}

/// All passes and options with their descriptions.
fn list(registry: &Registry) -> String {
    let mut out = String::new();
    for pass in PassTable::<IRModule>::of(registry).into_iter().flat_map(PassTable::passes) {
        let info = pass.info();
        out.push_str(&info.name);
        out.push('\n');
        for line in info.doc.lines().map(str::trim).filter(|line| !line.is_empty()) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out.push_str("\nOptions (`--opt KEY=VALUE`):\n");
    for option in PassOptions::of(registry).into_iter().flat_map(PassOptions::options) {
        out.push_str(&format!("  {}={}\n    {}\n", option.key, option.default, option.doc));
    }
    out
}
