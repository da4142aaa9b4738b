//! Layers: cycles are broken, and each node is below its predecessors.

use super::lists::Lists;

/// An edge with its upper end first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrow {
    pub(super) ends: [u32; 2],
    /// `true` if the edge closes a cycle, so that its second node is the upper one.
    pub(super) is_reversed: bool,
}

/// Turns edges around until there is no cycle; edges to the node itself are to be left out.
pub(super) fn downwards(count: u32, edges: impl Iterator<Item = Option<[u32; 2]>>) -> Vec<Option<Arrow>> {
    let arrow = |edge: Option<[u32; 2]>| edge.map(|ends| Arrow { ends, is_reversed: false });
    let mut arrows: Vec<Option<Arrow>> = edges.map(arrow).collect();
    let outgoing = by_end(count, &arrows, 0);
    let incoming = by_end(count, &arrows, 1);
    let mut states = vec![State::New; count as usize];
    let first = (0..count).filter(|node| incoming.of(*node).is_empty());
    for root in first.chain(0..count) {
        let mut open = vec![(root, 0)];
        if states.get(root as usize) != Some(&State::New) {
            continue;
        }
        while let Some((node, next)) = open.last_mut() {
            set(&mut states, *node, State::Open);
            let Some(edge) = outgoing.of(*node).get(*next) else {
                set(&mut states, *node, State::Done);
                open.pop();
                continue;
            };
            *next += 1;
            let Some(Some(arrow)) = arrows.get_mut(*edge as usize) else { continue };
            let target = arrow.ends[1];
            match states.get(target as usize) {
                Some(State::New) => open.push((target, 0)),
                Some(State::Open) => *arrow = Arrow { ends: [target, arrow.ends[0]], is_reversed: true },
                _ => {}
            }
        }
    }
    arrows
}

/// Progress of a node in a depth-first search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn set<T>(values: &mut [T], index: u32, value: T) {
    if let Some(place) = values.get_mut(index as usize) {
        *place = value;
    }
}

/// Indices of edges by one of their ends.
fn by_end(count: u32, arrows: &[Option<Arrow>], end: usize) -> Lists {
    let pairs =
        (0..).zip(arrows).filter_map(move |(index, arrow)| Some((*arrow.as_ref()?.ends.get(end)?, index)));
    Lists::new(count, pairs)
}

/// The layer of each node; `None` for nodes without edges. A full layer sends nodes to the next one, so that a node with very
/// many successors does not make one endless row.
pub(super) fn assign(count: u32, arrows: &[Option<Arrow>]) -> Vec<Option<u32>> {
    let room = count.isqrt().saturating_mul(2).max(12);
    let outgoing = by_end(count, arrows, 0);
    let incoming = by_end(count, arrows, 1);
    let end = |edge: u32, end: usize| {
        arrows.get(edge as usize).and_then(|arrow| arrow.as_ref()?.ends.get(end).copied())
    };
    let mut waiting: Vec<u32> =
        (0..count).map(|node| u32::try_from(incoming.of(node).len()).unwrap_or(u32::MAX)).collect();
    let mut lowest = vec![0; count as usize];
    let mut layers = vec![None; count as usize];
    let mut space = Space::default();
    let has_edges = |node: &u32| !(incoming.of(*node).is_empty() && outgoing.of(*node).is_empty());
    let mut ready: Vec<u32> =
        (0..count).filter(has_edges).filter(|node| incoming.of(*node).is_empty()).collect();
    let mut next = 0;
    while let Some(node) = ready.get(next).copied() {
        next += 1;
        let layer = space.take(lowest.get(node as usize).copied().unwrap_or(0), room);
        set(&mut layers, node, Some(layer));
        for target in outgoing.of(node).iter().filter_map(|edge| end(*edge, 1)) {
            if let Some(lowest) = lowest.get_mut(target as usize) {
                *lowest = layer.saturating_add(1).max(*lowest);
            }
            if let Some(left) = waiting.get_mut(target as usize) {
                *left -= 1;
                if *left == 0 {
                    ready.push(target);
                }
            }
        }
    }
    // Nodes without predecessors move down to the nodes that use them.
    for node in ready.into_iter().filter(|node| incoming.of(*node).is_empty()) {
        let below = outgoing
            .of(node)
            .iter()
            .filter_map(|edge| layers.get(end(*edge, 1)? as usize).copied().flatten());
        if let (Some(below), Some(Some(layer))) = (below.min(), layers.get_mut(node as usize))
            && space.move_down(*layer, below.saturating_sub(1), room)
        {
            *layer = below.saturating_sub(1);
        }
    }
    compact(&mut layers);
    layers
}

/// Numbers of nodes in layers.
#[derive(Debug, Default)]
struct Space {
    used: Vec<u32>,
    /// For a full layer one further down that may have space.
    next: Vec<u32>,
}

impl Space {
    /// Takes a place in the first layer with space, from this one downwards.
    fn take(&mut self, from: u32, room: u32) -> u32 {
        let mut layer = from;
        loop {
            let needed = layer as usize + 1;
            while self.used.len() < needed {
                self.next.push(u32::try_from(self.next.len()).unwrap_or(u32::MAX));
                self.used.push(0);
            }
            let next = self.next.get(layer as usize).copied().unwrap_or(layer);
            if next == layer {
                break;
            }
            // Halves the way for later calls.
            let after = self.next.get(next as usize).copied().unwrap_or(next);
            set(&mut self.next, layer, after);
            layer = after;
        }
        if let Some(used) = self.used.get_mut(layer as usize) {
            *used += 1;
            if *used >= room {
                set(&mut self.next, layer, layer + 1);
            }
        }
        layer
    }

    /// Moves a node to a lower layer, if that has space.
    fn move_down(&mut self, from: u32, to: u32, room: u32) -> bool {
        let has_space = to > from && self.used.get(to as usize).is_some_and(|used| *used < room);
        if has_space {
            for (layer, change) in [(from, -1), (to, 1)] {
                if let Some(used) = self.used.get_mut(layer as usize) {
                    *used = used.saturating_add_signed(change);
                }
            }
        }
        has_space
    }
}

/// Removes empty layers.
fn compact(layers: &mut [Option<u32>]) {
    let height = layers.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut numbers = vec![0_u32; height];
    for layer in layers.iter().flatten() {
        set(&mut numbers, *layer, 1);
    }
    let mut total = 0;
    for number in &mut numbers {
        total += *number;
        *number = total;
    }
    for layer in layers.iter_mut().flatten() {
        *layer = numbers.get(*layer as usize).map_or(0, |number| number - 1);
    }
}
