//! Fitting lines into a width.
//!
//! A [`Layout`] holds back the elements of one line until it ends. If the line is too long, groups are broken from the
//! outside in: all soft lines of a group become line ends, unless the group and what follows it up to the next soft
//! line fit. Each element is looked at a fixed number of times, however deep groups nest.
//!
//! The method is that of Oppen, "Prettyprinting" (1980), with the groups of Wadler, "A prettier printer".

use tvmscript_ir_core::fallible;
use unicode_width::UnicodeWidthStr;

use crate::element::{Element, Mark, OUT_OF_MEMORY, Sink};

/// A sink that breaks lines at soft lines and passes the rest on.
#[derive(Debug)]
pub(crate) struct Layout<S> {
    inner: S,
    max_columns: usize,
    max_bytes: usize,
    indent_spaces: usize,
    /// The indentation that `inner` has reached.
    indent: usize,
    /// The indentation at the end of the line held back.
    next_indent: usize,
    line: Vec<Held>,
    text: String,
    /// Columns of the line held back, without comments.
    columns: usize,
    in_comment: bool,
    /// There was no memory for the line.
    out_of_memory: bool,
}

/// An element held back.
#[derive(Debug, Clone, Copy)]
enum Held {
    Text { start: usize, end: usize, columns: usize },
    SoftLine { start: usize, end: usize, columns: usize },
    Indent,
    Dedent,
    GroupBegin { plan: usize },
    GroupEnd,
    MarkBegin(Mark),
    MarkEnd,
}

impl<S: Sink> Layout<S> {
    pub(crate) fn new(inner: S, max_columns: usize, max_bytes: usize, indent_spaces: usize) -> Self {
        Self {
            inner,
            max_columns,
            max_bytes,
            indent_spaces,
            indent: 0,
            next_indent: 0,
            line: Vec::new(),
            text: String::new(),
            columns: 0,
            in_comment: false,
            out_of_memory: false,
        }
    }

    /// Passes on what is held back.
    pub(crate) fn finish(mut self) -> S {
        self.flush();
        self.inner
    }

    fn push(&mut self, held: Held) {
        self.out_of_memory |= !fallible::push(&mut self.line, held);
    }

    fn hold(&mut self, text: &str) -> (usize, usize, usize) {
        if !fallible::reserve_text(&mut self.text, text.len()) {
            self.out_of_memory = true;
            return (0, 0, 0);
        }
        let start = self.text.len();
        self.text.push_str(text);
        let columns = if self.in_comment { 0 } else { text.width() };
        self.columns += columns;
        (start, self.text.len(), columns)
    }

    fn flush(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let plans = if self.indent + self.columns > self.max_columns { plan(&mut line) } else { Vec::new() };
        let mut column = self.indent;
        // Whether the groups around are broken; nothing is inside a flat one but flat ones.
        let mut broken: Vec<bool> = Vec::new();
        for held in &line {
            if self.inner.byte_len() > self.max_bytes {
                break;
            }
            match *held {
                Held::Text { start, end, columns } => {
                    self.inner.put(Element::Text(&self.text[start..end]));
                    column += columns;
                }
                Held::SoftLine { start, end, columns } => {
                    if broken.last() == Some(&true) {
                        self.inner.put(Element::HardLine);
                        column = self.indent;
                    } else {
                        self.inner.put(Element::Text(&self.text[start..end]));
                        column += columns;
                    }
                }
                Held::Indent => {
                    self.inner.put(Element::Indent);
                    self.indent += self.indent_spaces;
                }
                Held::Dedent => {
                    self.inner.put(Element::Dedent);
                    self.indent -= self.indent_spaces;
                }
                Held::GroupBegin { plan } => {
                    let may_break = broken.last() != Some(&false);
                    let needed = plans.get(plan).copied().unwrap_or(0);
                    broken.push(may_break && column + needed > self.max_columns);
                }
                Held::GroupEnd => {
                    broken.pop();
                }
                Held::MarkBegin(mark) => {
                    if S::MARKS {
                        self.inner.put(Element::MarkBegin(mark));
                    }
                }
                Held::MarkEnd => {
                    if S::MARKS {
                        self.inner.put(Element::MarkEnd);
                    }
                }
            }
        }
        line.clear();
        self.line = line;
        self.text.clear();
        self.columns = 0;
    }
}

/// For each group the columns it needs to stay on one line: its own, and those after it up to the next soft line.
fn plan(line: &mut [Held]) -> Vec<usize> {
    let mut plans = Vec::new();
    // Going backwards: columns from here to the end, and from here to the next soft line.
    let (mut to_end, mut to_soft_line) = (0usize, 0usize);
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for held in line.iter_mut().rev() {
        match held {
            Held::Text { columns, .. } => {
                to_end += *columns;
                to_soft_line += *columns;
            }
            Held::SoftLine { columns, .. } => {
                to_end += *columns;
                to_soft_line = 0;
            }
            Held::GroupEnd => ends.push((to_end, to_soft_line)),
            Held::GroupBegin { plan } => {
                let (after, trailing) = ends.pop().unwrap_or_default();
                *plan = plans.len();
                plans.push(to_end - after + trailing);
            }
            Held::Indent | Held::Dedent | Held::MarkBegin(_) | Held::MarkEnd => {}
        }
    }
    plans
}

impl<S: Sink> Sink for Layout<S> {
    const MARKS: bool = S::MARKS;
    const BREAKS: bool = true;

    fn put(&mut self, element: Element<'_>) {
        match element {
            Element::Text(text) => {
                let (start, end, columns) = self.hold(text);
                self.push(Held::Text { start, end, columns });
            }
            Element::SoftLine(text) => {
                let (start, end, columns) = self.hold(text);
                self.push(Held::SoftLine { start, end, columns });
            }
            Element::HardLine | Element::BareLine => {
                self.flush();
                self.inner.put(element);
                self.indent = self.next_indent;
            }
            Element::Indent => {
                self.next_indent += self.indent_spaces;
                self.push(Held::Indent);
            }
            Element::Dedent => {
                self.next_indent -= self.indent_spaces;
                self.push(Held::Dedent);
            }
            Element::GroupBegin => self.push(Held::GroupBegin { plan: 0 }),
            Element::GroupEnd => self.push(Held::GroupEnd),
            Element::MarkBegin(mark) => {
                self.in_comment |= mark == Mark::Comment;
                self.push(Held::MarkBegin(mark));
            }
            Element::MarkEnd => {
                // No doc is marked inside a comment.
                self.in_comment = false;
                self.push(Held::MarkEnd);
            }
        }
    }

    fn byte_len(&self) -> usize {
        if self.out_of_memory { OUT_OF_MEMORY } else { self.inner.byte_len().saturating_add(self.text.len()) }
    }
}
