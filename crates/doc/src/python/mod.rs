//! The Python printer.
//!
//! [`print()`] converts a doc to text. Layout and spelling are those of the upstream printer, byte for byte, except
//! where Python would parse its output differently: there parentheses or other escapes are added unless
//! [`PythonOptions::strict`] is off.
//!
//! Upstream counterpart: `src/script/printer/doc_printer/python_doc_printer.cc`.

mod expr;
mod level;
mod literal;
mod printer;
mod stmt;

use tvmscript_ir_core::AccessPath;

use crate::arena::DocArena;
use crate::decorate::{Decoration, decorate};
use crate::element::{PlainSink, Sink};
use crate::error::PrintError;
use crate::layout::Layout;
use crate::marks::{MarkSink, MarkedText, SourceMap};
use crate::stmt::Doc;

/// Escapes of non-ASCII text in string literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StringStyle {
    /// One escape per character, `"\u00e9"`, which reads back as the same text.
    #[default]
    CodePoints,
    /// One escape per UTF-8 byte, `"\xC3\xA9"`, as upstream prints. Python reads several characters.
    Bytes,
}

/// Options of the Python printer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonOptions {
    /// Spaces per indentation level, at most 1024.
    pub indent_spaces: u32,
    /// Target line width; `None` never breaks a line. Lines break only inside brackets, so other lines may be longer.
    pub max_width_columns: Option<u32>,
    /// Maximum length of the text, before line numbers and underlines.
    pub max_bytes: usize,
    /// Escapes of non-ASCII text.
    pub strings: StringStyle,
    /// `true` to depart from upstream's spelling where Python would parse it differently.
    pub strict: bool,
    /// `true` if a reader takes `a < b == c` for `(a < b) == c`, so that it needs no parentheses.
    pub comparisons_nest: bool,
    /// `true` to number the lines.
    pub print_line_numbers: bool,
    /// Paths to underline. A path without text underlines its nearest printed ancestor.
    pub underline: Vec<AccessPath>,
    /// Number of lines to keep around underlined text; `None` keeps all.
    pub num_context_lines: Option<u32>,
}

/// Default of [`PythonOptions::max_bytes`]: the largest text that the parser reads by default.
pub const DEFAULT_MAX_BYTES: usize = tvmscript_ir_core::Limits::DEFAULT.max_printed_bytes;

impl Default for PythonOptions {
    fn default() -> Self {
        Self {
            indent_spaces: 4,
            max_width_columns: None,
            max_bytes: DEFAULT_MAX_BYTES,
            strings: StringStyle::default(),
            strict: true,
            comparisons_nest: false,
            print_line_numbers: false,
            underline: Vec::new(),
            num_context_lines: None,
        }
    }
}

/// Prints a doc, without trailing white space.
///
/// # Errors
/// See [`PrintError`].
pub fn print(docs: &DocArena, doc: impl Into<Doc>, options: &PythonOptions) -> Result<String, PrintError> {
    let doc = doc.into();
    let decoration =
        Decoration { line_numbers: options.print_line_numbers, context_lines: options.num_context_lines };
    let (text, underlines) = if options.underline.is_empty() {
        let sink = PlainSink::new(indent_spaces(options));
        let mut text = fill(docs, doc, options, sink)?.into_text();
        text.truncate(trimmed_len(&text));
        (text, Vec::new())
    } else {
        let marked = marked(docs, doc, options)?;
        let underlines = marked.underlines(docs, &options.underline);
        (marked.text, underlines)
    };
    if text.is_empty() || !decoration.line_numbers && underlines.is_empty() {
        return Ok(text);
    }
    let mut text = decorate(&text, &underlines, decoration).ok_or(PrintError::OutOfMemory)?;
    text.truncate(trimmed_len(&text));
    Ok(text)
}

/// Prints a doc with a source map, without line numbers and underlines.
///
/// # Errors
/// See [`PrintError`].
pub fn print_mapped(
    docs: &DocArena,
    doc: impl Into<Doc>,
    options: &PythonOptions,
) -> Result<(String, SourceMap), PrintError> {
    Ok(marked(docs, doc.into(), options)?.into_map(docs))
}

fn marked(docs: &DocArena, doc: Doc, options: &PythonOptions) -> Result<MarkedText, PrintError> {
    let sink = fill(docs, doc, options, MarkSink::new(indent_spaces(options)))?;
    Ok(sink.finish(trimmed_len))
}

/// The indentation is limited because a line is written before the budget is checked.
fn indent_spaces(options: &PythonOptions) -> usize {
    options.indent_spaces.min(1024) as usize
}

/// Prints into `sink`, breaking lines if a width is set.
fn fill<S: Sink>(docs: &DocArena, doc: Doc, options: &PythonOptions, sink: S) -> Result<S, PrintError> {
    let Some(columns) = options.max_width_columns else {
        return printer::run(docs, doc, options, sink);
    };
    let layout = Layout::new(sink, columns as usize, options.max_bytes, indent_spaces(options));
    let sink = printer::run(docs, doc, options, layout)?.finish();
    let len = sink.byte_len();
    if len > options.max_bytes { Err(printer::too_long(len, options.max_bytes)) } else { Ok(sink) }
}

/// The length of `text` without trailing white space, as C's `isspace` defines it.
fn trimmed_len(text: &str) -> usize {
    text.trim_end_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']).len()
}
