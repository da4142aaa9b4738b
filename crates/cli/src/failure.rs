//! Failures of files, rendered for people or as data.

use std::fmt;
use std::path::Path;

use tvmscript::diagnostics::{self, Diagnostic, DiagnosticKind, LineIndex, Position, Report, escape};
use tvmscript::doc::PrintError;
use tvmscript::expand::Refused;
use tvmscript::frontend::{ImportError, ImportErrors};
use tvmscript::interpreter::RunError;
use tvmscript::ir::constants::StoreError;
use tvmscript::ir_core::error_codes;
use tvmscript::ir_core::json::SaveError;
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::script_parser::ParseError;
use tvmscript::{DiagnosticOptions, DocsifyError, JsonError, Object};

use crate::Outcome;
use crate::input::{Source, display_name};
use crate::internal::InternalError;
use crate::settings::Settings;
use crate::well_formed;

/// A failure, with the text of the file if it was read.
#[derive(Debug)]
pub(crate) struct FileError {
    pub(crate) failure: FileErrorKind,
    pub(crate) source: Option<Source>,
}

impl FileError {
    pub(crate) fn new(failure: FileErrorKind, source: Option<Source>) -> Box<FileError> {
        Box::new(FileError { failure, source })
    }

    /// The outcome of the command: a file that cannot be opened is wrong use, any other failure an answer.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.failure {
            FileErrorKind::Unreadable { .. } | FileErrorKind::NoParameter { .. } => Outcome::Misused,
            _ => Outcome::No,
        }
    }

    /// Returns `true` for refused primitives in a trace without other errors.
    pub(crate) fn is_only_refused(&self) -> bool {
        matches!(&self.failure, FileErrorKind::Refused(refused) if refused.errors.is_empty())
    }

    /// The failure as text with source lines.
    pub(crate) fn render(&self, path: &Path, settings: &Settings<'_>) -> String {
        let name = self.source.as_ref().map_or_else(|| display_name(path), |source| source.name.clone());
        self.failure.render(&name, self.source.as_ref(), settings)
    }
}

