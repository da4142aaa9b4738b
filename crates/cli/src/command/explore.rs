//! `explore`: a page over a program and its passes.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use tvmscript::diagnostics::escape;
use tvmscript::ir::IRModule;
use tvmscript::ir_core::structural_equal;
use tvmscript::pass::instrument::Progress;
use tvmscript::pass::{PassError, Sequential};
use tvmscript::passes::{ProgramForm, on_module};
use tvmscript::{Object, ParseOptions, PrinterConfig};
use tvmscript_explore::capture::{Capture, Captured};
use tvmscript_explore::comparison::{Fingerprint, parting};
use tvmscript_explore::lineage::{Sources, file_name};
use tvmscript_explore::page::{self, Page, Store, Version, html};
use tvmscript_explore::run::{self, Program, RunOptions};

use super::{Answer, Run, explore_dumps, opt};
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
    if input::reads_stdin_twice(&args.inputs) {
        return output::stdin_twice();
    }
    let settings = run.settings;
    run.for_each_valid_file(
        args.inputs.get(..1).unwrap_or_default(),
        |_, settings, timings| explore(args, &passes, settings, timings),
        |_, explored| match explored {
            Ok(Explored { text, failure }) => {
                let written = output::write(args.output.as_deref(), &text);
                match failure {
                    None => written,
                    Some(message) => {
                        output::diagnose(&message);
                        Outcome::No.and(written)
                    }
                }
            }
            Err(Unexplored::File(path, error)) => {
                output::diagnose(&error.render(&path, &settings));
                error.outcome()
            }
            Err(Unexplored::Dump(message)) => {
                output::diagnose(&format!("error: {}", escape::name(&message)));
                Outcome::Misused
            }
        },
    )
}

/// The reason why there is no page.
enum Unexplored {
    File(PathBuf, Box<FileError>),
    Dump(String),
}

/// The result of a file.
struct Explored {
    text: String,
    /// The error of a pass, if the page shows the versions before it.
    failure: Option<String>,
}

/// A run, with what is said about it besides the page.
struct Made {
    run: page::Run,
    /// Contents of the versions; empty unless they are compared.
    fingerprints: Vec<Fingerprint>,
    notes: Vec<String>,
    failure: Option<String>,
}

/// Makes the page of all inputs.
fn explore(
    args: &ExploreArgs,
    passes: &Sequential<IRModule>,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Result<Explored, Unexplored>, Warnings)> {
    let mut page = Page::default();
    let mut store = Store::default();
    let mut failures = Vec::new();
    let mut fingerprints = Vec::new();
    let mut are_dumps = true;
    for (path, index) in args.inputs.iter().zip(0..) {
        let made = match explore_dumps::read(path) {
            Ok(None) => {
                are_dumps = false;
                explore_file(path, (args, index), passes, settings, timings, &mut store)
                    .map_err(|error| Unexplored::File(path.clone(), error))
            }
            Ok(Some(dump)) => {
                let made = timings.time("page", || explore_dumps::run(&dump, index, &mut store, settings));
                Ok((
                    Made { run: made.run, fingerprints: made.fingerprints, notes: dump.notes, failure: None },
                    Warnings::default(),
                ))
            }
            Err(error) => Err(Unexplored::Dump(error.to_string())),
        };
        output::clear_progress();
        let made = match made {
            Ok((made, of_input)) => {
                of_input.show(settings.color);
                made
            }
            Err(error) => return Ok((Err(error), Warnings::default())),
        };
        page.title = if page.title.is_empty() {
            made.run.name.clone()
        } else {
            format!("{} and {}", page.title, made.run.name)
        };
        page.runs.push(made.run);
        page.notes.extend(made.notes);
        failures.extend(made.failure);
        fingerprints.push(made.fingerprints);
    }
    if are_dumps && !args.passes.names.is_empty() {
        let message = "`--passes` is for scripts and models; the input is a dump of passes that ran";
        return Ok((Err(Unexplored::Dump(message.to_owned())), Warnings::default()));
    }
    if let [a, b] = fingerprints.as_slice() {
        page.parting = parting(a, b);
    }
    store.finish(&mut page);
    let text = timings.time("write", || match args.format {
        ExploreFormat::Html => html(&page).map_err(|error| error.to_string()),
        ExploreFormat::Json => {
            serde_json::to_string(&page).map(|json| json + "\n").map_err(|error| error.to_string())
        }
    });
    let text = text.map_err(|error| FileError::new(FileErrorKind::Unwritable(error), None))?;
    let failure = (!failures.is_empty()).then(|| failures.join("\n"));
    Ok((Ok(Explored { text, failure }), Warnings::default()))
}

fn explore_file(
    path: &Path,
    (args, index): (&ExploreArgs, u32),
    passes: &Sequential<IRModule>,
    settings: &Settings<'_>,
    timings: &mut Timings,
    store: &mut Store,
) -> Answer<(Made, Warnings)> {
    let Input { source, scripts, warnings } = input::load(path, settings, timings)?;
    let explored = Explorer { args, index, passes, settings, source: &source, scripts: &scripts }
        .explore(timings, store);
    match explored {
        Ok(made) => Ok((made, warnings)),
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
    index: u32,
    passes: &'a Sequential<IRModule>,
    settings: &'a Settings<'a>,
    source: &'a Source,
    scripts: &'a [Script],
}

impl Explorer<'_> {
    fn explore(&self, timings: &mut Timings, store: &mut Store) -> Result<Made, FileErrorKind> {
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
        let reads_back = |program: &Program<'_>, root: &Object| self.reads_back(program, root);
        let options = RunOptions {
            index: self.index,
            shows_times: self.args.timing,
            reads_back: if self.args.check { Some(&reads_back) } else { None },
            progress: &|done, total| output::show_progress(&format!("{done} of {total} texts")),
        };
        let mut run = timings
            .time("page", || run::make(&self.input(), &programs, &options, store))
            .map_err(FileErrorKind::Unprintable)?;
        if let Some(failed) = &failed {
            let parts = run.versions.last().map(|last| last.parts.clone()).unwrap_or_default();
            let (name, error) = (failed.pass.clone(), Some(failed.message.clone()));
            run.versions.push(Version { name, error, parts, language: "python", ..Version::default() });
        }
        let mut fingerprints = match self.args.inputs.len() {
            0 | 1 => Vec::new(),
            _ => run::fingerprints(&programs),
        };
        // A pass that failed left the program as it was.
        fingerprints.extend(fingerprints.last().copied().filter(|_| failed.is_some()));
        let failure = failed.map(|failed| failed.rendered);
        Ok(Made { run, fingerprints, notes: Vec::new(), failure })
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
