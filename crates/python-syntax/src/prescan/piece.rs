//! Pieces: what is parsed, and parsed again, on its own.

use std::ops::Range;

use super::{Head, Prescan};

/// Simple top-level lines are parsed together, up to this many.
const MAX_SIMPLE_LINES: usize = 256;

impl Prescan {
    /// The logical lines of each piece: a top-level definition with its decorators, blocks and `else`s, or a run of
    /// simple top-level lines. Together they are all lines, in order.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut simple = true;
        for (index, line) in self.lines.iter().enumerate().skip(1) {
            let previous = &self.lines[index - 1];
            let inside = line.indent > 0 || line.head.is_continuation() || previous.head == Head::Decorator;
            if inside {
                simple &= line.indent == 0 && !line.head.is_continuation();
                continue;
            }
            let starts_definition = line.opens_block || line.head == Head::Decorator;
            if simple && !starts_definition && !previous.opens_block && index - start < MAX_SIMPLE_LINES {
                continue;
            }
            pieces.push(start..index);
            start = index;
            simple = true;
        }
        if !self.lines.is_empty() {
            pieces.push(start..self.lines.len());
        }
        pieces
    }
}
