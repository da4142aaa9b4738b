//! Diagnostics formatted for people.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ariadne::{Cache, CharSet, Color, Config, IndexType, Label, Report as Layout, ReportKind, Source};
use tvmscript_ir_core::diagnostic::{Diagnostic, DiagnosticKind, Severity};

use crate::escape::{self, VisibleSource};
use crate::position::{LineIndex, floor_char_boundary};

/// Longer lines are shortened around the labels.
const MAX_LINE_BYTES: usize = 400;
/// Number of bytes kept of a long line on each side of a label.
const CONTEXT_BYTES: usize = 120;
/// Maximum number of lines shown before and after each label.
const MAX_CONTEXT_LINES: usize = 500;

/// A label on a byte range of one of the texts of a [`Renderer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Index of the text.
    pub text: usize,
    /// Byte range.
    pub range: Range<usize>,
    /// The label; empty if the message says it all.
    pub label: String,
}

/// A diagnostic whose labels are located in texts. The first place is the primary one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Severity.
    pub severity: Severity,
    /// Stable code.
    pub code: &'static str,
    /// Message.
    pub message: String,
    /// Labels.
    pub places: Vec<Place>,
    /// Notes.
    pub notes: Vec<String>,
    /// A suggested fix.
    pub help: Option<String>,
}

impl Located {
    /// A diagnostic without its labels.
    pub fn new<K: DiagnosticKind>(diagnostic: &Diagnostic<K>) -> Located {
        Located {
            severity: diagnostic.severity,
            code: diagnostic.code(),
            message: diagnostic.to_string(),
            places: Vec::new(),
            notes: diagnostic.notes.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

/// Formats diagnostics about a text with excerpts of it. Labels on nodes become notes with the access path; printed
/// text of IR shows them (`MappedText::render` of the docsifier).
pub fn render<K: DiagnosticKind>(
    diagnostics: &[Diagnostic<K>],
    source_name: &str,
    text: &str,
    color: bool,
) -> String {
    let mut renderer = Renderer::new(color);
    let source = renderer.add_text(source_name, text);
    diagnostics.iter().map(|diagnostic| renderer.render(&on_text(diagnostic, source))).collect()
}

/// Locates the labels on ranges of the text.
fn on_text<K: DiagnosticKind>(diagnostic: &Diagnostic<K>, source: usize) -> Located {
    let mut located = Located::new(diagnostic);
    for label in &diagnostic.labels {
        match (label.range(), crate::json::path_of(label)) {
            (Some(range), _) => located.places.push(Place {
                text: source,
                range: range.start as usize..range.end as usize,
                label: label.text.clone(),
            }),
            (None, Some(path)) if label.text.is_empty() => located.notes.push(format!("at {path}")),
            (None, Some(path)) => located.notes.push(format!("{}, at {path}", label.text)),
            (None, None) if label.text.is_empty() => {}
            (None, None) => located.notes.push(label.text.clone()),
        }
    }
    located
}

/// Formats diagnostics about one or several texts. Lines and columns count from 1, columns in Unicode scalar values.
/// Long lines are shortened and control characters escaped.
pub struct Renderer<'a> {
    texts: Vec<Text<'a>>,
    color: bool,
    context_lines: usize,
}

struct Text<'a> {
    name: String,
    lines: LineIndex<'a>,
    original: &'a str,
}

/// The lines of a text that a diagnostic shows, escaped and shortened.
struct Excerpt {
    text: usize,
    source: Source<String>,
}

impl<'a> Renderer<'a> {
    /// A renderer without texts.
    pub fn new(color: bool) -> Renderer<'a> {
        Renderer { texts: Vec::new(), color, context_lines: 0 }
    }