/// Cause of a failure.
#[derive(Debug)]
pub(crate) enum FileErrorKind {
    /// The file cannot be read.
    Unreadable { reason: String },
    /// A file of the result cannot be written.
    Unwritable(String),
    /// The file is larger than `limit` bytes.
    TooLarge { limit: u32 },
    /// The file is not UTF-8 at `byte`, which follows the text `before`.
    NotText { before: String, byte: u8 },
    /// The script has errors, in source order.
    Script { errors: Vec<ParseError> },
    /// The script parses but is not well-formed; with the warnings of parsing.
    IllFormed { errors: well_formed::Errors },
    /// The text is JSON but not that of a node.
    Json(JsonError),
    /// The file contains no constants.
    Constants(StoreError),
    /// The text leaves out elements that are needed, or has unknown nodes of two metadata sections.
    Unsaved(SaveError),
    /// The node cannot be printed.
    Unprintable(Box<DocsifyError>),
    /// An access path on the command line does not exist.
    Path(crate::paths::PathError),
    /// A pass failed, or its options are wrong; or a function has parts without a form in C.
    Pass { errors: well_formed::Errors },
    /// The file is not Python, so that its text cannot be replaced.
    NotWritable { form: &'static str },
    /// The file is a source of TileLang.
    TileLang,
    /// There is no way from one release to the other.
    NoUpgrade { from: String, to: String },
    /// A rewritten node is invalid.
    Upgrade(String),
    /// The file has no TIR function, or none of this name, which is quoted after a space.
    NoFunction { name: String },
    /// No function has the parameter that `--arg` names.
    NoParameter { name: String, function: String, known: Vec<String> },
    /// The file has no script of the selected name.
    NoSuchScript { name: String, known: Vec<String> },
    /// A script has no expanded form.
    Expand(Refused),
    /// The calls that make a script have no text.
    NoProgram { script: String, reason: String },
    /// A function cannot be run.
    Run { function: String, error: RunError, range: Option<TextRange> },
    /// A trace cannot be applied.
    Schedule(String),
    /// The file is a model, and the command reads text.
    Model,
    /// A model cannot be imported.
    Import(ImportErrors),
    /// There is nothing that `explore` can show.
    Explore(String),
    /// Primitives of a trace do not apply.
    Refused(Box<RefusedTrace>),
    /// A bug in this program.
    Internal(InternalError),
}

/// Refused primitives.
#[derive(Debug)]
pub(crate) struct RefusedTrace {
    /// Each with the module that it refused.
    pub(crate) refusals: Vec<(Object, Diagnostic)>,
    /// Other errors in the text of the trace.
    pub(crate) errors: Vec<ParseError>,
    /// The file of the module.
    pub(crate) input: Source,
}

impl From<InternalError> for FileErrorKind {
    fn from(error: InternalError) -> FileErrorKind {
        FileErrorKind::Internal(error)
    }
}

/// Advice on a model that cannot be imported.
fn advice_on(errors: &ImportErrors) -> impl Iterator<Item = &'static str> {
    let is_unsupported = |error: &ImportError| matches!(error, ImportError::Unsupported { .. });
    let lacks_type = |error: &ImportError| matches!(error, ImportError::Node { inputs, .. } if inputs.iter().any(|of| of == "R.Object"));
    let is_control_flow = |error: &ImportError| {
        matches!(error, ImportError::Unsupported { operator, .. }
            if ["Enter", "Exit", "Merge", "NextIteration", "Switch"].contains(&operator.as_str()))
    };
    let is_unknown = |error: &ImportError| matches!(error, ImportError::UnknownFormat { .. });
    let any = |is: &dyn Fn(&ImportError) -> bool| errors.0.iter().any(is);
    [
        any(&is_unsupported).then_some(
            "help: `import --stub-unsupported` keeps unsupported operators as opaque calls; `import --list-operators FORMAT` \
             lists the supported ones\n",
        ),
        any(&is_control_flow).then_some(
            "help: `import --lower-control-flow` converts loops and conditionals of version 1 of TensorFlow\n",
        ),
        any(&lacks_type).then_some(
            "help: the model states no type for a value that is an `R.Object`, such as the result of an opaque call; infer the \
             types first, as `onnx.shape_inference.infer_shapes` does\n",
        ),
        any(&is_unknown).then_some("help: `import --input-format FORMAT` states the format\n"),
    ]
    .into_iter()
    .flatten()
}

