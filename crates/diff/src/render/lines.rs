//! Lines of two texts: marks of edits, and alignment.

use std::ops::Range;

use hashbrown::HashMap;
use tvmscript_ir_core::equal::align::{Row, UNLIKE, align_by};

use crate::edit::{EditOp, EditScript};
use crate::facts::{hash_of, name_of};

/// A side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

/// A highlighted part of a line.
#[derive(Debug, Clone)]
pub(crate) struct Highlight {
    pub(crate) range: Range<usize>,
    pub(crate) op: EditOp,
}

/// A line with its marks, sorted by start.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) marks: Vec<Highlight>,
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) lines: Vec<Line>,
    /// Offset of each line.
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn of(text: Option<&str>) -> Text {
        match text {
            Some(text) => Text::plain(text),
            None => {
                Text::plain("# not printed: the nodes share so many parts that the text would be too long")
            }
        }
    }

    pub(crate) fn plain(text: &str) -> Text {
        let mut starts = Vec::new();
        let mut at = 0;
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            starts.push(at);
            at += line.len();
            lines.push(Line { text: line.trim_end_matches(['\n', '\r']).to_owned(), marks: Vec::new() });
        }
        Text { lines, starts }
    }

    /// Marks ranges of the text, without the lines of `kept`.
    pub(crate) fn mark(&mut self, ranges: &[Range<usize>], kept: &[Range<usize>], op: EditOp) {
        for range in ranges {
            let first = self.starts.partition_point(|&start| start <= range.start).saturating_sub(1);
            let lines = self.lines.iter_mut().zip(&self.starts).skip(first);
            for (line, &start) in lines.take_while(|(_, start)| **start < range.end) {
                let indent = line.text.len() - line.text.trim_start().len();
                let from =
                    range.start.saturating_sub(start).max(if range.start < start { indent } else { 0 });
                let to = (range.end - start).min(line.text.len());
                let is_kept = kept.iter().any(|kept| kept.start <= start + indent && start + to <= kept.end);
                if from < to && !is_kept {
                    line.marks.push(Highlight { range: from..to, op });
                    line.marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
                }
            }
        }
    }
}

/// The text of a range with the indentation of its first line removed.
pub(crate) fn dedented(text: &str, range: &Range<usize>) -> String {
    let line_start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(line_start..).unwrap_or_default();
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut result = String::with_capacity(range.len());
    for (number, line) in text.get(range.clone()).unwrap_or_default().split('\n').enumerate() {
        if number == 0 {
            result.push_str(line);
            continue;
        }
        let spaces = indent.min(line.len() - line.trim_start_matches(' ').len());
        result.push('\n');
        result.push_str(line.get(spaces..).unwrap_or_default());
    }
    result.truncate(result.trim_end().len());
    result
}

/// Lines of both sides that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Group {
    /// Lines without a change.
    Same(Vec<(usize, usize)>),
    /// Lines of A replaced by lines of B.
    Changed(Range<usize>, Range<usize>),
}

/// Names in B of variables that have another name in A.
pub(crate) fn renamed(script: &EditScript) -> HashMap<String, String> {
    let pairs = script.entities.iter().filter_map(|(a, b)| Some((name_of(b)?, name_of(a)?)));
    pairs.filter(|(new, old)| new != old).map(|(new, old)| (new.to_owned(), old.to_owned())).collect()
}

/// Aligns lines by their text without indentation. Marked lines are changed.
pub(crate) fn align(a: &Text, b: &Text, renamed: &HashMap<String, String>) -> Vec<Group> {
    let keys = |text: &Text, renamed: &HashMap<String, String>, side: u64| -> Vec<u64> {
        let lines = text.lines.iter().enumerate();
        lines
            .map(|(number, line)| match line.marks.is_empty() {
                true => key(&line.text, renamed),
                false => hash_of(&(number, side)),
            })
            .collect()
    };
    let (left, right) = (keys(a, &HashMap::new(), 1), keys(b, renamed, 2));
    let mut groups: Vec<Group> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let change = |groups: &mut Vec<Group>, left: Range<usize>, right: Range<usize>| {
        if !left.is_empty() || !right.is_empty() {
            groups.push(Group::Changed(left, right));
        }
    };
    for row in align_by(&left, &right, |x, y| if left.get(x) == right.get(y) { 0 } else { UNLIKE }) {
        let Row::Both(x, y) = row else { continue };
        change(&mut groups, i..x, j..y);
        match groups.last_mut() {
            Some(Group::Same(pairs)) => pairs.push((x, y)),
            _ => groups.push(Group::Same(vec![(x, y)])),
        }
        (i, j) = (x + 1, y + 1);
    }
    change(&mut groups, i..a.lines.len(), j..b.lines.len());
    groups
}

/// Hash of a line with renamed words.
fn key(line: &str, renamed: &HashMap<String, String>) -> u64 {
    let line = line.trim_start();
    if renamed.is_empty() {
        return hash_of(line);
    }
    let mut text = String::with_capacity(line.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for piece in line.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        text.push_str(renamed.get(word).map_or(word, String::as_str));
        text.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    hash_of(text.as_str())
}
