//! Unified and side-by-side text.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::lines::{Group, Line, Side};
use super::{Comparison, RenderOptions};
use crate::edit::EditOp;

const RESET: &str = "\x1b[0m";
const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const CYAN: &str = "\x1b[36m";

/// Colour of the lines of a side.
fn line_color(side: Side) -> &'static str {
    match side {
        Side::A => "\x1b[31m",
        Side::B => "\x1b[32m",
    }
}

/// Style of the text of an edit.
fn mark_style(op: EditOp, side: Side) -> &'static str {
    match (op, side) {
        (EditOp::Move, _) => "\x1b[7;35m",
        (EditOp::Rename, _) => "\x1b[7;33m",
        (_, Side::A) => "\x1b[7;31m",
        (_, Side::B) => "\x1b[7;32m",
    }
}

/// Lines to show together: of each side, with the groups in between.
struct Hunk {
    rows: Vec<Shown>,
}

/// A row of a hunk.
#[derive(Clone, Copy)]
enum Shown {
    Same(usize, usize),
    Left(usize),
    Right(usize),
}

impl Comparison {
    /// Renders unified text: a header, and for each change its lines with context. Changed lines start with `-` and `+`.
    pub fn unified(&self, options: &RenderOptions) -> String {
        let mut out = String::new();
        self.headers(&mut out, options);
        for hunk in self.hunks(options.context_lines) {
            self.hunk_header(&mut out, &hunk, options);
            for row in &hunk.rows {
                let (sign, side, index) = match *row {
                    Shown::Same(_, index) => (' ', None, index),
                    Shown::Left(index) => ('-', Some(Side::A), index),
                    Shown::Right(index) => ('+', Some(Side::B), index),
                };
                let Some(line) = self.text(side.unwrap_or(Side::B)).lines.get(index) else { continue };
                match side.filter(|_| options.color) {
                    Some(side) => {
                        let _ = write!(out, "{}{sign}", line_color(side));
                        out.push_str(&styled(line, side));
                        out.push_str(RESET);
                    }
                    None => {
                        out.push(sign);
                        out.push_str(&line.text);
                    }
                }
                out.push('\n');
            }
        }
        self.footer(&mut out, options);
        out
    }

