//! Spans as text: markers.
//!
//! ```text
//! marker = "@" part { " @" part }                 several parts: a sequence
//! part   = link { " < " link } [ " !output" ]     helper < call of the helper
//! link   = place | "(" marker ")"
//! place  = "?"                                    unknown
//!        | name                                   a source
//!        | name ":" line ":" column [ "-" line ":" column ]
//!        | name "[" first ".." end "]"            bytes of a source whose text is not at hand
//! name   = letters, digits, "_", ".", "/", "+", "-"; or a string in double quotes
//! ```
//!
//! A quoted name escapes quotes, backslashes, and as `\u{..}` every character that is not a letter, digit, space or ASCII
//! punctuation, so no name ends the line or changes its direction.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{SourceId, SourceTexts, Span, SpanKind, SpanMark};

/// Maximum depth of parentheses. Deeper positions are written as unknown.
const MAX_DEPTH: usize = 16;

impl Span {
    /// The span as a marker, such as `@model.py:12:4`, for [`MarkerReader`] to read back.
    ///
    /// A byte range is written as line and column of its first byte if `texts` has its source, else as a byte range.
    /// The reason of a sequence is not written.
    pub fn to_marker(self, texts: &SourceTexts) -> String {
        let mut out = String::new();
        write_marker(&mut out, self, texts, 0);
        out
    }
}

fn write_marker(out: &mut String, span: Span, texts: &SourceTexts, depth: usize) {
    match span.kind() {
        SpanKind::Sequence { spans, .. } => {
            for (at, part) in spans.into_iter().enumerate() {
                out.push_str(if at == 0 { "@" } else { " @" });
                write_part(out, part, texts, depth);
            }
        }
        _ => {
            out.push('@');
            write_part(out, span, texts, depth);
        }
    }
}

fn write_part(out: &mut String, part: Span, texts: &SourceTexts, depth: usize) {
    let (mut at, mark) = match part.kind() {
        SpanKind::Marked { mark, of } => (of, Some(mark)),
        _ => (part, None),
    };
    while let SpanKind::CallSite { callee, caller } = at.kind() {
        write_link(out, callee, texts, depth);
        out.push_str(" < ");
        at = caller;
    }
    write_link(out, at, texts, depth);
    if let Some(mark) = mark {
        out.push_str(" !");
        out.push_str(mark.name());
    }
}

fn write_link(out: &mut String, link: Span, texts: &SourceTexts, depth: usize) {
    // Writing to a string does not fail.
    match link.kind() {
        SpanKind::Unknown => out.push('?'),
        SpanKind::Source { source } => write_name(out, source),
        SpanKind::Range { source, start_bytes, end_bytes } => {
            write_name(out, source);
            let _ = match texts.line_column(source, start_bytes) {
                Some((line, column)) => write!(out, ":{line}:{column}"),
                None => write!(out, "[{start_bytes}..{end_bytes}]"),
            };
        }
        SpanKind::LineColumn { source, line, column, end_line, end_column } => {
            write_name(out, source);
            let _ = write!(out, ":{line}:{column}");
            if (line, column) != (end_line, end_column) {
                let _ = write!(out, "-{end_line}:{end_column}");
            }
        }
        SpanKind::CallSite { .. } | SpanKind::Sequence { .. } | SpanKind::Marked { .. } => {
            if depth == MAX_DEPTH {
                out.push('?');
                return;
            }
            out.push('(');
            write_marker(out, link, texts, depth + 1);
            out.push(')');
        }
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-')
}

fn write_name(out: &mut String, source: SourceId) {
    let name = source.name();
    if !name.is_empty() && name.chars().all(is_plain) {
        out.push_str(&name);
        return;
    }
    out.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' ' | '!'..='~' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            _ => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    out.push('"');
}

/// Reads markers, and opens the sources that they name.
///
/// ```
/// use tvmscript_ir_core::{SourceTexts, span::{MarkerReader, SpanMark}};
///
/// let mut reader = MarkerReader::default();
/// let span = reader.read("@helper.py:3:5 < model.py:12:4 @resnet.conv1 !output").unwrap();
/// assert!(span.has_mark(SpanMark::Output) && span.part_count() == 2);
/// assert_eq!(span.to_marker(&SourceTexts::new()), "@helper.py:3:5 < model.py:12:4 @resnet.conv1 !output");
/// assert_eq!(reader.read("@param x the input"), None);
/// reader.into_sources().into_iter().for_each(|source| source.release());
/// ```
#[derive(Debug, Default)]
pub struct MarkerReader {
    sources: HashMap<String, SourceId>,
}

impl MarkerReader {
    /// The span of a marker; `None` if the text is not a marker.
    pub fn read(&mut self, text: &str) -> Option<Span> {
        // The sources of a text that is not a marker are not opened.
        let mut check = Scan { rest: text, sources: None };
        check.marker(0)?;
        if !check.rest.is_empty() {
            return None;
        }
        Scan { rest: text, sources: Some(&mut self.sources) }.marker(0)
    }

    /// The sources of all spans so far, each opened once ([`SourceId::new`]), for the caller to release.
    pub fn into_sources(self) -> Vec<SourceId> {
        self.sources.into_values().collect()
    }
}

/// The rest of a marker. Without sources only the form is checked, and all spans are unknown.
struct Scan<'a> {
    rest: &'a str,
    sources: Option<&'a mut HashMap<String, SourceId>>,
}

