//! Rows of boxes: the nodes of each layer in an order with few crossings, with dummies for edges that pass.

use std::ops::Range;

use super::layers::Arrow;
use super::lists::Lists;

/// Number of nodes up to which many sweeps reduce crossings.
const SMALL: usize = 2_000;

/// Sweeps of small graphs.
const SWEEPS: usize = 12;

/// Sweeps of larger graphs.
const SWEEPS_OF_LARGE: usize = 2;

/// Maximum number of dummies per node, beyond [`DUMMIES`]. Edges that find none left are drawn beside the graph.
const DUMMIES_PER_NODE: usize = 4;

/// Number of dummies of any graph.
const DUMMIES: usize = 20_000;

/// Width of a dummy in pixels; even, so that its middle is an integer.
const DUMMY_WIDTH: u32 = 2;

/// The boxes of a graph in rows. Boxes are numbered: the nodes first, then the dummies.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The boxes of each row, from left to right.
    pub(super) rows: Vec<Vec<u32>>,
    /// Width and height of each box; dummies have no height of their own.
    pub(super) sizes: Vec<[u32; 2]>,
    /// Neighbours of each box in the row above.
    pub(super) above: Lists,
    /// Neighbours of each box in the row below.
    pub(super) below: Lists,
    /// First dummy and number of dummies of each edge, numbered from top to bottom; `None` for edges beside the graph.
    dummies: Vec<Option<[u32; 2]>>,
    /// Number of nodes.
    nodes: u32,
}

impl Rows {
    pub(super) fn new(sizes: &[[u32; 2]], layers: &[Option<u32>], arrows: &[Option<Arrow>]) -> Rows {
        let nodes = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
        let layer = |node: u32| layers.get(node as usize).copied().flatten().unwrap_or(0);
        let height = layers.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let mut rows =
            Rows { rows: vec![Vec::new(); height], sizes: sizes.to_vec(), nodes, ..Rows::default() };
        rows.dummies = vec![None; arrows.len()];
        let length = |arrow: &Arrow| layer(arrow.ends[1]).saturating_sub(layer(arrow.ends[0]) + 1);
        // Edges that leave one node share their dummies.
        let mut longest = vec![0; sizes.len()];
        for arrow in arrows.iter().flatten() {
            if let Some(longest) = longest.get_mut(arrow.ends[0] as usize) {
                *longest = length(arrow).max(*longest);
            }
        }
        let mut by_length: Vec<(u32, u32)> =
            longest.into_iter().zip(0..nodes).filter(|(length, _)| *length > 0).collect();
        by_length.sort_unstable();
        let mut left = DUMMIES + DUMMIES_PER_NODE * sizes.len();
        let mut pieces: Vec<[u32; 2]> = Vec::with_capacity(arrows.len());
        let mut layer_of = layers.to_vec();
        let mut chains = vec![None; sizes.len()];
        for (length, node) in by_length {
            let Some(rest) = left.checked_sub(length as usize) else { break };
            left = rest;
            let first = u32::try_from(rows.sizes.len()).unwrap_or(u32::MAX);
            if let Some(chain) = chains.get_mut(node as usize) {
                *chain = Some(first);
            }
            let mut last = node;
            for (dummy, layer) in (first..first.saturating_add(length)).zip(layer(node) + 1..) {
                rows.sizes.push([DUMMY_WIDTH, 0]);
                layer_of.push(Some(layer));
                pieces.push([last, dummy]);
                last = dummy;
            }
        }
        for (arrow, dummies) in arrows.iter().zip(&mut rows.dummies) {
            let Some(arrow) = arrow else { continue };
            let [upper, lower] = arrow.ends;
            match (length(arrow), chains.get(upper as usize).copied().flatten()) {
                (0, _) => {
                    *dummies = Some([0, 0]);
                    pieces.push([upper, lower]);
                }
                (length, Some(first)) => {
                    *dummies = Some([first, length]);
                    pieces.push([first + length - 1, lower]);
                }
                (_, None) => {}
            }
        }
        let count = u32::try_from(rows.sizes.len()).unwrap_or(u32::MAX);
        rows.below = Lists::new(count, pieces.iter().map(|[upper, lower]| (*upper, *lower)));
        rows.above = Lists::new(count, pieces.iter().map(|[upper, lower]| (*lower, *upper)));
        rows.fill(&layer_of);
        rows
    }

