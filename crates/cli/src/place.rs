//! Places in a text as people and editors name them.

use serde_json::{Value, json};

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in Unicode scalar values, from 1.
    pub(crate) column: usize,
    /// The offset in bytes.
    pub(crate) offset: usize,
}

impl Place {
    /// The beginning of any text.
    pub(crate) const START: Place = Place { line: 1, column: 1, offset: 0 };

    /// The place of a byte; one past the end for an offset beyond it.
    pub(crate) fn of(text: &str, offset: usize) -> Place {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            offset,
        }
    }

    /// The place as JSON has it.
    pub(crate) fn to_json(self) -> Value {
        json!({"line": self.line, "column": self.column, "offset": self.offset})
    }
}
