//! Keeps the time of loading in proportion to the text.
//!
//! A typed field checks each element of its array. An array that many nodes share is checked for each of them, and
//! typed arrays of arrays multiply. While a text is loaded, the elements that are checked are counted and their
//! number is limited; so is the number of parts of all sequences of spans, which are flattened. Containers of any
//! values cost nothing: a graph of pairs that doubles at each level loads with its sharing.

use std::cell::Cell;

use super::error::JsonErrorKind;
use crate::dtype::DataType;

/// The limit of elements of arrays and maps that are checked for the fields of one text.
pub const MAX_ELEMENTS: u64 = 20_000_000;

/// The limit of parts that the sequences of spans of one text have in all, after nested sequences are flattened.
pub const MAX_SPAN_PARTS: u64 = 4_000_000;

/// Containers up to this length are not counted: the text has a field for each time they are checked, and their types
/// nest only a few levels.
const SMALL: usize = 16;

thread_local! {
    // No destructor, so that access is cheap.
    /// The number of elements that may still be checked on this thread.
    static ELEMENTS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Takes the elements of a container off the number that may still be checked; false when it is used up.
#[inline]
pub(crate) fn may_check(count: usize) -> bool {
    count <= SMALL || charge(count)
}

fn charge(count: usize) -> bool {
    let left = ELEMENTS_LEFT.get();
    let rest = if left == u64::MAX { left } else { left.saturating_sub(count as u64) };
    ELEMENTS_LEFT.set(rest);
    rest > 0
}

/// Budget of one load: limits the elements that typed fields check and the parts of span sequences.
#[derive(Debug)]
pub struct Counter {
    /// The number of elements that a load around this one may still check.
    outer: u64,
    span_parts: u64,
}

impl Counter {
    /// Starts the budget of a load on this thread; the one around it resumes when this is dropped.
    pub fn begin() -> Counter {
        Counter { outer: ELEMENTS_LEFT.replace(MAX_ELEMENTS), span_parts: 0 }
    }

    /// The error of a node that could not be constructed: the limit if it was exceeded, else the given one.
    pub fn explain(&self, kind: impl Into<JsonErrorKind>) -> JsonErrorKind {
        match ELEMENTS_LEFT.get() {
            0 => JsonErrorKind::TooManyElements { limit: MAX_ELEMENTS },
            _ => kind.into(),
        }
    }

    /// Counts parts of a sequence of spans.
    ///
    /// # Errors
    /// When there are more than [`MAX_SPAN_PARTS`].
    pub fn spans(&mut self, count: usize) -> Result<(), JsonErrorKind> {
        self.span_parts = self.span_parts.saturating_add(count as u64);
        match self.span_parts <= MAX_SPAN_PARTS {
            true => Ok(()),
            false => Err(JsonErrorKind::TooManyElements { limit: MAX_SPAN_PARTS }),
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        ELEMENTS_LEFT.set(self.outer);
    }
}

/// Parses a dtype, which must be spelt as it is saved.
pub fn dtype(text: &str) -> Option<DataType> {
    let dtype: DataType = text.parse().ok()?;
    let is_plain = text.is_empty() || dtype.to_string() == text;
    (is_plain && dtype.is_valid()).then_some(dtype)
}
