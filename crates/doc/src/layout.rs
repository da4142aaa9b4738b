//! Line breaking for a maximum width.
//!
//! A [`Layout`] breaks groups from the outside in: all soft lines of a group become line ends, unless the group and the text
//! behind it, up to the next soft line, fit. An element waits only while the group in front of it is undecided, that is for
//! at most one line's width of text, however long the line is before it is broken. Each element costs constant amortised time,
//! however deep groups nest.
//!
//! The method is that of Oppen, "Prettyprinting" (1980), with the groups of Wadler, "A prettier printer".

use std::collections::VecDeque;

use tvmscript_ir_core::fallible;
use unicode_width::UnicodeWidthStr;

use crate::element::{Element, Mark, OUT_OF_MEMORY, Sink};

/// A sink that breaks lines at soft lines and passes everything else on.
#[derive(Debug)]
pub(crate) struct Layout<S> {
    inner: S,
    max_columns: usize,
    /// Once `inner` holds more bytes, it gets no further elements: one decision may pass on any number of lines.
    max_bytes: usize,
    indent_spaces: usize,
    /// Indentation that `inner` has reached, in columns.
    indent: usize,
    /// Column that `inner` has reached.
    column: usize,
    /// For each open group that was passed on, `true` if it is broken. A flat group contains only flat groups.
    broken: Vec<bool>,
    /// Elements that wait for a decision; the first one is the beginning of an undecided group.
    waiting: VecDeque<Waiting>,
    /// Number of elements of this line that were passed on: the number of `waiting[0]`.
    passed: usize,
    /// The waiting text, in order.
    text: String,
    /// Bytes of `text` that were passed on.
    text_start: usize,
    /// Columns of this line up to the newest element, if no group were broken. Comments have no columns.
    columns: usize,
    /// Numbers of the groups that have not ended.
    open: Vec<usize>,
    /// Numbers of the groups that ended after the latest soft line.
    ended: Vec<usize>,
    in_comment: bool,
    out_of_memory: bool,
}

/// A waiting element; text is described by its length.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    Text {
        bytes: usize,
        columns: usize,
    },
    SoftLine {
        bytes: usize,
        columns: usize,
    },
    Indent,
    Dedent,
    /// `start` is the value of [`Layout::columns`] at the beginning; `columns` is what the group needs to stay on one line,
    /// once that is known.
    GroupBegin {
        start: usize,
        columns: Option<usize>,
    },
    GroupEnd,
    MarkBegin(Mark),
    MarkEnd,
}

/// Passed-on text is removed from the buffer once there is this much of it, in bytes.
const MIN_COMPACTION_BYTES: usize = 4096;

impl<S: Sink> Layout<S> {
    pub(crate) fn new(inner: S, max_columns: usize, max_bytes: usize, indent_spaces: usize) -> Self {
        Self {
            inner,
            max_columns,
            max_bytes,
            indent_spaces,
            indent: 0,
            column: 0,
            broken: Vec::new(),
            waiting: VecDeque::new(),
            passed: 0,
            text: String::new(),
            text_start: 0,
            columns: 0,
            open: Vec::new(),
            ended: Vec::new(),
            in_comment: false,
            out_of_memory: false,
        }
    }

    /// Passes on everything that waits.
    pub(crate) fn finish(mut self) -> S {
        self.end_line();
        self.inner
    }

    fn push(&mut self, element: Waiting) {
        if self.waiting.try_reserve(1).is_ok() {
            self.waiting.push_back(element);
            self.pass_on(false);
        } else {
            self.out_of_memory = true;
        }
    }

    /// Copies text into the buffer; returns its bytes and columns.
    fn hold(&mut self, text: &str) -> (usize, usize) {
        if !fallible::reserve_text(&mut self.text, text.len()) {
            self.out_of_memory = true;
            return (0, 0);
        }
        self.text.push_str(text);
        let columns = if self.in_comment { 0 } else { text.width() };
        self.columns += columns;
        (text.len(), columns)
    }

    /// Records what the groups need that ended after the latest soft line.
    fn measure_ended(&mut self) {
        for number in self.ended.drain(..) {
            let Some(index) = number.checked_sub(self.passed) else { continue };
            if let Some(Waiting::GroupBegin { start, columns }) = self.waiting.get_mut(index) {
                *columns = Some(self.columns - *start);
            }
        }
    }