// A code never changes its meaning and is never reused; E0806 was the code of all errors of printing, E0809 of passes.
error_codes! {
    FileErrorKind {
        FileErrorKind::Unreadable { .. } => "E0801" "unreadable"
            "The file does not exist, is a directory, or may not be read. The exit status is 2.";
        FileErrorKind::NotText { .. } => "E0802" "not-utf8" "The file is not UTF-8. The position is that of the first wrong byte.";
        FileErrorKind::Json(_) => "E0803" "json"
            "The file begins like JSON of a node, but is not valid JSON, or names types and fields that do not exist.";
        FileErrorKind::Constants(_) => "E0804" "constants" "The file given with `--constants` contains no constants.";
        FileErrorKind::Unsaved(_) => "E0805" "left-out"
            "The text leaves out the elements of a constant. `--constants` takes the file that `print --constants-out` or `import \
             --params` wrote with it.";
        FileErrorKind::Path(_) => "E0807" "path"
            "An access path on the command line is malformed, or leads to no part of the script.";
        FileErrorKind::NoFunction { .. } => "E0810" "no-function"
            "The file has no TIR function to run, or none of the name that `--function` gives.";
        FileErrorKind::NoParameter { .. } => "E0820" "no-parameter"
            "No function of the file has a scalar parameter, or a variable in a shape, of the name that `--arg` gives. The message \
             lists those that there are.";
        FileErrorKind::Schedule(_) => "E0821" "schedule"
            "A trace of schedule primitives is no JSON, has a primitive that is not there, or has one that does not apply to the \
             module. The message names TVM's class of the refusal.";
        FileErrorKind::Model => "E0823" "model"
            "The command reads text, and the name of the file is that of a model. `tvmscript import` prints its module.";
        FileErrorKind::Explore(_) => "E0825" "explore"
            "The input of `explore` has nothing to show: the folder or log has no dump of passes, or the program has no graph to draw.";
        FileErrorKind::Unwritable(_) => "E0822" "unwritable"
            "A file of the result cannot be written: the folder may not be written to, or the disk is full.";
        FileErrorKind::Run { .. } => "E0811" "run"
            "Running a function fails: an index is out of bounds, a divisor is zero, an assertion fails, or the function uses \
             something that cannot be run.";
        FileErrorKind::NoSuchScript { .. } => "E0812" "no-such-script"
            "The file has no script of the name that `--select` gives. The message lists those that it has.";
        FileErrorKind::Expand(_) => "E0813" "expand"
            "The calls of helpers in a script cannot be written out: the text that `explain --expand` makes builds another script, \
             has errors, or is too long. The script keeps its calls; those in other scripts are written out.";
        FileErrorKind::NoProgram { .. } => "E0814" "no-program"
            "A script is missing in the program that `emit` and `explain --format python` write: the builder got a value that has no text in \
             host code.";
        FileErrorKind::NoUpgrade { .. } => "E0815" "no-upgrade"
            "There are no rules from the release of the file to the one that `--to` gives. JSON is not upgraded: print it with \
             `from-json`, and upgrade the text.";
        FileErrorKind::Upgrade(_) => "E0816" "upgrade-invalid"
            "A rule of `upgrade` makes an invalid program. This is a bug; please report it with the input.";
        FileErrorKind::TileLang => "E0819" "tilelang-source"
            "The file is a source of TileLang, whose kernels TileLang traces when it runs them. Print the function that it makes: \
             `print(kernel.get_tir(..))` of a jitted kernel, or `print(func.script())`; that text is read.";
        FileErrorKind::NotWritable { .. } => "E0818" "not-writable"
            "The Python that was read is a part of the file, such as a notebook, or the file has colours or prompts that were left \
             out. The command prints the result, but does not write it over the file.";
        FileErrorKind::TooLarge { .. } => "E0808" "too-large" "The file is larger than `--max-input-bytes`.";
        FileErrorKind::Internal(_) => "E0899" "internal" "A bug in this program. Please report it with the input.";
    }
    delegate {
        FileErrorKind::Script { errors } => errors.first().map_or(&FileErrorKind::CODES[0], |error| error.kind.error_code());
        FileErrorKind::IllFormed { errors } | FileErrorKind::Pass { errors } => {
            errors.in_text.first().map_or(&FileErrorKind::CODES[0], |error| error.kind.error_code())
        };
        FileErrorKind::Refused(refused) => {
            refused.refusals.first().map_or(&FileErrorKind::CODES[0], |(_, refusal)| refusal.kind.error_code())
        };
        FileErrorKind::Import(errors) => errors.first().map_or(&FileErrorKind::CODES[0], |error| error.error_code());
        FileErrorKind::Unprintable(error) => error.error_code();
    }
}

