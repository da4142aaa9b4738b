//! The lines on which nodes begin, and their names in the text.
//!
//! A node that only joins others (a sequence of statements, the body of a function) begins where its first part does, on a line
//! that says nothing about it. Such a node has no line: one that spans several lines, while another node begins at the same
//! place and ends earlier.

use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_docsifier::MappedText;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Object, SourceId, SpanKind, pre_order_visit};

use super::text::is_word;

/// Positions of nodes by address. The nodes must outlive it.
#[derive(Debug, Clone)]
pub(crate) struct Positions(Rc<AddressMap<Position>>);

#[derive(Debug)]
struct Position {
    /// The line, from 0.
    line: u32,
    /// The text of the node, if that is one name.
    name: Option<Box<str>>,
}

impl Positions {
    pub(crate) fn of_mapped(mapped: &MappedText) -> Positions {
        let mut found = Vec::new();
        pre_order_visit(mapped.root(), |node| {
            if let Some(range) = mapped.ranges_of_node(node).first() {
                found.push((node.address(), range.start, range.end));
            }
            true
        });
        Positions::new(found, mapped.text())
    }

    /// Positions of the nodes whose spans are in the source that most of them are in.
    pub(crate) fn of_spans(root: &Object, text: &str) -> Positions {
        let mut by_source: HashMap<SourceId, Vec<(usize, usize, usize)>> = HashMap::new();
        pre_order_visit(root, |node| {
            for part in node.span().parts().into_iter().take(1) {
                if let SpanKind::Range { source, start_bytes, end_bytes } = part.kind() {
                    let range = (node.address(), start_bytes as usize, end_bytes as usize);
                    by_source.entry(source).or_default().push(range);
                }
            }
            true
        });
        let first = |found: &[(usize, usize, usize)]| found.first().map(|&(_, start, end)| (start, end));
        let found = by_source.into_values().max_by_key(|found| (found.len(), first(found)));
        Positions::new(found.unwrap_or_default(), text)
    }

    /// The lines of nodes, given by address, first byte and the byte after the last one.
    fn new(found: Vec<(usize, usize, usize)>, text: &str) -> Positions {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line_of = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
        let mut first_ends: HashMap<usize, usize> = HashMap::new();
        for &(_, start, end) in &found {
            first_ends.entry(start).and_modify(|first| *first = end.min(*first)).or_insert(end);
        }
        let mut lines = AddressMap::default();
        for (address, start, end) in found {
            let line = line_of(start);
            let joins = first_ends.get(&start).is_some_and(|first| *first < end);
            if !joins || line_of(end.saturating_sub(1)) == line {
                let name = text.get(start..end).filter(|text| !text.is_empty() && text.chars().all(is_word));
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                lines.insert(address, Position { line, name: name.map(Box::from) });
            }
        }
        Positions(Rc::new(lines))
    }

    pub(crate) fn line(&self, node: &Object) -> Option<u32> {
        self.0.get(&node.address()).map(|position| position.line)
    }

    pub(crate) fn name(&self, node: &Object) -> Option<&str> {
        self.0.get(&node.address())?.name.as_deref()
    }
}
