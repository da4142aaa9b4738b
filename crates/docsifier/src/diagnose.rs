//! Diagnostics about nodes, located in printed text.
//!
//! A label on a node or path is underlined where the node is printed. A part without text is underlined at its nearest
//! printed ancestor, and the label names the part. If the node has a span, the source line that it comes from is shown
//! as well.

use std::borrow::Cow;
use std::ops::Range;

use tvmscript_diagnostics::{Anchor, Diagnostic, DiagnosticKind, LineIndex, Located, Place, Renderer};
use tvmscript_ir_core::{AccessPath, Object, Registry, Span, SpanKind};

use crate::config::PrinterConfig;
use crate::error::DocsifyResult;
use crate::mapped::{MappedText, Unprinted, print_mapped};
use crate::messages::path_to;

/// Maximum number of places shown for one label.
const MAX_PLACES: usize = 4;
/// Maximum depth of call sites and sequences that is followed for one span.
const MAX_SPANS: usize = 8;

/// Texts of the sources that spans refer to.
pub trait SourceTexts {
    /// The text of the source of this name, if it is known.
    fn source_text(&self, name: &str) -> Option<Cow<'_, str>>;
}

/// No texts: sources are named in notes.
impl SourceTexts for () {
    fn source_text(&self, _: &str) -> Option<Cow<'_, str>> {
        None
    }
}

/// Texts by name.
impl<const N: usize> SourceTexts for [(&str, &str); N] {
    fn source_text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.iter().find(|(known, _)| *known == name).map(|(_, text)| Cow::Borrowed(*text))
    }
}

/// Texts of files that are named as spans name them.
#[derive(Debug, Clone, Copy)]
pub struct SourceFiles {
    /// Larger files are not read.
    pub max_bytes: u64,
}

impl SourceTexts for SourceFiles {
    fn source_text(&self, name: &str) -> Option<Cow<'_, str>> {
        let about = std::fs::metadata(name).ok().filter(|about| about.is_file())?;
        (about.len() <= self.max_bytes).then(|| std::fs::read_to_string(name).ok())?.map(Cow::Owned)
    }
}

/// Options of [`MappedText::render`].
pub struct DiagnosticOptions<'a> {
    /// Name of the printed text in headers.
    pub name: &'a str,
    /// Adds colours for a terminal.
    pub color: bool,
    /// Number of lines of printed text shown before and after each label.
    pub context_lines: usize,
    /// Texts of the sources of spans.
    pub sources: &'a dyn SourceTexts,
}

impl Default for DiagnosticOptions<'_> {
    fn default() -> Self {
        DiagnosticOptions { name: "<printed>", color: false, context_lines: 0, sources: &() }
    }
}

/// Prints `root` and formats diagnostics about its parts.
///
/// # Errors
/// As [`crate::print`].
pub fn render_diagnostics<K: DiagnosticKind>(
    root: &Object,
    registry: &Registry,
    diagnostics: &[Diagnostic<K>],
    options: &DiagnosticOptions<'_>,
) -> DocsifyResult<String> {
    Ok(print_mapped(root, registry, &PrinterConfig::default())?.render(diagnostics, options))
}

/// A label in the printed text.
struct InText {
    ranges: Vec<Range<usize>>,
    unprinted: Option<Unprinted>,
    span: Span,
}

/// The label that a source position gets.
#[derive(Clone)]
struct LabelOrigin {
    is_primary: bool,
    text: String,
}

/// A source position with its source's name.
enum Origin {
    Range(String, Range<usize>),
    /// First and last line and column, from 1.
    Lines(String, [(u32, u32); 2]),
    /// A source as a whole.
    Named(String),
}

