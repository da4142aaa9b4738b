//! Nodes of types that no dialect declares.

use std::fmt::Write;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::equal::structural_equal;
use crate::visit::pre_order_visit;
use crate::{Array, Node, ObjectLike, Str, Value};

use super::JsonError;
use super::scan::Scanner;

/// A node of a type that no dialect declares: its place in the JSON of the graph that it was read from.
///
/// Numbers in the data of such a node may be numbers of other nodes, so its JSON is only valid inside the graph, which a
/// saver therefore repeats as a whole.
#[derive(Debug, Clone, Node)]
#[node(key = "script.UnknownNode")]
pub struct UnknownNode {
    /// The key of the type.
    pub type_key: Str,
    /// Number of the node in the graph.
    pub index: i64,
    /// Hash of the JSON of the node and those before it, which stands for the graph in comparisons: a node refers to
    /// those before it only.
    pub content: Str,
    /// JSON of the graph.
    #[node(skip_eq)]
    pub graph: Str,
}

/// JSON of a graph with nodes of unknown types, from which they are taken in the order of their numbers.
#[derive(Debug, Clone)]
pub struct UnknownGraph {
    text: Str,
    /// Places of the nodes.
    nodes: Vec<Range<usize>>,
    /// Hash of the first nodes, and their number.
    hashed: Sha256,
    count: usize,
}

impl UnknownGraph {
    /// Keeps a graph.
    pub fn new(text: &str) -> UnknownGraph {
        let nodes = Scanner::new(text).node_ranges().unwrap_or_default();
        UnknownGraph { text: text.into(), nodes, hashed: Sha256::new(), count: 0 }
    }

    /// The node with the number `index`, which is not less than those before.
    pub fn node(&mut self, type_key: Str, index: usize) -> UnknownNode {
        while let Some(node) = self.nodes.get(self.count).filter(|_| self.count <= index) {
            self.hashed.update(self.text.as_str().get(node.clone()).unwrap_or_default());
            self.hashed.update(b"\0");
            self.count += 1;
        }
        let mut hash = String::with_capacity(64);
        for byte in self.hashed.clone().finalize() {
            // Writing into a string cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        UnknownNode { type_key, index, content: hash.into(), graph: self.text.clone() }
    }
}

/// Treatment of nodes whose type no dialect declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownTypes {
    /// Errors.
    #[default]
    Refused,
    /// Kept as [`UnknownNode`]s.
    Kept,
}

impl UnknownNode {
    /// The unknown nodes in a value, once for each place.
    pub fn all_in(value: &Value) -> Vec<UnknownNode> {
        let mut found = Vec::new();
        if let Value::Node(node) = value {
            pre_order_visit(node, |node| {
                found.extend(node.as_node::<UnknownNode>().cloned());
                true
            });
        }
        found
    }

    /// The graph that the unknown nodes of a value come from, if `load` reads it as exactly this value.
    pub fn whole_graph(value: &Value, load: impl FnOnce(&str) -> Result<Value, JsonError>) -> Option<Str> {
        let graph = UnknownNode::all_in(value).pop()?.graph;
        let again = load(graph.as_str()).ok()?;
        let [value, again] = [value, &again].map(|value| Array::of_values([value.clone()]).into_object());
        structural_equal(&value, &again).then_some(graph)
    }
}

/// The keys of unknown types in a value, each with the number of its nodes.
pub fn unknown_types(value: &Value) -> Vec<(Str, usize)> {
    let mut counts: Vec<(Str, usize)> = Vec::new();
    for node in UnknownNode::all_in(value) {
        match counts.iter_mut().find(|(key, _)| *key == node.type_key) {
            Some((_, count)) => *count += 1,
            None => counts.push((node.type_key, 1)),
        }
    }
    counts
}
