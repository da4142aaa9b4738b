//! Alignment of the elements of two arrays (patience diff).
//!
//! Elements are matched by key. Common prefixes and suffixes are removed. In long arrays, elements that occur once on each
//! side are anchors. What is left is aligned by edit cost if short, by the shortest edit script of its keys if that is
//! short, and by position otherwise. The listing of differences uses a signature of an element's first nodes
//! (`Signatures`) as its key.
//!
//! Invariant: equal elements have equal signatures, so equal arrays are aligned by position. Aligned elements are
//! compared afterwards; correctness does not depend on the quality of the alignment.

use hashbrown::HashMap;

use super::Bindings;
use crate::containers::{MapNode, ShapeNode, TensorNode};
use crate::hash::{hash_bytes, mix};
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::type_table::{EqStep, EqSteps, Plan};
use crate::value::{FieldRef, Value};
use crate::vectors::{self, reverse_above};

/// One row of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Corresponding elements.
    Both(usize, usize),
    /// An element of the left side only.
    Left(usize),
    /// An element of the right side only.
    Right(usize),
}

/// Hashes of an element's first nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    /// First [`MAX_NODES`] nodes and their scalars.
    pub(super) content: u64,
    /// Types of the first [`FORM_NODES`] nodes.
    pub(super) form: u64,
    /// Type of the element itself.
    pub(super) class: u64,
}

/// Nodes covered by [`Signature::content`].
const MAX_NODES: usize = 64;
/// Nodes covered by [`Signature::form`].
const FORM_NODES: usize = 8;

/// Computes signatures under the present bindings. A bound variable is identified with its partner, an unbound one is
/// numbered by its first occurrence in the element.
pub(super) struct Signatures<'b, 'a> {
    pub(super) bindings: &'b Bindings<'a>,
    /// `true` for elements of the left side.
    pub(super) is_left: bool,
}

impl Signatures<'_, '_> {
    pub(super) fn of(&self, value: FieldRef<'_>) -> Signature {
        let mut work =
            Work { signatures: self, content: 0, form: 0, nodes: 0, unbound: AddressMap::default() };
        let mut stack = vec![value];
        let class = match value {
            FieldRef::Node(node) => node.info().key_hash(),
            _ => 0,
        };
        while let Some(value) = stack.pop() {
            work.value(value, &mut stack);
            if work.nodes >= MAX_NODES {
                break;
            }
        }
        Signature { content: work.content, form: work.form, class }
    }
}

struct Work<'s, 'b, 'a> {
    signatures: &'s Signatures<'b, 'a>,
    content: u64,
    form: u64,
    nodes: usize,
    /// Numbers of unbound variables.
    unbound: AddressMap<u64>,
}

