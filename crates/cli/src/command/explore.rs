//! `explore`: a page over a program and its passes.

use std::io::IsTerminal as _;
use std::path::Path;

use tvmscript::ir::IRModule;
use tvmscript::ir_core::structural_equal;
use tvmscript::pass::instrument::Progress;
use tvmscript::pass::{PassError, Sequential};
use tvmscript::passes::{ProgramForm, on_module};
use tvmscript::schedule::TracedBuild;
use tvmscript::{Object, ParseOptions, PrinterConfig};
use tvmscript_explore::capture::{Capture, Captured};
use tvmscript_explore::lineage::{Sources, file_name};
use tvmscript_explore::page::{Page, Store, Version};
use tvmscript_explore::run::{self, Program, RunOptions};
use tvmscript_explore::schedules::{self, Step};

use super::{Answer, Run, explore_parts, opt};
use crate::explore_args::{ExploreArgs, ExploreFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Source, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

pub(super) fn run(args: &ExploreArgs, run: &mut Run<'_>) -> Outcome {
    if args.format == ExploreFormat::Html && args.output.is_none() && std::io::stdout().is_terminal() {
        output::diagnose("error: the page is HTML; `-o page.html` writes it to a file to open in a browser");
        return Outcome::Misused;
    }
    let (passes, build) = match opt::sequence_with_schedules(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    run.for_each_valid_file(
        std::slice::from_ref(&args.input),
        |path, settings, timings| explore_file(path, args, (&passes, build.as_ref()), settings, timings),
        |_, Explored { text, failure }| {
            let written = output::write(args.output.as_deref(), &text);
            match failure {
                None => written,
                Some(message) => {
                    output::diagnose(&message);
                    Outcome::No.and(written)
                }
            }
        },
    )
}

/// The result of a file.
struct Explored {
    text: String,
    /// The error of a pass, if the page shows the versions before it.
    failure: Option<String>,
}

fn explore_file(
    path: &Path,
    args: &ExploreArgs,
    (passes, build): (&Sequential<IRModule>, Option<&TracedBuild>),
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Explored, Warnings)> {
    if schedules::is_record(path) {
        let text = explore_parts::record(path, args, settings)?;
        return Ok((Explored { text, failure: None }, Warnings::default()));
    }
    let (Input { source, scripts, warnings }, steps) = match &args.trace {
        Some(trace) => explore_parts::load_scheduled(path, trace, settings, timings)?,
        None => (input::load(path, settings, timings)?, Vec::new()),
    };
    let explorer = Explorer { args, passes, build, settings, source: &source, scripts: &scripts, steps };
    let explored = explorer.explore(timings);
    output::clear_progress();
    match explored {
        Ok(explored) => Ok((explored, warnings)),
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// The pass that failed, with its message.
struct Failed {
    pass: String,
    message: String,
    rendered: String,
}

struct Explorer<'a> {
    args: &'a ExploreArgs,
    passes: &'a Sequential<IRModule>,
    build: Option<&'a TracedBuild>,
    settings: &'a Settings<'a>,
    source: &'a Source,
    scripts: &'a [Script],
    /// Steps of a schedule of the input.
    steps: Vec<Step>,
}

impl Explorer<'_> {
    fn explore(&self, timings: &mut Timings) -> Result<Explored, FileErrorKind> {
        let mut programs = Vec::new();
        let mut failed = None;
        for script in self.scripts {
            let (versions, failure) = match failed {
                None => self.capture(script, timings)?,
                Some(_) => (vec![input_version(script)], None),
            };
            failed = failed.or(failure);
            programs.push(self.program(script, versions));
        }
        let mut page = Page { title: file_name(&self.source.name).to_owned(), ..Page::default() };
        let mut store = Store::default();
        let reads_back = |program: &Program<'_>, root: &Object| self.reads_back(program, root);
        let options = RunOptions {
            index: 0,
            shows_times: self.args.timing,
            reads_back: if self.args.check { Some(&reads_back) } else { None },
            progress: &|done, total| output::show_progress(&format!("{done} of {total} texts")),
        };
        let input = self.input();
        let mut run = timings
            .time("page", || run::make(&input, &programs, &options, &mut store))
            .map_err(FileErrorKind::Unprintable)?;
        if let Some(failed) = &failed {
            let parts = run.versions.last().map(|last| last.parts.clone()).unwrap_or_default();
            let (name, error) = (failed.pass.clone(), Some(failed.message.clone()));
            run.versions.push(Version { name, error, parts, language: "python", ..Version::default() });
        }
        page.runs.push(run);
        let steps = explore_parts::with_build(&self.steps, self.build);
        page.schedules = explore_parts::schedules(&steps, programs.first(), &mut store)?;
        let graphs = explore_parts::graphs(&programs, &page.schedules, &input.sources, &mut store);
        store.finish(&mut page);
        let text = timings.time("write", || explore_parts::text(page, graphs, self.args.format))?;
        Ok(Explored { text, failure: failed.map(|failed| failed.rendered) })
    }

    /// The versions of a script, and the pass that failed if the page shows those before it.
    fn capture(
        &self,
        script: &Script,
        timings: &mut Timings,
    ) -> Result<(Vec<Captured>, Option<Failed>), FileErrorKind> {
        let total = opt::named(&self.args.passes).count();
        if total == 0 {
            return Ok((vec![input_version(script)], None));
        }
        let capture = Capture::default();
        let context = opt::context(&self.args.passes, self.scripts, self.settings)
            .with_instrument(Progress::new(move |done, pass| {
                output::show_progress(&format!("{done} of {total} passes: {pass}"));
            }))
            .with_instrument(capture.clone());
        let node = script.node.clone();
        let result = timings.time("passes", || on_module(node, |module| context.run(self.passes, module)));
        let failed = match result {
            Ok(_) => None,
            Err(error) => Some(self.failed(script, &error)?),
        };
        let form = ProgramForm::of(&script.node);
        let mut versions = capture.versions();
        for version in &mut versions {
            version.root = form.restore(&version.root);
        }
        if versions.is_empty() {
            versions.push(input_version(script));
        }
        Ok((versions, failed))
    }

    fn failed(&self, script: &Script, error: &PassError) -> Result<Failed, FileErrorKind> {
        let kind = FileErrorKind::Pass { errors: well_formed::of_pass(script, error) };
        if !self.args.keep_going {
            return Err(kind);
        }
        Ok(Failed {
            pass: error.pass().unwrap_or("passes").to_owned(),
            message: error.diagnostic().to_string(),
            rendered: kind.render(&self.source.name, Some(self.source), self.settings),
        })
    }

    fn program(&self, script: &Script, versions: Vec<Captured>) -> Program<'_> {
        let is_path = |name: &&str| name.contains(['.', '[', '(']);
        let heading = script.name.as_deref().filter(is_path).map(|name| format!("# {name}"));
        Program {
            heading: heading.unwrap_or_default(),
            versions,
            config: script.with_own_release(self.args.text.config(self.settings)),
            registry: self.settings.registry(),
            is_checked: script.is_checked,
        }
    }

    /// Returns `true` if the text of a program reads back to an equal one.
    fn reads_back(&self, program: &Program<'_>, root: &Object) -> bool {
        let registry = self.settings.registry();
        let config = PrinterConfig { show_meta: true, ..program.config.clone() };
        let Ok(text) = tvmscript::print(root, registry, &config) else { return false };
        let mut options: ParseOptions = self.settings.reparse_options();
        options.omit_spans = true;
        options.release = options.release.or(config.release);
        let parsed = tvmscript::parse("<text>", &text, registry, &options);
        let is_equal = parsed.errors.is_empty()
            && matches!(parsed.scripts.as_slice(), [script] if structural_equal(&script.node, root));
        parsed.source.release();
        is_equal
    }

    fn input(&self) -> run::Input {
        let name = file_name(&self.source.name).to_owned();
        let Some(origin) = self.scripts.first().and_then(|script| script.origin.as_ref()) else {
            return run::Input { name, ..run::Input::default() };
        };
        run::Input {
            name,
            text: Some(self.source.text.clone()),
            comments: origin.comments.clone(),
            sources: Sources { input: Some(origin.source), texts: origin.texts(&self.source.text) },
        }
    }
}

fn input_version(script: &Script) -> Captured {
    Captured { pass: String::new(), inside: None, elapsed: None, root: script.node.clone() }
}
