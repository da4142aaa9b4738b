//! The share of nodes with a source.

use tvmscript_ir_core::shared::Visited;
use tvmscript_ir_core::{AccessPath, NodeSearch, Object, ObjectLike, for_each_own_child};

use super::{PassInstrument, PassRun};
use crate::{PassError, PassErrorKind};

/// Number of nodes that can have a source, and of those that have one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct SourceCoverage {
    /// Nodes that hold a span.
    pub nodes: usize,
    /// Nodes whose span is known.
    pub nodes_with_source: usize,
}

impl SourceCoverage {
    /// Returns the share of nodes with a source, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.nodes == 0 { 1.0 } else { self.nodes_with_source as f64 / self.nodes as f64 }
    }
}

/// Counts the nodes of a graph that hold a span, each once. Derived fields, such as inferred types, do not count.
pub fn source_coverage(root: &impl ObjectLike) -> SourceCoverage {
    let mut coverage = SourceCoverage::default();
    let mut visited = Visited::default();
    let mut work = vec![root.as_object()];
    while let Some(node) = work.pop() {
        if !visited.is_first(node) {
            continue;
        }
        if node.info().has_span() {
            coverage.nodes += 1;
            coverage.nodes_with_source += usize::from(node.span().is_known());
        }
        for_each_own_child(node, |child| work.push(child));
    }
    coverage
}

/// Fails after a pass that leaves too many nodes without a source.
#[derive(Debug, Clone)]
pub struct SpanSurvival {
    floor: f64,
}

impl SpanSurvival {
    /// Requires that at least this share of nodes, from 0 to 1, has a source.
    pub fn at_least(floor: f64) -> SpanSurvival {
        SpanSurvival { floor }
    }
}

/// Number of nodes that the message names.
const NAMED_NODES: usize = 5;

impl PassInstrument for SpanSurvival {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        let coverage = source_coverage(run.after);
        if coverage.share() >= self.floor {
            return Ok(());
        }
        let SourceCoverage { nodes, nodes_with_source } = coverage;
        let without = paths_without_source(run.after);
        let more = (nodes - nodes_with_source).saturating_sub(without.len());
        let named: Vec<String> = without.iter().map(|(class, path)| format!("{class} at {path}")).collect();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let message = format!(
            "{nodes_with_source} of {nodes} nodes have a source; without: {}{more}",
            named.join(", ")
        );
        let error = PassErrorKind::Instrument { instrument: "span survival", message }.into();
        Err(without.into_iter().fold(error, |error: PassError, (_, path)| match error.is_located() {
            false => error.at(path),
            true => error.with_label(path, ""),
        }))
    }
}

/// Class and access path of the first nodes without a source.
fn paths_without_source(root: &Object) -> Vec<(&'static str, AccessPath)> {
    let is_missing = |node: &Object| node.info().has_span() && !node.span().is_known();
    let found = NodeSearch { limit: NAMED_NODES, derived: false }.run(root, is_missing);
    found.into_iter().map(|(node, path)| (node.info().display_key(), path)).collect()
}
