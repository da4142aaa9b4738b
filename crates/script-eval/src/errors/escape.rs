//! Text of unknown origin, made safe to show.
//!
//! Sources, names and file names may hold control characters that drive a terminal, and marks that reorder what is shown
//! after them. Diagnostics show each as an escape (`\x1b`, `\u{202e}`), and quote at most [`MAX_QUOTED_CHARS`] characters
//! of a literal or name.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// The most characters that a message quotes of one literal or name.
pub const MAX_QUOTED_CHARS: usize = 200;
/// The most characters of a whole message.
const MAX_MESSAGE_CHARS: usize = 4000;

/// Whether a character is shown as an escape: it controls a terminal, or reorders or hides text.
fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => true,
        '\u{061c}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        c => c.is_control(),
    }
}

/// The escape of a character.
fn push_escaped(c: char, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match c as u32 {
        code @ ..=0xff => write!(out, "\\x{code:02x}"),
        code => write!(out, "\\u{{{code:x}}}"),
    };
}

/// The text with unsafe characters as escapes.
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

/// A name of a file or function on one line: as [`visible`], line ends included.
pub fn name(text: &str) -> Cow<'_, str> {
    match visible(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\t']) => Cow::Borrowed(text),
        text => Cow::Owned(text.replace('\n', "\\n").replace('\t', "\\t")),
    }
}

/// A source text as [`visible`] has it, and where its bytes are in the result.
pub(super) struct VisibleSource<'a> {
    /// The text to show.
    pub(super) text: Cow<'a, str>,
    /// How far text is shifted from each offset on, in order.
    shifts: Vec<(usize, usize)>,
}

impl<'a> VisibleSource<'a> {
    /// Escapes a whole text.
    pub(super) fn new(text: &'a str) -> Self {
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

    /// A range of the text in the text to show.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let moved = |at: usize| match self.shifts.partition_point(|(start, _)| *start <= at) {
            0 => at,
            index => at + self.shifts[index - 1].1,
        };
        moved(range.start)..moved(range.end)
    }
}

/// A message with unsafe characters as escapes and long quotations cut.
pub fn message(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    if text.len() <= MAX_QUOTED_CHARS {
        return text;
    }
    Cow::Owned(cut_quotations(&text))
}

/// Cuts what stands between quotation marks, and words, to [`MAX_QUOTED_CHARS`].
fn cut_quotations(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * MAX_MESSAGE_CHARS));
    let mut total = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if total > MAX_MESSAGE_CHARS {
            out.push('…');
            break;
        }
        // A quotation, else a run without spaces and quotation marks, else one character.
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
