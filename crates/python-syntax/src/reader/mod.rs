//! From text to our syntax tree: the one module that names foreign Python parsers.
//!
//! [`parse_python`] scans the text ([`prescan`](crate::prescan)) and reads it piece by piece. What scripts are made of
//! is read directly into our tree; the rest, and all that is wrong, is read by a foreign parser, whose tree is written
//! into ours. The pass before knows how deep the text nests, so reading (the foreign parser's lexing, parsing,
//! converting, dropping half-built trees) runs on a stack that is large enough; what nests deeper than the
//! [limits](Limits) is cut out with a typed error and never reaches a parser.
//!
//! After a syntax error reading goes on: the logical line at fault is replaced by a placeholder, which becomes
//! [`Stmt::Invalid`](crate::ast::Stmt::Invalid), and the rest of its block and of the text is read as usual.
//!
//! Identifiers are those of Python: XID, normalised (NFKC). One difference from CPython: a string cannot hold half of a
//! surrogate pair (`"\\ud800"`), which is a typed error.

mod code;
mod direct;
mod edits;
mod error;
mod isolated;
mod recover;
#[cfg(feature = "ruff")]
mod ruff;
mod rustpython;
mod sections;
mod sink;
mod token;

pub use error::{Nesting, SyntaxError, SyntaxErrorKind};

use crate::ast::{Ast, AstBuilder, StmtId, TextRange};
use crate::prescan::{Comment, FStrings, Limits, Prescan};
use sink::Sink;

/// The largest text, in bytes, whatever the options say.
pub const MAX_TEXT_BYTES: u32 = 1 << 30;

/// Texts of fewer bytes are read without a look at [`PythonOptions::max_parts`].
const SMALL_TEXT_BYTES: usize = 1 << 20;

/// Which foreign parser reads the text. The default is `ruff` where it is compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Backend {
    /// `rustpython-parser`: Python 3.11 with type parameters; f-strings as up to 3.11.
    #[cfg_attr(not(feature = "ruff"), default)]
    RustPython,
    /// `ruff`, behind the feature of that name: current Python, f-strings as from 3.12; some three times as fast where
    /// text is not read directly.
    #[cfg(feature = "ruff")]
    #[default]
    Ruff,
}

/// How to read Python text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PythonOptions {
    /// Who reads.
    pub backend: Backend,
    /// How much nesting is accepted.
    pub limits: Limits,
    /// How many errors are looked for; later lines at fault may be cut out silently.
    pub max_errors: usize,
    /// The largest text, in bytes; at most [`MAX_TEXT_BYTES`].
    pub max_text_bytes: u32,
    /// The largest text by what it is made of: four for each line and `;`, one for each bracket, comma, colon, dot and
    /// `=`. This bounds time and memory, which a text of long names and literals needs less of than one of short
    /// statements. Texts below a mebibyte are not looked at.
    pub max_parts: u64,
    /// Of how many bytes the foreign parser may hold a tree, where the text can be cut between statements.
    pub section_bytes: usize,
    /// Whether the common part of Python is read without the foreign parser.
    pub direct: bool,
}

impl Default for PythonOptions {
    fn default() -> Self {
        PythonOptions {
            backend: Backend::default(),
            limits: Limits::default(),
            max_errors: 100,
            max_text_bytes: 128 << 20,
            max_parts: 16_000_000,
            section_bytes: 16 << 10,
            direct: true,
        }
    }
}

/// What was read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParsedPython {
    /// The tree of what could be read.
    pub ast: Ast,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// What is not Python, in order of place.
    pub errors: Vec<SyntaxError>,
}

/// Why a foreign parser gave up, in positions of the text that it saw.
#[derive(Debug)]
struct Failure {
    /// What is wrong, unless the token at `start` says all there is to say.
    kind: Option<SyntaxErrorKind>,
    start: u32,
    /// Where the place ends, if the parser said so.
    end: Option<u32>,
    detail: String,
}

impl Failure {
    /// The foreign parser panicked, or gave what it never gives.
    fn of_parser() -> Failure {
        Failure { kind: Some(SyntaxErrorKind::ParserFailed), start: 0, end: None, detail: String::new() }
    }
}

