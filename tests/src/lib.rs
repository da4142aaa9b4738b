//! Test harness of the fixtures.
//!
//! Only this file calls the library, with one helper per interface. `fixtures/README.md` describes the fixtures.

use std::path::PathBuf;

use tvmscript::ir_core::{Span, SpanKind};
use tvmscript::script_parser::{ParseError, ParseOptions, parse_script};
use tvmscript::{Object, PrinterConfig};

pub mod fragments;
pub mod generate;
pub mod ir_changes;
pub mod json_changes;
mod marks;

pub use marks::{DiagnosticMark, ExpectedError, FileMarks, file_marks, marks};

/// Stack size for fixtures, small on purpose: no input may need more.
pub const STACK_BYTES: usize = 2 << 20;

/// A fixture file.
pub struct Fixture {
    /// File name without its extension.
    pub name: String,
    /// Content.
    pub text: String,
}

impl Fixture {
    /// Returns `true` if the text was printed by TVM, so that the printer has to produce the same bytes.
    pub fn is_canonical(&self) -> bool {
        self.text.starts_with("# from tvm.script import")
    }
}

/// Path of a folder of fixtures.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// The Python files of a folder of fixtures, sorted by name.
///
/// # Panics
/// If the folder cannot be read or has none.
pub fn fixtures(name: &str) -> Vec<Fixture> {
    let folder = folder(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut fixtures = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry of the folder").path();
        if path.extension().is_some_and(|e| e == "py") {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            fixtures.push(Fixture { name, text });
        }
    }
    assert!(!fixtures.is_empty(), "{}: no fixtures", folder.display());
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

/// Runs `check` on every fixture on a small stack.
///
/// # Panics
/// If a fixture fails; the message contains all failures.
pub fn check_all(
    folder: &'static str,
    check: impl Fn(&Fixture) -> Result<(), String> + Send + Sync + 'static,
) {
    let failures = on_small_stack(move || {
        let mut failures = Vec::new();
        for fixture in fixtures(folder) {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&fixture)));
            match result {
                Ok(Ok(())) => {}
                Ok(Err(why)) => failures.push(format!("{}: {why}", fixture.name)),
                Err(_) => failures.push(format!("{}: panicked", fixture.name)),
            }
        }
        failures
    });
    assert!(failures.is_empty(), "{} fixtures of {folder} fail:\n{}", failures.len(), failures.join("\n"));
}

/// Runs `work` on a thread with a small stack.
///
/// # Panics
/// If `work` panics.
pub fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread =
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("the system gives a thread");
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Parses a text to the nodes of its scripts.
///
/// # Errors
/// The diagnostics, if there are any.
pub fn parse(name: &str, text: &str) -> Result<Vec<Object>, Vec<ParseError>> {
    let parsed = parse_script(name, text, tvmscript::registry(), &ParseOptions::default());
    if parsed.errors.is_empty() {
        Ok(parsed.scripts.into_iter().map(|s| s.node).collect())
    } else {
        Err(parsed.errors)
    }
}

/// A script of a file.
pub struct FoundScript {
    /// Line of its definition, or of the assignment that names it, from 1.
    pub line: usize,
    /// Path of the script.
    pub path: String,
    /// The node.
    pub node: Object,
}

/// A diagnostic of a file.
pub struct Told {
    /// Line, from 1.
    pub line: usize,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Message, notes and help.
    pub words: String,
}

/// Content of a whole Python file.
pub struct File {
    /// Scripts in source order.
    pub scripts: Vec<FoundScript>,
    /// Errors, warnings and notes.
    pub diagnostics: Vec<Told>,
}

/// Parses a whole Python file. Errors do not prevent other scripts from being found.
pub fn file(name: &str, text: &str) -> File {
    let parsed = parse_script(name, text, tvmscript::registry(), &ParseOptions::default());
    let line = |offset: u32| place(text, offset as usize).0;
    let found = parsed.scripts.into_iter().map(|script| FoundScript {
        line: line(script.range.start),
        path: script.name.unwrap_or_default(),
        node: script.node,
    });
    let told = |error: &ParseError| Told {
        line: line(error.range().start),
        severity: error.severity.name(),
        words: words(error),
    };
    let diagnostics = parsed.errors.iter().chain(&parsed.warnings).map(told);
    File { diagnostics: diagnostics.collect(), scripts: found.collect() }
}

/// Parses a text that is expected to be valid.
///
/// # Errors
/// The first diagnostic as text.
pub fn parse_ok(name: &str, text: &str) -> Result<Vec<Object>, String> {
    parse(name, text).map_err(|errors| errors.first().map_or_else(String::new, |e| describe(text, e)))
}

