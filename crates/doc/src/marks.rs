//! Text with the places of its docs: source maps, and what underlining goes by.
//!
//! Upstream counterpart: `MarkSpan` in `src/script/printer/doc_printer/base_doc_printer.cc`.

use std::ops::Range;

use tvmscript_ir_core::{AccessPath, PathId};

use crate::arena::DocArena;
use crate::element::{Element, Mark, Sink, push_spaces};
use crate::stmt::DocRef;

/// Writes elements into text and records where each marked one stands.
#[derive(Debug)]
pub(crate) struct MarkSink {
    text: String,
    indent: usize,
    indent_spaces: usize,
    open: Vec<Open>,
    /// Marked docs in the order in which they begin; an outer one comes before an inner one.
    docs: Vec<(DocRef, Range<usize>)>,
    /// Line ends, indentation and comments, in order of their ends.
    exempt: Vec<Range<usize>>,
}

/// A mark that has begun.
#[derive(Debug, Clone, Copy)]
enum Open {
    /// The doc at this place of the record.
    Doc(usize),
    /// A comment that begins at this byte.
    Comment(usize),
}

impl MarkSink {
    pub(crate) fn new(indent_spaces: usize) -> Self {
        Self {
            text: String::new(),
            indent: 0,
            indent_spaces,
            open: Vec::new(),
            docs: Vec::new(),
            exempt: Vec::new(),
        }
    }

    /// The text up to its first `len` bytes, and what was recorded there.
    pub(crate) fn finish(self, len: impl FnOnce(&str) -> usize) -> MarkedText {
        let Self { mut text, mut docs, mut exempt, .. } = self;
        text.truncate(len(&text));
        let ranges = docs.iter_mut().map(|(_, range)| range).chain(&mut exempt);
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
    docs: Vec<(DocRef, Range<usize>)>,
    exempt: Vec<Range<usize>>,
}

impl MarkedText {
    /// The ranges to underline for `requests`, in order and apart from each other: for each request the docs with the
    /// longest path that leads to it or to something around it, without line ends and comments.
    pub(crate) fn underlines(&self, arena: &DocArena, requests: &[AccessPath]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for request in requests {
            ranges.extend(best_ranges(arena, request, self.docs.iter().map(|(doc, range)| (*doc, range))));
        }
        subtract(merge(ranges), &merge(self.exempt.clone()))
    }

    /// The text and its map.
    pub(crate) fn into_map(self, arena: &DocArena) -> (String, SourceMap) {
        let mut entries: Vec<MapEntry> = Vec::with_capacity(self.docs.len());
        let mut around: Vec<u32> = Vec::new();
        for (doc, range) in self.docs {
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
            entries.push(MapEntry { range, doc, path, parent });
        }
        (self.text, SourceMap { entries })
    }
}

/// A piece of printed text and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEntry {
    /// The bytes of the text.
    pub range: Range<usize>,
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
}

impl SourceMap {
    /// All pieces, by their beginning, outer ones first.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
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

    /// Where the part of the IR at `path` is printed; if it is not, where the nearest printed part around it is.
    pub fn ranges_of(&self, arena: &DocArena, path: &AccessPath) -> Vec<Range<usize>> {
        merge(best_ranges(arena, path, self.entries.iter().map(|entry| (entry.doc, &entry.range))))
    }
}

/// The ranges of the docs whose paths are the longest that lead to `request` or to something around it.
fn best_ranges<'r>(
    arena: &DocArena,
    request: &AccessPath,
    docs: impl Iterator<Item = (DocRef, &'r Range<usize>)>,
) -> Vec<Range<usize>> {
    let mut matcher = Matcher { arena, request, known: vec![Some(Some(0))] };
    let mut best = 0;
    let mut ranges = Vec::new();
    for (doc, range) in docs {
        for depth in arena.paths_of(doc).filter_map(|path| matcher.depth(path)) {
            if depth > best {
                best = depth;
                ranges.clear();
            }
            if depth == best {
                ranges.push(range.clone());
            }
        }
    }
    ranges
}

/// Tells how long the paths of a table are that lead to one request or around it. Each step is looked at once.
struct Matcher<'a> {
    arena: &'a DocArena,
    request: &'a AccessPath,
    /// By path: unknown, elsewhere, or the number of its steps.
    known: Vec<Option<Option<usize>>>,
}

impl Matcher<'_> {
    fn depth(&mut self, path: PathId) -> Option<usize> {
        let mut unknown = Vec::new();
        let mut at = path;
        let mut depth = loop {
            if let Some(known) = self.known.get(at.index()).copied().flatten() {
                break known;
            }
            let Some((parent, step)) = self.arena.paths().parent(at) else { break None };
            unknown.push((at, step));
            at = parent;
        };
        for (path, step) in unknown.into_iter().rev() {
            depth = depth.filter(|&depth| self.request.steps.get(depth) == Some(step)).map(|depth| depth + 1);
            if self.known.len() <= path.index() {
                self.known.resize(path.index() + 1, None);
            }
            self.known[path.index()] = Some(depth);
        }
        depth
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
            Element::Text(text) | Element::SoftLine(text) => self.text.push_str(text),
            Element::HardLine => {
                let start = self.text.len();
                self.text.push('\n');
                push_spaces(&mut self.text, self.indent);
                self.exempt.push(start..self.text.len());
            }
            Element::BareLine => {
                let start = self.text.len();
                self.text.push('\n');
                self.exempt.push(start..self.text.len());
            }
            Element::Indent => self.indent += self.indent_spaces,
            Element::Dedent => self.indent -= self.indent_spaces,
            Element::GroupBegin | Element::GroupEnd => {}
            Element::MarkBegin(Mark::Doc(doc)) => {
                let start = self.text.len();
                self.open.push(Open::Doc(self.docs.len()));
                self.docs.push((doc, start..start));
            }
            Element::MarkBegin(Mark::Comment) => self.open.push(Open::Comment(self.text.len())),
            Element::MarkEnd => match self.open.pop() {
                Some(Open::Doc(at)) => self.docs[at].1.end = self.text.len(),
                Some(Open::Comment(start)) => self.exempt.push(start..self.text.len()),
                None => debug_assert!(false, "a mark ends that never began"),
            },
        }
    }

    fn byte_len(&self) -> usize {
        self.text.len()
    }
}
