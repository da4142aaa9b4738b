//! Input files: scripts or JSON in either format, which is detected by its first key.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tvmscript::diagnostics::{self, Diagnostic, escape};
use tvmscript::ir_core::json::scan::Scanner;
use tvmscript::ir_core::release::Reason;
use tvmscript::ir_core::{Array, ObjectLike as _, SourceComments, SourceId, SourceTexts, Str};
use tvmscript::irbuilder::record::Step;
use tvmscript::python_syntax::SyntaxErrorKind;
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::script_parser::{EvalErrorKind, ParseError, ParseErrorKind};
use tvmscript::tvm_json;
use tvmscript::{LoadedJson, Object, ParseOptions, PrinterConfig, Release, Value, ir, print};

use crate::advice::advised;
use crate::failure::{FileError, FileErrorKind};
use crate::models;
use crate::output;
use crate::pasted::{self, Form};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::well_formed;

/// The lines of a text and of the modules that it imports; nothing for scripts that were not parsed.
pub(crate) fn texts_of(scripts: &[Script], text: &str) -> SourceTexts {
    let origin = scripts.first().and_then(|script| script.origin.as_ref());
    origin.map_or_else(SourceTexts::new, |origin| origin.texts(text))
}

/// Text with a name for diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// The text that is read: of a notebook, its code.
    pub(crate) text: String,
    /// Kind of the file.
    pub(crate) form: Form,
    /// Notes about the text, if it is not the file's.
    pub(crate) notes: Vec<Diagnostic>,
}

impl Source {
    /// Returns `true` if a model was read, which has no text.
    pub(crate) fn is_model(&self) -> bool {
        self.text.is_empty()
    }

    /// A text that is read as it is.
    pub(crate) fn new(name: String, text: String) -> Source {
        Source { name, text, ..Source::default() }
    }

    /// Refuses to write to a file of which only a part was read.
    ///
    /// # Errors
    /// If the text is not the file's.
    pub(crate) fn check_writable(&self) -> Result<(), FileErrorKind> {
        match self.form.describe() {
            None => Ok(()),
            Some(form) => Err(FileErrorKind::NotWritable { form }),
        }
    }
}

/// A file without errors.
pub(crate) struct Input {
    pub(crate) source: Source,
    /// The scripts in order. Empty only if all scripts need arguments, or have errors that are expected.
    pub(crate) scripts: Vec<Script>,
    pub(crate) warnings: Warnings,
}

/// The warnings and notes of a file.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    /// In source order.
    pub(crate) found: Vec<Diagnostic>,
    name: String,
    text: String,
}

impl Warnings {
    fn new(source: &Source, mut found: Vec<Diagnostic>) -> Warnings {
        if source.notes.first().is_some_and(|note| !found.contains(note)) {
            found.splice(0..0, source.notes.iter().cloned());
        }
        match found.is_empty() {
            true => Warnings::default(),
            false => Warnings { found, name: source.name.clone(), text: source.text.clone() },
        }
    }

    /// Adds diagnostics of the same text.
    pub(crate) fn with(mut self, source: &Source, more: Vec<Diagnostic>) -> Warnings {
        self.found.extend(more);
        self.found.sort_by_key(|warning| (warning.range().start, warning.range().end));
        Warnings::new(source, self.found)
    }

    /// Writes them to standard error.
    pub(crate) fn show(&self, color: bool) {
        if self.text.is_empty() {
            // About a file without text, such as a model.
            for warning in &self.found {
                let (name, text) = (escape::name(&self.name), warning.to_string());
                let line = format!("{name}: {}", escape::name(&text));
                output::diagnose(&format!("{}: {line}", warning.severity.name()));
            }
        } else if !self.found.is_empty() {
            output::diagnose(&diagnostics::render(&self.found, &self.name, &self.text, color));
        }
    }

    /// The warnings as data.
    pub(crate) fn reports(&self) -> Vec<diagnostics::Report> {
        diagnostics::reports(&self.found, &self.text)
    }
}

