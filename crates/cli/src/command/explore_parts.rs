//! Graphs and schedules of `explore`, and its formats.

use std::path::Path;

use tvmscript::Object;
use tvmscript::schedule::{RegisteredIntrinsics, Schedule as TirSchedule, TracedBuild};
use tvmscript_explore::dumps;
use tvmscript_explore::export::{chrome_trace, model_explorer, svg};
use tvmscript_explore::graph;
use tvmscript_explore::lineage::{Places, Sources};
use tvmscript_explore::page::{Graph, Page, Schedule, Store, html};
use tvmscript_explore::run::Program;
use tvmscript_explore::schedules::{self, Step};

use super::Answer;
use super::schedule::{module_of, read_other};
use crate::explore_args::{ExploreArgs, ExploreFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input};
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
    let trace = read_other(trace, settings, timings)?;
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

/// A page over the record of a schedule in a folder: each step is a pass, and the functions that it changes have schedules.
pub(super) fn record(dir: &Path, args: &ExploreArgs, settings: &Settings<'_>) -> Answer<String> {
    let fail = |message: String| FileError::new(FileErrorKind::Schedule(message), None);
    if !args.passes.names.is_empty() || args.trace.is_some() {
        return Err(fail(
            "the passes of a record are its steps: leave out `--passes` and `--trace`".to_owned(),
        ));
    }
    let load = |text: &str| {
        let loaded = tvmscript::load_json(text, settings.registry()).map_err(|error| error.to_string())?;
        Ok(loaded.node)
    };
    let steps = schedules::read(dir, &load).map_err(|error| fail(error.to_string()))?;
    let dump = schedules::dump(dir).map_err(|error| fail(error.to_string()))?;
    let mut store = Store::default();
    let run = dumps::run(&dump, 0, &mut store, &|text| parse(text, settings)).run;
    let config = args.text.config(settings);
    let mut page = Page { title: dump.name.clone(), ..Page::default() };
    page.schedules = schedules::schedules(&steps, &mut store, settings.registry(), &config)
        .map_err(|error| FileError::new(FileErrorKind::Unprintable(error), None))?;
    let versions: Vec<_> = steps.iter().map(|step| step.module.object().clone()).collect();
    let mut graphs = graph::of_program(&versions, &page.schedules, &mut |_| Vec::new());
    graph::link_heads(&mut graphs, &run, &mut store);
    page.runs.push(run);
    store.finish(&mut page);
    text(page, graphs, args.format).map_err(|failure| FileError::new(failure, None))
}

/// Reads the only script of a text.
fn parse(text: &str, settings: &Settings<'_>) -> Result<Object, String> {
    let options = settings.parse_options("<text>");
    let parsed = tvmscript::parse("<text>", text, settings.registry(), &options);
    match (parsed.errors.first(), parsed.scripts.as_slice()) {
        (Some(error), _) => Err(error.to_string()),
        (None, [script]) => Ok(script.node.clone()),
        (None, scripts) => Err(format!("there are {} scripts, not one", scripts.len())),
    }
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
