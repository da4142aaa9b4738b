//! The logical lines of a text by number.

use std::ops::{Deref, Range};

use super::LogicalLine;

/// Logical lines. Their numbers come from the scan or from [`Prescan::pieces`](super::Prescan::pieces), so there is a line
/// of each number.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a>(pub(crate) &'a [LogicalLine]);

impl<'a> Lines<'a> {
    /// A line.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "numbers are those of lines")]
    pub(crate) fn at(self, number: usize) -> &'a LogicalLine {
        &self.0[number]
    }

    /// Several lines.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "numbers are those of lines")]
    pub(crate) fn of(self, numbers: Range<usize>) -> Lines<'a> {
        Lines(&self.0[numbers])
    }
}

impl Deref for Lines<'_> {
    type Target = [LogicalLine];

    fn deref(&self) -> &[LogicalLine] {
        self.0
    }
}
