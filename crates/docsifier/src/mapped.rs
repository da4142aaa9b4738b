//! Printed text with a map between its ranges and nodes.

use std::ops::Range;
use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};
use tvmscript_doc::python;
use tvmscript_doc::{DocArena, DocRef, LocatedPart, MapEntry, SourceMap};
use tvmscript_ir_core::{AccessPath, Object, PathId, PathStep, Registry, SourceId, Span, Value};

use crate::config::PrinterConfig;
use crate::docsifier::Docsifier;
use crate::error::DocsifyResult;
use crate::messages::{PathValues, PrintedParts};
use crate::path_index::PathIndex;
use crate::script::{docsify, docsify_root, python_options};

/// A printed node with a map between ranges of its text and parts of it.
#[derive(Debug)]
pub struct MappedText {
    text: String,
    root: Object,
    docs: DocArena,
    map: SourceMap,
    /// Docs and their ranges by node address, once they are asked for.
    by_node: OnceLock<HashMap<usize, NodeText>>,
    /// Offsets at which statements start, once they are asked for.
    statements: OnceLock<HashSet<usize>>,
    /// Parts with text, once a part without text at its own path is located.
    parts: OnceLock<PrintedParts>,
}

/// The text of a node: its docs, and their ranges.
#[derive(Debug, Default)]
struct NodeText {
    docs: Vec<DocRef>,
    ranges: Vec<Range<usize>>,
}

/// A part without text of its own.
#[derive(Debug)]
pub(crate) struct Unprinted {
    /// The steps to the part: from its printed ancestor, or the field that holds it.
    pub(crate) steps: Vec<PathStep>,
    /// `true` if its descendants are printed.
    pub(crate) parts_are_printed: bool,
}

/// Prints a node with a map from text to nodes and back. Line numbers, underlines, requested annotations and the metadata
/// section are omitted.
///
/// # Errors
/// As [`crate::print`].
pub fn print_mapped(
    object: &Object,
    registry: &Registry,
    config: &PrinterConfig,
) -> DocsifyResult<MappedText> {
    print_tracked(object, registry, config, |d| d.track_paths())
}

/// As [`print_mapped`], with a map of the parts at `paths` and the nodes around them only: other parts have no entry, and
/// cost no more than in a print without a map.
///
/// [`PathIndex::ranges_at`] has the same ranges for `paths` as with a complete map.
///
/// # Errors
/// As [`crate::print`].
pub fn print_mapped_at(
    object: &Object,
    registry: &Registry,
    config: &PrinterConfig,
    paths: &[AccessPath],
) -> DocsifyResult<MappedText> {
    print_tracked(object, registry, config, |d| d.track_only(paths))
}

