//! Text with the ranges of its docs: source maps and underlining.
//!
//! Upstream counterpart: `MarkSpan` in `src/script/printer/doc_printer/base_doc_printer.cc`.

use std::ops::Range;

use tvmscript_ir_core::vectors::entry;
use tvmscript_ir_core::{AccessPath, PathId, fallible};

use crate::arena::DocArena;
use crate::dense::at;
use crate::element::{Element, GrowingText, Mark, OUT_OF_MEMORY, Sink};
use crate::expr::Expr;
use crate::stmt::{DocRef, StmtDoc};

/// A sink that writes text and records the ranges of marked docs.
#[derive(Debug)]
pub(crate) struct MarkSink {
    text: GrowingText,
    indent: usize,
    indent_spaces: usize,
    open: Vec<Open>,
    /// Marked docs by start; outer before inner.
    docs: Vec<Marked>,
    /// Newlines, indentation and comments, by end.
    exempt: Vec<Range<usize>>,
    /// `true` after running out of memory.
    out_of_memory: bool,
}

/// A marked doc with its range.
#[derive(Debug, Clone)]
struct Marked {
    doc: DocRef,
    range: Range<usize>,
    head: Option<Range<usize>>,
}

/// A mark that has not ended.
#[derive(Debug, Clone, Copy)]
enum Open {
    /// A doc, by index in the record.
    Doc(usize),
    /// The head of a doc, by index in the record.
    Head(usize),
    /// A comment that starts at this byte.
    Comment(usize),
}

impl MarkSink {
    pub(crate) fn new(indent_spaces: usize) -> Self {
        Self {
            text: GrowingText::default(),
            indent: 0,
            indent_spaces,
            open: Vec::new(),
            docs: Vec::new(),
            exempt: Vec::new(),
            out_of_memory: false,
        }
    }

    fn exempt_from(&mut self, start: usize) {
        self.out_of_memory |= !fallible::push(&mut self.exempt, start..self.text.len());
    }

    /// The first `len` bytes of the text with their marks.
    pub(crate) fn finish(self, len: impl FnOnce(&str) -> usize) -> MarkedText {
        let Self { text, mut docs, mut exempt, .. } = self;
        let mut text = text.text;
        text.truncate(len(&text));
        let ranges =
            docs.iter_mut().flat_map(|marked| std::iter::once(&mut marked.range).chain(&mut marked.head));
        let ranges = ranges.chain(&mut exempt);
        for range in ranges {
            *range = range.start.min(text.len())..range.end.min(text.len());
        }
        MarkedText { text, docs, exempt }
    }
}

/// A finished text with the ranges of its docs.
#[derive(Debug)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    docs: Vec<Marked>,
    exempt: Vec<Range<usize>>,
}

impl MarkedText {
    /// The ranges to underline for `requests` ([`SourceMap::ranges_of`]), sorted and disjoint, without newlines and
    /// comments.
    pub(crate) fn underlines(&self, arena: &DocArena, requests: &[AccessPath]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for request in requests {
            let docs = self.docs.iter().map(|marked| (marked.doc, &marked.range, marked.head.as_ref()));
            ranges.extend(best_ranges(arena, request, docs).0);
        }
        let ranges = self.with_whole_lists(arena, merge(ranges));
        subtract(merge(ranges), &merge(self.exempt.clone()))
    }

    /// Adds the lists and tuples whose elements are all underlined: `(8,)`, not `8`.
    fn with_whole_lists(&self, arena: &DocArena, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let is_list = |doc: DocRef| match doc {
            DocRef::Expr(doc) => matches!(arena.expr(doc), Expr::Tuple(_) | Expr::List(_)),
            DocRef::Stmt(_) => false,
        };
        // Inner docs first.
        for marked in self.docs.iter().rev() {
            let range = &marked.range;
            let first = ranges.partition_point(|underlined| underlined.end <= range.start);
            let inside = ranges.iter().skip(first).take_while(|underlined| underlined.start < range.end);
            if !is_list(marked.doc) || inside.clone().next().is_none() {
                continue;
            }
            let mut at = range.start;
            let mut is_whole = true;
            for underlined in inside {
                is_whole &= self.is_punctuation(at..underlined.start);
                at = underlined.end;
            }
            if is_whole && self.is_punctuation(at..range.end) {
                ranges.push(range.clone());
                ranges = merge(ranges);
            }
        }
        ranges
    }

