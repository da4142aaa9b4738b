//! Places of boxes in their rows: as near as possible to their neighbours, without overlap and in the order of the row.

use super::lists::Lists;
use super::rows::Rows;
use super::{Drawing, GAP, LAYER_GAP, MARGIN, Placed};

/// Number of times that all rows are placed, downwards and upwards in turn.
const ROUNDS: usize = 6;

/// Weight of a dummy whose neighbour is one too: bends of long edges disturb more than slanted short ones.
const DUMMY_WEIGHT: f64 = 1e6;

/// Weight of a box without neighbours in the row that it is placed by.
const FREE_WEIGHT: f64 = 0.1;

/// Places all boxes of the rows. `nodes` of them are nodes, the others dummies.
pub(super) fn place(rows: &Rows, nodes: u32) -> Drawing {
    let mut left = vec![0_i64; rows.sizes.len()];
    for row in &rows.rows {
        let mut x = 0;
        for (index, gap) in row.iter().zip(gaps(rows, row)) {
            x += gap;
            set(&mut left, *index, x);
            x += width(rows, *index);
        }
    }
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            rows.rows.iter().for_each(|row| align(rows, row, &rows.above, &mut left));
        } else {
            rows.rows.iter().rev().for_each(|row| align(rows, row, &rows.below, &mut left));
        }
    }
    drawing(rows, &left, nodes)
}

fn set(values: &mut [i64], index: u32, value: i64) {
    if let Some(place) = values.get_mut(index as usize) {
        *place = value;
    }
}

fn width(rows: &Rows, index: u32) -> i64 {
    rows.sizes.get(index as usize).map_or(0, |size| i64::from(size[0]))
}

/// The space before each box of a row.
fn gaps<'r>(rows: &'r Rows, row: &'r [u32]) -> impl Iterator<Item = i64> + 'r {
    let mut before = None;
    row.iter().map(move |index| {
        let is_dummy = rows.is_dummy(*index);
        let gap =
            before.replace(is_dummy).map_or(0, |other: bool| if is_dummy && other { GAP / 2 } else { GAP });
        i64::from(gap)
    })
}

/// A run of boxes that touch, with the weighted mean of the places that they want.
struct Run {
    weight: f64,
    sum: f64,
    length: usize,
}

impl Run {
    fn place(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Moves the boxes of a row towards their neighbours: the places with the least squares of distances, found by joining
/// boxes that would overlap into runs.
fn align(rows: &Rows, row: &[u32], neighbours: &Lists, left: &mut [i64]) {
    let at = |index: u32, left: &[i64]| left.get(index as usize).copied().unwrap_or(0);
    let center = |index: u32, left: &[i64]| at(index, left) as f64 + width(rows, index) as f64 / 2.0;
    let mut offsets = Vec::with_capacity(row.len());
    let mut runs: Vec<Run> = Vec::with_capacity(row.len());
    let mut offset = 0;
    for (index, gap) in row.iter().zip(gaps(rows, row)) {
        offset += gap;
        offsets.push(offset);
        let near = neighbours.of(*index);
        let half = width(rows, *index) as f64 / 2.0;
        let next = near.iter().find(|near| rows.is_dummy(**near) && rows.is_dummy(*index));
        let (wanted, weight) = match (near, next) {
            ([], _) => (at(*index, left) as f64, FREE_WEIGHT),
            (_, Some(next)) => (center(*next, left) - half, DUMMY_WEIGHT),
            _ => {
                let mean = near.iter().map(|index| center(*index, left)).sum::<f64>() / near.len() as f64;
                (mean - half, 1.0)
            }
        };
        let mut run = Run { weight, sum: (wanted - offset as f64) * weight, length: 1 };
        while let Some(before) = runs.pop_if(|before| before.place() > run.place()) {
            run.weight += before.weight;
            run.sum += before.sum;
            run.length += before.length;
        }
        runs.push(run);
        offset += width(rows, *index);
    }
    let places = runs.iter().flat_map(|run| std::iter::repeat_n(run.place().round() as i64, run.length));
    for ((index, offset), place) in row.iter().zip(offsets).zip(places) {
        set(left, *index, place + offset);
    }
}

/// The boxes with places from the margin on.
fn drawing(rows: &Rows, left: &[i64], nodes: u32) -> Drawing {
    let mut drawing = Drawing { boxes: vec![Placed::default(); rows.sizes.len()], ..Drawing::default() };
    let of_rows = || rows.rows.iter().flatten().filter_map(|index| left.get(*index as usize));
    let first = of_rows().min().copied().unwrap_or(0) - i64::from(MARGIN);
    let mut y = MARGIN;
    for row in &rows.rows {
        let heights = row.iter().filter_map(|index| rows.sizes.get(*index as usize)).map(|size| size[1]);
        let height = heights.max().unwrap_or(0);
        for index in row {
            let (Some([w, h]), Some(x)) =
                (rows.sizes.get(*index as usize).copied(), left.get(*index as usize))
            else {
                continue;
            };
            let x = u32::try_from(x - first).unwrap_or(u32::MAX);
            let place = match *index < nodes {
                true => Placed { x, y: y.saturating_add((height - h) / 2), w, h },
                false => Placed { x, y, w, h: height },
            };
            drawing.width = drawing.width.max(x.saturating_add(w));
            if let Some(slot) = drawing.boxes.get_mut(*index as usize) {
                *slot = place;
            }
        }
        drawing.height = y.saturating_add(height);
        y = drawing.height.saturating_add(LAYER_GAP);
    }
    drawing
}