fn print_tracked(
    object: &Object,
    registry: &Registry,
    config: &PrinterConfig,
    track: impl Fn(&mut Docsifier<'_>),
) -> DocsifyResult<MappedText> {
    let (mut d, stmts) = docsify(registry, config, object, |d| {
        track(d);
        docsify_root(d, object)
    })?;
    let block = d.docs.block(&stmts);
    let options = python_options(&d);
    let (text, map) = python::print_mapped(&d.docs, block, &options)?;
    let docs = std::mem::take(&mut d.docs);
    Ok(MappedText {
        text,
        root: object.clone(),
        docs,
        map,
        by_node: OnceLock::new(),
        statements: OnceLock::new(),
        parts: OnceLock::new(),
    })
}

impl MappedText {
    /// The text of a node, if it has any.
    fn of_node(&self, node: &Object) -> Option<&NodeText> {
        let by_node = self.by_node.get_or_init(|| {
            let mut by_node: HashMap<usize, NodeText> = HashMap::new();
            self.for_each_node(|entry, _, node| {
                let of_node = by_node.entry(node.address()).or_default();
                // Docs with the same text are adjacent; the outermost one stands for them.
                if of_node.ranges.last() != Some(&entry.range) {
                    of_node.ranges.push(entry.range.clone());
                    of_node.docs.push(entry.doc);
                }
            });
            by_node
        });
        by_node.get(&node.address())
    }

    /// Calls `visit` with each range of the text and each node that the range stands for, with the path to the node: in the
    /// order of the text, outer before inner. Takes linear time.
    pub fn for_each_node(&self, mut visit: impl FnMut(&MapEntry, PathId, &Object)) {
        let mut values = PathValues::new(&self.root);
        for entry in self.map.entries() {
            for path in self.docs.paths_of(entry.doc) {
                if let Some(Value::Node(node)) = values.get(self.docs.paths(), path) {
                    visit(entry, path, node);
                }
            }
        }
    }

    fn is_start_of_statement(&self, offset_bytes: usize) -> bool {
        let starts = || self.map.statements().iter().map(|(range, _)| range.start).collect();
        self.statements.get_or_init(starts).contains(&offset_bytes)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The ranges of the text and their docs.
    pub fn map(&self) -> &SourceMap {
        &self.map
    }

    /// The printed node.
    pub fn root(&self) -> &Object {
        &self.root
    }

    /// The docs, for [`MappedText::doc_for`] and [`MappedText::map`].
    pub fn docs(&self) -> &DocArena {
        &self.docs
    }

    /// All docs of a node, in the order of the text. A buffer that is declared and used three times has four; a node
    /// that is not printed has none.
    pub fn doc_for(&self, node: &Object) -> &[DocRef] {
        self.of_node(node).map_or(&[], |text| &text.docs)
    }

    /// The innermost node whose text contains the byte at `offset_bytes`.
    pub fn node_for(&self, offset_bytes: usize) -> Option<Object> {
        let (mut path, mut part) = self.at(offset_bytes)?;
        loop {
            if let Value::Node(node) = part {
                return Some(node);
            }
            path.steps.pop()?;
            part = path.follow(&self.root)?;
        }
    }

    /// All ranges that stand for a node. A buffer that is declared and used three times has four.
    pub fn ranges_of_node(&self, node: &Object) -> &[Range<usize>] {
        self.of_node(node).map_or(&[], |text| &text.ranges)
    }

    /// The span of a node in this text, as the source of that name; unknown if the node has no text.
    ///
    /// Lines and columns come from the text: `SourceTexts::new().with(source, mapped.text())`.
    pub fn span_of_node(&self, node: &Object, source: SourceId) -> Span {
        self.ranges_of_node(node)
            .first()
            .and_then(|range| Some((u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?)))
            .map_or(Span::UNKNOWN, |(start, end)| Span::range(source, start, end))
    }

    /// The text of a node's first range, with the surrounding indentation removed. The text of a statement ends with a
    /// newline.
    pub fn text_of_node(&self, node: &Object) -> Option<String> {
        let range = self.ranges_of_node(node).first()?;
        let line_start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = self.text[line_start..].len() - self.text[line_start..].trim_start_matches(' ').len();
        let mut text = String::with_capacity(range.len());
        for (number, line) in self.text[range.clone()].split('\n').enumerate() {
            if number > 0 {
                text.push('\n');
            }
            let spaces =
                if number == 0 { 0 } else { indent.min(line.len() - line.trim_start_matches(' ').len()) };
            text.push_str(&line[spaces..]);
        }
        if range.start == line_start + indent && self.is_start_of_statement(range.start) {
            text.push('\n');
        }
        Some(text)
    }

    /// An index of the ranges of some paths, to look up many parts.
    pub fn index<'p>(&self, paths: impl IntoIterator<Item = &'p AccessPath>) -> PathIndex {
        PathIndex::new(&self.docs, &self.map, paths)
    }

    /// The ranges of the part at a path: its own, else those of another path to the same node, else those of the
    /// nearest printed ancestor ([`SourceMap::ranges_of`]). Underlining uses the same rule.
    pub fn ranges_of(&self, path: &AccessPath) -> Vec<Range<usize>> {
        self.locate(path).0
    }

    /// [`MappedText::ranges_of`], and the last steps of the path if they lead to a part without text of its own.
    pub(crate) fn locate(&self, path: &AccessPath) -> (Vec<Range<usize>>, Option<Unprinted>) {
        let parts = self.parts.get_or_init(|| PrintedParts::new(&self.docs, &self.root));
        let printed = parts.printed(self.docs.paths(), &self.root, path.clone());
        let (ranges, part) = self.map.locate(&self.docs, &printed);
        let from = |start: usize| path.steps.iter().skip(start).cloned().collect::<Vec<_>>();
        let last = |count: usize| from(path.steps.len().saturating_sub(count));
        let unprinted = match part {
            LocatedPart::Itself => None,
            LocatedPart::Descendants => {
                let field = path.steps.iter().rposition(|step| matches!(step, PathStep::Field(_)));
                Some(Unprinted { steps: from(field.unwrap_or(0)), parts_are_printed: true })
            }
            LocatedPart::Ancestor(depth) => {
                Some(Unprinted { steps: last(printed.steps.len() - depth), parts_are_printed: false })
            }
        };
        (ranges, unprinted)
    }

    /// The innermost part that contains the byte at `offset_bytes`, and its path.
    pub fn at(&self, offset_bytes: usize) -> Option<(AccessPath, Value)> {
        self.part_of(self.map.at(offset_bytes)?)
    }

    /// The part that a map entry stands for, and its path.
    pub fn part_of(&self, entry: &MapEntry) -> Option<(AccessPath, Value)> {
        let path = self.docs.paths().to_path(entry.path);
        let value = path.follow(&self.root)?;
        Some((path, value))
    }
}
