//! Byte ranges of the text, absolute or relative to a piece.

use super::{Ast, ExprId, StmtId};

/// A byte range of the source text, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct TextRange {
    /// First byte.
    pub start: u32,
    /// Byte after the last one; never smaller than `start`.
    pub end: u32,
}

impl TextRange {
    /// The range from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        TextRange { start, end: end.max(start) }
    }

    /// The empty range at `offset`.
    pub fn at(offset: u32) -> Self {
        TextRange { start: offset, end: offset }
    }

    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns `true` if the range is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as `usize` indices.
    pub fn to_usize(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<TextRange> for std::ops::Range<u32> {
    fn from(range: TextRange) -> Self {
        range.start..range.end
    }
}

impl From<std::ops::Range<u32>> for TextRange {
    fn from(range: std::ops::Range<u32>) -> Self {
        TextRange::new(range.start, range.end)
    }
}

/// A range relative to the start of an unspecified piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct RelRange {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A range in one piece, for parts without an id (parameters, keywords, names).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PieceRange {
    pub(super) piece: u32,
    pub(super) rel: RelRange,
}

/// Types with a range in the text of an [`Ast`].
pub trait HasRange {
    /// Absolute range.
    fn range_in(&self, ast: &Ast) -> TextRange;

    /// Range to show in messages: the first line of a statement with a body, otherwise the whole range.
    fn shown_in(&self, ast: &Ast, _text: &str) -> TextRange {
        self.range_in(ast)
    }
}

impl HasRange for ExprId {
    fn range_in(&self, ast: &Ast) -> TextRange {
        ast.expr_range(*self)
    }
}

impl HasRange for StmtId {
    fn range_in(&self, ast: &Ast) -> TextRange {
        ast.stmt_range(*self)
    }
    fn shown_in(&self, ast: &Ast, text: &str) -> TextRange {
        let range = self.range_in(ast);
        let whole = text.get(range.to_usize()).unwrap_or("");
        match whole.find('\n') {
            Some(line) if ast.stmt(*self).has_body() => {
                let line = whole[..line].trim_end().len();
                TextRange::new(range.start, range.start + line as u32)
            }
            _ => range,
        }
    }
}

impl HasRange for PieceRange {
    fn range_in(&self, ast: &Ast) -> TextRange {
        ast.place_range(*self)
    }
}

impl HasRange for TextRange {
    fn range_in(&self, _: &Ast) -> TextRange {
        *self
    }
}
