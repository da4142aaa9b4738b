//! Comments of a text, by statement.
//!
//! A parser returns them beside the nodes, and a printer finds the statement of a node by the node's span. Comments are
//! no part of nodes, so equality, hash and JSON do not know them.

use std::collections::HashMap;

use super::{SourceId, Span, SpanKind};

/// A statement with the comments around it, without `#`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommentedStmt {
    /// First byte.
    pub start_bytes: u32,
    /// Byte after the last one.
    pub end_bytes: u32,
    /// Index of the enclosing statement.
    pub parent: Option<u32>,
    /// Span that a marker states, for all nodes of the statement that are not in the statements inside it.
    pub marker: Option<Span>,
    /// Comments on the lines above.
    pub above: Vec<String>,
    /// Comment at the end of the line, or of the first line of a statement with a body.
    pub trailing: Option<String>,
    /// Comments on the lines below, at the end of a body.
    pub below: Vec<String>,
}

impl CommentedStmt {
    /// A statement without comments.
    pub fn new(start_bytes: u32, end_bytes: u32, parent: Option<u32>) -> CommentedStmt {
        CommentedStmt { start_bytes, end_bytes, parent, ..CommentedStmt::default() }
    }
}

/// The statements of a text with their comments and markers. Empty for a text without comments.
#[derive(Debug, Clone, Default)]
pub struct SourceComments {
    source: Option<SourceId>,
    /// By start; outer before inner.
    stmts: Vec<CommentedStmt>,
    /// Statements by marker.
    marked: HashMap<Span, Vec<u32>>,
    has_markers: bool,
}

impl SourceComments {
    /// The comments of a source. Statements are sorted by start, outer before inner.
    pub fn new(source: SourceId, stmts: Vec<CommentedStmt>) -> SourceComments {
        let mut marked: HashMap<Span, Vec<u32>> = HashMap::new();
        for (index, stmt) in stmts.iter().enumerate() {
            if let Some(span) = stmt.marker.filter(|span| span.is_known()) {
                marked.entry(span).or_default().push(index as u32);
            }
        }
        let has_markers = stmts.iter().any(|stmt| stmt.marker.is_some());
        SourceComments { source: Some(source), stmts, marked, has_markers }
    }

    /// Drops the comments for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        for stmt in &mut self.stmts {
            stmt.above.retain(|text| keep(text));
            stmt.trailing.take_if(|text| !keep(text));
            stmt.below.retain(|text| keep(text));
        }
    }

    /// All statements by start, outer before inner.
    pub fn stmts(&self) -> &[CommentedStmt] {
        &self.stmts
    }

    /// Returns `true` without statements.
    pub fn is_empty(&self) -> bool {
        self.stmts.is_empty()
    }

    /// Returns `true` if a marker states a span.
    pub fn has_markers(&self) -> bool {
        self.has_markers
    }

    /// The index of the innermost statement that contains a byte.
    pub fn innermost(&self, offset_bytes: u32) -> Option<usize> {
        let begun = self.stmts.partition_point(|stmt| stmt.start_bytes <= offset_bytes);
        let mut at = begun.checked_sub(1)?;
        loop {
            let stmt = self.stmts.get(at)?;
            if offset_bytes < stmt.end_bytes {
                return Some(at);
            }
            at = stmt.parent? as usize;
        }
    }

    /// The span that a marker states for the syntax at a byte.
    pub fn marker_at(&self, offset_bytes: u32) -> Option<Span> {
        self.stmts.get(self.innermost(offset_bytes)?)?.marker
    }

    /// The statements that a node with this span may come from: the one around a byte range of the source or around the
    /// call of a helper, else those with a marker that states the span.
    pub fn stmts_of(&self, span: Span) -> Vec<usize> {
        let mut at = span;
        loop {
            match at.kind() {
                SpanKind::Range { source, start_bytes, .. } if Some(source) == self.source => {
                    return self.innermost(start_bytes).into_iter().collect();
                }
                SpanKind::CallSite { caller, .. } => at = caller,
                _ => break,
            }
        }
        self.marked.get(&span).into_iter().flatten().map(|index| *index as usize).collect()
    }
}
