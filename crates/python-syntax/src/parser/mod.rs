//! Parsing of Python text. The only module that names the foreign Python parsers.
//!
//! [`parse_python`] scans the text ([`prescan`](crate::prescan)) and parses it piece by piece. The subset of Python
//! that scripts usually consist of is parsed directly; everything else, including everything invalid, goes to a
//! foreign parser, whose tree is converted. Parsing runs on a stack sized from the nesting depth that the scan found.
//! Lines nested deeper than the [limits](Limits) are errors and never reach a parser.
//!
//! After a syntax error, the invalid logical line is replaced by a placeholder, which becomes
//! [`Stmt::Invalid`](crate::ast::Stmt::Invalid), and parsing continues.
//!
//! Identifiers are Python's: XID, normalised to NFKC. Unlike in CPython, a string with half a surrogate pair
//! (`"\\ud800"`) is an error.

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

/// Maximum size of a text in bytes, regardless of the options.
pub const MAX_TEXT_BYTES: u32 = 1 << 30;

/// Smaller texts are not checked against [`PythonOptions::max_parts`].
const SMALL_TEXT_BYTES: usize = 1 << 20;

/// Foreign parser. The default does not depend on features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Backend {
    /// `rustpython-parser`: Python 3.11 with type parameters; f-strings as in Python 3.11.
    #[default]
    RustPython,
    /// ruff's parser (feature `ruff`): current Python, f-strings as in Python 3.12; about three times as fast.
    #[cfg(feature = "ruff")]
    Ruff,
}

/// Options of [`parse_python`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PythonOptions {
    /// Foreign parser for text outside the directly parsed subset.
    pub backend: Backend,
    /// Limits on nesting.
    pub limits: Limits,
    /// Maximum number of reported errors. Further invalid lines may be cut out silently.
    pub max_errors: usize,
    /// Maximum size of a text in bytes; at most [`MAX_TEXT_BYTES`].
    pub max_text_bytes: u32,
    /// Maximum weight of a text: four for each line and `;`, one for each bracket, comma, colon, dot and `=`. Bounds
    /// time and memory more closely than the size in bytes. Texts below one mebibyte are not checked.
    pub max_parts: u64,
    /// Size of the sections in which the foreign parser reads large blocks, in bytes; bounds the size of its tree.
    pub section_bytes: usize,
    /// `true` to parse the common subset of Python without the foreign parser.
    pub direct: bool,
    /// `true` to accept keyword arguments with dots, as in `f(a.b=1)`, which Python refuses. Calls that the foreign
    /// parser reads cannot have them.
    pub dotted_keywords: bool,
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
            dotted_keywords: false,
        }
    }
}

/// Result of [`parse_python`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParsedPython {
    /// The tree of all valid statements.
    pub ast: Ast,
    /// Comments in source order.
    pub comments: Vec<Comment>,
    /// Errors in source order.
    pub errors: Vec<SyntaxError>,
}

/// An error of a foreign parser, with positions in the text that it parsed.
#[derive(Debug)]
struct Failure {
    /// Kind, unless the token at `start` determines it.
    kind: Option<SyntaxErrorKind>,
    start: u32,
    /// End of the range, if the parser reports one.
    end: Option<u32>,
    detail: String,
}

impl Failure {
    /// The foreign parser panicked or returned an impossible result.
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

    /// Parses a text without keeping the tree.
    fn check(self, text: &str) -> Result<(), Failure> {
        match self {
            Backend::RustPython => rustpython::check(text),
            #[cfg(feature = "ruff")]
            Backend::Ruff => ruff::check(text),
        }
    }

    /// Size of a native stack that suffices to parse, convert and drop a text of this nesting.
    fn stack_bytes(self, scan: &Prescan, limits: &Limits) -> usize {
        // Bytes per level of the tree in the deepest of parse, convert and drop, measured on x86-64 without
        // optimisation, plus half; optimised code takes a third. Untouched pages cost nothing. `block`: nested
        // statements; `bracket`: parentheses, lists, calls; `link`: operators.
        let (block, bracket, link, elif) = match self {
            // This parser keeps its stack on the heap.
            Backend::RustPython => (8 << 10, 12 << 10, 5 << 10, 1 << 10),
            #[cfg(feature = "ruff")]
            Backend::Ruff => (8 << 10, 13 << 10, 5 << 10, 64),
        };
        // Half of the above leaves optimised code room, and fits the longest chain into 2 GB of address space.
        let (fixed, share): (usize, usize) = if cfg!(optimised) { (384 << 10, 2) } else { (1 << 20, 1) };
        let levels = |n: u32, bytes: usize| (n as usize).saturating_mul(bytes / share);
        // What is nested more deeply reaches the direct parser alone, which counts its levels.
        let brackets = levels(scan.max_brackets.min(limits.foreign_brackets), bracket);
        let links = levels(scan.max_chain.min(limits.foreign_chain), link);
        let nested = scan.max_chain.saturating_add(scan.max_brackets).min(limits.foreign_chain);
        let expressions = brackets.saturating_add(links).max(levels(nested, direct::LEVEL_BYTES));
        fixed
            .saturating_add(levels(scan.max_blocks, block))
            .saturating_add(expressions)
            .saturating_add(levels(scan.max_elifs, elif))
    }
}

/// Parses Python text.
///
/// Never fails as a whole: [`ParsedPython::errors`] lists all errors, and the tree contains the valid statements.
/// Takes time linear in the size of the text (up to a small number of repetitions per top-level definition), on a
/// native stack of any size.
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
    let stack = options.backend.stack_bytes(&scan, &options.limits);
    let (ast, errors) = stacker::maybe_grow(stack, stack, || recover::read(text, &scan, options));
    ParsedPython { ast, comments: scan.comments, errors }
}

/// Weight of a text for [`PythonOptions::max_parts`].
fn parts(text: &str) -> u64 {
    let weight = |byte: &u8| match byte {
        b'\n' | b';' => 4,
        b'(' | b'[' | b'{' | b',' | b':' | b'.' | b'=' => 1,
        _ => 0,
    };
    text.as_bytes().iter().map(weight).sum()
}

/// Parses Python text from bytes. Bytes that are not UTF-8 are one error and an empty tree.
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