    /// Fills the rows in the order of a depth-first search, which keeps the parts of a graph together.
    fn fill(&mut self, layers: &[Option<u32>]) {
        let count = u32::try_from(layers.len()).unwrap_or(u32::MAX);
        let mut is_placed = vec![false; layers.len()];
        let roots = (0..self.nodes).filter(|node| self.above.of(*node).is_empty());
        let mut open = Vec::new();
        for root in roots.chain(0..count) {
            open.push(root);
            while let Some(node) = open.pop() {
                let Some(is_placed) = is_placed.get_mut(node as usize).filter(|is_placed| !**is_placed)
                else {
                    continue;
                };
                *is_placed = true;
                if let Some(Some(layer)) = layers.get(node as usize)
                    && let Some(row) = self.rows.get_mut(*layer as usize)
                {
                    row.push(node);
                }
                open.extend(self.below.of(node).iter().rev());
            }
        }
    }

    /// The dummies of an edge from top to bottom; `None` for edges beside the graph.
    pub(super) fn dummies(&self, edge: usize) -> Option<Range<u32>> {
        let [first, length] = self.dummies.get(edge).copied().flatten()?;
        Some(first..first + length)
    }

    /// Returns `true` if a box is a dummy.
    pub(super) fn is_dummy(&self, index: u32) -> bool {
        index >= self.nodes
    }

    /// Orders each row by the mean place of the neighbours in the row before, downwards and upwards in turn, and keeps the best
    /// order of small graphs.
    pub(super) fn reduce_crossings(&mut self) {
        let is_small = self.nodes as usize <= SMALL;
        let mut places = vec![0_u32; self.sizes.len()];
        for row in &self.rows {
            number(row, &mut places);
        }
        let mut best = is_small.then(|| (self.crossings(&places), self.rows.clone()));
        for sweep in 0..if is_small { SWEEPS } else { SWEEPS_OF_LARGE } {
            if sweep > 1 && best.as_ref().is_some_and(|(crossings, _)| *crossings == 0) {
                break;
            }
            if sweep % 2 == 0 {
                self.rows.iter_mut().for_each(|row| sort(row, &self.above, &mut places));
            } else {
                self.rows.iter_mut().rev().for_each(|row| sort(row, &self.below, &mut places));
            }
            if let Some((fewest, order)) = &mut best {
                let crossings = self.crossings(&places);
                if crossings <= *fewest {
                    (*fewest, *order) = (crossings, self.rows.clone());
                }
            }
        }
        if let Some((_, order)) = best {
            self.rows = order;
        }
    }

    /// Number of crossings of the edges between neighbouring rows.
    fn crossings(&self, places: &[u32]) -> u64 {
        let mut crossings = 0;
        let mut ends = Vec::new();
        for row in &self.rows {
            // Edges by their upper end, then by their lower one: each pair of lower ends out of order is a crossing.
            ends.clear();
            for node in row {
                let from = ends.len();
                ends.extend(
                    self.below.of(*node).iter().filter_map(|lower| places.get(*lower as usize).copied()),
                );
                if let Some(own) = ends.get_mut(from..) {
                    own.sort_unstable();
                }
            }
            crossings += inversions(&ends);
        }
        crossings
    }
}

/// Writes the places of the boxes of a row.
fn number(row: &[u32], places: &mut [u32]) {
    for (place, node) in (0_u32..).zip(row) {
        if let Some(slot) = places.get_mut(*node as usize) {
            *slot = place;
        }
    }
}

/// Orders a row by the mean place of neighbours; boxes without neighbours keep their places.
fn sort(row: &mut [u32], neighbours: &Lists, places: &mut [u32]) {
    let place = |node: u32| places.get(node as usize).copied().unwrap_or(0);
    let mean = |node: u32| match neighbours.of(node) {
        [] => f64::from(place(node)),
        nodes => nodes.iter().map(|node| f64::from(place(*node))).sum::<f64>() / nodes.len() as f64,
    };
    let mut keys: Vec<(f64, u32)> = row.iter().map(|node| (mean(*node), *node)).collect();
    keys.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    for (slot, (_, node)) in row.iter_mut().zip(keys) {
        *slot = node;
    }
    number(row, places);
}

/// Number of pairs out of order, with a tree of counts.
fn inversions(values: &[u32]) -> u64 {
    let size = values.iter().max().map_or(0, |last| *last as usize + 1);
    let mut counts = vec![0_u32; size + 1];
    let (mut total, mut seen) = (0, 0_u64);
    for value in values {
        let mut not_above = 0;
        let mut at = *value as usize + 1;
        while at > 0 {
            not_above += u64::from(counts.get(at).copied().unwrap_or(0));
            at &= at - 1;
        }
        total += seen - not_above;
        seen += 1;
        let mut at = *value as usize + 1;
        while let Some(count) = counts.get_mut(at) {
            *count += 1;
            at += at & at.wrapping_neg();
        }
    }
    total
}