    /// Shows this many lines before and after each label of the primary text.
    #[must_use]
    pub fn with_context_lines(mut self, lines: usize) -> Renderer<'a> {
        self.context_lines = lines.min(MAX_CONTEXT_LINES);
        self
    }

    /// Adds a text and returns its index.
    pub fn add_text(&mut self, name: &str, text: &'a str) -> usize {
        let name = escape::name(name).into_owned();
        self.texts.push(Text { name, lines: LineIndex::new(text), original: text });
        self.texts.len() - 1
    }

    /// Formats a diagnostic. Places in texts that were not added are left out.
    pub fn render(&self, located: &Located) -> String {
        // The texts in use, the primary one first, each with its places.
        let mut used: Vec<(usize, Vec<&Place>)> = Vec::new();
        for place in located.places.iter().filter(|place| place.text < self.texts.len()) {
            match used.iter_mut().find(|(text, _)| *text == place.text) {
                Some((_, places)) => places.push(place),
                None => used.push((place.text, vec![place])),
            }
        }
        let mut cache = Shown { texts: &self.texts, excerpts: Vec::new() };
        let mut marks: Vec<ShownRange<'_>> = Vec::new();
        let mut headers: Vec<(String, String)> = Vec::new();
        for (text_index, places) in &used {
            let Some(text) = self.texts.get(*text_index) else { continue };
            let is_primary_text = used.first().is_some_and(|(primary, _)| primary == text_index);
            let context_lines = if is_primary_text { self.context_lines } else { 0 };
            let originals: Vec<_> =
                places.iter().map(|place| within(text.original, place.range.clone())).collect();
            let (first_line, shown) = text.lines.lines_around(&originals, context_lines);
            let moved = |range: &Range<usize>| range.start - shown.start..range.end - shown.start;
            let mut ranges: Vec<Range<usize>> = originals.iter().map(moved).collect();
            // Shortened first: what is left out of a long line is not escaped for each of its diagnostics.
            let mut excerpt = Cow::Borrowed(&text.original[shown]);
            if let Some((short, moved)) = shorten(&excerpt, &ranges) {
                (excerpt, ranges) = (Cow::Owned(short), moved);
            }
            let visible = VisibleSource::new(&excerpt);
            ranges.iter_mut().for_each(|range| *range = visible.range(range.clone()));
            let mut excerpt = visible.text.into_owned();
            let start = |ranges: &[Range<usize>]| {
                // The header of the primary text shows the primary label, that of another one its first label.
                let first =
                    if is_primary_text { ranges.first() } else { ranges.iter().min_by_key(|r| r.start) };
                first.map_or(0, |range| range.start)
            };
            // Lines before the excerpt are empty, so that ariadne numbers the lines as the text does.
            excerpt.insert_str(0, &"\n".repeat(first_line));
            ranges.iter_mut().for_each(|range| *range = range.start + first_line..range.end + first_line);
            let shown = LineIndex::new(&excerpt).position(start(&ranges));
            marks.extend(context(&excerpt, &ranges, context_lines).map(|start| ShownRange {
                text: *text_index,
                range: start..start,
                label: None,
            }));
            cache.excerpts.push(Excerpt { text: *text_index, source: Source::from(excerpt) });
            // The header shows the position in the original text, not in the escaped one.
            let real = text.lines.position(start(&originals));
            if (shown.line, shown.column) != (real.line, real.column) {
                let header = |line, column| format!("{}:{line}:{column} ", text.name);
                headers.push((header(shown.line, shown.column), header(real.line, real.column)));
            }
            for (index, (place, range)) in places.iter().zip(ranges).enumerate() {
                let label = Some((is_primary_text && index == 0, place.label.as_str()));
                marks.push(ShownRange { text: *text_index, range, label });
            }
        }
        let mut out = Vec::new();
        self.write(located, marks, &mut cache, &mut out);
        let mut report = String::from_utf8_lossy(&out).into_owned();
        if !self.color {
            // ariadne colours the names of its custom kinds always. The texts themselves contain no escape sequences.
            report = without_escapes(&report);
        }
        for (shown, real) in headers {
            report = report.replacen(&shown, &real, 1);
        }
        if used.is_empty() {
            // ariadne leaves out the notes of a report without labels.
            let notes = located.notes.iter().map(|note| ("Note", note));
            for (kind, text) in notes.chain(located.help.iter().map(|help| ("Help", help))) {
                report.push_str(&format!("    {kind}: {}\n", escape::message(text)));
            }
        }
        report
    }

    fn write(
        &self,
        located: &Located,
        mut marks: Vec<ShownRange<'_>>,
        cache: &mut Shown<'_>,
        out: &mut Vec<u8>,
    ) {
        let config = Config::default()
            .with_color(self.color)
            .with_index_type(IndexType::Byte)
            .with_char_set(CharSet::Unicode);
        let (kind, marked) = match located.severity {
            Severity::Error => (ReportKind::Error, Color::Red),
            Severity::Warning => (ReportKind::Warning, Color::Yellow),
            Severity::Note => (ReportKind::Custom("Note", Color::Blue), Color::Blue),
            Severity::Help => (ReportKind::Custom("Help", Color::Green), Color::Green),
        };
        let primary = marks.iter().find(|mark| mark.label.is_some_and(|(is_primary, _)| is_primary));
        let (text, range) = primary.map_or((0, 0..0), |mark| (mark.text, mark.range.clone()));
        let mut report = Layout::build(kind, (text, range))
            .with_config(config)
            .with_code(located.code)
            .with_message(escape::message(&located.message));
        // In text order, so that ariadne puts them into one excerpt.
        marks.sort_by_key(|mark| (mark.text != text, mark.text, mark.range.start));
        for mark in marks {
            let mut shown = Label::new((mark.text, mark.range));
            if let Some((is_primary, label)) = mark.label {
                let color = if is_primary { marked } else { Color::Blue };
                // Some layouts do not mark a label without text: "here" is the default.
                let label = escape::message(if label.is_empty() { "here" } else { label });
                shown = shown.with_message(label).with_color(color);
            }
            report = report.with_label(shown);
        }
        report.with_notes(located.notes.iter().map(|note| escape::message(note)));
        if let Some(help) = &located.help {
            report.set_help(escape::message(help));
        }
        // Writing to a vector does not fail.
        let _ = report.finish().write(cache, out);
    }
}