impl Work<'_, '_, '_> {
    fn scalar(&mut self, word: u64) {
        self.content = mix(self.content, word);
    }

    fn value<'v>(&mut self, value: FieldRef<'v>, stack: &mut Vec<FieldRef<'v>>) {
        match value {
            FieldRef::None | FieldRef::Span(_) => self.scalar(1),
            FieldRef::Bool(b) => self.scalar(2 + u64::from(b)),
            FieldRef::Int(i) => self.scalar(mix(4, i as u64)),
            FieldRef::Float(f) => {
                self.scalar(mix(5, if f.is_nan() { f64::NAN.to_bits() } else { f.to_bits() }));
            }
            FieldRef::DType(d) => self.scalar(mix(6, d.word())),
            FieldRef::Name(name) => self.scalar(hash_bytes(name.text().as_bytes())),
            FieldRef::Node(node) => self.node(node, stack),
        }
    }

    fn node<'v>(&mut self, node: &'v Object, stack: &mut Vec<FieldRef<'v>>) {
        let info = node.info();
        self.content = mix(self.content, info.key_hash());
        if self.nodes < FORM_NODES {
            self.form = mix(self.form, info.key_hash());
        }
        self.nodes += 1;
        match info.plan() {
            Plan::Str => self.scalar(hash_bytes(Str::try_ref(node).map_or("", Str::as_str).as_bytes())),
            Plan::Unique => {
                self.scalar(node.address() as u64);
                // The operator of a call is as characteristic as the type of a node.
                if self.nodes <= FORM_NODES {
                    self.form = mix(self.form, node.address() as u64);
                }
            }
            Plan::Tensor => {
                if let Some(tensor) = node.as_node::<TensorNode>() {
                    tensor.shape.iter().for_each(|&extent| self.scalar(extent as u64));
                }
            }
            Plan::Shape => {
                if let Some(shape) = node.as_node::<ShapeNode>() {
                    shape.values.iter().for_each(|&extent| self.scalar(extent as u64));
                }
            }
            Plan::Array => {
                let items = node.array_items();
                self.scalar(items.len() as u64);
                stack.extend(items.iter().take(MAX_NODES).rev().map(Value::as_field));
            }
            // The order of entries is irrelevant.
            Plan::Map => self.scalar(node.as_node::<MapNode>().map_or(0, |map| map.entries().len() as u64)),
            Plan::FreeVar | Plan::Dag => {
                let bindings = self.signatures.bindings;
                let partner = match self.signatures.is_left {
                    true => bindings.to_rhs.get(&node.address()).map(|partner| partner.address()),
                    false => bindings.to_lhs.contains_key(&node.address()).then(|| node.address()),
                };
                match partner {
                    Some(partner) => self.scalar(partner as u64),
                    None => {
                        let next = self.unbound.len() as u64;
                        let number = *self.unbound.entry(node.address()).or_insert(next);
                        self.scalar(number);
                    }
                }
            }
            _ => match info.custom_eq() {
                None => {
                    let fields = info.fields().iter().enumerate().rev();
                    stack.extend(fields.filter(|(_, f)| !f.skip_eq).map(|(index, _)| node.field(index)));
                }
                Some(custom) => {
                    let mut steps = EqSteps::default();
                    custom(node, node, &mut steps);
                    stack.extend(steps.steps.iter().rev().map(|step| match *step {
                        EqStep::Field { index, .. } => node.field(index),
                        EqStep::Bind { lhs, .. } => FieldRef::Node(lhs),
                    }));
                }
            },
        }
    }
}

/// Maximum product of lengths of a gap that is aligned by cost.
const MAX_CELLS: usize = 1 << 16;
/// Maximum product of lengths of a gap that is aligned by cost without a look for anchors. An anchor that moved would
/// separate elements around it that correspond.
const FEW_CELLS: usize = 1 << 10;
/// Maximum nesting of anchors within anchors.
const MAX_ROUNDS: u32 = 16;

/// Aligns two arrays, given the signatures of their elements.
pub(super) fn align(lhs: &[Signature], rhs: &[Signature]) -> Vec<Row> {
    let keys = |side: &[Signature]| side.iter().map(|signature| signature.content).collect::<Vec<_>>();
    let rows = align_by(&keys(lhs), &keys(rhs), |i, j| cost(at(lhs, i), at(rhs, j)));
    if lhs.len() == rhs.len() {
        // By position, unless the alignment has fewer differences.
        let apart = lhs.iter().zip(rhs).filter(|(a, b)| a.content != b.content).count();
        let edits = rows.iter().filter(|row| !matches!(row, Row::Both(..))).count();
        if edits >= apart {
            return (0..lhs.len()).map(|i| Row::Both(i, i)).collect();
        }
    }
    rows
}

/// Aligns two arrays, given a key of each element; equal elements have equal keys. `pair_cost` is the cost of pairing two
/// elements that are not equal: less than [`UNLIKE`] for a pair that is better than two single elements.
///
/// An element with an equal one on the other side is not paired with another one. Each element is in one row, and the
/// rows keep the order of both sides.
///
/// ```
/// use tvmscript_ir_core::equal::align::{Row, UNLIKE, align_by};
///
/// let cost = |_, _| UNLIKE;
/// let rows = align_by(&[1, 2, 3], &[1, 3], cost);
/// assert_eq!(rows, [Row::Both(0, 0), Row::Left(1), Row::Both(2, 1)]);
/// ```
pub fn align_by(lhs: &[u64], rhs: &[u64], mut pair_cost: impl FnMut(usize, usize) -> u32) -> Vec<Row> {
    let count = |keys: &[u64]| {
        let mut counts: HashMap<u64, u32> = HashMap::with_capacity(keys.len());
        keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
        counts
    };
    // Filled for the first gap.
    let mut counts: Option<[HashMap<u64, u32>; 2]> = None;
    let mut cost = |i: usize, j: usize| {
        let (a, b) = (at(lhs, i), at(rhs, j));
        if a == b {
            return 0;
        }
        let [left, right] = counts.get_or_insert_with(|| [count(lhs), count(rhs)]);
        let has_equal = right.get(&a) >= left.get(&a) || left.get(&b) >= right.get(&b);
        if has_equal { UNLIKE } else { pair_cost(i, j) }
    };
    let mut rows = Vec::with_capacity(lhs.len().max(rhs.len()));
    let mut spans = vec![Span { lhs: (0, lhs.len()), rhs: (0, rhs.len()), round: 0 }];
    while let Some(span) = spans.pop() {
        align_span(lhs, rhs, span, &mut cost, &mut rows, &mut spans);
    }
    rows
}

