//! Line and column positions.

use std::ops::Range;

use serde::Serialize;

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalar values, from 1.
    pub column: usize,
    /// Offset in bytes.
    pub offset: usize,
}

impl Position {
    /// The start of a text.
    pub const START: Position = Position { line: 1, column: 1, offset: 0 };
}

/// Index of the line starts of a text.
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes a text.
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        LineIndex { text, starts }
    }

    /// The position of a byte offset. Offsets inside a character map to its start, offsets beyond the text to its end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char_boundary(self.text, offset);
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        // The first line starts at 0.
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text[start..offset].chars().count() + 1;
        Position { line, column, offset }
    }

    /// The lines of these ranges, with this many lines before and after them: the number of lines before, and the range.
    pub(crate) fn lines_around(&self, ranges: &[Range<usize>], context: usize) -> (usize, Range<usize>) {
        let line_of = |at: usize| self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let first =
            ranges.iter().map(|range| line_of(range.start)).min().unwrap_or(0).saturating_sub(context);
        let last = ranges.iter().map(|range| line_of(range.end)).max().unwrap_or(0).saturating_add(context);
        let start = self.starts.get(first).copied().unwrap_or(0);
        let end = self.starts.get(last.saturating_add(1)).copied().unwrap_or(self.text.len());
        (first, start..end)
    }

    /// The byte offset of a line and column, both from 1. A column behind the end of its line maps to its end.
    pub fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let line = self.text[start..].lines().next().unwrap_or_default();
        let within = line.char_indices().nth(column.checked_sub(1)?).map_or(line.len(), |(at, _)| at);
        Some(start + within)
    }
}

/// Rounds an offset down to a character boundary of the text.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_has_whole_lines() {
        let lines = LineIndex::new("a\nb\nc\nd");
        let around = |ranges: &[(usize, usize)], context| {
            let ranges: Vec<_> = ranges.iter().map(|(start, end)| *start..*end).collect();
            lines.lines_around(&ranges, context)
        };
        assert_eq!(around(&[(2, 3)], 0), (1, 2..4));
        assert_eq!(around(&[(4, 5), (2, 2)], 0), (1, 2..6));
        assert_eq!(around(&[(2, 3)], 1), (0, 0..6));
        assert_eq!(around(&[(7, 7)], 9), (0, 0..7));
        assert_eq!(around(&[], 0), (0, 0..2));
    }

    #[test]
    fn columns_count_characters_and_offsets_bytes() {
        let lines = LineIndex::new("aä\nb");
        assert_eq!(lines.position(3), Position { line: 1, column: 3, offset: 3 });
        assert_eq!(lines.position(2), Position { line: 1, column: 2, offset: 1 });
        assert_eq!(lines.position(4), Position { line: 2, column: 1, offset: 4 });
        assert_eq!(lines.position(99), Position { line: 2, column: 2, offset: 5 });
        assert_eq!([lines.offset(1, 2), lines.offset(1, 9), lines.offset(2, 1)], [Some(1), Some(3), Some(4)]);
        assert_eq!([lines.offset(0, 1), lines.offset(1, 0), lines.offset(3, 1)], [None; 3]);
    }
}
