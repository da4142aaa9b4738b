//! Errors formatted for people.

use std::ops::Range;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};

use super::escape::{self, VisibleSource};
use super::position::floor_char_boundary;
use super::{LineIndex, ParseError, Severity};

/// Longer lines are shortened around the labels.
const MAX_LINE_BYTES: usize = 400;
/// Number of bytes kept of a long line on each side of a label.
const CONTEXT_BYTES: usize = 120;

/// Formats errors with excerpts of the source. Lines and columns count from 1, columns in Unicode scalar values. Long
/// lines are shortened and control characters escaped.
pub fn render(errors: &[ParseError], source_name: &str, text: &str, color: bool) -> String {
    let mut out = Vec::new();
    let source_name = &*escape::name(source_name);
    let lines = LineIndex::new(text);
    let visible = VisibleSource::new(text);
    let shown_lines = LineIndex::new(&visible.text);
    let whole = Source::from(visible.text.to_string());
    for error in errors {
        let ranges = error.labels.iter().map(|l| visible.range(within(text, l.range.to_usize())));
        let ranges: Vec<Range<usize>> = ranges.collect();
        let start = ranges.first().map_or(0, |range| range.start);
        let mut report = Vec::new();
        let shown = match shorten(&visible.text, &ranges) {
            None => {
                write(error, &ranges, source_name, &whole, color, &mut report);
                shown_lines.position(start)
            }
            Some((short, moved)) => {
                write(error, &moved, source_name, &Source::from(short.clone()), color, &mut report);
                LineIndex::new(&short).position(moved.first().map_or(0, |range| range.start))
            }
        };
        // The header shows the position in the original text, not in the escaped one.
        let real = lines.position(error.range().start as usize);
        if shown == real {
            out.extend_from_slice(&report);
        } else {
            let header = |line, column| format!("{source_name}:{line}:{column} ");
            let report = String::from_utf8_lossy(&report);
            let report =
                report.replacen(&header(shown.line, shown.column), &header(real.line, real.column), 1);
            out.extend_from_slice(report.as_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
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

fn write(
    error: &ParseError,
    ranges: &[Range<usize>],
    source_name: &str,
    source: &Source<String>,
    color: bool,
    out: &mut Vec<u8>,
) {
    let primary = ranges.first().cloned().unwrap_or(0..0);
    let config =
        Config::default().with_color(color).with_index_type(IndexType::Byte).with_char_set(CharSet::Unicode);
    let (kind, marked) = match error.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Note => (ReportKind::Custom("Note", Color::Blue), Color::Blue),
    };
    let mut report = Report::build(kind, (source_name, primary))
        .with_config(config)
        .with_code(error.kind.code())
        .with_message(escape::message(&error.kind.to_string()));
    // In text order, so that ariadne puts them into one excerpt.
    let mut labels: Vec<_> = error.labels.iter().zip(ranges).enumerate().collect();
    labels.sort_by_key(|(_, (_, range))| range.start);
    for (index, (label, range)) in labels {
        let color = if index == 0 { marked } else { Color::Blue };
        // Some layouts do not mark a label without text: "here" is the default.
        let text = escape::message(if label.text.is_empty() { "here" } else { &label.text });
        let shown = Label::new((source_name, range.clone()));
        report = report.with_label(shown.with_message(text).with_color(color));
    }
    report.with_notes(error.notes.iter().map(|note| escape::message(note)));
    if let Some(help) = &error.help {
        report.set_help(escape::message(help));
    }
    // Writing to a vector does not fail.
    let _ = report.finish().write((source_name, source), out);
}
