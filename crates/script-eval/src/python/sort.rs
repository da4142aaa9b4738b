//! Sorting: natural runs, extended by binary insertion and merged in the order of their powers.
//!
//! Comparisons are made in CPython's order, which a program sees: by what they do, and by the operands in the message of
//! one that fails. Only `<` is used. A comparison may run code of the program and may fail; an order between the items
//! need not exist, so every position is checked.

use std::ops::Range;

use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::cost;
use crate::Eval;
use crate::eval::Raise;
use crate::host::Operator;

/// Runs are at least half as long as this, if there are enough items.
const MIN_RUN: usize = 64;
/// Items in a row from one run before a merge searches with growing steps.
const MIN_GALLOP: usize = 7;

/// Sorts items by themselves or by the values of `key`; equal ones stay in order.
///
/// # Errors
/// Fails if the key or a comparison fails.
pub(crate) fn sort(
    p: &mut Eval<'_>,
    items: Vec<ScriptValue>,
    key: Option<&ScriptValue>,
    reverse: bool,
) -> Result<Vec<ScriptValue>, Raise> {
    cost::values(p.state, 4 * items.len())?;
    let mut keys = Vec::with_capacity(items.len());
    for item in &items {
        keys.push(match key {
            Some(key) => p.call_value(key, CallArgs::positional([item.clone()]))?,
            None => item.clone(),
        });
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    // Equal items keep their order, also in a reversed list.
    if reverse {
        order.reverse();
    }
    let mut sorter = Sorter { p, keys, order, runs: Vec::new(), gallop: MIN_GALLOP };
    sorter.sort()?;
    let mut order = sorter.order;
    if reverse {
        order.reverse();
    }
    let mut items: Vec<Option<ScriptValue>> = items.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|at| items.get_mut(at)?.take()).collect())
}

/// A sorted part of the items.
struct Run {
    start: usize,
    len: usize,
    /// Depth of the boundary to the next run in the tree of merges.
    power: u32,
}

struct Sorter<'a, 'e> {
    p: &'a mut Eval<'e>,
    keys: Vec<ScriptValue>,
    /// Indices of keys in the order so far.
    order: Vec<usize>,
    runs: Vec<Run>,
    /// Items in a row that start a search; falls while searches are worth it.
    gallop: usize,
}

impl Sorter<'_, '_> {
    /// Tests whether the key of an item is less than that of another.
    fn less(&mut self, a: usize, b: usize) -> Result<bool, Raise> {
        let pair = [self.keys[a].clone(), self.keys[b].clone()];
        let value = self.p.apply(Operator::Compare(CmpOp::Lt), &pair)?;
        self.p.state.program.budget.step(1)?;
        self.p.truth(&value)
    }

    fn sort(&mut self) -> Result<(), Raise> {
        let total = self.order.len();
        let shortest = shortest_run(total);
        let mut start = 0;
        while start < total {
            let mut len = self.count_run(start)?;
            if len < shortest {
                let forced = shortest.min(total - start);
                self.insert_from(start, len, forced)?;
                len = forced;
            }
            self.merge_before(len)?;
            self.runs.push(Run { start, len, power: 0 });
            start += len;
        }
        while let count @ 2.. = self.runs.len() {
            let last = count - 2;
            let is_inner = last > 0 && self.runs[last - 1].len < self.runs[last + 1].len;
            self.merge_at(if is_inner { last - 1 } else { last })?;
        }
        Ok(())
    }

    /// Finds the length of the run at `start`. A strictly falling one is reversed.
    fn count_run(&mut self, start: usize) -> Result<usize, Raise> {
        let total = self.order.len();
        if start + 1 >= total {
            return Ok(total - start);
        }
        let falls = self.less(self.order[start + 1], self.order[start])?;
        let mut end = start + 2;
        while end < total && self.less(self.order[end], self.order[end - 1])? == falls {
            end += 1;
        }
        if falls {
            self.order[start..end].reverse();
        }
        Ok(end - start)
    }

    /// Inserts the items behind the first `sorted` ones, up to a length of `len`, into them.
    fn insert_from(&mut self, start: usize, sorted: usize, len: usize) -> Result<(), Raise> {
        for at in start + sorted..start + len {
            let pivot = self.order[at];
            let (mut low, mut high) = (start, at);
            while low < high {
                let middle = low + (high - low) / 2;
                match self.less(pivot, self.order[middle])? {
                    true => high = middle,
                    false => low = middle + 1,
                }
            }
            self.order[low..=at].rotate_right(1);
        }
        Ok(())
    }