    /// Returns `true` if the range contains only brackets, commas and white space; `false` for an inverted range.
    fn is_punctuation(&self, range: Range<usize>) -> bool {
        let text = self.text.get(range).unwrap_or_default();
        text.bytes().all(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b',' | b' ' | b'\n'))
    }

    /// The text and its source map.
    pub(crate) fn into_map(self, arena: &DocArena) -> (String, SourceMap) {
        let mut entries: Vec<MapEntry> = Vec::with_capacity(self.docs.len());
        let mut statements: Vec<(Range<usize>, StmtDoc)> = Vec::new();
        let mut around: Vec<u32> = Vec::new();
        for Marked { doc, range, head } in self.docs {
            if let DocRef::Stmt(stmt) = doc {
                statements.push((range.clone(), stmt));
            }
            // Ends the open entries that end before this one starts; the innermost one left is the parent.
            while around
                .last()
                .is_some_and(|&open| at(&entries, open).range.end < range.end.max(range.start + 1))
            {
                around.pop();
            }
            let Some(path) = arena.paths_of(doc).next() else { continue };
            let parent = around.last().copied();
            around.push(entries.len() as u32);
            entries.push(MapEntry { range, head, doc, path, parent });
        }
        (self.text, SourceMap { entries, statements })
    }
}

/// A range of printed text and its doc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEntry {
    /// The byte range.
    pub range: Range<usize>,
    /// For a statement with a body: the name of the definition, or the line of the loop.
    pub head: Option<Range<usize>>,
    /// The doc; [`DocArena::paths_of`] returns its other paths.
    pub doc: DocRef,
    /// The first path of the doc.
    pub path: PathId,
    parent: Option<u32>,
}

/// The part of the IR whose text [`SourceMap::locate`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocatedPart {
    /// The requested part.
    Itself,
    /// The descendants of the requested part, which has no text of its own.
    Descendants,
    /// The ancestor to which this number of steps leads.
    Ancestor(usize),
}

/// A map between ranges of printed text and parts of the IR.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    entries: Vec<MapEntry>,
    statements: Vec<(Range<usize>, StmtDoc)>,
}

impl SourceMap {
    /// All entries by start, outer before inner.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    /// All statements by start, outer before inner, including those without paths.
    pub fn statements(&self) -> &[(Range<usize>, StmtDoc)] {
        &self.statements
    }

    /// The innermost entry that contains a byte of the text.
    pub fn at(&self, offset_bytes: usize) -> Option<&MapEntry> {
        let begun = self.entries.partition_point(|entry| entry.range.start <= offset_bytes);
        let mut entry = self.entries.get(begun.checked_sub(1)?)?;
        while entry.range.end <= offset_bytes {
            entry = self.entries.get(entry.parent? as usize)?;
        }
        Some(entry)
    }

    /// Returns the ranges that [`SourceMap::ranges_of`] returns, and the part whose text they are.
    pub fn locate(&self, arena: &DocArena, path: &AccessPath) -> (Vec<Range<usize>>, LocatedPart) {
        let docs = self.entries.iter().map(|entry| (entry.doc, &entry.range, entry.head.as_ref()));
        let (ranges, part) = best_ranges(arena, path, docs);
        (merge(ranges), part)
    }

    /// The ranges of the part at `path`; if it has none, those of its descendants; else that of its nearest printed
    /// ancestor, which for a statement with a body is its head.
    pub fn ranges_of(&self, arena: &DocArena, path: &AccessPath) -> Vec<Range<usize>> {
        self.locate(arena, path).0
    }
}

/// A doc, its range, and its head.
type Stands<'r> = (DocRef, &'r Range<usize>, Option<&'r Range<usize>>);

/// The ranges for `request`, in any order, and the part that they belong to.
fn best_ranges<'r>(
    arena: &DocArena,
    request: &AccessPath,
    docs: impl Iterator<Item = Stands<'r>>,
) -> (Vec<Range<usize>>, LocatedPart) {
    let mut matcher = Matcher { arena, request, known: vec![Some(Relation::Around(0))] };
    let whole = request.steps.len();
    let mut best = 0;
    let (mut around, mut below) = (Vec::new(), Vec::new());
    for (doc, range, head) in docs {
        for path in arena.paths_of(doc) {
            match matcher.relation(path) {
                Relation::Elsewhere => {}
                Relation::Below => below.push(range.clone()),
                Relation::Around(depth) => {
                    if depth > best {
                        best = depth;
                        around.clear();
                    }
                    if depth == best {
                        let is_whole = depth == whole;
                        around.push(head.filter(|_| !is_whole).unwrap_or(range).clone());
                    }
                }
            }
        }
    }
    if best == whole {
        (around, LocatedPart::Itself)
    } else if below.is_empty() {
        (around, LocatedPart::Ancestor(best))
    } else {
        (below, LocatedPart::Descendants)
    }
}

