//! Line numbers, underlines, and selection of the lines around them.
//!
//! Upstream counterpart: `DecorateText` in `src/script/printer/doc_printer/base_doc_printer.cc`. Unlike upstream, the
//! blank line after a function is numbered, and carets are as wide as the characters above them.

use std::fmt::Write;
use std::ops::Range;

use tvmscript_ir_core::fallible;
use unicode_width::UnicodeWidthChar;

use crate::element::push_spaces;

/// The decorations to add.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decoration {
    /// `true` to number the lines.
    pub(crate) line_numbers: bool,
    /// Number of lines to keep around each underlined one; `None` keeps all.
    pub(crate) context_lines: Option<u32>,
}

/// Text size from which on memory for the decorated text is reserved at once.
const LARGE_BYTES: usize = 16 << 20;

/// Fewer lines than this are printed instead of being cut out.
const MIN_LINES_CUT: usize = 2;

/// Decorates `text`. `underlines` must be sorted and disjoint. Returns `None` if memory runs out.
pub(crate) fn decorate(text: &str, underlines: &[Range<usize>], decoration: Decoration) -> Option<String> {
    let lines = Lines::new(text, decoration.line_numbers)?;
    // Each line adds its number, its newline, and possibly a line of carets.
    let carets = match underlines.is_empty() {
        true => 0,
        false => text.len() + lines.count() * (lines.number_columns + 1),
    };
    let longest = text.len() + lines.count() * (lines.number_columns + 1) + carets;
    let mut out = String::new();
    if longest >= LARGE_BYTES {
        fallible::attempt(|| out.try_reserve_exact(longest)).ok()?;
    }
    let mut underlines = underlines;
    let mut done = 0;
    for chunk in chunks(&lines, underlines, decoration.context_lines) {
        push_cut(&mut out, chunk.start - done);
        lines.push_chunk(&mut out, chunk.clone(), &mut underlines);
        done = chunk.end;
    }
    push_cut(&mut out, lines.count() - done);
    Some(out)
}

/// The ranges of lines to print.
fn chunks(lines: &Lines<'_>, underlines: &[Range<usize>], context: Option<u32>) -> Vec<Range<usize>> {
    let count = lines.count();
    let context = context.map_or(usize::MAX, |context| context as usize);
    if underlines.is_empty() || context >= count {
        return std::iter::once(0..count).collect();
    }
    let mut chunks: Vec<Range<usize>> = Vec::new();
    for underline in underlines {
        let first = lines.line_of(underline.start).saturating_sub(context);
        let end = (lines.line_of(underline.end - 1) + 1).saturating_add(context).min(count);
        match chunks.last_mut() {
            Some(last) if first < last.end + MIN_LINES_CUT => last.end = last.end.max(end),
            _ => chunks.push(first..end),
        }
    }
    if let Some(first) = chunks.first_mut().filter(|chunk| chunk.start < MIN_LINES_CUT) {
        first.start = 0;
    }
    if let Some(last) = chunks.last_mut().filter(|chunk| count - chunk.end < MIN_LINES_CUT) {
        last.end = count;
    }
    chunks
}

fn push_cut(out: &mut String, skipped: usize) {
    if skipped > 0 {
        let _ = writeln!(out, "(... {skipped} lines skipped ...)");
    }
}

/// A text with the offsets of its lines.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    number_columns: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, numbered: bool) -> Option<Self> {
        let mut starts = Vec::new();
        for start in [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)) {
            if !fallible::push(&mut starts, start) {
                return None;
            }
        }
        let number_columns = if numbered { starts.len().to_string().len() + 1 } else { 0 };
        Some(Self { text, starts, number_columns })
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The byte range of a line without its newline.
    fn range(&self, line: usize) -> Range<usize> {
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        self.starts.get(line).map_or(end, |start| *start)..end
    }

    /// Appends lines with their underlines, which are consumed from `underlines`.
    fn push_chunk(&self, out: &mut String, chunk: Range<usize>, underlines: &mut &[Range<usize>]) {
        for line in chunk {
            let range = self.range(line);
            if self.number_columns > 0 {
                let _ = write!(out, "{:>width$} ", line + 1, width = self.number_columns - 1);
            }
            out.push_str(&self.text[range.clone()]);
            out.push('\n');
            self.push_carets(out, range, underlines);
        }
    }

    fn push_carets(&self, out: &mut String, line: Range<usize>, underlines: &mut &[Range<usize>]) {
        let before = out.len();
        // Column of the text and of the carets, which are ahead after zero-width characters.
        let (mut at, mut text_column, mut column) = (line.start, 0, 0);
        while let Some(underline) = underlines.first().filter(|underline| underline.start < line.end) {
            if out.len() == before {
                push_spaces(out, self.number_columns);
            }
            let (start, end) = (underline.start.max(line.start), underline.end.min(line.end));
            for c in self.text[at..start].chars() {
                let width = c.width().unwrap_or(0);
                text_column += width;
                if c == '\t' {
                    out.push(c);
                } else if text_column > column {
                    push_spaces(out, text_column - column);
                    column = text_column;
                }
            }
            let width: usize = self.text[start..end].chars().map(|c| c.width().unwrap_or(0)).sum();
            text_column += width;
            let mut carets = text_column.saturating_sub(column);
            if width == 0 && column == text_column {
                carets = 1;
            }
            column += carets;
            out.extend(std::iter::repeat_n('^', carets));
            at = end;
            if underline.end > line.end {
                break;
            }
            *underlines = underlines.get(1..).unwrap_or_default();
        }
        if out.len() > before {
            out.push('\n');
        }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // lists of ranges, some of one
mod tests {
    use super::*;

    fn show(text: &str, underlines: &[Range<usize>], context: Option<u32>, numbers: bool) -> String {
        decorate(text, underlines, Decoration { line_numbers: numbers, context_lines: context }).unwrap()
    }

    #[test]
    fn carets_stand_under_what_is_displayed() {
        assert_eq!(show("x = né + 世界", &[4..7, 10..16], None, false), "x = né + 世界\n    ^^   ^^^^\n");
        assert_eq!(show("a\u{1}b", &[1..2], None, false), "a\u{1}b\n ^\n");
        assert_eq!(show("a\u{1}b", &[1..3], None, false), "a\u{1}b\n ^\n");
        assert_eq!(show("\tab", &[2..3], None, false), "\tab\n\t ^\n");
    }

    #[test]
    fn an_underline_over_two_lines_continues() {
        assert_eq!(show("abc\ndef\ng", &[1..6], None, true), "1 abc\n   ^^\n2 def\n  ^^\n3 g\n");
    }

    #[test]
    fn short_gaps_are_printed() {
        let text = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9";
        let at = |line: usize| 2 * line..2 * line + 1;
        assert_eq!(
            show(text, &[at(1), at(3)], Some(0), false),
            "0\n1\n^\n2\n3\n^\n(... 6 lines skipped ...)\n"
        );
        assert_eq!(
            show(text, &[at(2), at(5), at(8)], Some(0), false),
            "(... 2 lines skipped ...)\n2\n^\n(... 2 lines skipped ...)\n5\n^\n(... 2 lines skipped ...)\n8\n^\n9\n"
        );
    }
}
