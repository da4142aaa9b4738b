//! The nodes that are under conversion, and the values that they have so far.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::frames::Frames;
use super::importer::Value;
use super::names::{Reference, reference};
use super::operators::Branches;
use super::proto::NodeDef;

/// A graph, a function in place of a call, or a loop of a graph, with the values of its nodes.
pub(super) struct Scope<'m> {
    pub(super) nodes: &'m [NodeDef],
    index: Rc<HashMap<&'m [u8], usize>>,
    pub(super) frames: Rc<Frames<'m>>,
    /// Values of a function's parameters.
    args: Rc<HashMap<&'m [u8], Value>>,
    /// The branches of conditionals that nodes belong to, as far as they were asked for.
    pub(super) branches: Rc<RefCell<Branches>>,
    /// The results of nodes that are converted, by their positions.
    pub(super) results: HashMap<usize, Vec<Value>>,
    /// Begins the names of the nodes: `call/`.
    pub(super) prefix: String,
    is_function: bool,
}

impl<'m> Scope<'m> {
    pub(super) fn new(nodes: &'m [NodeDef], prefix: String, args: Option<HashMap<&'m [u8], Value>>) -> Self {
        let index = nodes.iter().enumerate().map(|(at, node)| (node.name.as_ref(), at)).collect();
        Scope {
            nodes,
            frames: Rc::new(Frames::of(nodes, &index)),
            index: Rc::new(index),
            branches: Rc::default(),
            results: HashMap::new(),
            prefix,
            is_function: args.is_some(),
            args: Rc::new(args.unwrap_or_default()),
        }
    }

    /// The same nodes inside a loop, of which some have results.
    pub(super) fn inside(&self, results: HashMap<usize, Vec<Value>>) -> Self {
        Scope {
            nodes: self.nodes,
            index: Rc::clone(&self.index),
            frames: Rc::clone(&self.frames),
            branches: Rc::clone(&self.branches),
            args: Rc::clone(&self.args),
            results,
            prefix: self.prefix.clone(),
            is_function: self.is_function,
        }
    }

    /// The parameter that a reference is; nodes may have the same names in graphs that are no functions.
    pub(super) fn arg(&self, reference: Reference<'_>) -> Option<&Value> {
        (self.is_function && reference.result.is_none()).then(|| self.args.get(reference.node)).flatten()
    }

    /// The node that makes a value.
    pub(super) fn node_of(&self, reference: Reference<'_>) -> Option<usize> {
        match self.arg(reference) {
            Some(_) => None,
            None => self.index.get(reference.node).copied(),
        }
    }

    /// The position of a node.
    pub(super) fn position_of(&self, node: &NodeDef) -> Option<usize> {
        self.index.get(node.name.as_ref()).copied()
    }

    /// The values that a node uses: its inputs, or for the end of a loop the values that enter the loop.
    pub(super) fn inputs(&self, at: usize) -> Vec<Reference<'m>> {
        let of_node = |at: usize| self.nodes.get(at).map(|node| node.input.as_slice()).unwrap_or_default();
        match self.frames.ending_at(at) {
            Some(frame) => {
                let entering = frame.enters.iter().filter_map(|enter| of_node(*enter).first());
                entering.filter_map(|input| reference(input)).collect()
            }
            None => of_node(at).iter().filter_map(|input| reference(input)).collect(),
        }
    }

    /// The values that have to be known before a node: all but those of the round before, which a `Merge` joins.
    fn before(&self, at: usize) -> std::vec::IntoIter<Reference<'m>> {
        let has =
            |at: usize, operator: &[u8]| self.nodes.get(at).is_some_and(|node| node.op.as_ref() == operator);
        let mut inputs = self.inputs(at);
        if has(at, b"Merge") {
            inputs.retain(|used| !self.node_of(*used).is_some_and(|from| has(from, b"NextIteration")));
        }
        inputs.into_iter()
    }

    /// The nodes without results that values depend on, operands first. In a cycle, one node comes before an operand.
    pub(super) fn order(&self, roots: &[usize]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut order = Vec::new();
        let is_new = |at: &usize| !self.results.contains_key(at);
        for root in roots.iter().copied().filter(is_new) {
            if !seen.insert(root) {
                continue;
            }
            let mut stack = vec![(root, self.before(root))];
            while let Some((at, inputs)) = stack.last_mut() {
                let Some(used) = inputs.next() else {
                    order.push(*at);
                    stack.pop();
                    continue;
                };
                if let Some(used) = self.node_of(used).filter(is_new)
                    && seen.insert(used)
                {
                    stack.push((used, self.before(used)));
                }
            }
        }
        order
    }
}
