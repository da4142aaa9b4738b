//! Sorting: runs made by binary insertion, merged in pairs.
//!
//! Up to 64 items, comparisons are made in CPython's order, which a program sees: by what they do, and by the operands in
//! the message of one that fails. Only `<` is used. A comparison may run code of the program and may fail; an order
//! between the items need not exist.

use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::cost;
use crate::Eval;
use crate::eval::Raise;
use crate::host::Operator;

/// Items of a run.
const RUN: usize = 64;

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
    sort_by(p, items, keys, reverse)
}

/// Sorts items by the values beside them; equal ones stay in order.
///
/// # Errors
/// Fails if a comparison fails.
pub(crate) fn sort_by<T>(
    p: &mut Eval<'_>,
    items: Vec<T>,
    keys: Vec<ScriptValue>,
    reverse: bool,
) -> Result<Vec<T>, Raise> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    // Equal items keep their order, also in a reversed list.
    if reverse {
        order.reverse();
    }
    let mut sorter = Sorter { p, keys };
    for run in order.chunks_mut(RUN) {
        sorter.insert(run)?;
    }
    let mut len = RUN;
    while len < order.len() {
        let mut merged = Vec::with_capacity(order.len());
        for pair in order.chunks(2 * len) {
            let (first, second) = pair.split_at(len.min(pair.len()));
            sorter.merge(first, second, &mut merged)?;
        }
        order = merged;
        len *= 2;
    }
    if reverse {
        order.reverse();
    }
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|at| items.get_mut(at)?.take()).collect())
}

struct Sorter<'a, 'e> {
    p: &'a mut Eval<'e>,
    keys: Vec<ScriptValue>,
}

impl Sorter<'_, '_> {
    /// Tests whether the key of an item is less than that of another.
    fn less(&mut self, a: usize, b: usize) -> Result<bool, Raise> {
        let (Some(a), Some(b)) = (self.keys.get(a), self.keys.get(b)) else { return Ok(false) };
        let pair = [a.clone(), b.clone()];
        let value = self.p.apply(Operator::Compare(CmpOp::Lt), &pair)?;
        self.p.state.program.budget.step(1)?;
        self.p.truth(&value)
    }

    /// Sorts a few items: reverses them where they fall at the start, and inserts those behind.
    fn insert(&mut self, run: &mut [usize]) -> Result<(), Raise> {
        let mut sorted = 1;
        let mut falls = false;
        while let (Some(a), Some(b)) = (run.get(sorted - 1).copied(), run.get(sorted).copied()) {
            let is_less = self.less(b, a)?;
            if sorted == 1 {
                falls = is_less;
            }
            if is_less != falls {
                break;
            }
            sorted += 1;
        }
        if falls && let Some(start) = run.get_mut(..sorted) {
            start.reverse();
        }
        for at in sorted..run.len() {
            let Some(section) = run.get_mut(..=at) else { break };
            let (mut low, mut high) = (0, at);
            while low < high
                && let middle = low + (high - low) / 2
                && let (Some(new), Some(old)) = (section.get(at), section.get(middle))
            {
                match self.less(*new, *old)? {
                    true => high = middle,
                    false => low = middle + 1,
                }
            }
            if let Some(shifted) = section.get_mut(low..) {
                shifted.rotate_right(1);
            }
        }
        Ok(())
    }

    /// Merges two sorted runs; of equal items, that of the first run comes first.
    fn merge(
        &mut self,
        mut first: &[usize],
        mut second: &[usize],
        out: &mut Vec<usize>,
    ) -> Result<(), Raise> {
        while let ([a, rest_a @ ..], [b, rest_b @ ..]) = (first, second) {
            if self.less(*b, *a)? {
                out.push(*b);
                second = rest_b;
            } else {
                out.push(*a);
                first = rest_a;
            }
        }
        out.extend(first.iter().chain(second));
        Ok(())
    }
}