/// The scripts and warnings of a text.
pub(crate) type ParsedInput = (Vec<Script>, Warnings);

/// One function, module or other node of a file.
#[derive(Clone)]
pub(crate) struct Script {
    /// Name of its definition in the text.
    pub(crate) name: Option<String>,
    pub(crate) node: Object,
    /// Range of its definition in the text; empty for JSON.
    pub(crate) range: TextRange,
    /// Range of the decorated definition; empty for JSON.
    pub(crate) definition: TextRange,
    /// `true` if `check` tests whether it is well-formed.
    pub(crate) is_checked: bool,
    /// The release that it is a program of.
    pub(crate) release: &'static Release,
    /// The text that it was parsed from.
    pub(crate) origin: Option<Rc<Origin>>,
}

/// A parsed text, as far as printing needs it again.
pub(crate) struct Origin {
    pub(crate) source: SourceId,
    other_texts: SourceTexts,
    pub(crate) comments: SourceComments,
    /// Steps of the scripts' builders, if [`load_recorded`] read them.
    pub(crate) steps: Vec<Step>,
}

impl Script {
    /// The comment above the script in printed text: the path of a script inside functions and classes, such as
    /// `# kernels["add"]`.
    pub(crate) fn heading(&self) -> Option<String> {
        let path = self.name.as_deref().filter(|name| name.contains(['.', '[', '(']))?;
        Some(format!("# {path}"))
    }

    /// Replaces the node by what a step between releases makes of it.
    pub(crate) fn set_upgraded(&mut self, node: Object, release: &'static Release) {
        self.node = node;
        self.release = release;
        self.origin = self.origin.take().map(|origin| {
            let (source, other_texts) = (origin.source, origin.other_texts.clone());
            let (comments, steps) = (SourceComments::default(), Vec::new());
            Rc::new(Origin { source, other_texts, comments, steps })
        });
    }

    /// A configuration that prints in the release that the script was read in, unless it selects one itself.
    pub(crate) fn with_own_release(&self, config: PrinterConfig) -> PrinterConfig {
        PrinterConfig { release: config.release.or(Some(self.release)), ..config }
    }
}

impl Origin {
    /// The lines of the text and of the modules that it imports.
    pub(crate) fn texts(&self, text: &str) -> SourceTexts {
        self.other_texts.clone().with(self.source, text)
    }
}

/// Name of a file in diagnostics.
pub(crate) fn display_name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// If the file cannot be read, is too large, or is not UTF-8.
pub(crate) fn read(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Source, FileErrorKind> {
    if models::is_model(path) {
        return Err(FileErrorKind::Model);
    }
    let limit = settings.max_input_bytes();
    let bytes = timings.time("read", || match is_stdin(path) {
        true => read_at_most(&mut std::io::stdin().lock(), limit),
        false => std::fs::File::open(path).and_then(|mut file| read_at_most(&mut file, limit)),
    });
    let bytes = bytes.map_err(|error| FileErrorKind::Unreadable { reason: io_reason(&error) })?;
    if bytes.len() > limit as usize {
        return Err(FileErrorKind::TooLarge { limit });
    }
    timings.input_bytes += bytes.len();
    match String::from_utf8(bytes) {
        Ok(text) => {
            let (text, form) =
                pasted::unpack(path, &text, settings.notebook_part()).unwrap_or((text, Form::Plain));
            Ok(Source { name: display_name(path), text, form, notes: Vec::new() })
        }
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            let byte = bytes.get(valid).copied().unwrap_or_default();
            bytes.truncate(valid);
            Err(FileErrorKind::NotText { before: String::from_utf8_lossy(&bytes).into_owned(), byte })
        }
    }
}

