//! Text with the places of its docs: source maps, and what underlining goes by.
//!
//! Upstream counterpart: `MarkSpan` in `src/script/printer/doc_printer/base_doc_printer.cc`.

use std::ops::Range;

use tvmscript_ir_core::{AccessPath, PathId, fallible};

use crate::arena::DocArena;
use crate::element::{Element, GrowingText, Mark, OUT_OF_MEMORY, Sink};
use crate::expr::Expr;
use crate::stmt::{DocRef, StmtDoc};

/// Writes elements into text and records where each marked one stands.
#[derive(Debug)]
pub(crate) struct MarkSink {
    text: GrowingText,
    indent: usize,
    indent_spaces: usize,
    open: Vec<Open>,
    /// Marked docs in the order in which they begin; an outer one comes before an inner one.
    docs: Vec<Marked>,
    /// Line ends, indentation and comments, in order of their ends.
    exempt: Vec<Range<usize>>,
    /// There was no memory for the record.
    out_of_memory: bool,
}

/// A marked doc and where it stands.
#[derive(Debug, Clone)]
struct Marked {
    doc: DocRef,
    range: Range<usize>,
    head: Option<Range<usize>>,
}

/// A mark that has begun.
#[derive(Debug, Clone, Copy)]
enum Open {
    /// The doc at this place of the record.
    Doc(usize),
    /// The head of the doc at this place of the record.
    Head(usize),
    /// A comment that begins at this byte.
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

    /// The text up to its first `len` bytes, and what was recorded there.
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

/// A finished text with the places of its docs.
#[derive(Debug)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    docs: Vec<Marked>,
    exempt: Vec<Range<usize>>,
}

impl MarkedText {
    /// The ranges to underline for `requests`, in order and apart from each other, without line ends and comments: for each
    /// request what [`SourceMap::ranges_of`] says.
    pub(crate) fn underlines(&self, arena: &DocArena, requests: &[AccessPath]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for request in requests {
            let docs = self.docs.iter().map(|marked| (marked.doc, &marked.range, marked.head.as_ref()));
            ranges.extend(best_ranges(arena, request, docs));
        }
        let ranges = self.with_whole_lists(arena, merge(ranges));
        subtract(merge(ranges), &merge(self.exempt.clone()))
    }

    /// Adds the lists and tuples all of whose elements are underlined: `(8,)`, not `8`.
    fn with_whole_lists(&self, arena: &DocArena, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let is_list = |doc: DocRef| match doc {
            DocRef::Expr(doc) => matches!(arena.expr(doc), Expr::Tuple(_) | Expr::List(_)),
            DocRef::Stmt(_) => false,
        };
        // Inner ones first.
        for marked in self.docs.iter().rev() {
            let range = &marked.range;
            let first = ranges.partition_point(|underlined| underlined.end <= range.start);
            let inside = ranges[first..].iter().take_while(|underlined| underlined.start < range.end);
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

    /// Whether only brackets, commas and white space stand there; nothing does in a range that ends before it begins.
    fn is_punctuation(&self, range: Range<usize>) -> bool {
        let text = self.text.get(range).unwrap_or_default();
        text.bytes().all(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b',' | b' ' | b'\n'))
    }

    /// The text and its map.
    pub(crate) fn into_map(self, arena: &DocArena) -> (String, SourceMap) {
        let mut entries: Vec<MapEntry> = Vec::with_capacity(self.docs.len());
        let mut statements: Vec<(Range<usize>, StmtDoc)> = Vec::new();
        let mut around: Vec<u32> = Vec::new();
        for Marked { doc, range, head } in self.docs {
            if let DocRef::Stmt(stmt) = doc {
                statements.push((range.clone(), stmt));
            }
            // The entry that this one stands in: the innermost of the open ones that does not end before.
            while around
                .last()
                .is_some_and(|&at| entries[at as usize].range.end < range.end.max(range.start + 1))
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

/// A piece of printed text and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEntry {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// Of a statement with a body: the name of the definition, or the line of the loop, without the body.
    pub head: Option<Range<usize>>,
    /// The doc that was printed there; [`DocArena::paths_of`] has its other paths.
    pub doc: DocRef,
    /// The first path of the doc.
    pub path: PathId,
    parent: Option<u32>,
}

/// Which bytes of a printed text stand for which part of the IR.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    entries: Vec<MapEntry>,
    statements: Vec<(Range<usize>, StmtDoc)>,
}

impl SourceMap {
    /// All pieces, by their beginning, outer ones first.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    /// All statements, whether or not they stand for anything, by their beginning, outer ones first.
    pub fn statements(&self) -> &[(Range<usize>, StmtDoc)] {
        &self.statements
    }

    /// The innermost piece around a byte of the text.
    pub fn at(&self, offset_bytes: usize) -> Option<&MapEntry> {
        let begun = self.entries.partition_point(|entry| entry.range.start <= offset_bytes);
        let mut entry = self.entries.get(begun.checked_sub(1)?)?;
        while entry.range.end <= offset_bytes {
            entry = self.entries.get(entry.parent? as usize)?;
        }
        Some(entry)
    }

    /// Where the part of the IR at `path` is printed. If it is not, where what it holds is; if that is not either, the
    /// nearest printed part around it, of which a statement with a body shows its head only.
    pub fn ranges_of(&self, arena: &DocArena, path: &AccessPath) -> Vec<Range<usize>> {
        let docs = self.entries.iter().map(|entry| (entry.doc, &entry.range, entry.head.as_ref()));
        merge(best_ranges(arena, path, docs))
    }
}

/// A doc, where it stands, and its head.
type Stands<'r> = (DocRef, &'r Range<usize>, Option<&'r Range<usize>>);

/// The ranges that stand for `request`, in any order.
fn best_ranges<'r>(
    arena: &DocArena,
    request: &AccessPath,
    docs: impl Iterator<Item = Stands<'r>>,
) -> Vec<Range<usize>> {
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
    if best < whole && !below.is_empty() { below } else { around }
}

/// How a path relates to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// It leads to the request, or to something around it; the number of its steps.
    Around(usize),
    /// It leads to something inside the request.
    Below,
    /// Neither.
    Elsewhere,
}

/// Tells how the paths of a table relate to one request. Each step is looked at once.
struct Matcher<'a> {
    arena: &'a DocArena,
    request: &'a AccessPath,
    /// By path, as far as known.
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
            if self.known.len() <= path.index() {
                self.known.resize(path.index() + 1, None);
            }
            self.known[path.index()] = Some(relation);
        }
        relation
    }
}

/// Sorts ranges and joins those that touch; empty ones go.
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

/// What of `ranges` lies outside `holes`; both in order and apart from each other.
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
                // A head follows the beginning of its statement.
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
