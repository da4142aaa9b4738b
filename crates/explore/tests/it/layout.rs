//! Properties of layouts: boxes do not overlap, edges go down, and the time is bounded.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::Instant;

use tvmscript_explore::graph::layout::{Layout, layout};

const BOX: [u32; 2] = [80, 40];

fn laid_out(count: usize, edges: &[[u32; 2]]) -> Layout {
    let laid_out = layout(&vec![BOX; count], edges);
    check(&laid_out, count, edges);
    laid_out
}

/// Checks properties of every layout.
fn check(layout: &Layout, count: usize, edges: &[[u32; 2]]) {
    assert_eq!((layout.nodes.len(), layout.edges.len()), (count, edges.len()));
    let mut boxes: Vec<[u32; 2]> = layout.nodes.clone();
    boxes.sort_unstable_by_key(|[x, y]| (*y, *x));
    for pair in boxes.windows(2) {
        let ([x, y], [next_x, next_y]) = (pair[0], pair[1]);
        assert!(next_y >= y + BOX[1] || (next_y == y && next_x >= x + BOX[0]), "{pair:?} overlap");
    }
    for [x, y] in &layout.nodes {
        assert!(x + BOX[0] <= layout.width && y + BOX[1] <= layout.height, "a box is outside of the drawing");
    }
    for (corners, [from, to]) in layout.edges.iter().zip(edges) {
        assert!(corners.len() >= 4 && corners.len() % 2 == 0);
        assert!(corners.chunks(2).all(|corner| corner[0] <= layout.width && corner[1] <= layout.height));
        if from == to {
            continue;
        }
        let (mut first, mut last) = (corners[..2].to_vec(), corners[corners.len() - 2..].to_vec());
        let (mut upper, mut lower) = (layout.nodes[*from as usize], layout.nodes[*to as usize]);
        if upper[1] > lower[1] {
            (upper, lower) = (lower, upper);
            (first, last) = (last, first);
        }
        assert_eq!(first, [upper[0] + BOX[0] / 2, upper[1] + BOX[1]], "an edge begins below its upper node");
        assert_eq!(last, [lower[0] + BOX[0] / 2, lower[1]], "an edge ends above its lower node");
    }
}

fn goes_down(layout: &Layout) -> bool {
    layout
        .edges
        .iter()
        .all(|corners| corners.chunks(2).zip(corners.chunks(2).skip(1)).all(|(a, b)| a[1] <= b[1]))
}

/// Numbers that look random, the same in each run.
fn numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % u64::from(below)) as u32
    }
}

/// A graph like that of a model: each node has up to three inputs, most of them near.
fn model(count: u32) -> Vec<[u32; 2]> {
    let mut number = numbers();
    let mut edges = Vec::new();
    for node in 1..count {
        for _ in 0..=number(3) {
            let back = if number(20) == 0 { number(count) } else { number(6) };
            edges.push([node.saturating_sub(back + 1), node]);
        }
    }
    edges
}

#[test]
fn nothing_is_laid_out_as_an_empty_drawing() {
    let empty = laid_out(0, &[]);
    assert_eq!((empty.width, empty.height), (16, 16));
}

#[test]
fn a_diamond_is_symmetric() {
    let diamond = laid_out(4, &[[0, 1], [0, 2], [1, 3], [2, 3]]);
    assert_eq!(diamond.nodes, [[68, 16], [16, 104], [120, 104], [68, 192]]);
    assert_eq!(diamond.edges[0], [108, 56, 56, 104]);
}

#[test]
fn a_long_edge_passes_beside_the_nodes_between() {
    let edges = [[0, 1], [1, 2], [2, 3], [0, 3]];
    let drawing = laid_out(4, &edges);
    assert!(goes_down(&drawing));
    let long = &drawing.edges[3];
    for [x, y] in &drawing.nodes[1..3] {
        let passes = long
            .chunks(2)
            .any(|corner| corner[1] >= *y && corner[1] <= y + 40 && corner[0] > *x && corner[0] < x + 80);
        assert!(!passes, "{long:?} goes through the box at {x}, {y}");
    }
}

#[test]
fn a_cycle_has_one_edge_upwards() {
    let edges = [[0, 1], [1, 2], [2, 0]];
    let cycle = laid_out(3, &edges);
    let upwards = cycle.edges.iter().filter(|corners| corners[1] > corners[corners.len() - 1]);
    assert_eq!(upwards.count(), 1);
}

#[test]
fn a_self_edge_is_a_loop_beside_its_box() {
    let loops = laid_out(2, &[[0, 0], [0, 1], [1, 1]]);
    assert_eq!(loops.edges[0], [96, 46, 110, 46, 110, 26, 96, 26]);
    assert_eq!(laid_out(1, &[[0, 0]]).edges[0].len(), 8);
}

#[test]
fn edges_of_unknown_nodes_have_no_corners() {
    let drawing = layout(&[BOX], &[[0, 7], [7, 7]]);
    assert!(drawing.edges.iter().all(Vec::is_empty));
}

#[test]
fn nodes_without_edges_stand_in_rows() {
    let drawing = laid_out(100, &[]);
    assert!(drawing.width < 3 * drawing.height && drawing.height < 3 * drawing.width);
    assert!(laid_out(102, &[[0, 1]]).nodes[2][1] > 100);
}

#[test]
fn a_node_with_many_successors_does_not_make_one_row() {
    let edges: Vec<[u32; 2]> = (1..400).map(|node| [0, node]).collect();
    let fan = laid_out(400, &edges);
    assert!(goes_down(&fan));
    assert!(fan.width < 5_000, "{}", fan.width);
}

#[test]
fn a_chain_is_straight_whatever_its_length() {
    let count = 100_000;
    let edges: Vec<[u32; 2]> = (1..count).map(|node| [node - 1, node]).collect();
    let start = Instant::now();
    let chain = laid_out(count as usize, &edges);
    assert!(chain.nodes.iter().all(|[x, _]| *x == 16));
    assert!(goes_down(&chain));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn large_cycles_and_dense_graphs_are_laid_out() {
    let count = 20_000_u32;
    let ring: Vec<[u32; 2]> = (0..count).map(|node| [node, (node + 1) % count]).collect();
    laid_out(count as usize, &ring);
    let dense: Vec<[u32; 2]> = (0..120).flat_map(|to| (0..to).map(move |from| [from, to])).collect();
    assert!(goes_down(&laid_out(120, &dense)) || dense.len() > 5_000);
}

#[test]
fn graphs_like_models_are_laid_out_in_time_and_always_alike() {
    let edges = model(2_000);
    let start = Instant::now();
    let first = laid_out(2_000, &edges);
    println!("2,000 nodes, {} edges: {:?}", edges.len(), start.elapsed());
    assert!(start.elapsed().as_secs() < 20);
    assert!(goes_down(&first));
    assert_eq!(first, laid_out(2_000, &edges));
    let large = model(100_000);
    let start = Instant::now();
    laid_out(100_000, &large);
    println!("100,000 nodes, {} edges: {:?}", large.len(), start.elapsed());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
