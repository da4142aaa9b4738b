//! Programs and the passes that `explore` runs on them.

use tvmscript::ir_core::{SourceTexts, structural_equal, structural_hash};
use tvmscript::pass::PassError;
use tvmscript::pass::instrument::{Progress, source_coverage};
use tvmscript::passes::{ProgramForm, on_module};
use tvmscript::schedule::{Schedule, TensorIntrinsics};
use tvmscript::{Object, Parsed, PrinterConfig};
use tvmscript_explore::capture::{Capture, Captured};
use tvmscript_explore::comparison::Fingerprint;
use tvmscript_explore::graph;
use tvmscript_explore::lineage::{Places, Sources, file_name};
use tvmscript_explore::page::{Graph, Store, Version};
use tvmscript_explore::run::{self, Program, RunOptions};
use tvmscript_explore::schedules::Step;

use super::super::schedule::{TraceForm, apply, scheduled};
use super::super::{Answer, opt};
use super::{Explorer, Made};
use crate::explore_args::ExploreFormat;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{Input, Script, Source, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{output, well_formed};

/// The programs of an input.
pub(super) struct Programs<'a> {
    explorer: &'a Explorer<'a>,
    /// The text of the input, for errors.
    source: Source,
    scripts: Vec<Script>,
    input: run::Input,
    /// Steps of a schedule of the first script.
    steps: Vec<Step>,
    /// Intrinsics that the input registers.
    intrinsics: TensorIntrinsics,
    warnings: Warnings,
}

/// The pass that failed.
struct Failed {
    pass: String,
    message: String,
    /// The error with lines of the text.
    rendered: String,
}