    /// Merges the last runs whose boundary is deeper than that before a new run.
    fn merge_before(&mut self, len: usize) -> Result<(), Raise> {
        let Some(last) = self.runs.last() else { return Ok(()) };
        let power = power(last.start, last.len, len, self.order.len());
        while let count @ 2.. = self.runs.len()
            && self.runs[count - 2].power > power
        {
            self.merge_at(count - 2)?;
        }
        if let Some(last) = self.runs.last_mut() {
            last.power = power;
        }
        Ok(())
    }

    /// Merges a run with the next one.
    fn merge_at(&mut self, index: usize) -> Result<(), Raise> {
        let next = self.runs.remove(index + 1);
        let run = &mut self.runs[index];
        let (start, middle, end) = (run.start, next.start, next.start + next.len);
        run.len += next.len;
        // Items of the first run that are in place, then those of the second.
        let skipped = self.search_after(self.order[middle], start..middle, start)? - start;
        let start = start + skipped;
        if start == middle {
            return Ok(());
        }
        let end = self.search_before(self.order[middle - 1], middle..end, end - 1)?;
        match middle - start <= end - middle {
            _ if middle == end => Ok(()),
            true => self.merge_up(start, middle, end),
            false => self.merge_down(start, middle, end),
        }
    }

    /// The first position of a sorted range whose item is not less than `item`, searched from `hint` with growing steps.
    fn search_before(&mut self, item: usize, range: Range<usize>, hint: usize) -> Result<usize, Raise> {
        match self.less(self.order[hint], item)? {
            true => self.search_up(range.end, hint, |s, at| s.less(at, item)),
            false => self.search_down(range.start, hint, |s, at| s.less(at, item)),
        }
    }

    /// The first position of a sorted range whose item is greater than `item`, searched from `hint` with growing steps.
    fn search_after(&mut self, item: usize, range: Range<usize>, hint: usize) -> Result<usize, Raise> {
        match self.less(item, self.order[hint])? {
            true => self.search_down(range.start, hint, |s, at| Ok(!s.less(item, at)?)),
            false => self.search_up(range.end, hint, |s, at| Ok(!s.less(item, at)?)),
        }
    }

    /// The first position behind `hint`, which is before the boundary, that is not before it.
    fn search_up(
        &mut self,
        end: usize,
        hint: usize,
        mut is_before: impl FnMut(&mut Self, usize) -> Result<bool, Raise>,
    ) -> Result<usize, Raise> {
        let (mut low, mut step) = (0, 1);
        while step < end - hint {
            let item = self.order[hint + step];
            if !is_before(self, item)? {
                break;
            }
            low = step;
            step = 2 * step + 1;
        }
        self.bisect(hint + low + 1..hint + step.min(end - hint), is_before)
    }

    /// The first position up to `hint`, which is not before the boundary, that is not before it.
    fn search_down(
        &mut self,
        start: usize,
        hint: usize,
        mut is_before: impl FnMut(&mut Self, usize) -> Result<bool, Raise>,
    ) -> Result<usize, Raise> {
        let (mut high, mut step) = (0, 1);
        let most = hint - start + 1;
        while step < most {
            let item = self.order[hint - step];
            if is_before(self, item)? {
                break;
            }
            high = step;
            step = 2 * step + 1;
        }
        self.bisect(hint + 1 - step.min(most)..hint - high, is_before)
    }

