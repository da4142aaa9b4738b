//! Alignment of arrays, and moves of their elements.

use hashbrown::HashMap;
use tvmscript_ir_core::equal::align::{ALONE, Row, STEP, UNLIKE, align_by};
use tvmscript_ir_core::vectors::at;
use tvmscript_ir_core::{FieldRef, Object, Value};

use super::{Decision, Loose, Matcher, pair_of};
use crate::facts::{Bag, Fact, is_entity};

/// Similarity, in percent, from which two nodes count as versions of one another.
const SIMILAR: u32 = 40;
/// Nodes up to this size are too small to be similar: they are changed.
const SMALL: u32 = 3;
/// Elements below this size are not moved, but removed and inserted.
const MIN_MOVED: u32 = 3;
impl<'a> Matcher<'a> {
    pub(super) fn arrays(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let (left, right) = (a.array_items(), b.array_items());
        if self.is_lockstep && left.len() == right.len() {
            for (a, b) in left.iter().zip(right) {
                self.value(a.as_field(), b.as_field(), def);
            }
            return;
        }
        let here: Vec<Fact> = left.iter().map(|item| self.left.of(item.as_field())).collect();
        let there: Vec<Fact> = right.iter().map(|item| self.right.of(item.as_field())).collect();
        // Small elements of arrays of one length are changed where they are.
        let may_stay = |(a, b): (&Fact, &Fact)| a.named == b.named || a.size.max(b.size) <= SMALL;
        if here.len() == there.len() && here.iter().zip(&there).all(may_stay) {
            for ((a, b), (here, there)) in left.iter().zip(right).zip(here.iter().zip(&there)) {
                self.at_pace(here.named == there.named, |this| this.value(a.as_field(), b.as_field(), def));
            }
            return;
        }
        let rows = self.rows(left, right, &here, &there);
        for row in &rows {
            match *row {
                Row::Both(i, j) => {
                    let (x, y) = (at(left, i), at(right, j));
                    let facts = (*at(&here, i), *at(&there, j));
                    match facts.0.named == facts.1.named {
                        true => self.at_pace(true, |this| this.value(x.as_field(), y.as_field(), def)),
                        false => self.element(x, y, facts, def),
                    }
                }
                Row::Left(i) => self.removed.push(Loose { element: (a.address(), i), value: at(left, i) }),
                Row::Right(j) => self.inserted.push(Loose { element: (b.address(), j), value: at(right, j) }),
            }
        }
        self.matching.decisions.insert(pair_of(a, b), Decision::Rows(rows));
    }

    /// Aligns elements, given facts about them.
    fn rows(&mut self, left: &'a [Value], right: &'a [Value], here: &[Fact], there: &[Fact]) -> Vec<Row> {
        let keys = |facts: &[Fact]| facts.iter().map(|fact| fact.named).collect::<Vec<_>>();
        let is_even = left.len() == right.len();
        align_by(&keys(here), &keys(there), |i, j| {
            let (a, b) = (at(here, i), at(there, j));
            if a.named == b.named {
                return 0;
            }
            let unlike = if is_even { 2 * ALONE - STEP } else { UNLIKE };
            let (FieldRef::Node(x), FieldRef::Node(y)) = (at(left, i).as_field(), at(right, j).as_field())
            else {
                return unlike;
            };
            let is_one_type = std::ptr::eq(x.info(), y.info());
            if a.form == b.form {
                return if is_entity(x) { 2 * ALONE - 2 * STEP } else { STEP };
            }
            if a.size.min(b.size) <= SMALL {
                return if is_one_type { 2 * ALONE - 2 * STEP } else { unlike };
            }
            match self.similarity(x, y) {
                similar if similar < SIMILAR => match self.contains(x, y) {
                    true => ALONE + STEP,
                    false => unlike,
                },
                similar if is_one_type => STEP + (100 - similar) * 4,
                _ => ALONE + STEP,
            }
        })
    }

    /// Visits two aligned elements that differ.
    fn element(&mut self, a: &'a Value, b: &'a Value, (here, there): (Fact, Fact), def: bool) {
        if let (FieldRef::Node(x), FieldRef::Node(y)) = (a.as_field(), b.as_field()) {
            let is_small = here.size.min(there.size) <= SMALL;
            if here.form != there.form && !is_small && self.similarity(x, y) < SIMILAR && !self.contains(x, y)
            {
                self.matching.decisions.insert(pair_of(x, y), Decision::Replaced);
                return;
            }
        }
        self.value(a.as_field(), b.as_field(), def);
    }

    /// Similarity of a left and a right node, in percent.
    pub(super) fn similarity(&mut self, a: &'a Object, b: &'a Object) -> u32 {
        // Addresses are even, so the lowest bit tells the sides apart.
        let (here, there) = (a.address(), b.address() | 1);
        if !self.bags.contains_key(&here) {
            self.bags.insert(here, Bag::of(&mut self.left, a));
        }
        if !self.bags.contains_key(&there) {
            self.bags.insert(there, Bag::of(&mut self.right, b));
        }
        match (self.bags.get(&here), self.bags.get(&there)) {
            (Some(a), Some(b)) => a.similarity(b),
            _ => 0,
        }
    }

    /// Pairs removed elements with equal inserted ones. Returns `true` if there are any.
    pub(super) fn match_moves(&mut self) -> bool {
        let mut by_hash: HashMap<u64, Vec<Loose<'a>>> = HashMap::new();
        let mut pairs = Vec::new();
        let mut removed = std::mem::take(&mut self.removed);
        for loose in std::mem::take(&mut self.inserted).into_iter().rev() {
            let fact = self.right.of(loose.value.as_field());
            if fact.size >= MIN_MOVED {
                by_hash.entry(fact.named).or_default().push(loose);
            }
        }
        removed.retain(|loose| {
            let fact = self.left.of(loose.value.as_field());
            let found = by_hash.get_mut(&fact.named).and_then(Vec::pop);
            match found {
                Some(found) => {
                    pairs.push((loose.element, loose.value, found));
                    false
                }
                None => true,
            }
        });
        let is_any = !pairs.is_empty();
        for (from, value, to) in pairs {
            self.matching.moves.insert(from, to.element);
            self.matching.moves_back.insert(to.element, (from, value, to.value));
            self.value(value.as_field(), to.value.as_field(), false);
        }
        self.removed.extend(removed);
        self.inserted.extend(by_hash.into_values().flatten());
        is_any
    }
}