impl<'a> Programs<'a> {
    /// Scripts with the text that they came from. A program without any source, such as TVM's JSON, is read again from its own
    /// text, whose lines are its sources then.
    pub(super) fn of_input(
        explorer: &'a Explorer<'a>,
        input: Input,
        intrinsics: TensorIntrinsics,
    ) -> Programs<'a> {
        let Input { source, mut scripts, warnings } = input;
        let mut input = run::Input { name: file_name(&source.name).to_owned(), ..run::Input::default() };
        if let Some(origin) = scripts.first().and_then(|script| script.origin.as_ref()) {
            input.text = Some(source.text.clone());
            input.comments = origin.comments.clone();
            input.sources = Sources { input: Some(origin.source), texts: origin.texts(&source.text) };
        } else if let [script] = scripts.as_mut_slice()
            && source_coverage(&script.node).nodes_with_source == 0
            && let Some((node, sources)) =
                reread(script, &input.name, explorer.config(script), explorer.settings)
        {
            script.node = node;
            input.sources = sources;
        }
        Programs { explorer, source, scripts, input, steps: Vec::new(), intrinsics, warnings }
    }

    /// Runs the passes and makes the run of the page.
    pub(super) fn make(mut self, index: u32, store: &mut Store, timings: &mut Timings) -> Answer<Made> {
        if let Some(trace) = &self.explorer.args.trace {
            self.steps = self.schedule(trace, timings)?;
        }
        match self.made(index, store, timings) {
            Ok(made) => Ok(Made { warnings: self.warnings, steps: self.steps, ..made }),
            Err(failure) => Err(FileError::new(failure, Some(self.source))),
        }
    }

    /// The steps of a trace on the first script that it can schedule, which goes on alone.
    fn schedule(&mut self, trace: &std::path::Path, timings: &mut Timings) -> Answer<Vec<Step>> {
        let settings = self.explorer.settings;
        let found = scheduled(&self.scripts, &self.intrinsics);
        let Some((script, module)) = found.map(|(script, module)| (script.clone(), module)) else {
            let failure = FileErrorKind::NoFunction { name: String::new() };
            return Err(FileError::new(failure, Some(std::mem::take(&mut self.source))));
        };
        let schedule = Schedule::new(module);
        let schedule = schedule.map_err(|error| {
            FileError::new(FileErrorKind::Schedule(error.to_string()), Some(std::mem::take(&mut self.source)))
        })?;
        let mut schedule = schedule.with_primitives_of(settings.registry());
        schedule.intrinsics_mut().extend(std::mem::take(&mut self.intrinsics));
        schedule.keep_schedule_record();
        self.scripts = vec![script];
        match apply(&mut schedule, trace, TraceForm::Python, &self.source, settings, timings)? {
            Some(failed) => Err(failed),
            None => Ok(Step::of(&schedule)),
        }
    }

    fn made(&self, index: u32, store: &mut Store, timings: &mut Timings) -> Result<Made, FileErrorKind> {
        let Explorer { args, settings, .. } = self.explorer;
        let mut programs = Vec::new();
        let mut failed = None;
        for script in &self.scripts {
            let mut versions = self.first_versions(script);
            if failed.is_none() {
                failed = self.run_passes(script, &mut versions, timings)?;
            }
            programs.push(Program {
                heading: script.heading().unwrap_or_default(),
                versions,
                config: self.explorer.config(script),
                registry: settings.registry(),
                is_checked: script.is_checked,
            });
        }
        let reads_back = |program: &Program<'_>, root: &Object| self.reads_back(program, root);
        let has_checks = !args.no_check && matches!(args.format, ExploreFormat::Html | ExploreFormat::Json);
        let options = RunOptions {
            index,
            shows_times: args.timing || args.format == ExploreFormat::Trace,
            reads_back: if has_checks { Some(&reads_back) } else { None },
            progress: &|done, total| output::show_progress(&format!("{done} of {total} texts")),
        };
        let run = timings.time("page", || run::make(&self.input, &programs, &options, store));
        let mut run = run.map_err(FileErrorKind::Unprintable)?;
        if let Some(failed) = &failed {
            let parts = run.versions.last().map(|last| last.parts.clone()).unwrap_or_default();
            let (name, error) = (failed.pass.clone(), Some(failed.message.clone()));
            run.versions.push(Version { name, error, parts, language: "python", ..Version::default() });
        }
        Ok(Made {
            run,
            fingerprints: if args.other.is_some() { fingerprints(&programs) } else { Vec::new() },
            // Only the graphs of the first input are shown.
            graphs: match index {
                0 => timings.time("graph", || self.graphs(&programs, index, store)),
                _ => Vec::new(),
            },
            config: self.scripts.first().map(|script| self.explorer.config(script)).unwrap_or_default(),
            failure: failed.map(|failed| failed.rendered),
            ..Made::default()
        })
    }

    /// The input, and the program after each step of its schedule.
    fn first_versions(&self, script: &Script) -> Vec<Captured> {
        let version =
            |pass: &str, root: Object| Captured { pass: pass.to_owned(), inside: None, elapsed: None, root };
        let form = ProgramForm::of(&script.node);
        let mut versions = vec![version("", script.node.clone())];
        let steps = self.steps.iter().skip(1);
        versions.extend(steps.map(|step| version(&step.primitive, form.restore(step.module.object()))));
        versions
    }

    /// Adds the versions after each pass. The result is the pass that failed, if the page shows those before it.
    fn run_passes(
        &self,
        script: &Script,
        versions: &mut Vec<Captured>,
        timings: &mut Timings,
    ) -> Result<Option<Failed>, FileErrorKind> {
        let Explorer { args, passes, settings, .. } = *self.explorer;
        let total = opt::named(&args.passes).count();
        let Some(last) = versions.last().filter(|_| total > 0) else { return Ok(None) };
        let capture = Capture::default();
        let context = opt::context(&args.passes, &self.scripts, settings)
            .with_instrument(Progress::new(move |done, pass| {
                output::show_progress(&format!("{done} of {total} passes: {pass}"));
            }))
            .with_instrument(capture.clone());
        let node = last.root.clone();
        let form = ProgramForm::of(&node);
        let result = timings.time("passes", || on_module(node, |module| context.run(passes, module)));
        let first = versions.len() - 1;
        versions.extend(capture.versions().into_iter().skip(1).map(|version| Captured {
            inside: version.inside.map(|inside| inside + first),
            root: form.restore(&version.root),
            ..version
        }));
        result.err().map(|error| self.failed(script, &error)).transpose()
    }

    fn failed(&self, script: &Script, error: &PassError) -> Result<Failed, FileErrorKind> {
        let kind = FileErrorKind::Pass { errors: well_formed::of_pass(script, error) };
        if !self.explorer.args.keep_going {
            return Err(kind);
        }
        Ok(Failed {
            pass: error.pass().unwrap_or("passes").to_owned(),
            message: error.diagnostic().to_string(),
            rendered: kind.render(&self.source.name, Some(&self.source), self.explorer.settings),
        })
    }

    /// Returns `true` if the text of a program reads back to an equal one.
    fn reads_back(&self, program: &Program<'_>, root: &Object) -> bool {
        let config = program.config.clone();
        let Some((_, parsed)) = parsed_again(root, "<text>", config, false, self.explorer.settings) else {
            return false;
        };
        let is_equal = matches!(parsed.scripts.as_slice(), [script] if structural_equal(&script.node, root));
        parsed.source.release();
        is_equal
    }

    /// The graphs of all programs.
    fn graphs(&self, programs: &[Program<'_>], index: u32, store: &mut Store) -> Vec<Graph> {
        let mut places = Places::new(index, &self.input.sources);
        let mut origins = |span| places.of(span, store).to_vec();
        let scheduled = self.explorer.build.map_or(&[][..], |build| build.names());
        let mut graphs = Vec::new();
        for program in programs {
            let module = |version: &Captured| ProgramForm::of(&version.root).module(version.root.clone());
            let modules: Vec<_> = program.versions.iter().filter_map(module).collect();
            graph::append(&mut graphs, graph::of_program(&modules, scheduled, &mut origins));
        }
        graphs
    }
}