    fn bisect(
        &mut self,
        range: Range<usize>,
        mut is_before: impl FnMut(&mut Self, usize) -> Result<bool, Raise>,
    ) -> Result<usize, Raise> {
        let Range { start: mut low, end: mut high } = range;
        while low < high {
            let middle = low + (high - low) / 2;
            let item = self.order[middle];
            match is_before(self, item)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// Merges two neighbouring runs from the front; the first one is not longer than the second.
    fn merge_up(&mut self, start: usize, middle: usize, end: usize) -> Result<(), Raise> {
        let total = self.order.len();
        self.order.extend_from_within(start..middle);
        let (mut a, a_end, mut b, mut out) = (total, self.order.len(), middle, start);
        // One item of the first run is left only if it belongs to the end.
        let is_over = |a: usize, b: usize| b == end || a + 1 >= a_end;
        self.take_up(&mut b, 1, &mut out);
        'merge: while !is_over(a, b) {
            let (mut row_a, mut row_b) = (0, 0);
            while row_a.max(row_b) < self.gallop {
                if self.less(self.order[b], self.order[a])? {
                    self.take_up(&mut b, 1, &mut out);
                    (row_a, row_b) = (0, row_b + 1);
                } else {
                    self.take_up(&mut a, 1, &mut out);
                    (row_a, row_b) = (row_a + 1, 0);
                }
                if is_over(a, b) {
                    break 'merge;
                }
            }
            self.gallop += 1;
            loop {
                self.gallop = (self.gallop - 1).max(1);
                row_a = self.search_after(self.order[b], a..a_end, a)? - a;
                self.take_up(&mut a, row_a, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                self.take_up(&mut b, 1, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                row_b = self.search_before(self.order[a], b..end, b)? - b;
                self.take_up(&mut b, row_b, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                self.take_up(&mut a, 1, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                if row_a.max(row_b) < MIN_GALLOP {
                    break;
                }
            }
            self.gallop += 1;
        }
        self.order.copy_within(b..end, out);
        self.order.copy_within(a..a_end, out + (end - b));
        self.order.truncate(total);
        Ok(())
    }

    /// Merges two neighbouring runs from the back; the second one is shorter than the first.
    fn merge_down(&mut self, start: usize, middle: usize, end: usize) -> Result<(), Raise> {
        let total = self.order.len();
        self.order.extend_from_within(middle..end);
        let (mut a, b_start, mut b, mut out) = (middle, total, self.order.len(), end);
        let is_over = |a: usize, b: usize| a == start || b <= b_start + 1;
        self.take_down(&mut a, 1, &mut out);
        'merge: while !is_over(a, b) {
            let (mut row_a, mut row_b) = (0, 0);
            while row_a.max(row_b) < self.gallop {
                if self.less(self.order[b - 1], self.order[a - 1])? {
                    self.take_down(&mut a, 1, &mut out);
                    (row_a, row_b) = (row_a + 1, 0);
                } else {
                    self.take_down(&mut b, 1, &mut out);
                    (row_a, row_b) = (0, row_b + 1);
                }
                if is_over(a, b) {
                    break 'merge;
                }
            }
            self.gallop += 1;
            loop {
                self.gallop = (self.gallop - 1).max(1);
                row_a = a - self.search_after(self.order[b - 1], start..a, a - 1)?;
                self.take_down(&mut a, row_a, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                self.take_down(&mut b, 1, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                row_b = b - self.search_before(self.order[a - 1], b_start..b, b - 1)?;
                self.take_down(&mut b, row_b, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                self.take_down(&mut a, 1, &mut out);
                if is_over(a, b) {
                    break 'merge;
                }
                if row_a.max(row_b) < MIN_GALLOP {
                    break;
                }
            }
            self.gallop += 1;
        }
        let left = b - b_start;
        self.order.copy_within(start..a, start + left);
        self.order.copy_within(b_start..b, start);
        self.order.truncate(total);
        Ok(())
    }

    /// Moves items from the front of a run to the result.
    fn take_up(&mut self, from: &mut usize, count: usize, out: &mut usize) {
        self.order.copy_within(*from..*from + count, *out);
        *from += count;
        *out += count;
    }

    /// Moves items from the back of a run to the result.
    fn take_down(&mut self, from: &mut usize, count: usize, out: &mut usize) {
        *out -= count;
        self.order.copy_within(*from - count..*from, *out);
        *from -= count;
    }
}

/// The length to which shorter runs are extended: `total` is it times a power of two, or a little less.
fn shortest_run(total: usize) -> usize {
    let (mut len, mut has_rest) = (total, 0);
    while len >= MIN_RUN {
        has_rest |= len & 1;
        len >>= 1;
    }
    len + has_rest
}

/// The depth of the boundary between two neighbouring runs in a balanced tree over all items: the first binary digit in
/// which the middles of the runs differ, as fractions of the whole.
fn power(start: usize, len: usize, next: usize, total: usize) -> u32 {
    let (mut a, mut b) = (2 * start + len, 2 * start + 2 * len + next);
    let mut depth = 1;
    while a >= total || b < total {
        if a >= total {
            a -= total;
            b -= total;
        }
        a *= 2;
        b *= 2;
        depth += 1;
    }
    depth
}