/// A pair of ranges that are not aligned yet.
#[derive(Clone, Copy)]
struct Span {
    lhs: (usize, usize),
    rhs: (usize, usize),
    round: u32,
}

/// Adds the rows of a span, or pushes its parts to `spans`, the first one on top.
fn align_span(
    lhs: &[u64],
    rhs: &[u64],
    span: Span,
    cost: &mut dyn FnMut(usize, usize) -> u32,
    rows: &mut Vec<Row>,
    spans: &mut Vec<Span>,
) {
    let Span { lhs: (mut a, mut a_end), rhs: (mut b, mut b_end), round } = span;
    let same = |i: usize, j: usize| at(lhs, i) == at(rhs, j);
    while a < a_end && b < b_end && same(a, b) {
        rows.push(Row::Both(a, b));
        (a, b) = (a + 1, b + 1);
    }
    let mut tail = 0;
    while a < a_end && b < b_end && same(a_end - 1, b_end - 1) {
        (a_end, b_end, tail) = (a_end - 1, b_end - 1, tail + 1);
    }
    if tail > 0 {
        // The common suffix, a span of which all is a common prefix.
        spans.push(Span { lhs: (a_end, a_end + tail), rhs: (b_end, b_end + tail), round });
    }
    if a == a_end || b == b_end {
        rows.extend((a..a_end).map(Row::Left));
        rows.extend((b..b_end).map(Row::Right));
        return;
    }
    let cells = (a_end - a).saturating_mul(b_end - b);
    let anchors = match round < MAX_ROUNDS && cells > FEW_CELLS {
        true => anchors(lhs, rhs, (a, a_end), (b, b_end)),
        false => Vec::new(),
    };
    let anchors = match anchors.is_empty() {
        true if cells > MAX_CELLS && round < MAX_ROUNDS => {
            common_keys(part(lhs, a..a_end), part(rhs, b..b_end))
                .into_iter()
                .map(|(i, j)| (a + i, b + j))
                .collect()
        }
        _ => anchors,
    };
    if anchors.is_empty() {
        gap((a, a_end), (b, b_end), cost, rows);
        return;
    }
    let first = spans.len();
    for (i, j) in anchors {
        spans.push(Span { lhs: (a, i), rhs: (b, j), round: round + 1 });
        spans.push(Span { lhs: (i, i + 1), rhs: (j, j + 1), round });
        (a, b) = (i + 1, j + 1);
    }
    spans.push(Span { lhs: (a, a_end), rhs: (b, b_end), round: round + 1 });
    reverse_above(spans, first);
}

/// Returns the longest chain, in the order of both sides, of elements that occur once on each side.
fn anchors(
    lhs: &[u64],
    rhs: &[u64],
    (a, a_end): (usize, usize),
    (b, b_end): (usize, usize),
) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Occurrence {
        left: Option<usize>,
        right: Option<usize>,
        twice: bool,
    }
    let mut occurrences: HashMap<u64, Occurrence> = HashMap::new();
    for (i, element) in (a..).zip(part(lhs, a..a_end)) {
        let entry = occurrences.entry(*element).or_default();
        entry.twice |= entry.left.replace(i).is_some();
    }
    for (j, element) in (b..).zip(part(rhs, b..b_end)) {
        let entry = occurrences.entry(*element).or_default();
        entry.twice |= entry.right.replace(j).is_some();
    }
    let mut pairs: Vec<(usize, usize)> =
        occurrences.values().filter(|o| !o.twice).filter_map(|o| Some((o.left?, o.right?))).collect();
    pairs.sort_unstable();
    increasing(&pairs)
}