impl Explorer<'_> {
    fn config(&self, script: &Script) -> PrinterConfig {
        script.with_own_release(self.args.text.config(self.settings))
    }
}

/// Hashes of the programs of each version.
fn fingerprints(programs: &[Program<'_>]) -> Vec<Fingerprint> {
    let count = programs.iter().map(|program| program.versions.len()).max().unwrap_or(0);
    let of_version = |index: usize| {
        let roots =
            programs.iter().filter_map(|program| program.versions.get(index).or(program.versions.last()));
        roots.map(|version| structural_hash(&version.root)).reduce(|a, b| a.rotate_left(7) ^ b).unwrap_or(0)
    };
    (0..count).map(|index| Fingerprint::Ir(of_version(index))).collect()
}

/// The node that the text of a script reads back to, if it is equal, with the text as its source.
fn reread(
    script: &Script,
    name: &str,
    config: PrinterConfig,
    settings: &Settings<'_>,
) -> Option<(Object, Sources)> {
    let (text, parsed) = parsed_again(&script.node, name, config, true, settings)?;
    let [read] = parsed.scripts.as_slice() else { return None };
    if !structural_equal(&read.node, &script.node) {
        return None;
    }
    // Lines count from the first one after the metadata section.
    let section = text.find("\"\"\")\n").map_or(0, |end| end + 5);
    let (section, shown) = text.split_at(if text.starts_with("metadata") { section } else { 0 });
    let texts = SourceTexts::new().with(parsed.source, &(section.replace('\n', " ") + shown));
    Some((read.node.clone(), Sources { input: Some(parsed.source), texts }))
}

/// Prints a program with its metadata section, and reads the text.
fn parsed_again(
    root: &Object,
    name: &str,
    config: PrinterConfig,
    keeps_spans: bool,
    settings: &Settings<'_>,
) -> Option<(String, Parsed)> {
    let registry = settings.registry();
    let config = PrinterConfig { show_meta: true, ..config };
    let text = tvmscript::print(root, registry, &config).ok()?;
    let mut options = settings.reparse_options();
    options.omit_spans = !keeps_spans;
    options.release = options.release.or(config.release);
    let parsed = tvmscript::parse(name, &text, registry, &options);
    parsed.errors.is_empty().then_some((text, parsed))
}
