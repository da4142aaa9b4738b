//! Places of the nodes of a graph: layers from top to bottom, with the corners of edges.
//!
//! Edges that close a cycle are drawn upwards, all others downwards. Nodes are in the layer of their longest path from a node
//! without predecessors (`layers`); long edges pass the layers between through dummy nodes, and sweeps reduce crossings
//! (`rows`); boxes are moved towards their neighbours (`columns`). Nodes without edges stand in rows below. All steps use
//! loops, not recursion, and the same graph has the same layout.

mod columns;
mod layers;
mod lists;
mod rows;

use rows::Rows;

/// Space around a drawing, in pixels.
const MARGIN: u32 = 16;

/// Space between boxes of a layer, in pixels.
const GAP: u32 = 24;

/// Space between layers, in pixels: the labels of edges stand there.
const LAYER_GAP: u32 = 48;

/// Distance of the loop of a self edge from its box, in pixels; smaller than [`GAP`].
const LOOP: u32 = 14;

/// A graph with places, in pixels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Width of the drawing.
    pub width: u32,
    /// Height of the drawing.
    pub height: u32,
    /// Left and upper edge of each node.
    pub nodes: Vec<[u32; 2]>,
    /// Corners of each edge as `x, y, x, y, ..`, from its first node to its second.
    pub edges: Vec<Vec<u32>>,
}

/// Lays out boxes, given as width and height in pixels, and edges, given as indices of boxes. An edge without its boxes has no
/// corners.
pub fn layout(sizes: &[[u32; 2]], edges: &[[u32; 2]]) -> Layout {
    let count = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
    let is_known = |[from, to]: [u32; 2]| from < count && to < count;
    let arrows = layers::downwards(
        count,
        edges.iter().map(|edge| (is_known(*edge) && edge[0] != edge[1]).then_some(*edge)),
    );
    let layers = layers::assign(count, &arrows);
    let mut rows = Rows::new(sizes, &layers, &arrows);
    rows.reduce_crossings();
    let mut drawing = columns::place(&rows, count);
    let is_beside = |(index, arrow): (usize, &Option<_>)| arrow.is_some() && rows.dummies(index).is_none();
    if arrows.iter().enumerate().any(is_beside) {
        drawing.lane = drawing.width.saturating_add(GAP);
        drawing.width = drawing.lane;
    }
    let has_loop = edges.iter().any(|[from, to]| from == to);
    place_alone(sizes, &layers, &mut drawing);
    if has_loop {
        drawing.width = drawing.width.saturating_add(LOOP);
    }
    let corners = edges.iter().zip(&arrows).enumerate().map(|(index, (edge, arrow))| match arrow {
        Some(arrow) => {
            let mut corners = drawing.corners(&rows, index, arrow.ends);
            if arrow.is_reversed {
                corners.reverse();
            }
            corners.into_iter().flatten().collect()
        }
        None if is_known(*edge) => drawing.self_edge(edge[0]),
        None => Vec::new(),
    });
    let edges = corners.collect();
    let nodes = drawing.boxes.iter().take(sizes.len()).map(|at| [at.x, at.y]).collect();
    Layout {
        width: drawing.width.saturating_add(MARGIN),
        height: drawing.height.saturating_add(MARGIN),
        nodes,
        edges,
    }
}

/// A box with its place.
#[derive(Debug, Clone, Copy, Default)]
struct Placed {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

impl Placed {
    fn center(self) -> u32 {
        self.x.saturating_add(self.w / 2)
    }

    fn bottom(self) -> u32 {
        self.y.saturating_add(self.h)
    }
}

/// Boxes with their places: nodes, then dummies, which are as high as their layer.
#[derive(Debug, Default)]
struct Drawing {
    boxes: Vec<Placed>,
    /// Right edge of all boxes and edges.
    width: u32,
    /// Lower edge of all boxes.
    height: u32,
    /// Place of a lane at the right for edges without dummies; 0 if there is none.
    lane: u32,
}

impl Drawing {
    fn at(&self, index: u32) -> Placed {
        self.boxes.get(index as usize).copied().unwrap_or_default()
    }

    /// The corners of an edge whose first end is above the second.
    fn corners(&self, rows: &Rows, edge: usize, [upper, lower]: [u32; 2]) -> Vec<[u32; 2]> {
        let (from, to) = (self.at(upper), self.at(lower));
        let start = [from.center(), from.bottom()];
        let end = [to.center(), to.y];
        let mut corners = vec![start];
        match rows.dummies(edge) {
            Some(dummies) => {
                for dummy in dummies {
                    let dummy = self.at(dummy);
                    corners.push([dummy.center(), dummy.y]);
                    corners.push([dummy.center(), dummy.bottom()]);
                }
            }
            None => {
                let (below, above) =
                    (start[1].saturating_add(LAYER_GAP / 4), end[1].saturating_sub(LAYER_GAP / 4));
                corners.extend([[start[0], below], [self.lane, below], [self.lane, above], [end[0], above]]);
            }
        }
        corners.push(end);
        straightened(&corners)
    }

    /// A loop at the right side of a box.
    fn self_edge(&self, node: u32) -> Vec<u32> {
        let at = self.at(node);
        let (right, side) = (at.x.saturating_add(at.w), at.x.saturating_add(at.w).saturating_add(LOOP));
        let (upper, lower) = (at.y.saturating_add(at.h / 4), at.y.saturating_add(at.h - at.h / 4));
        vec![right, lower, side, lower, side, upper, right, upper]
    }
}

/// Corners without those in the middle of a vertical line.
fn straightened(corners: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let is_vertical = |a: [u32; 2], b: [u32; 2]| a[0] == b[0];
    let mut kept: Vec<[u32; 2]> = Vec::with_capacity(corners.len());
    for corner in corners {
        if let [.., before, last] = kept.as_slice()
            && is_vertical(*before, *last)
            && is_vertical(*last, *corner)
        {
            kept.pop();
        }
        kept.push(*corner);
    }
    kept
}

/// Places nodes without edges in rows below the others; the rows make the drawing about as wide as high.
fn place_alone(sizes: &[[u32; 2]], layers: &[Option<u32>], drawing: &mut Drawing) {
    let alone = || sizes.iter().zip(layers).enumerate().filter(|(_, (_, layer))| layer.is_none());
    let area: u64 = alone().map(|(_, (size, _))| u64::from(size[0] + GAP) * u64::from(size[1] + GAP)).sum();
    let wide = u32::try_from(area.saturating_mul(2).isqrt()).unwrap_or(u32::MAX).max(drawing.width);
    let top = if drawing.height == 0 { MARGIN } else { drawing.height.saturating_add(LAYER_GAP) };
    let (mut x, mut y, mut row_height) = (MARGIN, top, 0);
    for (index, (&[w, h], _)) in alone() {
        if x > MARGIN && x.saturating_add(w) > wide {
            (x, y, row_height) = (MARGIN, y.saturating_add(row_height + GAP), 0);
        }
        if let Some(place) = drawing.boxes.get_mut(index) {
            *place = Placed { x, y, w, h };
        }
        row_height = row_height.max(h);
        x = x.saturating_add(w.saturating_add(GAP));
        drawing.width = drawing.width.max(x - GAP.min(x));
        drawing.height = drawing.height.max(y.saturating_add(h));
    }
}
