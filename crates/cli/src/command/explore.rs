//! `explore`: a page over a program and its passes.

use std::io::IsTerminal as _;
use std::path::Path;

use tvmscript::ir::IRModule;
use tvmscript::ir_core::{SourceTexts, structural_equal};
use tvmscript::pass::instrument::{Progress, source_coverage};
use tvmscript::pass::{PassError, Sequential};
use tvmscript::passes::{ProgramForm, on_module};
use tvmscript::{Object, Parsed, PrinterConfig};
use tvmscript_explore::capture::{Capture, Captured};
use tvmscript_explore::lineage::{Sources, file_name};
use tvmscript_explore::page::{Page, Store, Version, html};
use tvmscript_explore::run::{self, Program, RunOptions};

use super::{Answer, Run, opt};
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
    let passes = match opt::sequence(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    run.for_each_valid_file(
        std::slice::from_ref(&args.input),
        |path, settings, timings| explore_file(path, args, &passes, settings, timings),
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
    passes: &Sequential<IRModule>,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Explored, Warnings)> {
    let Input { source, mut scripts, warnings } = input::load(path, settings, timings)?;
    let input = explored_input(&source, &mut scripts, args, settings);
    let explored = Explorer { args, passes, settings, source: &source, scripts: &scripts, input };
    let explored = explored.explore(timings);
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
    settings: &'a Settings<'a>,
    source: &'a Source,
    scripts: &'a [Script],
    input: run::Input,
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
        let mut run = timings
            .time("page", || run::make(&self.input, &programs, &options, &mut store))
            .map_err(FileErrorKind::Unprintable)?;
        if let Some(failed) = &failed {
            let parts = run.versions.last().map(|last| last.parts.clone()).unwrap_or_default();
            let (name, error) = (failed.pass.clone(), Some(failed.message.clone()));
            run.versions.push(Version { name, error, parts, language: "python", ..Version::default() });
        }
        page.runs.push(run);
        store.finish(&mut page);
        let text = timings.time("write", || match self.args.format {
            ExploreFormat::Html => html(&page).map_err(|error| error.to_string()),
            ExploreFormat::Json => {
                serde_json::to_string(&page).map(|json| json + "\n").map_err(|error| error.to_string())
            }
        });
        let text = text.map_err(FileErrorKind::Unwritable)?;
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
        Program {
            heading: script.heading().unwrap_or_default(),
            versions,
            config: script.with_own_release(self.args.text.config(self.settings)),
            registry: self.settings.registry(),
            is_checked: script.is_checked,
        }
    }

    /// Returns `true` if the text of a program reads back to an equal one.
    fn reads_back(&self, program: &Program<'_>, root: &Object) -> bool {
        let Some((_, parsed)) = parsed_again(root, "<text>", program.config.clone(), false, self.settings)
        else {
            return false;
        };
        let is_equal = matches!(parsed.scripts.as_slice(), [script] if structural_equal(&script.node, root));
        parsed.source.release();
        is_equal
    }
}

/// The text that the scripts came from, if there is one. A program without any source, such as TVM's JSON, is read again from
/// its own text, whose lines are its sources then.
fn explored_input(
    source: &Source,
    scripts: &mut [Script],
    args: &ExploreArgs,
    settings: &Settings<'_>,
) -> run::Input {
    let name = file_name(&source.name).to_owned();
    if let Some(origin) = scripts.first().and_then(|script| script.origin.as_ref()) {
        let sources = Sources { input: Some(origin.source), texts: origin.texts(&source.text) };
        let comments = origin.comments.clone();
        return run::Input { name, text: Some(source.text.clone()), comments, sources };
    }
    let mut input = run::Input { name, ..run::Input::default() };
    if let [script] = scripts
        && source_coverage(&script.node).nodes_with_source == 0
        && let Some((node, sources)) = reread(script, &input.name, args, settings)
    {
        script.node = node;
        input.sources = sources;
    }
    input
}

/// The node that the text of a script reads back to, if it is equal, with the text as its source.
fn reread(
    script: &Script,
    name: &str,
    args: &ExploreArgs,
    settings: &Settings<'_>,
) -> Option<(Object, Sources)> {
    let config = script.with_own_release(args.text.config(settings));
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

fn input_version(script: &Script) -> Captured {
    Captured { pass: String::new(), inside: None, elapsed: None, root: script.node.clone() }
}
