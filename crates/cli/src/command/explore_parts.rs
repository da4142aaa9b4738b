//! Graphs and schedules of `explore`, and its formats.

use std::cell::Cell;
use std::path::Path;

use tvmscript::python_syntax::ast::TextRange;
use tvmscript::schedule::{RegisteredIntrinsics, Schedule as TirSchedule, TracedBuild};
use tvmscript_explore::capture::Captured;
use tvmscript_explore::export::{chrome_trace, model_explorer, svg};
use tvmscript_explore::graph;
use tvmscript_explore::lineage::{Places, Sources};
use tvmscript_explore::page::{Graph, Page, Schedule, Store, html};
use tvmscript_explore::run::Program;
use tvmscript_explore::schedules::{self, Step};

use super::Answer;
use super::schedule::module_of;
use crate::explore_args::ExploreFormat;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Source, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;

/// Reads a file and applies a schedule to its first program.
pub(super) fn load_scheduled(
    path: &Path,
    trace: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Input, Vec<Step>)> {
    let registry = settings.registry();
    let (input, registered) = RegisteredIntrinsics::of(registry, || input::load(path, settings, timings));
    let input = input?;
    let mut scripts = input.scripts.iter().filter(|script| !registered.has_function(&script.node));
    let Some(module) = scripts.find_map(module_of) else {
        return Err(FileError::new(FileErrorKind::NoFunction { name: String::new() }, Some(input.source)));
    };
    let trace = input::read(trace, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    let applied = timings.time("schedule", || {
        let schedule = TirSchedule::new(module);
        let mut schedule = schedule.map_err(|error| FileErrorKind::Schedule(error.to_string()))?;
        schedule = schedule.with_primitives_of(registry);
        schedule.intrinsics_mut().extend(registered);
        schedule.keep_schedule_record();
        let applied = schedule.apply_text(&trace.name, &trace.text, registry);
        applied.map_err(|errors| FileErrorKind::Script { errors })?;
        Ok(Step::of(&schedule))
    });
    match applied {
        Ok(steps) => Ok((input, steps)),
        Err(failure) => Err(FileError::new(failure, Some(trace))),
    }
}

/// Reads the record of a schedule in a folder. Its first module is the input.
pub(super) fn load_record(dir: &Path, settings: &Settings<'_>) -> Answer<(Input, Vec<Step>)> {
    let release = Cell::new(None);
    let load = |text: &str| {
        let loaded = tvmscript::load_json(text, settings.registry()).map_err(|error| error.to_string())?;
        release.set(Some(loaded.release));
        Ok(loaded.node)
    };
    let steps = schedules::read(dir, &load);
    let fail = |message: String| FileError::new(FileErrorKind::Schedule(message), None);
    let steps = steps.map_err(|error| fail(error.to_string()))?;
    let (Some(first), Some(release)) = (steps.first(), release.get()) else {
        return Err(fail("the record is empty".to_owned()));
    };
    let script = Script {
        name: None,
        node: first.module.object().clone(),
        range: TextRange::at(0),
        definition: TextRange::at(0),
        is_checked: true,
        release,
        origin: None,
    };
    let name = dir.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (source, warnings) = (Source::new(name, String::new()), Warnings::default());
    Ok((Input { source, scripts: vec![script], warnings }, steps))
}

/// The versions of a record: each step is a pass.
pub(super) fn versions(steps: &[Step]) -> Vec<Captured> {
    let captured = |(index, step): (usize, &Step)| Captured {
        pass: if index == 0 { String::new() } else { step.primitive.clone() },
        inside: None,
        elapsed: None,
        root: step.module.object().clone(),
    };
    steps.iter().enumerate().map(captured).collect()
}

/// Lists the steps of a schedule of the input, then those of each function that the pass `schedule` changed.
pub(super) fn with_build(steps: &[Step], build: Option<&TracedBuild>) -> Vec<Vec<Step>> {
    let of_build = build.into_iter().flat_map(|build| {
        build.names().iter().filter_map(|name| Some(Step::of(&build.function_schedule(name)?)))
    });
    std::iter::once(steps.to_vec()).chain(of_build).collect()
}

/// The schedules of the functions that steps change, printed as a program is.
pub(super) fn schedules(
    steps: &[Vec<Step>],
    program: Option<&Program<'_>>,
    store: &mut Store,
) -> Result<Vec<Schedule>, FileErrorKind> {
    let Some(program) = program else { return Ok(Vec::new()) };
    let of = |steps: &Vec<Step>| schedules::schedules(steps, store, program.registry, &program.config);
    let schedules =
        steps.iter().map(of).collect::<Result<Vec<_>, _>>().map_err(FileErrorKind::Unprintable)?;
    Ok(schedules.into_iter().flatten().collect())
}

/// The graphs of programs, without places.
pub(super) fn graphs(
    programs: &[Program<'_>],
    schedules: &[Schedule],
    sources: &Sources,
    store: &mut Store,
) -> Vec<Graph> {
    let mut places = Places::new(0, sources);
    let mut graphs = Vec::new();
    for program in programs {
        let versions: Vec<_> = program.versions.iter().map(|version| version.root.clone()).collect();
        let mut origins = |span| places.of(span, store).to_vec();
        graph::append(&mut graphs, graph::of_program(&versions, schedules, &mut origins));
    }
    graphs
}

/// A page in a format. The graphs have no places yet.
pub(super) fn text(
    mut page: Page,
    graphs: Vec<Graph>,
    format: ExploreFormat,
) -> Result<String, FileErrorKind> {
    if format == ExploreFormat::ModelExplorer {
        return Ok(model_explorer::write(&page.title, &graphs));
    }
    page.graphs = graph::fold(graphs);
    graph::place(&mut page.graphs);
    match format {
        ExploreFormat::Html => html(&page).map_err(|error| FileErrorKind::Unwritable(error.to_string())),
        ExploreFormat::Trace => Ok(chrome_trace::write(&page)),
        ExploreFormat::Svg => match page.graphs.first() {
            Some(graph) => Ok(svg::write(graph)),
            None => Err(FileErrorKind::NoFunction { name: String::new() }),
        },
        ExploreFormat::Json | ExploreFormat::ModelExplorer => serde_json::to_string(&page)
            .map(|json| json + "\n")
            .map_err(|error| FileErrorKind::Unwritable(error.to_string())),
    }
}