impl fmt::Display for FileErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileErrorKind::Unreadable { reason }
            | FileErrorKind::Unwritable(reason)
            | FileErrorKind::Explore(reason) => f.write_str(reason),
            FileErrorKind::TooLarge { limit } => {
                write!(f, "larger than {limit} bytes; `--max-input-bytes` sets another limit")
            }
            FileErrorKind::NotText { byte, .. } => write!(f, "not UTF-8 text: byte 0x{byte:02x}"),
            FileErrorKind::Script { .. } | FileErrorKind::IllFormed { .. } | FileErrorKind::Pass { .. } => {
                Ok(())
            }
            FileErrorKind::Json(error) => error.fmt(f),
            FileErrorKind::Constants(error) => error.fmt(f),
            FileErrorKind::Unsaved(error) => error.fmt(f),
            FileErrorKind::Unprintable(error) => {
                write!(f, "cannot be printed: {error}")?;
                match &**error {
                    DocsifyError::Print(PrintError::OutputBudget { .. }) => f.write_str(
                        "; `--elide-constants 16` leaves out the elements of large constants, and `import --params FILE` writes \
                         them to a file",
                    ),
                    _ => Ok(()),
                }
            }
            FileErrorKind::Path(error) => error.fmt(f),
            FileErrorKind::Model => f.write_str("this is a model; `tvmscript import` prints its module"),
            FileErrorKind::TileLang => f.write_str(
                "this is a source of TileLang, which traces its kernels when they are called; print what it makes and read \
                 that: `print(kernel.get_tir(..))` for a kernel under `@tilelang.jit`, `print(func.script())` for a function",
            ),
            FileErrorKind::NotWritable { form } => {
                write!(f, "{form} is not written; without `--write`, the scripts are printed")
            }
            FileErrorKind::NoUpgrade { from, to } => write!(f, "there are no rules from {from} to {to}"),
            FileErrorKind::Upgrade(error) => write!(f, "the upgraded program is invalid: {error}"),
            FileErrorKind::NoFunction { name } => write!(f, "no TIR function{name} to run"),
            FileErrorKind::NoParameter { name, function, known } => {
                write!(f, "`--arg {name}=..`: `{function}` has no parameter or variable `{name}`")?;
                match known.as_slice() {
                    [] => Ok(()),
                    known => write!(f, "; it has {}", listed(known)),
                }
            }
            FileErrorKind::NoSuchScript { name, known } => {
                write!(f, "no script `{name}`")?;
                match known.as_slice() {
                    [] => f.write_str("; the file has none with a name"),
                    known => write!(f, "; the file has {}", listed(known)),
                }
            }
            FileErrorKind::Expand(refused) => refused.fmt(f),
            FileErrorKind::NoProgram { script, reason } => write!(f, "no program for `{script}`: {reason}"),
            FileErrorKind::Run { function, error, .. } => write!(f, "in `{function}`: {error}"),
            FileErrorKind::Schedule(error) => f.write_str(error),
            FileErrorKind::Import(errors) => errors.fmt(f),
            FileErrorKind::Refused(refused) => {
                refused.refusals.first().map_or(Ok(()), |(_, refusal)| refusal.fmt(f))
            }
            FileErrorKind::Internal(error) => error.fmt(f),
        }
    }
}

/// Maximum number of names in a message.
const MAX_LISTED: usize = 20;

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

impl FileErrorKind {
    /// The failure as text, with source lines if it has a position.
    pub(crate) fn render(&self, name: &str, source: Option<&Source>, settings: &Settings<'_>) -> String {
        let color = settings.color;
        let text = source.map_or("", |s| s.text.as_str());
        match self {
            FileErrorKind::Script { errors } => diagnostics::render(errors, name, text, color),
            FileErrorKind::IllFormed { errors } | FileErrorKind::Pass { errors } => {
                let mut out = diagnostics::render(&errors.in_text, name, text, color);
                for (root, found) in &errors.in_ir {
                    let name = format!("{name} (printed)");
                    let options = DiagnosticOptions { name: &name, color, ..DiagnosticOptions::default() };
                    // The access paths remain if the root cannot be printed.
                    out.push_str(
                        &tvmscript::render_diagnostics(root, settings.registry(), found, &options)
                            .unwrap_or_else(|_| diagnostics::render(found, &name, "", color)),
                    );
                }
                out
            }
            FileErrorKind::Refused(refused) => {
                let RefusedTrace { refusals, errors, input } = refused.as_ref();
                let sources =
                    [(source.map_or(name, |source| &source.name), text), (&input.name, &input.text)];
                let options = DiagnosticOptions {
                    name: "the module",
                    color,
                    sources: &sources,
                    ..DiagnosticOptions::default()
                };
                let shown = refusals.iter().map(|(root, refusal)| {
                    let refusal = std::slice::from_ref(refusal);
                    tvmscript::render_diagnostics(root, settings.registry(), refusal, &options)
                        .unwrap_or_else(|_| diagnostics::render(refusal, name, text, color))
                });
                shown.chain([diagnostics::render(errors, name, text, color)]).collect()
            }
            FileErrorKind::Internal(error) => format!("{}: {error}\n", escape::name(name)),
            FileErrorKind::Import(errors) => {
                let name = escape::name(name);
                // A line break in a name could pass for the end of a message.
                let text = |error: &ImportError| escape::message(&error.to_string()).into_owned();
                let line = |error: &ImportError| format!("error: {name}: {}\n", escape::name(&text(error)));
                errors.0.iter().map(line).chain(advice_on(errors).map(str::to_owned)).collect()
            }
            _ => {
                let (start, _) = self.range(source);
                let name = escape::name(name);
                let at = match self {
                    FileErrorKind::Unreadable { .. }
                    | FileErrorKind::TooLarge { .. }
                    | FileErrorKind::Unprintable(_)
                    | FileErrorKind::Path(_)
                    | FileErrorKind::NotWritable { .. }
                    | FileErrorKind::TileLang
                    | FileErrorKind::Model
                    | FileErrorKind::Explore(_)
                    | FileErrorKind::NoUpgrade { .. }
                    | FileErrorKind::Upgrade(_)
                    | FileErrorKind::NoFunction { .. }
                    | FileErrorKind::NoParameter { .. }
                    | FileErrorKind::NoSuchScript { .. }
                    | FileErrorKind::Schedule(_)
                    | FileErrorKind::Unwritable(_)
                    | FileErrorKind::Expand(_)
                    | FileErrorKind::NoProgram { .. } => name.into_owned(),
                    _ => format!("{name}:{}:{}", start.line, start.column),
                };
                format!("error: {at}: {}\n", escape::message(&self.to_string()))
            }
        }
    }

