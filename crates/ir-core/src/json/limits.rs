//! Limits that keep the time of loading linear in the text.
//!
//! A typed field checks each element of its array: once per node that shares the array, and multiplied for arrays of
//! arrays. The number of checked elements per text is therefore limited, and so is the number of parts of span
//! sequences, which are flattened. Untyped containers are not checked and load with their sharing, however large they
//! unfold.

use std::cell::Cell;

use super::error::JsonErrorKind;
use crate::dtype::DataType;

/// Maximum number of checked elements per text.
pub const MAX_ELEMENTS: u64 = 20_000_000;

/// Maximum total number of parts of the flattened span sequences of a text.
pub const MAX_SPAN_PARTS: u64 = 4_000_000;

/// Containers up to this length are not counted: the text has a field per check, and container types nest only a few
/// levels.
const SMALL: usize = 16;

thread_local! {
    /// Remaining elements of the load that runs on this thread.
    static ELEMENTS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Counts the elements of a container. Returns `false` if the limit is exceeded.
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
    /// Remaining elements of the enclosing load.
    outer: u64,
    span_parts: u64,
}

impl Counter {
    /// Starts the budget of a load on this thread. The enclosing budget resumes when this one is dropped.
    pub fn begin() -> Counter {
        Counter { outer: ELEMENTS_LEFT.replace(MAX_ELEMENTS), span_parts: 0 }
    }

    /// Returns the error of a failed construction: the limit if it was exceeded, `kind` otherwise.
    pub fn explain(&self, kind: impl Into<JsonErrorKind>) -> JsonErrorKind {
        match ELEMENTS_LEFT.get() {
            0 => JsonErrorKind::TooManyElements { limit: MAX_ELEMENTS },
            _ => kind.into(),
        }
    }

    /// Counts parts of a span sequence.
    ///
    /// # Errors
    /// Fails beyond [`MAX_SPAN_PARTS`].
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

/// Parses a dtype in the spelling in which it is saved.
pub fn dtype(text: &str) -> Option<DataType> {
    let dtype: DataType = text.parse().ok()?;
    let is_plain = text.is_empty() || dtype.to_string() == text;
    (is_plain && dtype.is_valid()).then_some(dtype)
}