/// The relation of a path to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// The request or an ancestor of it; the number of its steps.
    Around(usize),
    /// A descendant of the request.
    Below,
    /// Neither.
    Elsewhere,
}

/// Computes the relation of paths to one request, with a memo.
struct Matcher<'a> {
    arena: &'a DocArena,
    request: &'a AccessPath,
    /// Memo by path index.
    known: Vec<Option<Relation>>,
}

impl Matcher<'_> {
    fn relation(&mut self, path: PathId) -> Relation {
        let mut unknown = Vec::new();
        let mut at = path;
        let mut relation = loop {
            if let Some(known) = self.known.get(at.index()).copied().flatten() {
                break known;
            }
            let Some((parent, step)) = self.arena.paths().parent(at) else { break Relation::Elsewhere };
            unknown.push((at, step));
            at = parent;
        };
        for (path, step) in unknown.into_iter().rev() {
            relation = match relation {
                Relation::Around(depth) => match self.request.steps.get(depth) {
                    Some(next) if next == step => Relation::Around(depth + 1),
                    Some(_) => Relation::Elsewhere,
                    None => Relation::Below,
                },
                other => other,
            };
            *entry(&mut self.known, path.index()) = Some(relation);
        }
        relation
    }
}

/// Sorts and merges ranges; drops empty ones.
fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let touch = next.start <= last.end;
        if touch {
            last.end = last.end.max(next.end);
        }
        touch
    });
    ranges
}

/// The parts of `ranges` outside `holes`; both are sorted and disjoint.
fn subtract(ranges: Vec<Range<usize>>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::with_capacity(ranges.len());
    let mut next = 0;
    for Range { mut start, end } in ranges {
        while holes.get(next).is_some_and(|hole| hole.end <= start) {
            next += 1;
        }
        let mut at = next;
        while let Some(hole) = holes.get(at).filter(|hole| hole.start < end) {
            if start < hole.start {
                left.push(start..hole.start);
            }
            start = hole.end;
            at += 1;
        }
        if start < end {
            left.push(start..end);
        }
    }
    left
}

impl Sink for MarkSink {
    const MARKS: bool = true;
    const BREAKS: bool = false;

    fn put(&mut self, element: Element<'_>) {
        match element {
            Element::Text(text) | Element::SoftLine(text) => self.text.push(text),
            Element::HardLine => {
                let start = self.text.len();
                self.text.line(self.indent);
                self.exempt_from(start);
            }
            Element::BareLine => {
                let start = self.text.len();
                self.text.line(0);
                self.exempt_from(start);
            }
            Element::Indent => self.indent += self.indent_spaces,
            Element::Dedent => self.indent -= self.indent_spaces,
            Element::GroupBegin | Element::GroupEnd => {}
            Element::MarkBegin(Mark::Doc(doc)) => {
                let start = self.text.len();
                self.open.push(Open::Doc(self.docs.len()));
                let marked = Marked { doc, range: start..start, head: None };
                self.out_of_memory |= !fallible::push(&mut self.docs, marked);
            }
            Element::MarkBegin(Mark::Head) => {
                let start = self.text.len();
                let of = self.open.iter().rev().find_map(|open| match open {
                    Open::Doc(at) => Some(*at),
                    Open::Head(_) | Open::Comment(_) => None,
                });
                // A head always follows the start of its statement.
                let of = of.unwrap_or_default();
                if let Some(marked) = self.docs.get_mut(of) {
                    marked.head = Some(start..start);
                }
                self.open.push(Open::Head(of));
            }
            Element::MarkBegin(Mark::Comment) => self.open.push(Open::Comment(self.text.len())),
            Element::MarkEnd => match self.open.pop() {
                Some(Open::Doc(at)) => {
                    if let Some(marked) = self.docs.get_mut(at) {
                        marked.range.end = self.text.len();
                    }
                }
                Some(Open::Head(at)) => {
                    if let Some(head) = self.docs.get_mut(at).and_then(|marked| marked.head.as_mut()) {
                        head.end = self.text.len();
                    }
                }
                Some(Open::Comment(start)) => self.exempt_from(start),
                None => debug_assert!(false, "a mark ends that never began"),
            },
        }
    }

    fn byte_len(&self) -> usize {
        if self.out_of_memory { OUT_OF_MEMORY } else { self.text.len() }
    }
}