impl MappedText {
    /// Formats diagnostics about parts of the printed root.
    pub fn render<K: DiagnosticKind>(
        &self,
        diagnostics: &[Diagnostic<K>],
        options: &DiagnosticOptions<'_>,
    ) -> String {
        let located: Vec<(Located, Vec<(LabelOrigin, Origin)>)> =
            diagnostics.iter().map(|diagnostic| self.located(diagnostic)).collect();
        let mut names: Vec<String> = located
            .iter()
            .flat_map(|(_, origins)| origins)
            .filter_map(|(_, origin)| origin.source().map(str::to_owned))
            .collect();
        names.sort_unstable();
        names.dedup();
        let texts: Vec<(&str, Cow<'_, str>)> = names
            .iter()
            .filter_map(|name| Some((name.as_str(), options.sources.source_text(name)?)))
            .collect();
        let mut renderer = Renderer::new(options.color).with_context_lines(options.context_lines);
        renderer.add_text(options.name, self.text());
        for (name, text) in &texts {
            renderer.add_text(name, text);
        }
        let shown = located.into_iter().map(|(mut diagnostic, origins)| {
            for (label, origin) in &origins {
                add_origin(&mut diagnostic, label, origin, &texts);
            }
            renderer.render(&diagnostic)
        });
        shown.collect()
    }

    /// Locates the labels in the printed text, which is text 0, and finds the sources that they come from.
    fn located<K: DiagnosticKind>(
        &self,
        diagnostic: &Diagnostic<K>,
    ) -> (Located, Vec<(LabelOrigin, Origin)>) {
        let mut located = Located::new(diagnostic);
        let mut origins = Vec::new();
        for (index, label) in diagnostic.labels.iter().enumerate() {
            let InText { ranges, unprinted, span } = self.in_text(&label.at);
            let text = label_text(&label.text, unprinted.as_ref());
            if ranges.is_empty() && !text.is_empty() && !span.is_known() {
                located.notes.push(text.clone());
            }
            located.places.extend(ranges.into_iter().map(|range| Place {
                text: 0,
                range,
                label: text.clone(),
            }));
            let mut found = Vec::new();
            collect_origins(span, &mut found);
            let is_primary = index == 0;
            let own = matches!(label.at, Anchor::Span(_)) && !label.text.is_empty();
            let text = match (own, is_primary) {
                (true, _) => label.text.as_str(),
                (false, true) => "it comes from here",
                (false, false) => "this comes from here",
            };
            let label = LabelOrigin { is_primary, text: text.to_owned() };
            origins.extend(found.into_iter().map(|origin| (label.clone(), origin)));
        }
        (located, origins)
    }

    /// The ranges of a part's text that a diagnostic underlines.
    fn in_text(&self, anchor: &Anchor) -> InText {
        let span = anchor.span(self.root());
        let path = match anchor {
            Anchor::Text(range) => {
                let ranges = std::iter::once(range.start as usize..range.end as usize).collect();
                return InText { ranges, unprinted: None, span };
            }
            Anchor::Path { path, .. } => path.clone(),
            Anchor::Node(node) => {
                if let Some(first) = self.ranges_of_node(node).first() {
                    return InText { ranges: vec![self.shown(first.clone())], unprinted: None, span };
                }
                match path_to(self.root(), node) {
                    Some(path) => path,
                    None => return InText { ranges: Vec::new(), unprinted: None, span },
                }
            }
            _ => return InText { ranges: Vec::new(), unprinted: None, span },
        };
        let (ranges, unprinted) = self.locate(&path);
        let mut shown: Vec<Range<usize>> = Vec::new();
        for range in ranges.into_iter().map(|range| self.shown(range)) {
            match shown.last_mut() {
                // Parts on one line are underlined together.
                Some(last) if !self.text()[last.end.min(range.start)..range.start].contains('\n') => {
                    last.end = range.end;
                }
                _ => shown.push(range),
            }
        }
        shown.truncate(MAX_PLACES);
        let span =
            if span.is_known() { span } else { Anchor::Path { path: path.clone(), span }.span(self.root()) };
        InText { ranges: shown, unprinted, span }
    }

    /// The range to underline: of a statement with a body its head.
    fn shown(&self, range: Range<usize>) -> Range<usize> {
        let entry = self.map().entries().iter().find(|entry| entry.range == range && entry.head.is_some());
        let head = entry.and_then(|entry| entry.head.clone());
        head.filter(|_| self.text()[range.clone()].contains('\n')).unwrap_or(range)
    }
}

/// The label with the part that has no text of its own.
fn label_text(text: &str, unprinted: Option<&Unprinted>) -> String {
    let Some(Unprinted { steps, parts_are_printed }) = unprinted else { return text.to_owned() };
    let part = AccessPath { steps: steps.clone() }.to_string();
    let part = part.trim_start_matches("<root>").trim_start_matches('.');
    let what = match parts_are_printed {
        true => format!("in `{part}`"),
        false => format!("in `{part}`, which is not printed"),
    };
    if text.is_empty() { what } else { format!("{text} ({what})") }
}

impl Origin {
    /// The name of a source with lines.
    fn source(&self) -> Option<&str> {
        match self {
            Origin::Range(name, _) | Origin::Lines(name, _) => Some(name),
            Origin::Named(_) => None,
        }
    }

    /// The range in the text of the source.
    fn range(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Origin::Range(_, range) => Some(range.clone()),
            Origin::Lines(_, [start, end]) => {
                let lines = LineIndex::new(text);
                let offset = |(line, column): (u32, u32)| lines.offset(line as usize, column as usize);
                let start = offset(*start)?;
                Some(start..offset(*end).unwrap_or(start).max(start))
            }
            Origin::Named(_) => None,
        }
    }

    /// The position in words.
    fn describe(&self) -> String {
        match self {
            Origin::Range(name, range) => format!("bytes {} to {} of `{name}`", range.start, range.end),
            Origin::Lines(name, [(line, column), _]) => format!("{name}:{line}:{column}"),
            Origin::Named(name) => format!("`{name}`"),
        }
    }
}

/// The positions that a span consists of, innermost first.
fn collect_origins(span: Span, out: &mut Vec<Origin>) {
    let mut open = vec![span];
    let mut seen = 0;
    while let Some(span) = open.pop() {
        seen += 1;
        if seen > MAX_SPANS {
            break;
        }
        match span.kind() {
            SpanKind::Unknown => {}
            SpanKind::Range { source, start_bytes, end_bytes } => {
                out.push(Origin::Range(source.name(), start_bytes as usize..end_bytes as usize));
            }
            SpanKind::Source { source } => out.push(Origin::Named(source.name())),
            SpanKind::LineColumn { source, line, column, end_line, end_column } => {
                out.push(Origin::Lines(source.name(), [(line, column), (end_line, end_column)]));
            }
            SpanKind::CallSite { callee, caller } => open.extend([caller, callee]),
            SpanKind::Marked { of, .. } => open.push(of),
            SpanKind::Sequence { spans, .. } => open.extend(spans.into_iter().rev()),
        }
    }
}

/// Shows a source position as a label of its text if that is known, else in a note.
fn add_origin(
    diagnostic: &mut Located,
    label: &LabelOrigin,
    origin: &Origin,
    texts: &[(&str, Cow<'_, str>)],
) {
    let text = texts.iter().enumerate().find(|(_, (known, _))| origin.source() == Some(known));
    if let Some((index, range)) = text.and_then(|(index, (_, text))| Some((index, origin.range(text)?))) {
        let place = Place { text: index + 1, range, label: label.text.clone() };
        if !diagnostic.places.contains(&place) {
            diagnostic.places.push(place);
        }
    } else if label.is_primary {
        let note = format!("it comes from {}", origin.describe());
        if !diagnostic.notes.contains(&note) {
            diagnostic.notes.push(note);
        }
    }
}