/// Returns a longest chain of pairs with increasing right indices, by patience sorting. The left indices increase.
pub fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (pair, &(_, right)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| at(pairs, top).1 < right);
        before.push(pile.checked_sub(1).map(|below| at(&piles, below)));
        match piles.get_mut(pile) {
            Some(top) => *top = pair,
            None => piles.push(pair),
        }
    }
    let mut chain = Vec::with_capacity(piles.len());
    let mut next = piles.last().copied();
    while let Some(pair) = next {
        chain.push(at(pairs, pair));
        next = at(&before, pair);
    }
    chain.reverse();
    chain
}

/// Maximum length of an edit script that [`common_keys`] looks for.
const MAX_EDITS: usize = 1000;

/// Returns the pairs of equal keys that a shortest edit script keeps; none if the script is longer than [`MAX_EDITS`].
///
/// The method is that of Myers, "An O(ND) difference algorithm and its variations" (1986).
fn common_keys(lhs: &[u64], rhs: &[u64]) -> Vec<(usize, usize)> {
    let (rows, columns) = (lhs.len() as isize, rhs.len() as isize);
    // `reach[k]` with `k = i - j`: the furthest `i` on that diagonal; one table per number of edits.
    let mut tables: Vec<Vec<isize>> = Vec::new();
    let reach =
        |table: &[isize], edits: isize, k: isize| table.get((k + edits) as usize).copied().unwrap_or(-1);
    for edits in 0..=MAX_EDITS as isize {
        let mut table = vec![-1; 2 * edits as usize + 1];
        for k in (-edits..=edits).step_by(2) {
            let mut i = match tables.last() {
                None => 0,
                Some(before) => {
                    let down = if k < edits { reach(before, edits - 1, k + 1) } else { -1 };
                    let right = if k > -edits { reach(before, edits - 1, k - 1) + 1 } else { -1 };
                    down.max(right)
                }
            };
            if i < 0 || i > rows || i - k < 0 || i - k > columns {
                continue;
            }
            while i < rows && i - k < columns && at(lhs, i as usize) == at(rhs, (i - k) as usize) {
                i += 1;
            }
            if let Some(furthest) = table.get_mut((k + edits) as usize) {
                *furthest = i;
            }
            if i == rows && i - k == columns {
                tables.push(table);
                return trace(&tables, rows, columns);
            }
        }
        tables.push(table);
    }
    Vec::new()
}

/// Follows the tables of [`common_keys`] back from the end.
fn trace(tables: &[Vec<isize>], rows: isize, columns: isize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut k) = (rows, rows - columns);
    for edits in (0..tables.len() as isize).rev() {
        let before = |k: isize| {
            let edits = edits - 1;
            let inside = edits >= 0 && k.abs() <= edits;
            match tables.get(edits.max(0) as usize) {
                Some(table) if inside => at(table, (k + edits) as usize),
                _ => -1,
            }
        };
        let (down, right) = (before(k + 1), before(k - 1));
        let right = if right < 0 { -1 } else { right + 1 };
        let start = if edits == 0 { 0 } else { down.max(right) };
        while i > start {
            i -= 1;
            pairs.push((i as usize, (i - k) as usize));
        }
        if edits > 0 {
            (i, k) = if down >= right { (down, k + 1) } else { (right - 1, k - 1) };
        }
    }
    pairs.reverse();
    pairs
}

/// Step between costs of pairs, of which similarity takes fractions.
pub const STEP: u32 = 100;

/// Cost of an element without a counterpart.
pub const ALONE: u32 = 3 * STEP;

/// Cost of pairing two elements with nothing in common.
pub const UNLIKE: u32 = 2 * ALONE + STEP;

/// Cost of aligning two elements.
fn cost(a: Signature, b: Signature) -> u32 {
    if a.content == b.content {
        0
    } else if a.form == b.form {
        ALONE - STEP
    } else if a.class == b.class {
        ALONE + STEP
    } else {
        2 * ALONE - STEP
    }
}