/// A diagnostic as `line:column: message`.
pub fn describe(text: &str, error: &ParseError) -> String {
    let (line, column) = place(text, error.range().start as usize);
    format!("{line}:{column}: {}", words(error).replace('\n', "; "))
}

/// An error, of parsing or of the well-formedness check.
pub struct Mistake {
    /// Line, from 1; 0 if unknown.
    pub line: usize,
    /// Message, notes and help.
    pub words: String,
}

/// The parse errors of a text, or if there are none, its well-formedness errors.
pub fn mistakes(name: &str, text: &str) -> Vec<Mistake> {
    let line = |offset: u32| place(text, offset as usize).0;
    match parse(name, text) {
        Err(errors) => {
            errors.iter().map(|e| Mistake { line: line(e.range().start), words: words(e) }).collect()
        }
        Ok(objects) => objects.iter().flat_map(|object| ill_formed(object, &line)).collect(),
    }
}

/// Well-formedness errors of a function or module.
fn ill_formed(object: &Object, line: &dyn Fn(u32) -> usize) -> Vec<Mistake> {
    let line_of = |span: Span| match span.kind() {
        SpanKind::Range { start_bytes, .. } => line(start_bytes),
        _ => 0,
    };
    let mistake = |span, message: String, help: Option<String>| {
        let words = format!("{message}\n{}", help.unwrap_or_default());
        Mistake { line: line_of(span), words }
    };
    let of_scalars = tvmscript::tir::check::well_formed(object).into_iter();
    let of_tensors = tvmscript::relax::check::well_formed(object).into_iter();
    let of_scalars = of_scalars.map(|error| mistake(error.span, error.kind.to_string(), error.help()));
    of_scalars
        .chain(of_tensors.map(|error| mistake(error.span, error.kind.to_string(), error.help())))
        .collect()
}

/// Line and column (in characters) of a byte offset, both from 1.
pub fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Message, notes and help of a diagnostic.
pub fn words(error: &ParseError) -> String {
    let mut words = error.kind.to_string();
    let labels = error.labels.iter().map(|l| &l.text).filter(|t| !t.is_empty());
    for note in labels.chain(&error.notes).chain(&error.help) {
        words.push('\n');
        words.push_str(note);
    }
    words
}

/// Prints nodes separated by one blank line.
///
/// # Errors
/// The error of the printer.
pub fn print(objects: &[Object], options: &PrinterConfig) -> Result<String, String> {
    let print = |node| tvmscript::print(node, tvmscript::registry(), options).map_err(|e| e.to_string());
    Ok(objects.iter().map(print).collect::<Result<Vec<_>, _>>()?.join("\n\n"))
}

/// Options of canonical text.
pub fn canonical_options() -> PrinterConfig {
    PrinterConfig { show_meta: true, ..PrinterConfig::default() }
}

/// Compares nodes pairwise by structural equality.
pub fn equal(a: &[Object], b: &[Object]) -> bool {
    // A free variable reads back as another node.
    let equal = tvmscript::ir_core::equal::StructuralEqual { map_free_vars: true, ..Default::default() };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal.compare(a, b))
}

/// Checks that printed text parses to equal nodes and prints again to the same bytes.
///
/// # Errors
/// A description of the failure.
pub fn check_roundtrip(objects: &[Object], options: &PrinterConfig) -> Result<String, String> {
    let text = print(objects, options)?;
    let again = parse_ok("<print>", &text).map_err(|e| format!("the print does not parse: {e}\n{text}"))?;
    if !equal(objects, &again) {
        return Err(format!("the print reads back to another program:\n{text}"));
    }
    let second = print(&again, options)?;
    if second != text {
        return Err(format!("the second print differs:\n{text}\n---\n{second}"));
    }
    Ok(text)
}

/// TVM's JSON of a node.
///
/// # Panics
/// If the elements of a constant are left out.
pub fn to_json(object: &Object) -> String {
    tvmscript::to_tvm_json(object).unwrap_or_else(|error| panic!("{error}"))
}

/// Loads TVM's JSON.
///
/// # Errors
/// The error of loading.
pub fn from_json(json: &str) -> Result<Object, String> {
    tvmscript::from_tvm_json(json, tvmscript::registry()).map_err(|e| e.to_string())
}

/// Structural hash of a node.
pub fn hash(object: &Object) -> u64 {
    tvmscript::structural_hash(object)
}