    /// Renders both texts in two columns. Changed lines are marked by `|`, lines of one side by `<` and `>`.
    pub fn side_by_side(&self, options: &RenderOptions) -> String {
        let width = (options.width_columns.saturating_sub(3) / 2).max(10);
        let mut out = String::new();
        let column =
            |out: &mut String, name: &str| out.push_str(&fitted(&plain(name), Side::A, width, false).0);
        let title = |out: &mut String| {
            column(out, &options.name_a);
            out.push_str("   ");
            out.push_str(fitted(&plain(&options.name_b), Side::B, width, false).0.trim_end());
        };
        match options.color {
            true => {
                out.push_str(BOLD);
                title(&mut out);
                out.push_str(RESET);
            }
            false => title(&mut out),
        }
        out.push('\n');
        for hunk in self.hunks(options.context_lines) {
            self.hunk_header(&mut out, &hunk, options);
            let mut rows = hunk.rows.iter().copied().peekable();
            while let Some(row) = rows.next() {
                // Lines of a change are paired in order.
                let mut changed: (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
                let mut pairs: Vec<(Option<usize>, Option<usize>, char)> = Vec::new();
                match row {
                    Shown::Same(i, j) => pairs.push((Some(i), Some(j), ' ')),
                    Shown::Left(index) => changed.0.push(index),
                    Shown::Right(index) => changed.1.push(index),
                }
                if pairs.is_empty() {
                    while let Some(next) = rows.next_if(|row| !matches!(row, Shown::Same(..))) {
                        match next {
                            Shown::Left(index) => changed.0.push(index),
                            Shown::Right(index) => changed.1.push(index),
                            Shown::Same(..) => {}
                        }
                    }
                    for at in 0..changed.0.len().max(changed.1.len()) {
                        let (left, right) = (changed.0.get(at).copied(), changed.1.get(at).copied());
                        let sign = match (left, right) {
                            (Some(_), Some(_)) => '|',
                            (Some(_), None) => '<',
                            _ => '>',
                        };
                        pairs.push((left, right, sign));
                    }
                }
                for (left, right, sign) in pairs {
                    self.two_columns(&mut out, left, right, sign, width, options.color);
                }
            }
        }
        self.footer(&mut out, options);
        out
    }

    /// Writes a line of each side; a line that is too wide is continued below.
    fn two_columns(
        &self,
        out: &mut String,
        left: Option<usize>,
        right: Option<usize>,
        sign: char,
        width: usize,
        color: bool,
    ) {
        let is_colored = color && sign != ' ';
        let side = |side: Side, index: Option<usize>| -> Vec<(String, usize)> {
            let line = index.and_then(|index| self.text(side).lines.get(index));
            line.map_or_else(Vec::new, |line| wrapped(line, side, width, is_colored))
        };
        let (left, right) = (side(Side::A, left), side(Side::B, right));
        for at in 0..left.len().max(right.len()).max(1) {
            let (text, columns) = left.get(at).map_or(("", 0), |(text, columns)| (text.as_str(), *columns));
            let mut row = String::from(text);
            row.extend(std::iter::repeat_n(' ', width.saturating_sub(columns)));
            let _ = write!(row, " {sign} ");
            row.push_str(right.get(at).map_or("", |(text, _)| text.as_str()));
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }

    fn headers(&self, out: &mut String, options: &RenderOptions) {
        let (bold, reset) = if options.color { (BOLD, RESET) } else { ("", "") };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{bold}--- {}{reset}", options.name_a);
        let _ = writeln!(out, "{bold}+++ {}{reset}", options.name_b);
    }

    fn hunk_header(&self, out: &mut String, hunk: &Hunk, options: &RenderOptions) {
        let side = |f: fn(&Shown) -> Option<usize>| {
            let lines: Vec<usize> = hunk.rows.iter().filter_map(f).collect();
            (lines.first().map_or(0, |first| first + 1), lines.len())
        };
        let (left, left_len) = side(|row| match row {
            Shown::Same(i, _) | Shown::Left(i) => Some(*i),
            Shown::Right(_) => None,
        });
        let (right, right_len) = side(|row| match row {
            Shown::Same(_, j) | Shown::Right(j) => Some(*j),
            Shown::Left(_) => None,
        });
        let (cyan, reset) = if options.color { (CYAN, RESET) } else { ("", "") };
        let _ = writeln!(out, "{cyan}@@ -{left},{left_len} +{right},{right_len} @@{reset}");
    }

    /// Lists the edits that have no text.
    fn footer(&self, out: &mut String, options: &RenderOptions) {
        let (dim, reset) = if options.color { (DIM, RESET) } else { ("", "") };
        for edit in &self.unseen {
            let _ = writeln!(out, "{dim}# not in the text: {edit}{reset}");
        }
    }

    /// The changes with `context` lines around them; changes that are close together share a hunk.
    fn hunks(&self, context: usize) -> Vec<Hunk> {
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut open: Option<Hunk> = None;
        let count = self.rows.len();
        for (number, group) in self.rows.iter().enumerate() {
            match group {
                Group::Changed(left, right) => {
                    let hunk = open.get_or_insert_with(|| Hunk { rows: Vec::new() });
                    hunk.rows.extend(left.clone().map(Shown::Left));
                    hunk.rows.extend(right.clone().map(Shown::Right));
                }
                Group::Same(pairs) => {
                    let same = |pairs: &[(usize, usize)]| -> Vec<Shown> {
                        pairs.iter().map(|&(i, j)| Shown::Same(i, j)).collect()
                    };
                    let is_last = number + 1 == count;
                    match &mut open {
                        Some(hunk) if !is_last && pairs.len() <= 2 * context => hunk.rows.extend(same(pairs)),
                        _ => {
                            if let Some(mut hunk) = open.take() {
                                let after = pairs.get(..context.min(pairs.len())).unwrap_or_default();
                                hunk.rows.extend(same(after));
                                hunks.push(hunk);
                            }
                            if !is_last {
                                let before = pairs.len().saturating_sub(context);
                                open = Some(Hunk { rows: same(pairs.get(before..).unwrap_or_default()) });
                            }
                        }
                    }
                }
            }
        }
        hunks.extend(open);
        hunks
    }
}

fn plain(text: &str) -> Line {
    Line { text: text.to_owned(), marks: Vec::new() }
}

/// A line with its marks as escapes, in the colour of its side.
fn styled(line: &Line, side: Side) -> String {
    pieces(line).into_iter().fold(String::new(), |mut out, (text, op)| {
        match op {
            Some(op) => {
                let _ = write!(out, "{}{text}{RESET}{}", mark_style(op, side), line_color(side));
            }
            None => out.push_str(text),
        }
        out
    })
}

/// The pieces of a line, with the edit that each belongs to.
pub(super) fn pieces(line: &Line) -> Vec<(&str, Option<EditOp>)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for mark in &line.marks {
        let start = mark.range.start.max(at);
        if start >= mark.range.end {
            continue;
        }
        pieces.push((line.text.get(at..start).unwrap_or_default(), None));
        pieces.push((line.text.get(start..mark.range.end).unwrap_or_default(), Some(mark.op)));
        at = mark.range.end;
    }
    pieces.push((line.text.get(at..).unwrap_or_default(), None));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

/// The first row of a line that is broken at `width` columns, padded.
fn fitted(line: &Line, side: Side, width: usize, color: bool) -> (String, usize) {
    let (mut text, columns) = wrapped(line, side, width, color).into_iter().next().unwrap_or_default();
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(columns)));
    (text, width)
}

/// A line broken into rows of at most `width` columns, with the columns of each.
fn wrapped(line: &Line, side: Side, width: usize, color: bool) -> Vec<(String, usize)> {
    let mut rows = Vec::new();
    let (mut row, mut columns) = (String::new(), 0);
    let begin = |row: &mut String, op: Option<EditOp>| {
        if color {
            row.push_str(op.map_or(line_color(side), |op| mark_style(op, side)));
        }
    };
    for (text, op) in pieces(line) {
        begin(&mut row, op);
        if columns + text.width() <= width {
            row.push_str(text);
            columns += text.width();
        } else {
            for c in text.chars() {
                let wide = c.width().unwrap_or(0);
                if columns + wide > width {
                    row.push_str(if color { RESET } else { "" });
                    rows.push((std::mem::take(&mut row), columns));
                    columns = 0;
                    begin(&mut row, op);
                }
                row.push(c);
                columns += wide;
            }
        }
        row.push_str(if color { RESET } else { "" });
    }
    rows.push((row, columns));
    rows
}
