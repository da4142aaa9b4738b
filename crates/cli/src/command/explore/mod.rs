//! `explore`: a page over a program and its passes.

mod inputs;
mod program;

use std::io::IsTerminal as _;
use std::path::Path;

use tvmscript::PrinterConfig;
use tvmscript::ir::IRModule;
use tvmscript::pass::Sequential;
use tvmscript::schedule::TracedBuild;
use tvmscript_explore::comparison::{Fingerprint, parting};
use tvmscript_explore::export::{chrome_trace, model_explorer, svg};
use tvmscript_explore::graph;
use tvmscript_explore::page::{Graph, Page, Run as PageRun, Schedule, Store, html};
use tvmscript_explore::schedules::{Step, schedules};

use super::{Answer, Run, opt};
use crate::explore_args::{ExploreArgs, ExploreFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Source, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

pub(super) fn run(args: &ExploreArgs, run: &mut Run<'_>) -> Outcome {
    if args.format == ExploreFormat::Html && args.output.is_none() && std::io::stdout().is_terminal() {
        output::diagnose("error: the page is HTML; `-o page.html` writes it to a file to open in a browser");
        return Outcome::Misused;
    }
    let other = args.other.clone();
    if input::reads_stdin_twice(&[args.input.clone()].into_iter().chain(other).collect::<Vec<_>>()) {
        return output::stdin_twice();
    }
    let (passes, build) = match opt::sequence_with_schedules(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    let settings = run.settings;
    run.for_each_valid_file(
        std::slice::from_ref(&args.input),
        |path, settings, timings| {
            let explored =
                Explorer { args, passes: &passes, build: build.as_ref(), settings }.explore(path, timings);
            output::clear_progress();
            explored
        },
        |_, Explored { text, failures, warnings }| {
            warnings.iter().for_each(|warnings| warnings.show(settings.color));
            let written = output::write(args.output.as_deref(), &text);
            failures.iter().for_each(|failure| output::diagnose(failure));
            if failures.is_empty() { written } else { Outcome::No.and(written) }
        },
    )
}

/// The result of the command.
struct Explored {
    text: String,
    /// Errors of passes, if the page shows the versions before them.
    failures: Vec<String>,
    /// Warnings of the second input.
    warnings: Option<Warnings>,
}

/// A run of the page, with what else an input has to show.
#[derive(Default)]
struct Made {
    run: PageRun,
    /// Contents of the versions, if there are two runs.
    fingerprints: Vec<Fingerprint>,
    /// Graphs without places.
    graphs: Vec<Graph>,
    /// Steps of a schedule.
    steps: Vec<Step>,
    /// Schedules that are not of TIR.
    schedules: Vec<Schedule>,
    config: PrinterConfig,
    failure: Option<String>,
    notes: Vec<String>,
    warnings: Warnings,
}

struct Explorer<'a> {
    args: &'a ExploreArgs,
    passes: &'a Sequential<IRModule>,
    /// The schedules of the pass `schedule`.
    build: Option<&'a TracedBuild>,
    settings: &'a Settings<'a>,
}

impl Explorer<'_> {
    fn explore(&self, path: &Path, timings: &mut Timings) -> Answer<(Explored, Warnings)> {
        let mut store = Store::default();
        let mut first = self.make(path, 0, &mut store, timings)?;
        let other = self.args.other.as_deref().map(|path| {
            let made = self.make(path, 1, &mut store, timings);
            made.map_err(|failed| named(failed, path))
        });
        let other = other.transpose()?;
        let mut page = Page { title: first.run.name.clone(), ..Page::default() };
        let of_build = self.build.into_iter().flat_map(|build| {
            let schedules = build.names().iter().filter_map(|name| build.function_schedule(name));
            schedules.map(|schedule| Step::of(&schedule))
        });
        for steps in std::iter::once(std::mem::take(&mut first.steps)).chain(of_build) {
            let schedules = schedules(&steps, &mut store, self.settings.registry(), &first.config);
            let failed = |error| FileError::new(FileErrorKind::Unprintable(error), None);
            page.schedules.extend(schedules.map_err(failed)?);
        }
        page.schedules.append(&mut first.schedules);
        let (mut failures, mut warnings) = (Vec::new(), None);
        failures.extend(first.failure.take());
        page.notes.append(&mut first.notes);
        page.runs.push(first.run);
        if let Some(other) = other {
            page.title = format!("{} | {}", page.title, other.run.name);
            page.parting = parting(&first.fingerprints, &other.fingerprints);
            page.notes.extend(other.notes);
            page.runs.push(other.run);
            failures.extend(other.failure);
            warnings = Some(other.warnings);
        }
        store.finish(&mut page);
        let text = timings.time("write", || self.written(page, first.graphs));
        let text = text.map_err(|failure| FileError::new(failure, None))?;
        Ok((Explored { text, failures, warnings }, first.warnings))
    }

    /// The page in the format of the command line.
    fn written(&self, mut page: Page, mut graphs: Vec<Graph>) -> Result<String, FileErrorKind> {
        let failed = |error: &dyn std::fmt::Display| FileErrorKind::Explore(error.to_string());
        graph::link_schedules(&mut graphs, &page.schedules);
        match self.args.format {
            ExploreFormat::ModelExplorer => Ok(model_explorer::write(&page.title, &graphs)),
            ExploreFormat::Trace => Ok(chrome_trace::write(&page)),
            ExploreFormat::Svg => match placed(graphs).first() {
                Some(graph) => Ok(svg::write(graph)),
                None => Err(FileErrorKind::Explore("there is no graph: the input has no module".to_owned())),
            },
            ExploreFormat::Html => {
                page.graphs = placed(graphs);
                html(&page).map_err(|error| failed(&error))
            }
            ExploreFormat::Json => {
                page.graphs = placed(graphs);
                Ok(serde_json::to_string(&page).map_err(|error| failed(&error))? + "\n")
            }
        }
    }
}

/// Graphs with folded namespaces, and places of their nodes.
fn placed(graphs: Vec<Graph>) -> Vec<Graph> {
    let mut graphs = graph::fold(graphs);
    graph::place(&mut graphs);
    graphs
}

/// A failure with the name of its file.
fn named(mut failed: Box<FileError>, path: &Path) -> Box<FileError> {
    failed.source.get_or_insert_with(|| Source::new(input::display_name(path), String::new()));
    failed
}
