//! Logical lines parsed one by one.
//!
//! Once a piece of text has an error, each of its lines is tried on its own, in a frame that supplies what the
//! grammar wants around it (a body behind a header, an `if` before an `else`). So all lines at fault are found in
//! one pass over the piece, and the piece itself is parsed again only to find errors of its structure.

use super::{Backend, Failure};
use crate::prescan::{Head, LogicalLine};

/// Tries logical lines; keeps its buffer.
pub(super) struct Isolated {
    backend: Backend,
    buffer: String,
}

impl Isolated {
    pub(super) fn new(backend: Backend) -> Self {
        Isolated { backend, buffer: String::new() }
    }

    /// The error of a line that parses nowhere, in positions relative to the start of the line.
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

/// Whether a line can be told right from wrong on its own.
pub(super) fn can_stand_alone(line: &LogicalLine) -> bool {
    !(line.head == Head::MatchOrCase && line.opens_block)
}
