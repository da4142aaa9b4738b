//! Lines of the C text, and the lines of the sources that they come from.

use std::fmt::Write as _;

use tvmscript_ir_core::{SourceTexts, Span, SpanKind};

/// A line of a source, by the number of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    file: usize,
    line: u32,
}

/// A line of C.
#[derive(Debug)]
struct Line {
    depth: usize,
    text: String,
    place: Option<Place>,
}

/// The body of a text.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    files: Vec<String>,
}

/// Maximum nesting that is indented.
const MAX_DEPTH: usize = 40;

impl Lines {
    pub(super) fn push(&mut self, depth: usize, text: String, place: Option<Place>) {
        self.lines.push(Line { depth, text, place });
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Takes back the lines from a number on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.lines.truncate(len);
    }

    /// The text. A directive stands before each line whose place does not follow from the one before.
    pub(super) fn render(&self, has_directives: bool) -> String {
        let mut out = String::new();
        let mut next: Option<Place> = None;
        for line in &self.lines {
            if let Some(place) = line.place.filter(|place| has_directives && next != Some(*place)) {
                let name = self.files.get(place.file).map_or("", String::as_str);
                let _ = writeln!(out, "#line {} \"{}\"", place.line, string(name));
                next = Some(place);
            }
            if !line.text.is_empty() {
                out.extend(std::iter::repeat_n("    ", line.depth.min(MAX_DEPTH)));
            }
            let _ = writeln!(out, "{}", line.text);
            if let Some(place) = &mut next {
                place.line = place.line.saturating_add(1);
            }
        }
        out
    }

    /// The line of a span: for a node that a helper made, the one in the helper; of several sources, the first that has one.
    pub(super) fn place(&mut self, places: &[Span], texts: &SourceTexts) -> Option<Place> {
        places.iter().find_map(|place| match place.kind() {
            SpanKind::Range { source, start_bytes, .. } => {
                let (line, _) = texts.line_column(source, start_bytes)?;
                Some(self.at(source.name(), line))
            }
            SpanKind::LineColumn { source, line, .. } if line > 0 => Some(self.at(source.name(), line)),
            _ => None,
        })
    }

    fn at(&mut self, name: String, line: u32) -> Place {
        let known = self.files.iter().position(|file| *file == name);
        let file = known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        Place { file, line }
    }
}

/// The text of a comment, which neither ends it nor begins another.
pub(super) fn comment(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect();
    format!("/* {} */", plain.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?"))
}

/// The inside of a string literal.
fn string(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            // Two question marks may begin a trigraph.
            b'?' | 0..=31 | 127.. => _ = write!(out, "\\{byte:03o}"),
            _ => out.push(char::from(byte)),
        }
    }
    out
}
