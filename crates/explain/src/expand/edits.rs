//! Replacements in a text.

use std::collections::BTreeMap;
use std::ops::Range;

/// Replacements of ranges of one text. Ranges may be nested; then the outer one counts. Empty ranges insert, in the order
/// in which they are given.
#[derive(Debug, Default)]
pub(crate) struct Edits(BTreeMap<(usize, usize, usize), String>);

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces a range, which may be empty, and everything replaced in it so far.
    pub(crate) fn replace(&mut self, range: Range<usize>, by: String) {
        let mut next = 0;
        if range.is_empty() {
            let before = self.0.range((range.start, range.end, 0)..=(range.start, range.end, usize::MAX));
            next = before.last().map_or(0, |((.., number), _)| number + 1);
        } else {
            let start = (range.start, 0, 0);
            let inner = self.0.range(start..(range.end, 0, 0)).map(|(key, _)| *key);
            // What is inserted at the start stays in front of the replacement.
            let inner =
                inner.filter(|(at, end, _)| *end <= range.end && (*at, *end) != (range.start, range.start));
            for key in inner.collect::<Vec<_>>() {
                self.0.remove(&key);
            }
        }
        self.0.insert((range.start, range.end, next), by);
    }

    /// A part of the text with the replacements in it.
    pub(crate) fn apply(&self, text: &str, part: Range<usize>) -> String {
        let mut out = String::with_capacity(part.len());
        let mut done = part.start;
        let inside = self.0.range((part.start, 0, 0)..=(part.end, part.end, usize::MAX));
        for ((start, end, _), by) in inside {
            if *start < done || *end > part.end {
                continue;
            }
            out.push_str(text.get(done..*start).unwrap_or(""));
            out.push_str(by);
            done = *end;
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
        assert_eq!(edits.apply("f(a, b)", 2..3), "x");
        edits.replace(0..7, "g".to_owned());
        assert_eq!(edits.apply("f(a, b)", 0..7), "g");
    }

    #[test]
    fn insertions_keep_their_order_and_stay_before_a_replacement() {
        let mut edits = Edits::default();
        edits.replace(0..0, "1 ".to_owned());
        edits.replace(0..0, "2 ".to_owned());
        edits.replace(0..1, "x".to_owned());
        edits.replace(1..1, " 3".to_owned());
        assert_eq!(edits.apply("f(a)", 0..4), "1 2 x 3(a)");
    }
}
