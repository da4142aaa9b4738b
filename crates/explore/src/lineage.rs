//! Places that lines come from.
//!
//! The own nodes of a line are those whose text begins on it; a variable belongs to the line where it is printed first. The
//! origins of a line are the places in the spans of its own nodes: lines of the input, layers, and places elsewhere.

use std::collections::HashMap;
use std::ops::Range;

use tvmscript_docsifier::MappedText;
use tvmscript_docsifier::names::is_wide_identifier;
use tvmscript_ir_core::{EqKind, Object, PathId, PtrSet, SourceId, SourceTexts, Span, SpanKind};
use tvmscript_prim::IntImm;

use crate::page::{Origin, Store};

/// A node whose text begins on a line.
#[derive(Debug, Clone, Copy)]
pub struct OwnNode<'a> {
    /// The line, from 1.
    pub line: usize,
    /// The bytes of its text.
    pub range: &'a Range<usize>,
    /// Path to the node, in the table of the printed docs.
    pub path: PathId,
    /// The node.
    pub node: &'a Object,
}

/// Visits the own nodes of all lines that have a known span, in the order of the text, outer ones before inner ones. Takes
/// linear time.
///
/// Layers of a model share the integers of shapes, so an integer of a layer is an own node only where its line has no other.
pub fn for_each_own_node(mapped: &MappedText, mut visit: impl FnMut(OwnNode<'_>)) {
    let text = mapped.text();
    let (mut line, mut line_at) = (1, 0);
    let mut variables = PtrSet::default();
    // Integers of layers on the last line, as long as it has no other node.
    let mut integers: Vec<(Range<usize>, PathId, Object)> = Vec::new();
    let mut last = 0;
    mapped.for_each_node(|entry, path, node| {
        if !node.span().is_known() {
            return;
        }
        let is_name = || text.get(entry.range.clone()).is_some_and(is_wide_identifier);
        if (node.info().eq_kind() == EqKind::FreeVar || is_name()) && !variables.insert(node.clone()) {
            return;
        }
        let skipped = text.as_bytes().get(line_at..entry.range.start).unwrap_or_default();
        line += skipped.iter().filter(|byte| **byte == b'\n').count();
        line_at = line_at.max(entry.range.start);
        if line != last {
            visit_all(&mut integers, last, &mut visit);
        }
        let is_first = std::mem::replace(&mut last, line) != line;
        if is_integer_of_layer(node) {
            if is_first || !integers.is_empty() {
                integers.push((entry.range.clone(), path, node.clone()));
            }
            return;
        }
        integers.clear();
        visit(OwnNode { line, range: &entry.range, path, node });
    });
    visit_all(&mut integers, last, &mut visit);
}

fn visit_all(
    nodes: &mut Vec<(Range<usize>, PathId, Object)>,
    line: usize,
    visit: &mut impl FnMut(OwnNode<'_>),
) {
    for (range, path, node) in nodes.drain(..) {
        visit(OwnNode { line, range: &range, path, node: &node });
    }
}

fn is_integer_of_layer(node: &Object) -> bool {
    node.is::<IntImm>() && node.span().parts().into_iter().any(|part| part.source_name().is_some())
}

/// The text that a run begins with, as far as spans refer to it.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The input; none for programs without text.
    pub input: Option<SourceId>,
    /// The lines of the input and of other texts.
    pub texts: SourceTexts,
}

/// Indices of the origins that spans name.
#[derive(Debug)]
pub struct Places<'a> {
    run: u32,
    sources: &'a Sources,
    known: HashMap<Span, Vec<u32>>,
}

impl<'a> Places<'a> {
    /// The places of a run.
    pub fn new(run: u32, sources: &'a Sources) -> Places<'a> {
        Places { run, sources, known: HashMap::new() }
    }

    /// The origins of a span: one for each part, and for a call site one for the place in the helper and for each call.
    pub fn of(&mut self, span: Span, store: &mut Store) -> &[u32] {
        let (run, sources) = (self.run, self.sources);
        self.known.entry(span).or_insert_with(|| {
            let mut found = Vec::new();
            for at in span.places() {
                found.extend(sources.origin(run, at).map(|origin| store.origin(origin)));
            }
            found
        })
    }

    /// The origins of each line of a text that has `lines` lines.
    pub fn of_lines(&mut self, mapped: &MappedText, lines: usize, store: &mut Store) -> Vec<Vec<u32>> {
        let mut origins = vec![Vec::new(); lines];
        for_each_own_node(mapped, |own| {
            if let Some(of_line) = origins.get_mut(own.line - 1) {
                of_line.extend_from_slice(self.of(own.node.span(), store));
            }
        });
        origins
    }
}

impl Sources {
    /// The origin of a span that is a single place.
    fn origin(&self, run: u32, span: Span) -> Option<Origin> {
        let (source, line) = match span.kind() {
            SpanKind::Range { source, start_bytes, .. } => {
                (source, self.texts.line_column(source, start_bytes).map(|(line, _)| line))
            }
            SpanKind::LineColumn { source, line, .. } => (source, Some(line).filter(|line| *line > 0)),
            SpanKind::Source { source } => return Some(Origin::Layer { name: source.name() }),
            _ => return None,
        };
        Some(match line {
            Some(line) if Some(source) == self.input => Origin::Line { run, line },
            Some(line) => Origin::Place { name: format!("{}:{line}", file_name(&source.name())) },
            None => {
                let marker = span.to_marker(&self.texts);
                Origin::Place { name: file_name(marker.trim_start_matches('@')).to_owned() }
            }
        })
    }
}

/// A name without folders.
pub fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}
