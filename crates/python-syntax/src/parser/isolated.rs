//! Parsing of single logical lines.
//!
//! After an error in a piece, each of its lines is parsed on its own, inside a frame that completes it (a body after
//! a header, an `if` before an `else`). One pass thus finds all invalid lines; the whole piece is parsed again only
//! to find structural errors.

use super::{Backend, Failure};
use crate::prescan::{Head, LogicalLine};

/// Parses single lines; reuses its buffer.
pub(super) struct Isolated {
    backend: Backend,
    buffer: String,
}

impl Isolated {
    pub(super) fn new(backend: Backend) -> Self {
        Isolated { backend, buffer: String::new() }
    }

    /// Parses a line. Positions of the error are relative to the start of the line.
    pub(super) fn check(&mut self, text: &str, line: &LogicalLine) -> Result<(), Failure> {
        let (before, after) = frame(line);
        self.buffer.clear();
        self.buffer.push_str(before);
        self.buffer.push_str(text.get(line.start as usize..line.end as usize).unwrap_or_default());
        self.buffer.push_str(after);
        self.backend.check(&self.buffer).map_err(|failure| {
            let shift = before.len() as u32;
            let limit = line.end - line.start;
            Failure {
                start: failure.start.saturating_sub(shift).min(limit),
                end: failure.end.map(|end| end.saturating_sub(shift).min(limit)),
                ..failure
            }
        })
    }
}

fn frame(line: &LogicalLine) -> (&'static str, &'static str) {
    let body = if line.opens_block { " pass\n" } else { "\n" };
    match line.head {
        Head::Elif | Head::Else => ("if a: pass\n", body),
        Head::Except | Head::Finally => ("try: pass\n", body),
        Head::Try if line.opens_block => ("", " pass\nfinally: pass\n"),
        Head::Decorator => ("", "\ndef a(): pass\n"),
        _ => ("", body),
    }
}

/// Returns `true` if a line can be validated on its own.
pub(super) fn can_stand_alone(line: &LogicalLine) -> bool {
    !(line.head == Head::MatchOrCase && line.opens_block)
}
