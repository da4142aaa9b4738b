//! The parts of a program text: the text itself, modules that it imports, and expressions of the caller.
//!
//! All parts are one text with one syntax tree. Offsets behind the first part are offsets of another source.

use tvmscript_ir_core::{SourceId, Span};
use tvmscript_python_syntax::ast::TextRange;

/// A part of a program behind its own text.
#[derive(Debug, Clone)]
pub struct Part {
    /// Name in messages: a file, or what the caller calls it.
    pub name: String,
    /// Dotted path of a module; `None` for an expression of the caller.
    pub module: Option<String>,
    /// First byte in the whole text.
    pub start: u32,
    /// Source of its spans, with offsets from the start of the part.
    pub source: SourceId,
}

/// The parts of a program behind its own text, by start.
#[derive(Debug, Clone, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Makes the list; the parts are in order of their starts.
    pub fn new(parts: Vec<Part>) -> Parts {
        Parts(parts)
    }

    /// Returns `true` if the program has no other parts than its own text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts.
    pub fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }

    /// The part at a byte of the whole text; `None` in the program's own text.
    pub fn at(&self, offset: u32) -> Option<&Part> {
        self.0.get(self.0.partition_point(|part| part.start <= offset).checked_sub(1)?)
    }

    /// The part of a module.
    pub fn module(&self, path: &str) -> Option<&Part> {
        self.0.iter().find(|part| part.module.as_deref() == Some(path))
    }

    /// Returns `true` if the module, or a module below it, is a part.
    pub fn contains(&self, path: &str) -> bool {
        self.0.iter().filter_map(|part| part.module.as_deref()).any(|module| {
            module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// The span of a range of the whole text.
    pub(crate) fn span(&self, range: TextRange, main: SourceId) -> Span {
        match self.at(range.start) {
            Some(part) => Span::range(part.source, range.start - part.start, range.end - part.start),
            None => Span::range(main, range.start, range.end),
        }
    }
}