impl Scan<'_> {
    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn marker(&mut self, depth: usize) -> Option<Span> {
        self.eat("@")?;
        let mut parts = vec![self.part(depth)?];
        while self.eat(" @").is_some() {
            parts.push(self.part(depth)?);
        }
        Some(Span::sequence(parts, ""))
    }

    fn part(&mut self, depth: usize) -> Option<Span> {
        let mut links = vec![self.link(depth)?];
        while self.eat(" < ").is_some() {
            links.push(self.link(depth)?);
        }
        let chain = links.into_iter().rev().reduce(|caller, callee| Span::call_site(callee, caller))?;
        if self.eat(" !").is_none() {
            return Some(chain);
        }
        let mark = SpanMark::ALL.into_iter().find(|mark| self.eat(mark.name()).is_some())?;
        Some(chain.with_mark(mark))
    }

    fn link(&mut self, depth: usize) -> Option<Span> {
        if self.eat("(").is_some() {
            let inner = if depth < MAX_DEPTH { self.marker(depth + 1)? } else { return None };
            self.eat(")")?;
            return Some(inner);
        }
        if self.eat("?").is_some() {
            return Some(Span::UNKNOWN);
        }
        let name = self.name()?;
        let source = self.sources.as_deref_mut().map(|sources| match sources.get(&name) {
            Some(source) => *source,
            None => *sources.entry(name).or_insert_with_key(|name| SourceId::new(name)),
        });
        let make = |kind: &dyn Fn(SourceId) -> SpanKind| {
            Some(source.map_or(Span::UNKNOWN, |source| Span::new(kind(source))))
        };
        if self.eat("[").is_some() {
            let start_bytes = self.number()?;
            self.eat("..")?;
            let end_bytes = self.number().filter(|end| *end >= start_bytes)?;
            self.eat("]")?;
            return make(&|source| SpanKind::Range { source, start_bytes, end_bytes });
        }
        if self.eat(":").is_none() {
            return make(&|source| SpanKind::Source { source });
        }
        let (line, column) = self.line_column()?;
        let (end_line, end_column) = match self.eat("-") {
            Some(()) => self.line_column()?,
            None => (line, column),
        };
        make(&|source| SpanKind::LineColumn { source, line, column, end_line, end_column })
    }

    fn line_column(&mut self) -> Option<(u32, u32)> {
        let line = self.number()?;
        self.eat(":")?;
        Some((line, self.number()?))
    }

    fn number(&mut self) -> Option<u32> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        // One spelling per number, so that reading and writing a marker gives the same bytes.
        if digits.len() > 1 && digits.starts_with('0') { None } else { digits.parse().ok() }
    }

    fn name(&mut self) -> Option<String> {
        if self.eat("\"").is_none() {
            let end = self.rest.find(|c| !is_plain(c)).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest;
            return (!name.is_empty()).then(|| name.to_owned());
        }
        let mut name = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = self.rest.get(at + 1..)?;
                    return Some(name);
                }
                '\\' => match chars.next()?.1 {
                    'u' => {
                        let hex: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                        name.push(char::from_u32(u32::from_str_radix(hex.strip_prefix('{')?, 16).ok()?)?);
                    }
                    c @ ('"' | '\\') => name.push(c),
                    _ => return None,
                },
                c => name.push(c),
            }
        }
        None
    }
}