/// The text without the escape sequences of colours.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// A mark in a shown text: a label, `true` if it is the primary one, or a line of context.
struct ShownRange<'a> {
    text: usize,
    range: Range<usize>,
    label: Option<(bool, &'a str)>,
}

/// The texts as one diagnostic shows them.
struct Shown<'a> {
    texts: &'a [Text<'a>],
    excerpts: Vec<Excerpt>,
}

impl Cache<usize> for Shown<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &usize) -> Result<&Source<String>, impl fmt::Debug> {
        let excerpt = self.excerpts.iter().find(|excerpt| excerpt.text == *id);
        excerpt.map(|excerpt| &excerpt.source).ok_or("no such text")
    }

    fn display<'a>(&self, id: &'a usize) -> Option<impl fmt::Display + 'a> {
        self.texts.get(*id).map(|text| text.name.clone())
    }
}

/// The starts of the lines around the ranges.
fn context(text: &str, ranges: &[Range<usize>], lines: usize) -> impl Iterator<Item = usize> + use<> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line_of = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let mut wanted: Vec<usize> = Vec::new();
    for range in ranges {
        let (first, last) = (line_of(range.start), line_of(range.end.saturating_sub(1).max(range.start)));
        wanted.extend(first.saturating_sub(lines)..first);
        wanted.extend(last + 1..(last + 1 + lines).min(starts.len()));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let end = text.len();
    wanted.into_iter().filter_map(move |line| starts.get(line).copied()).filter(move |start| *start < end)
}

/// Clamps a range to the text.
fn within(text: &str, range: Range<usize>) -> Range<usize> {
    let start = floor_char_boundary(text, range.start);
    start..floor_char_boundary(text, range.end).max(start)
}

/// Shortens long lines around the ranges and maps the ranges to the result; `None` if no line is long.
fn shorten(text: &str, ranges: &[Range<usize>]) -> Option<(String, Vec<Range<usize>>)> {
    let line_of = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        start..text[at..].find('\n').map_or(text.len(), |end| at + end)
    };
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        for line in [line_of(range.start), line_of(range.end)] {
            if line.len() <= MAX_LINE_BYTES {
                continue;
            }
            // Kept parts: around both ends of each range in the line.
            let mut kept: Vec<Range<usize>> = ranges
                .iter()
                .flat_map(|r| [r.start, r.end])
                .filter(|at| line.start <= *at && *at <= line.end)
                .map(|at| {
                    let start = at.saturating_sub(CONTEXT_BYTES).max(line.start);
                    within(text, start..(at + CONTEXT_BYTES).min(line.end))
                })
                .collect();
            kept.sort_by_key(|r| r.start);
            let mut at = line.start;
            for part in kept {
                if part.start > at + 8 {
                    cuts.push(at..part.start);
                }
                at = at.max(part.end);
            }
            if line.end > at + 8 {
                cuts.push(at..line.end);
            }
        }
    }
    if cuts.is_empty() {
        return None;
    }
    cuts.sort_by_key(|r| r.start);
    cuts.dedup();
    let mark = " … ";
    let mut short = String::new();
    let mut at = 0;
    for cut in &cuts {
        if cut.start >= at {
            short.push_str(&text[at..cut.start]);
            short.push_str(mark);
            at = cut.end;
        }
    }
    short.push_str(&text[at..]);
    let moved = |place: usize| {
        let before = cuts.iter().filter(|cut| cut.end <= place);
        before.fold(place, |at, cut| at - cut.len() + mark.len())
    };
    Some((short, ranges.iter().map(|r| moved(r.start)..moved(r.end)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of an error at a range of a text.
    fn shown(text: &str, range: Range<usize>) -> String {
        let mut renderer = Renderer::new(false);
        let source = renderer.add_text("a.py", text);
        renderer.render(&Located {
            severity: Severity::Error,
            code: "E0201",
            message: "undefined name".to_owned(),
            places: vec![Place { text: source, range, label: String::new() }],
            notes: Vec::new(),
            help: None,
        })
    }

    #[test]
    fn a_long_line_is_shortened_around_the_label_and_escaped() {
        let text = format!("{}\u{7}, name, \u{1b}{}\n", "a, ".repeat(1000), "b, ".repeat(1000));
        let start = text.find("name").unwrap_or_default();
        let report = shown(&text, start..start + 4);
        assert!(report.contains(&format!("a.py:1:{}", start + 1)), "{report}");
        assert!(report.contains("a, \\x07, name, \\x1bb, b"), "{report}");
        let lines: Vec<&str> = report.lines().collect();
        let (line, mark) = (lines[3], lines[4]);
        let column = |text: &str, of: &str| text.find(of).map(|at| text[..at].chars().count());
        assert_eq!(column(line, "name"), column(mark, "─"), "{report}");
        assert!(line.chars().count() < 300, "{report}");
    }

    #[test]
    fn lines_are_numbered_as_in_the_text() {
        let text = format!("{}name\n", "x = 1\n".repeat(99));
        let start = text.len() - 5;
        let report = shown(&text, start..start + 4);
        assert!(report.contains("a.py:100:1") && report.contains("100 │ name"), "{report}");
    }
}