/// Aligns the elements between anchors.
fn gap(
    (a, a_end): (usize, usize),
    (b, b_end): (usize, usize),
    cost: &mut dyn FnMut(usize, usize) -> u32,
    rows: &mut Vec<Row>,
) {
    let (left, right) = (a_end - a, b_end - b);
    if left.saturating_mul(right) > MAX_CELLS {
        let common = left.min(right);
        rows.extend((0..common).map(|i| Row::Both(a + i, b + i)));
        rows.extend((a + common..a_end).map(Row::Left));
        rows.extend((b + common..b_end).map(Row::Right));
        return;
    }
    // Minimum cost of aligning the suffixes from `i` and `j`.
    let mut costs = Matrix::new(left + 1, right + 1);
    let mut pair_costs = Matrix::new(left, right);
    for i in (0..=left).rev() {
        for j in (0..=right).rev() {
            let both = (i < left && j < right).then(|| {
                let pair = cost(a + i, b + j);
                pair_costs.set(i, j, pair);
                costs.at(i + 1, j + 1) + pair
            });
            let one = (i < left).then(|| costs.at(i + 1, j) + ALONE);
            let other = (j < right).then(|| costs.at(i, j + 1) + ALONE);
            costs.set(i, j, [both, one, other].into_iter().flatten().min().unwrap_or(0));
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < left || j < right {
        let here = costs.at(i, j);
        if i < left && j < right && here == costs.at(i + 1, j + 1) + pair_costs.at(i, j) {
            rows.push(Row::Both(a + i, b + j));
            (i, j) = (i + 1, j + 1);
        } else if i < left && here == costs.at(i + 1, j) + ALONE {
            rows.push(Row::Left(a + i));
            i += 1;
        } else {
            rows.push(Row::Right(b + j));
            j += 1;
        }
    }
}

/// Costs by row and column.
struct Matrix {
    cells: Vec<u32>,
    width: usize,
}

impl Matrix {
    fn new(height: usize, width: usize) -> Matrix {
        Matrix { cells: vec![0; height * width], width }
    }

    fn at(&self, row: usize, column: usize) -> u32 {
        at(&self.cells, row * self.width + column)
    }

    fn set(&mut self, row: usize, column: usize, cost: u32) {
        if let Some(cell) = self.cells.get_mut(row * self.width + column) {
            *cell = cost;
        }
    }
}

/// The element of a row. Rows, spans and anchors are positions in the arrays that are aligned.
#[inline]
fn at<T: Copy>(elements: &[T], position: usize) -> T {
    *vectors::at(elements, position)
}

/// The elements of a span.
#[expect(clippy::indexing_slicing, reason = "positions are in the arrays")]
fn part<T>(elements: &[T], positions: std::ops::Range<usize>) -> &[T] {
    &elements[positions]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signatures(text: &str) -> Vec<Signature> {
        let of = |c: char| {
            let lower = c.to_ascii_lowercase() as u64;
            Signature { content: c as u64, form: lower, class: 0 }
        };
        text.chars().map(of).collect()
    }

    /// Shows aligned elements as pairs, others with a sign.
    fn show(lhs: &str, rhs: &str) -> String {
        let (l, r): (Vec<char>, Vec<char>) = (lhs.chars().collect(), rhs.chars().collect());
        let rows = align(&signatures(lhs), &signatures(rhs));
        let row = |row: &Row| match *row {
            Row::Both(i, j) => format!("{}{}", l[i], r[j]),
            Row::Left(i) => format!("-{}", l[i]),
            Row::Right(j) => format!("+{}", r[j]),
        };
        rows.iter().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn inserted_and_removed_elements_do_not_shift_the_rest() {
        assert_eq!(show("abcd", "abxcd"), "aa bb +x cc dd");
        assert_eq!(show("abcd", "acd"), "aa -b cc dd");
        assert_eq!(show("abc", "bcd"), "-a bb cc +d");
        assert_eq!(show("aaaa", "aaa"), "aa aa aa -a");
        assert_eq!(show("", "ab"), "+a +b");
    }

    #[test]
    fn changed_elements_stand_for_those_of_their_form() {
        assert_eq!(show("ab", "aB"), "aa bB");
        assert_eq!(show("b", "xB"), "+x bB");
        assert_eq!(show("axb", "AyB"), "aA xy bB");
    }

    #[test]
    fn elements_that_only_change_places_stay_where_they_are() {
        assert_eq!(show("ab", "ba"), "ab ba");
    }

    #[test]
    fn every_element_stands_in_one_row_and_order_is_kept() {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state = mix(state, 0x5851_F42D_4C95_7F2D);
            state % n
        };
        for _ in 0..500 {
            let mut word = |letters: u64| {
                let length = next(9);
                (0..length).map(|_| (b'a' + next(letters) as u8) as char).collect::<String>()
            };
            let (lhs, rhs) = (word(5), word(5));
            let rows = align(&signatures(&lhs), &signatures(&rhs));
            let left: Vec<usize> = rows
                .iter()
                .filter_map(|row| match *row {
                    Row::Both(i, _) | Row::Left(i) => Some(i),
                    Row::Right(_) => None,
                })
                .collect();
            let right: Vec<usize> = rows
                .iter()
                .filter_map(|row| match *row {
                    Row::Both(_, j) | Row::Right(j) => Some(j),
                    Row::Left(_) => None,
                })
                .collect();
            assert_eq!(left, (0..lhs.len()).collect::<Vec<_>>(), "{lhs} {rhs} {rows:?}");
            assert_eq!(right, (0..rhs.len()).collect::<Vec<_>>(), "{lhs} {rhs} {rows:?}");
            if lhs == rhs {
                assert!(rows.iter().all(|row| matches!(row, Row::Both(i, j) if i == j)));
            }
        }
    }

    #[test]
    fn repeated_elements_are_aligned_by_a_shortest_edit_script() {
        let mut state = 3u64;
        let mut next = |n: u64| {
            state = mix(state, 0x5851_F42D_4C95_7F2D);
            state % n
        };
        for _ in 0..500 {
            let mut word = |letters: u64| {
                let length = next(12);
                (0..length).map(|_| next(letters)).collect::<Vec<_>>()
            };
            let (lhs, rhs) = (word(3), word(3));
            let pairs = common_keys(&lhs, &rhs);
            assert!(pairs.iter().all(|&(i, j)| lhs[i] == rhs[j]), "{lhs:?} {rhs:?} {pairs:?}");
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1), "{pairs:?}");
            // The longest common subsequence, by its recurrence.
            let mut longest = vec![vec![0; rhs.len() + 1]; lhs.len() + 1];
            for i in (0..lhs.len()).rev() {
                for j in (0..rhs.len()).rev() {
                    longest[i][j] = match lhs[i] == rhs[j] {
                        true => longest[i + 1][j + 1] + 1,
                        false => longest[i + 1][j].max(longest[i][j + 1]),
                    };
                }
            }
            assert_eq!(pairs.len(), longest[0][0], "{lhs:?} {rhs:?} {pairs:?}");
        }
        // Too many cells for a table of costs.
        let lhs: Vec<u64> = (0..1000).map(|n| n % 2).collect();
        let mut rhs = lhs.clone();
        rhs.insert(500, 7);
        rhs.remove(100);
        rhs.remove(100);
        let rows = align_by(&lhs, &rhs, |_, _| UNLIKE);
        assert_eq!(rows.iter().filter(|row| !matches!(row, Row::Both(..))).count(), 3);
    }

    #[test]
    fn long_arrays_with_few_changes_are_aligned_in_linear_time() {
        // Miri checks memory accesses, not speed.
        let len = if cfg!(miri) { 200 } else { 200_000 };
        let of = |n: usize| Signature { content: n as u64, form: n as u64, class: 0 };
        let lhs: Vec<Signature> = (0..len).map(of).collect();
        let mut rhs = lhs.clone();
        rhs.insert(len / 2, of(1 << 40));
        rhs.remove(len / 4 * 3);
        let rows = align(&lhs, &rhs);
        let alone: Vec<&Row> = rows.iter().filter(|row| !matches!(row, Row::Both(..))).collect();
        assert_eq!(alone, [&Row::Right(len / 2), &Row::Left(len / 4 * 3 - 1)]);
        // Nothing in common, and no anchors: by position.
        let other: Vec<Signature> = (0..=len).map(|n| of(n % 2 + (1 << 41))).collect();
        assert_eq!(align(&lhs, &other).len(), len + 1);
    }
}
