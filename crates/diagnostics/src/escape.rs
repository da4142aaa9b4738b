//! Escaping of untrusted text for display.
//!
//! Sources, names and file names may contain terminal control characters and bidirectional marks. Diagnostics show
//! them as escapes (`\x1b`, `\u{202e}`) and quote at most 200 characters of a literal or name.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// Maximum number of characters that a message quotes of one literal or name.
pub(crate) const MAX_QUOTED_CHARS: usize = 200;
/// Maximum number of characters of a message.
const MAX_MESSAGE_CHARS: usize = 4000;

/// Tests whether a character controls a terminal, or reorders or hides text.
fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => true,
        '\u{061c}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        c => c.is_control(),
    }
}

fn push_escaped(c: char, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match c as u32 {
        code @ ..=0xff => write!(out, "\\x{code:02x}"),
        code => write!(out, "\\u{{{code:x}}}"),
    };
}

/// Returns the text with unsafe characters escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) { push_escaped(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Returns the name of a file or function on one line: [`visible`], with line breaks escaped too.
pub fn name(text: &str) -> Cow<'_, str> {
    match visible(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\t']) => Cow::Borrowed(text),
        text => Cow::Owned(text.replace('\n', "\\n").replace('\t', "\\t")),
    }
}

/// A source text with unsafe characters escaped, and the map of byte offsets to it.
pub(crate) struct VisibleSource<'a> {
    /// The escaped text.
    pub(crate) text: Cow<'a, str>,
    /// Start offsets in the original text with the shift that applies from there, in ascending order.
    shifts: Vec<(usize, usize)>,
}

impl<'a> VisibleSource<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        if !text.contains(is_unsafe) {
            return VisibleSource { text: Cow::Borrowed(text), shifts: Vec::new() };
        }
        let mut out = String::with_capacity(text.len() + 16);
        let mut shifts = Vec::new();
        for (at, c) in text.char_indices() {
            if is_unsafe(c) {
                push_escaped(c, &mut out);
                shifts.push((at + c.len_utf8(), out.len() - at - c.len_utf8()));
            } else {
                out.push(c);
            }
        }
        VisibleSource { text: Cow::Owned(out), shifts }
    }

    /// Maps a range of the original text to the escaped one.
    pub(crate) fn range(&self, range: Range<usize>) -> Range<usize> {
        let moved = |at: usize| {
            let before = self.shifts.partition_point(|(start, _)| *start <= at).checked_sub(1);
            at + before.and_then(|index| self.shifts.get(index)).map_or(0, |(_, shift)| *shift)
        };
        moved(range.start)..moved(range.end)
    }
}

/// Returns a message with unsafe characters escaped and long quotations truncated.
pub fn message(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    if text.len() <= MAX_QUOTED_CHARS {
        return text;
    }
    Cow::Owned(cut_quotations(&text))
}

/// Truncates quotations and words to [`MAX_QUOTED_CHARS`].
fn cut_quotations(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * MAX_MESSAGE_CHARS));
    let mut total = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if total > MAX_MESSAGE_CHARS {
            out.push('…');
            break;
        }
        // The next token: a quotation, a run without white space and quotation marks, or one character.
        let inner = &rest[first.len_utf8()..];
        let quoted = matches!(first, '`' | '\'' | '"').then(|| inner.find(first)).flatten();
        let (piece, next) = match quoted {
            Some(end) => {
                let end = first.len_utf8() + end + first.len_utf8();
                rest.split_at(end)
            }
            None => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '`' | '\'' | '"');
                rest.split_at(inner.find(ends).map_or(rest.len(), |end| first.len_utf8() + end))
            }
        };
        let chars = piece.chars().count();
        if chars > MAX_QUOTED_CHARS + 2 {
            out.extend(piece.chars().take(MAX_QUOTED_CHARS));
            out.push('…');
            if quoted.is_some() {
                out.push(first);
            }
            total += MAX_QUOTED_CHARS;
        } else {
            out.push_str(piece);
            total += chars;
        }
        rest = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_marks_of_direction_are_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{7}\u{202e}\u{85}"), "a\\x1b[31m\\x07\\u{202e}\\x85");
        assert_eq!(visible("plain ä\ttext\n"), "plain ä\ttext\n");
        assert_eq!(name("a\nb"), "a\\nb");
    }

    #[test]
    fn ranges_move_with_the_escapes_before_them() {
        let text = "a\u{1b}b\u{202e}c";
        let shown = VisibleSource::new(text);
        let ranges = [0..1, 1..2, 2..3, 6..7].map(|range| shown.range(range));
        let parts = ranges.map(|range| &shown.text[range]);
        assert_eq!(parts, ["a", "\\x1b", "b", "c"]);
    }

    #[test]
    fn long_quotations_are_cut() {
        let long = "x".repeat(10_000);
        for text in [format!("undefined name `{long}`"), format!("'{long} y' is wrong"), long.clone()] {
            let shown = message(&text);
            assert!(shown.chars().count() < MAX_QUOTED_CHARS + 40, "{shown}");
        }
        let short = format!("no `{}` in `{}`", "a".repeat(150), "b c ".repeat(45));
        assert_eq!(message(&short), short);
        assert!(message(&"word ".repeat(10_000)).chars().count() < MAX_MESSAGE_CHARS + 300);
    }
}