    /// The failure in one line, for lists of files.
    pub(crate) fn one_line(&self, source: Option<&Source>) -> String {
        let reports = self.reports(source);
        let mut mistakes = reports.iter().filter(|report| report.severity == "error");
        match self {
            FileErrorKind::Script { .. } | FileErrorKind::IllFormed { .. } | FileErrorKind::Pass { .. } => {
                let Some(first) = mistakes.next() else { return "no script".to_owned() };
                let more = match mistakes.count() {
                    0 => String::new(),
                    n => format!(" (and {n} more)"),
                };
                format!("{}:{}: {}{more}", first.start.line, first.start.column, first.message)
            }
            _ => escape::message(self.to_string().lines().next().unwrap_or_default()).into_owned(),
        }
    }

    /// Range of the failure; the start of the file if the failure has none.
    fn range(&self, source: Option<&Source>) -> (Position, Position) {
        match self {
            FileErrorKind::NotText { before, .. } => {
                let start = LineIndex::new(before).position(before.len());
                (start, Position { column: start.column + 1, offset: start.offset + 1, ..start })
            }
            FileErrorKind::Run { range, .. } => {
                let index = LineIndex::new(source.map_or("", |s| s.text.as_str()));
                match range {
                    Some(range) => (index.position(range.start as usize), index.position(range.end as usize)),
                    None => (Position::START, Position::START),
                }
            }
            FileErrorKind::Json(error) => {
                let text = source.map_or("", |s| s.text.as_str());
                let position = LineIndex::new(text).position(error.offset_bytes);
                (position, position)
            }
            _ => (Position::START, Position::START),
        }
    }

    /// The errors as data.
    pub(crate) fn reports(&self, source: Option<&Source>) -> Vec<Report> {
        let text = source.map_or("", |s| s.text.as_str());
        match self {
            FileErrorKind::Script { errors } => diagnostics::reports(errors, text),
            FileErrorKind::IllFormed { errors } | FileErrorKind::Pass { errors } => {
                let in_ir = errors.in_ir.iter().flat_map(|(_, found)| diagnostics::reports(found, text));
                diagnostics::reports(&errors.in_text, text).into_iter().chain(in_ir).collect()
            }
            FileErrorKind::Refused(refused) => {
                let RefusedTrace { refusals, errors, .. } = refused.as_ref();
                let refused = refusals
                    .iter()
                    .flat_map(|(_, refusal)| diagnostics::reports(std::slice::from_ref(refusal), text));
                refused.chain(diagnostics::reports(errors, text)).collect()
            }
            FileErrorKind::Import(errors) => {
                let report = |error: &ImportError| {
                    Report::new(error.error_code(), &error.to_string(), Position::START, Position::START)
                };
                errors.0.iter().map(report).collect()
            }
            _ => {
                let (start, end) = self.range(source);
                vec![Report::new(self.error_code(), &self.to_string(), start, end)]
            }
        }
    }
}