/// Reads at most one byte more than the limit: a device or a pipe may be endless.
fn read_at_most(source: &mut dyn Read, limit: u32) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(u64::from(limit) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file; `None` if it cannot be read, is larger than `limit` bytes, or is not UTF-8.
pub(crate) fn read_text(path: &Path, limit: u32) -> Option<String> {
    let mut file = std::fs::File::open(path).ok().filter(|_| path.is_file())?;
    let bytes = read_at_most(&mut file, limit).ok().filter(|bytes| bytes.len() <= limit as usize)?;
    String::from_utf8(bytes).ok()
}

/// Takes the scripts of these names; all if there are none.
fn select(mut scripts: Vec<Script>, names: &[String]) -> Result<Vec<Script>, FileErrorKind> {
    let is_named = |script: &Script, name: &str| script.name.as_deref() == Some(name);
    if let Some(name) = names.iter().find(|name| !scripts.iter().any(|script| is_named(script, name))) {
        let known = scripts.into_iter().filter_map(|script| script.name).collect();
        return Err(FileErrorKind::NoSuchScript { name: name.clone(), known });
    }
    if !names.is_empty() {
        scripts.retain(|script| names.iter().any(|name| is_named(script, name)));
    }
    Ok(scripts)
}

/// The system's message without the error number.
fn io_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

/// Reads a file and parses its content.
///
/// # Errors
/// If the file cannot be read or has errors; contains the text, if it was read.
pub(crate) fn load(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Input, Box<FileError>> {
    if models::is_model(path) {
        return models::load(path, timings);
    }
    load_with(path, settings, timings, parse_input)
}

fn load_with(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
    parse_input: impl FnOnce(&mut Source, &Settings<'_>, &mut Timings) -> Result<ParsedInput, FileErrorKind>,
) -> Result<Input, Box<FileError>> {
    let mut source = read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    match parse_input(&mut source, settings, timings) {
        Ok((scripts, warnings)) => Ok(Input { source, scripts, warnings }),
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// Parses a script or JSON. A text that is not Python is read as pasted text, if it is that.
///
/// # Errors
/// If the text has errors or contains no script.
pub(crate) fn parse_input(
    source: &mut Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    let parsed = or_cleaned(source, |source| parse_as_is(source, settings, timings));
    parsed.map_err(|failure| advised(failure, source, settings.fragment_of().is_some()))
}

/// Tests for JSON, of any form. A text that begins like it is JSON if it is valid, or if its name says so.
fn is_json(source: &Source) -> bool {
    let is_valid = || {
        let mut scan = Scanner::new(&source.text);
        scan.skip_value().and_then(|()| scan.end()).is_ok()
    };
    tvm_json::detect(&source.text).is_some()
        || source.text.trim_start().starts_with(['{', '[']) && (source.name.ends_with(".json") || is_valid())
}

/// Runs `parse`, and if the text is not Python, again on the text without what was pasted with it.
fn or_cleaned<T>(
    source: &mut Source,
    mut parse: impl FnMut(&Source) -> Result<T, FileErrorKind>,
) -> Result<T, FileErrorKind> {
    let failure = match parse(source) {
        Err(FileErrorKind::Script { errors }) if syntax_errors(&errors) > 0 && !is_too_large(&errors) => {
            errors
        }
        other => return other,
    };
    let Some(cleaned) = pasted::clean(&source.text) else {
        return Err(FileErrorKind::Script { errors: failure });
    };
    let form = if source.form == Form::Plain { Form::Pasted } else { source.form };
    let clean = Source { name: source.name.clone(), text: cleaned.text, form, notes: cleaned.notes };
    let result = match parse(&clean) {
        Err(FileErrorKind::Script { errors }) if syntax_errors(&errors) >= syntax_errors(&failure) => {
            return Err(FileErrorKind::Script { errors: failure });
        }
        Err(FileErrorKind::Script { errors }) => {
            let notes = clean.notes.iter().cloned();
            let in_text = notes.chain(errors.iter().map(ParseError::erased)).collect();
            let errors = well_formed::Errors { in_text, in_ir: Vec::new() };
            Err(FileErrorKind::IllFormed { errors })
        }
        other => other,
    };
    *source = clean;
    result
}

/// Returns `true` if the text was not read because of its size: less of it would not be read either.
fn is_too_large(errors: &[ParseError]) -> bool {
    use SyntaxErrorKind::{TextTooLarge, TooManyParts};
    let is_size = |kind: &SyntaxErrorKind| matches!(kind, TextTooLarge { .. } | TooManyParts { .. });
    errors.iter().filter_map(syntax_kind).any(is_size)
}

fn syntax_errors(errors: &[ParseError]) -> usize {
    errors.iter().filter(|error| syntax_kind(error).is_some()).count()
}

/// The kind of an error of Python's syntax.
pub(crate) fn syntax_kind(error: &ParseError) -> Option<&SyntaxErrorKind> {
    match &error.kind {
        ParseErrorKind::Eval(EvalErrorKind::Syntax(kind)) => Some(kind),
        _ => None,
    }
}

/// Parses a script or JSON, without another attempt.
///
/// # Errors
/// If the text has errors or contains no script.
pub(crate) fn parse_as_is(
    source: &Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    if is_json(source) {
        from_json(source, settings, timings)
    } else {
        parse_selected(source, &settings.parse_options(&source.name), settings, timings)
    }
}

/// Parses scripts in a release, or in that which the text shows, and returns the release, too. A script that uses an
/// unknown value is none of the result, as one that needs arguments.
///
/// # Errors
/// If the text has other errors or contains no script.
pub(crate) fn parse_input_in(
    source: &mut Source,
    release: Option<&'static Release>,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<(ParsedInput, &'static Release), FileErrorKind> {
    let mut options = settings.parse_options(&source.name);
    options.release = release.or(options.release);
    let ((scripts, warnings), release) =
        or_cleaned(source, |source| parse_with_release(source, &options, true, settings, timings))
            .map_err(|failure| advised(failure, source, false))?;
    Ok(((select(scripts, settings.selected())?, warnings), release))
}

fn parse_selected(
    source: &Source,
    options: &ParseOptions,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    let (scripts, warnings) = parse(source, options, settings, timings)?;
    Ok((select(scripts, settings.selected())?, warnings))
}

/// Reads scripts and records what they tell their builders.
///
/// # Errors
/// Those of [`load`], or if a program in JSON has no text.
pub(crate) fn load_recorded(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Input, Box<FileError>> {
    load_with(path, settings, timings, |source, settings, timings| {
        let mut options = settings.parse_options(&source.name);
        if is_json(source) {
            let (scripts, _) = from_json(source, settings, timings)?;
            *source = printed(source, &scripts, settings, timings)?;
            options = settings.reparse_options();
        }
        options.record_steps = true;
        or_cleaned(source, |source| parse_selected(source, &options, settings, timings))
    })
}

/// Reads the text of nodes again and records what it tells their builders: of a node that a program built, which has no
/// script.
///
/// # Errors
/// If a node has no text.
pub(crate) fn reread_recorded(
    source: &Source,
    scripts: &[Script],
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Vec<Script>, FileErrorKind> {
    let source = printed(source, scripts, settings, timings)?;
    let mut options = settings.reparse_options();
    options.record_steps = true;
    Ok(parse(&source, &options, settings, timings)?.0)
}

/// The text of scripts.
fn printed(
    source: &Source,
    scripts: &[Script],
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Source, FileErrorKind> {
    let mut text = String::new();
    for script in scripts {
        let config = PrinterConfig {
            name: script.name.clone(),
            release: Some(script.release),
            show_meta: true,
            ..settings.printer_config()
        };
        let printed = timings.time("print", || print(&script.node, settings.registry(), &config));
        text.push_str(&printed.map_err(FileErrorKind::Unprintable)?);
        text.push('\n');
    }
    Ok(Source::new(source.name.clone(), text))
}

/// Parses text that this command printed.
///
/// # Errors
/// All errors in the text.
pub(crate) fn parse_printed(
    source: &Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    parse(source, &settings.reparse_options(), settings, timings)
}

fn parse(
    source: &Source,
    options: &ParseOptions,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    Ok(parse_with_release(source, options, false, settings, timings)?.0)
}

fn parse_with_release(
    source: &Source,
    options: &ParseOptions,
    allow_unknown: bool,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<(ParsedInput, &'static Release), FileErrorKind> {
    let mut parsed =
        timings.time("parse", || tvmscript::parse(&source.name, &source.text, settings.registry(), options));
    timings.statements += parsed.statements;
    timings.add_release(parsed.release, parsed.release_reason);
    if allow_unknown {
        parsed
            .errors
            .retain(|error| !matches!(error.kind, ParseErrorKind::Eval(EvalErrorKind::UnknownValue { .. })));
    }
    if !parsed.errors.is_empty() {
        return Err(FileErrorKind::Script { errors: merge(parsed.errors, parsed.warnings) });
    }
    let origin = Rc::new(Origin {
        source: parsed.source,
        other_texts: parsed.other_texts,
        comments: parsed.comments,
        steps: parsed.steps,
    });
    let release = parsed.release;
    let script = |s: tvmscript::Script| Script {
        release,
        origin: Some(origin.clone()),
        name: s.name,
        node: s.node,
        range: s.range,
        definition: s.definition,
        is_checked: s.is_checked,
    };
    let warnings = Warnings::new(source, parsed.warnings.iter().map(|warning| warning.erased()).collect());
    Ok(((parsed.scripts.into_iter().map(script).collect(), warnings), release))
}

/// Errors and warnings in source order.
pub(crate) fn merge(mut errors: Vec<ParseError>, warnings: Vec<ParseError>) -> Vec<ParseError> {
    errors.extend(warnings);
    errors.sort_by_key(|e| (e.range().start, e.range().end));
    errors
}

/// Loads JSON of either format.
///
/// # Errors
/// If the text is not the JSON of a node.
pub(crate) fn from_json(
    source: &Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<ParsedInput, FileErrorKind> {
    let loaded = timings
        .time("load", || tvmscript::load_json(&source.text, settings.registry()))
        .map_err(FileErrorKind::Json)?;
    let LoadedJson { node, release, release_reason, unknown } = loaded;
    if matches!(release_reason, Reason::Json) {
        timings.add_release(release, release_reason);
    }
    let script = |node| Script {
        name: None,
        node,
        range: TextRange::at(0),
        definition: TextRange::at(0),
        is_checked: true,
        release,
        origin: None,
    };
    let note = |(key, count): (Str, usize)| {
        let at =
            source.text.find(&format!("\"{key}\"")).and_then(|at| u32::try_from(at).ok()).unwrap_or_default();
        let range = TextRange::new(at, at + u32::try_from(key.len() + 2).unwrap_or_default());
        ParseError::note_at(ParseErrorKind::UnknownType { key: key.to_string(), count }, range).erased()
    };
    let warnings = Warnings::new(source, unknown.into_iter().map(note).collect());
    Ok((split(node).into_iter().map(script).collect(), warnings))
}

/// The inverse of [`join`]: an array of functions and modules is several scripts.
fn split(node: Object) -> Vec<Object> {
    let is_script =
        |value: &Value| value.as_object().is_some_and(|o| o.is::<ir::BaseFunc>() || o.is::<ir::IRModule>());
    match Array::<Value>::try_ref(&node) {
        Some(items) if !items.is_empty() && items.values().iter().all(is_script) => {
            items.values().iter().filter_map(|value| value.as_object().cloned()).collect()
        }
        _ => vec![node],
    }
}

/// One script as it is, or several scripts as an array.
pub(crate) fn join(scripts: &[Script]) -> Object {
    match scripts {
        [one] => one.node.clone(),
        many => {
            let values = many.iter().map(|s| Value::Node(s.node.clone()));
            Array::<Value>::of_values(values).into_object()
        }
    }
}

/// Returns `true` if `-` is given more than once.
pub(crate) fn reads_stdin_twice(paths: &[PathBuf]) -> bool {
    paths.iter().filter(|path| is_stdin(path)).count() > 1
}
