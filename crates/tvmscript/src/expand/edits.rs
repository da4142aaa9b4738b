//! Replacements in a text.

use std::ops::Range;

/// Replacements of ranges of one text. Ranges may be nested; then the outer one counts.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces a range, which may be empty, and everything replaced in it so far.
    pub(super) fn replace(&mut self, range: Range<usize>, by: String) {
        if !range.is_empty() {
            self.0
                .retain(|(inner, _)| inner.is_empty() || inner.start < range.start || inner.end > range.end);
        }
        self.0.push((range, by));
    }

    /// A part of the text with the replacements in it.
    pub(super) fn apply(&self, text: &str, part: Range<usize>) -> String {
        let mut edits: Vec<_> =
            self.0.iter().filter(|(at, _)| part.start <= at.start && at.end <= part.end).collect();
        edits.sort_by_key(|(at, _)| (at.start, at.end));
        let mut out = String::with_capacity(part.len());
        let mut done = part.start;
        for (at, by) in edits {
            if at.start < done {
                continue;
            }
            out.push_str(text.get(done..at.start).unwrap_or(""));
            out.push_str(by);
            done = at.end;
        }
        out.push_str(text.get(done..part.end).unwrap_or(""));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Edits;

    #[test]
    fn an_outer_replacement_counts() {
        let mut edits = Edits::default();
        edits.replace(2..3, "x".to_owned());
        edits.replace(5..6, "y".to_owned());
        edits.replace(4..4, "+".to_owned());
        assert_eq!(edits.apply("f(a, b)", 0..7), "f(x,+ y)");
        edits.replace(0..7, "g".to_owned());
        assert_eq!(edits.apply("f(a, b)", 0..7), "g");
    }
}
