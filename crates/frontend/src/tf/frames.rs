//! Loops of version 1: the nodes that make the values of a loop enter it, stay in it, and leave it.
//!
//! A value enters by `Enter`, is joined by `Merge` with the value of the round before, goes by `Switch` to the next round or
//! out of the loop, and leaves by `Exit`; `NextIteration` makes it the value of the next round.

use std::collections::{HashMap, HashSet};

use super::names::{Reference, reference};
use super::node::attribute;
use super::proto::NodeDef;

/// The loops of a graph.
#[derive(Debug, Default)]
pub(super) struct Frames<'m> {
    frames: Vec<Frame<'m>>,
    /// The loop that ends at an `Exit`.
    exits: HashMap<usize, usize>,
    /// The nodes that take part in loops: `Merge`, and the `Switch` of a value.
    parts: HashSet<usize>,
}

/// A loop.
#[derive(Debug, Default)]
pub(super) struct Frame<'m> {
    /// The nodes by which values enter.
    pub(super) enters: Vec<usize>,
    /// The values that change, by the positions of their `Enter` in [`Self::enters`].
    pub(super) changing: HashMap<usize, Changing<'m>>,
    /// The condition.
    pub(super) test: Option<Reference<'m>>,
}

/// A value that a loop changes.
#[derive(Debug)]
pub(super) struct Changing<'m> {
    /// The `Merge`.
    pub(super) merge: usize,
    /// The `Switch`; without one, only the condition uses the value.
    pub(super) switch: Option<usize>,
    /// The value of the next round.
    pub(super) next: Reference<'m>,
    /// The nodes by which the value leaves.
    pub(super) exits: Vec<usize>,
}

type Index<'m> = HashMap<&'m [u8], usize>;

/// The node that an input comes from, if it has the operator.
fn source(nodes: &[NodeDef], index: &Index<'_>, input: &[u8], operator: &[u8]) -> Option<usize> {
    let at = *index.get(reference(input)?.node)?;
    (nodes.get(at)?.op.as_ref() == operator).then_some(at)
}

impl<'m> Frames<'m> {
    /// Returns `true` if the graph has no loops.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Finds the loops.
    pub(super) fn of(nodes: &'m [NodeDef], index: &Index<'m>) -> Frames<'m> {
        let mut found = Frames::default();
        // The loop and the place of a value by its `Enter`, `Merge` and `Switch`.
        let mut places: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut names: HashMap<&[u8], usize> = HashMap::new();
        let with = |operator: &'static [u8]| {
            nodes.iter().enumerate().filter(move |(_, node)| node.op.as_ref() == operator)
        };
        for (at, node) in with(b"Enter") {
            let name = attribute(node, "frame_name").and_then(|value| value.s.as_ref());
            let name = name.map(AsRef::as_ref).unwrap_or_default();
            let frame = *names.entry(name).or_insert(found.frames.len());
            if frame == found.frames.len() {
                found.frames.push(Frame::default());
            }
            if let Some(of) = found.frames.get_mut(frame) {
                places.insert(at, (frame, of.enters.len()));
                of.enters.push(at);
            }
        }
        for (at, node) in with(b"Merge") {
            let from =
                |operator: &[u8]| node.input.iter().find_map(|input| source(nodes, index, input, operator));
            let next = from(b"NextIteration").and_then(|next| reference(nodes.get(next)?.input.first()?));
            let place = from(b"Enter").and_then(|enter| places.get(&enter).copied());
            if let (Some((frame, place)), Some(next)) = (place, next)
                && let Some(of) = found.frames.get_mut(frame)
            {
                of.changing.insert(place, Changing { merge: at, switch: None, next, exits: Vec::new() });
                places.insert(at, (frame, place));
                found.parts.insert(at);
            }
        }
        for (at, node) in with(b"Switch") {
            let [value, condition, ..] = node.input.as_slice() else { continue };
            let merge = source(nodes, index, value, b"Merge").and_then(|merge| places.get(&merge).copied());
            let condition = source(nodes, index, condition, b"LoopCond").and_then(|at| nodes.get(at));
            if let (Some((frame, place)), Some(condition)) = (merge, condition)
                && let Some(of) = found.frames.get_mut(frame)
            {
                of.test = condition.input.first().and_then(|input| reference(input));
                if let Some(changing) = of.changing.get_mut(&place) {
                    changing.switch = Some(at);
                }
                places.insert(at, (frame, place));
                found.parts.insert(at);
            }
        }
        for (at, node) in with(b"Exit") {
            let switch = node.input.first().and_then(|input| source(nodes, index, input, b"Switch"));
            if let Some((frame, place)) = switch.and_then(|switch| places.get(&switch).copied()) {
                found.exits.insert(at, frame);
                let changing = found.frames.get_mut(frame).and_then(|frame| frame.changing.get_mut(&place));
                changing.into_iter().for_each(|changing| changing.exits.push(at));
            }
        }
        found
    }

    /// The loop that ends at an `Exit`.
    pub(super) fn ending_at(&self, exit: usize) -> Option<&Frame<'m>> {
        self.frames.get(*self.exits.get(&exit)?)
    }

    /// Returns `true` for a `Merge` or `Switch` of a loop.
    pub(super) fn has(&self, at: usize) -> bool {
        self.parts.contains(&at)
    }
}