impl Backend {
    fn f_strings(self) -> FStrings {
        match self {
            Backend::RustPython => FStrings::Plain,
            #[cfg(feature = "ruff")]
            Backend::Ruff => FStrings::Nested,
        }
    }

    fn parse(self, sink: Sink<'_>) -> Result<Vec<StmtId>, Failure> {
        match self {
            Backend::RustPython => rustpython::parse(sink),
            #[cfg(feature = "ruff")]
            Backend::Ruff => ruff::parse(sink),
        }
    }

    /// Whether the text parses, without keeping the tree.
    fn check(self, text: &str) -> Result<(), Failure> {
        match self {
            Backend::RustPython => rustpython::check(text),
            #[cfg(feature = "ruff")]
            Backend::Ruff => ruff::check(text),
        }
    }

    /// A native stack on which a text with this nesting is parsed, converted and dropped for certain.
    fn stack_bytes(self, scan: &Prescan) -> usize {
        // Bytes a level of the tree takes in the deepest of parse, convert and drop, measured on x86-64 without
        // optimisation and rounded up by half; optimised code takes a third. Pages that are not touched cost nothing.
        // `block`: a statement inside a statement; `bracket`: parentheses, lists, calls; `link`: operators.
        let (block, bracket, link, elif) = match self {
            // The parser itself keeps its stack on the heap.
            Backend::RustPython => (8 << 10, 12 << 10, 5 << 10, 1 << 10),
            #[cfg(feature = "ruff")]
            Backend::Ruff => (8 << 10, 13 << 10, 5 << 10, 64),
        };
        let fixed: usize = if cfg!(debug_assertions) { 1 << 20 } else { 384 << 10 };
        let levels = |n: u32, bytes: usize| (n as usize).saturating_mul(bytes);
        fixed
            .saturating_add(levels(scan.max_blocks, block))
            .saturating_add(levels(scan.max_brackets, bracket))
            .saturating_add(levels(scan.max_chain, link))
            .saturating_add(levels(scan.max_elifs, elif))
    }
}

/// Reads Python text.
///
/// Never fails as a whole: what is not Python is listed in [`ParsedPython::errors`], each with its place, and the
/// tree holds the rest. Any text is answered in time that is linear in its length (up to a small number of
/// repetitions per top-level definition), on any native stack.
pub fn parse_python(text: &str, options: &PythonOptions) -> ParsedPython {
    let max_bytes = options.max_text_bytes.min(MAX_TEXT_BYTES);
    let too_large = if text.len() > max_bytes as usize {
        Some(SyntaxErrorKind::TextTooLarge { limit: max_bytes })
    } else if text.len() >= SMALL_TEXT_BYTES && parts(text) > options.max_parts {
        Some(SyntaxErrorKind::TooManyParts { limit: options.max_parts })
    } else {
        None
    };
    if let Some(kind) = too_large {
        let errors = vec![SyntaxError::new(kind, TextRange::at(0))];
        return ParsedPython { ast: AstBuilder::new().finish(), comments: Vec::new(), errors };
    }
    let scan = Prescan::new(text, options.backend.f_strings(), &options.limits);
    let stack = options.backend.stack_bytes(&scan);
    let (ast, errors) = stacker::maybe_grow(stack, stack, || recover::read(text, &scan, options));
    ParsedPython { ast, comments: scan.comments, errors }
}

/// What counts against [`PythonOptions::max_parts`].
fn parts(text: &str) -> u64 {
    let weight = |byte: &u8| match byte {
        b'\n' | b';' => 4,
        b'(' | b'[' | b'{' | b',' | b':' | b'.' | b'=' => 1,
        _ => 0,
    };
    text.as_bytes().iter().map(weight).sum()
}

/// Reads Python text from bytes that ought to be UTF-8.
///
/// Where they are not, the answer is one error at the first wrong byte and an empty tree.
pub fn parse_python_bytes(bytes: &[u8], options: &PythonOptions) -> ParsedPython {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse_python(text, options),
        Err(error) => {
            let start = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            let len = error.error_len().map_or(bytes.len() - error.valid_up_to(), usize::from) as u32;
            let range = TextRange::new(start, start.saturating_add(len));
            let error = SyntaxError::new(SyntaxErrorKind::InvalidUtf8, range);
            ParsedPython { ast: AstBuilder::new().finish(), comments: Vec::new(), errors: vec![error] }
        }
    }
}