    /// Passes on the elements up to the first group that is undecided. At the end of a line no group is.
    fn pass_on(&mut self, at_line_end: bool) {
        while let Some(&element) = self.waiting.front() {
            if self.inner.byte_len() > self.max_bytes {
                return;
            }
            match element {
                Waiting::GroupBegin { start, columns } => {
                    let may_break = self.broken.last() != Some(&false);
                    // Lower bound of the columns that the group needs.
                    let needed = columns.unwrap_or(self.columns - start);
                    let is_broken = may_break && self.column + needed > self.max_columns;
                    if may_break && !is_broken && columns.is_none() && !at_line_end {
                        return;
                    }
                    self.out_of_memory |= !fallible::push(&mut self.broken, is_broken);
                }
                Waiting::GroupEnd => {
                    self.broken.pop();
                }
                Waiting::Text { bytes, columns } => self.pass_text(bytes, columns),
                Waiting::SoftLine { bytes, columns } => {
                    if self.broken.last() == Some(&true) {
                        self.inner.put(Element::HardLine);
                        self.text_start += bytes;
                        self.column = self.indent;
                    } else {
                        self.pass_text(bytes, columns);
                    }
                }
                Waiting::Indent => {
                    self.inner.put(Element::Indent);
                    self.indent += self.indent_spaces;
                }
                Waiting::Dedent => {
                    self.inner.put(Element::Dedent);
                    self.indent -= self.indent_spaces;
                }
                Waiting::MarkBegin(mark) => {
                    if S::MARKS {
                        self.inner.put(Element::MarkBegin(mark));
                    }
                }
                Waiting::MarkEnd => {
                    if S::MARKS {
                        self.inner.put(Element::MarkEnd);
                    }
                }
            }
            self.waiting.pop_front();
            self.passed += 1;
        }
        self.text.clear();
        self.text_start = 0;
    }

    fn pass_text(&mut self, bytes: usize, columns: usize) {
        let end = self.text_start + bytes;
        self.inner.put(Element::Text(&self.text[self.text_start..end]));
        self.text_start = end;
        self.column += columns;
        if self.text_start >= MIN_COMPACTION_BYTES && self.text_start > self.text.len() / 2 {
            self.text.drain(..self.text_start);
            self.text_start = 0;
        }
    }

    fn end_line(&mut self) {
        self.measure_ended();
        self.pass_on(true);
        // Something is left only when there are too many bytes.
        self.waiting.clear();
        self.text.clear();
        self.text_start = 0;
        self.passed = 0;
        self.columns = 0;
        self.column = self.indent;
        self.broken.clear();
        self.open.clear();
    }
}

impl<S: Sink> Sink for Layout<S> {
    const MARKS: bool = S::MARKS;
    const BREAKS: bool = true;

    fn put(&mut self, element: Element<'_>) {
        match element {
            Element::Text(text) => {
                let (bytes, columns) = self.hold(text);
                self.push(Waiting::Text { bytes, columns });
            }
            Element::SoftLine(text) => {
                self.measure_ended();
                let (bytes, columns) = self.hold(text);
                self.push(Waiting::SoftLine { bytes, columns });
            }
            Element::HardLine | Element::BareLine => {
                self.end_line();
                self.inner.put(element);
            }
            Element::Indent => self.push(Waiting::Indent),
            Element::Dedent => self.push(Waiting::Dedent),
            Element::GroupBegin => {
                let number = self.passed + self.waiting.len();
                self.out_of_memory |= !fallible::push(&mut self.open, number);
                self.push(Waiting::GroupBegin { start: self.columns, columns: None });
            }
            Element::GroupEnd => {
                if let Some(number) = self.open.pop() {
                    self.out_of_memory |= !fallible::push(&mut self.ended, number);
                }
                self.push(Waiting::GroupEnd);
            }
            Element::MarkBegin(mark) => {
                self.in_comment |= mark == Mark::Comment;
                self.push(Waiting::MarkBegin(mark));
            }
            Element::MarkEnd => {
                // No doc is marked inside a comment.
                self.in_comment = false;
                self.push(Waiting::MarkEnd);
            }
        }
    }

