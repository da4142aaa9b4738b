//! Searches for nodes by their spans.

use super::Span;
use crate::raw::{Object, ObjectLike};
use crate::visit::pre_order_visit;

/// The nodes below `root`, itself included, whose span `matches`: each once, in pre-order.
pub fn nodes_where_span(root: &impl ObjectLike, mut matches: impl FnMut(Span) -> bool) -> Vec<Object> {
    let mut found = Vec::new();
    pre_order_visit(root, |node| {
        if matches(node.span()) {
            found.push(node.clone());
        }
        true
    });
    found
}
