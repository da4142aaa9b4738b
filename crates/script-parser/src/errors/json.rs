//! Errors as data for programs.

use super::ParseError;

/// Errors as one JSON array: `{"kind", "message", "start", "end", "notes"}`, places as line and column from 1 (columns in
/// Unicode scalar values) and byte offset.
pub fn to_json(errors: &[ParseError], text: &str) -> String {
    let lines = Lines::new(text);
    let mut out = String::from("[");
    for (index, error) in errors.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let range = error.range();
        out.push_str("{\"kind\":");
        string(error.kind.name(), &mut out);
        out.push_str(",\"message\":");
        string(&error.kind.to_string(), &mut out);
        out.push_str(",\"start\":");
        out.push_str(&lines.place(range.start));
        out.push_str(",\"end\":");
        out.push_str(&lines.place(range.end));
        out.push_str(",\"notes\":[");
        let labels = error.labels.iter().skip(1).filter(|l| !l.text.is_empty()).map(|l| l.text.as_str());
        let notes = labels.chain(error.notes.iter().map(String::as_str)).chain(error.help.as_deref());
        for (index, note) in notes.enumerate() {
            if index > 0 {
                out.push(',');
            }
            string(note, &mut out);
        }
        out.push_str("]}");
    }
    out.push(']');
    out
}

struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    fn place(&self, offset: u32) -> String {
        let mut at = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let column = self.text[self.starts[line - 1]..at].chars().count() + 1;
        format!("{{\"line\":{line},\"column\":{column},\"offset\":{at}}}")
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}