    fn byte_len(&self) -> usize {
        if self.out_of_memory {
            OUT_OF_MEMORY
        } else {
            self.inner.byte_len().saturating_add(self.text.len() - self.text_start)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::element::PlainSink;

    const INDENT_SPACES: usize = 2;

    /// A tree of groups; a leaf is text.
    #[derive(Debug, Clone)]
    enum Tree {
        Text(usize),
        SoftLine,
        Group(Vec<Tree>),
    }

    fn trees() -> impl Strategy<Value = Vec<Tree>> {
        let leaf = prop_oneof![(0usize..6).prop_map(Tree::Text), Just(Tree::SoftLine)];
        let tree =
            leaf.prop_recursive(4, 40, 6, |inner| prop::collection::vec(inner, 0..6).prop_map(Tree::Group));
        prop::collection::vec(tree, 0..6)
    }

    fn put(trees: &[Tree], sink: &mut impl Sink) {
        for tree in trees {
            match tree {
                Tree::Text(len) => sink.put(Element::Text(&"x".repeat(*len))),
                Tree::SoftLine => sink.put(Element::SoftLine("_")),
                Tree::Group(trees) => {
                    sink.put(Element::GroupBegin);
                    sink.put(Element::Indent);
                    put(trees, sink);
                    sink.put(Element::Dedent);
                    sink.put(Element::GroupEnd);
                }
            }
        }
    }

    /// Columns up to the first soft line in `trees` and in what follows them, from the innermost list outwards.
    fn columns_to_soft_line(trees: &[Tree]) -> (usize, bool) {
        let mut columns = 0;
        for tree in trees {
            match tree {
                Tree::Text(len) => columns += len,
                Tree::SoftLine => return (columns, true),
                Tree::Group(trees) => {
                    let (inner, found) = columns_to_soft_line(trees);
                    columns += inner;
                    if found {
                        return (columns, true);
                    }
                }
            }
        }
        (columns, false)
    }

    fn flat_columns(trees: &[Tree]) -> usize {
        trees
            .iter()
            .map(|tree| match tree {
                Tree::Text(len) => *len,
                Tree::SoftLine => 1,
                Tree::Group(trees) => flat_columns(trees),
            })
            .sum()
    }

    /// The definition of the layout, read off the tree. `rest` is the list behind each open group.
    fn expected(
        trees: &[Tree],
        is_broken: bool,
        width: usize,
        indent: usize,
        rest: &mut Vec<Vec<Tree>>,
        out: &mut String,
    ) {
        for (index, tree) in trees.iter().enumerate() {
            match tree {
                Tree::Text(len) => out.push_str(&"x".repeat(*len)),
                Tree::SoftLine if is_broken => {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                }
                Tree::SoftLine => out.push('_'),
                Tree::Group(inner) => {
                    rest.push(trees[index + 1..].to_vec());
                    let mut needed = flat_columns(inner);
                    for behind in rest.iter().rev() {
                        let (columns, found) = columns_to_soft_line(behind);
                        needed += columns;
                        if found {
                            break;
                        }
                    }
                    let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
                    let may_break = is_broken || rest.len() == 1;
                    let breaks = may_break && column + needed > width;
                    expected(inner, breaks, width, indent + INDENT_SPACES, rest, out);
                    rest.pop();
                }
            }
        }
    }

    proptest! {
        #[test]
        fn groups_break_from_the_outside_in(trees in trees(), width in 1usize..24) {
            let mut layout = Layout::new(PlainSink::new(INDENT_SPACES), width, usize::MAX, INDENT_SPACES);
            put(&trees, &mut layout);
            let mut text = String::new();
            expected(&trees, false, width, 0, &mut Vec::new(), &mut text);
            prop_assert_eq!(layout.finish().into_text(), text);
        }
    }

    #[test]
    fn a_line_of_any_length_holds_one_width_of_text() {
        let mut layout = Layout::new(PlainSink::new(INDENT_SPACES), 80, usize::MAX, INDENT_SPACES);
        layout.put(Element::GroupBegin);
        for _ in 0..100_000 {
            layout.put(Element::GroupBegin);
            layout.put(Element::Text("item, "));
            layout.put(Element::SoftLine(" "));
            assert!(layout.waiting.len() < 300, "{}", layout.waiting.len());
            assert!(layout.text.len() < 2 * MIN_COMPACTION_BYTES);
        }
    }
}
