//! Byte ranges: absolute ones, and ones inside a piece of the text.

use super::{Ast, ExprId, StmtId};

/// A range of bytes of the source text, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte; never below `start`.
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

    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The same as a range of indices.
    pub fn to_usize(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range relative to the start of a piece of the text, without saying which piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct RelRange {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A range inside one piece of the text, for parts that have no id of their own (parameters, keywords, names).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    pub(super) piece: u32,
    pub(super) rel: RelRange,
}

/// What has a range in the text of an [`Ast`].
pub trait HasRange {
    /// The absolute range, in bytes of the text.
    fn range_in(&self, ast: &Ast) -> TextRange;

    /// What to show of it in a message: of a statement with a body, its first line.
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

impl HasRange for Place {
    fn range_in(&self, ast: &Ast) -> TextRange {
        ast.place_range(*self)
    }
}
