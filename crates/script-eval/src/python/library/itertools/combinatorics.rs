//! Combinations, permutations and products.

use std::rc::Rc;

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Next, lazy, length};
use crate::Eval;
use crate::errors::HostError;
use crate::python::builtins::not_none;
use crate::python::object::Advance;
use crate::python::{Outcome, cost};

/// Tuples of elements of a pool, by indices that count up.
pub(super) struct Indices {
    pool: Vec<ScriptValue>,
    /// The indices of the next tuple; `None` at the end.
    next: Option<Vec<usize>>,
    advance: fn(&mut [usize], usize) -> bool,
}

impl Advance for Indices {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let Some(indices) = &mut self.next else { return Ok(None) };
        cost::values(p.state, indices.len())?;
        p.state.program.budget.step(indices.len() as u64 / 4)?;
        let items: Vec<ScriptValue> = indices.iter().filter_map(|at| self.pool.get(*at).cloned()).collect();
        if !(self.advance)(indices, self.pool.len()) {
            self.next = None;
        }
        Ok(Some(ScriptValue::tuple(items)))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.append(&mut self.pool);
    }
}

/// `combinations`, with repeated elements or without.
pub(super) fn selection(
    p: &mut Eval<'_>,
    name: &'static str,
    items: &ScriptValue,
    r: &ScriptValue,
    repeats: bool,
) -> Outcome {
    let pool = p.collect_values(items)?;
    let r = length(r)?;
    let Ok(r) = usize::try_from(r) else { raise!(Value, "r must be non-negative") };
    let is_empty = if repeats { pool.is_empty() && r > 0 } else { r > pool.len() };
    if is_empty {
        return Ok(lazy(name, Indices { pool, next: None, advance: next_combination }));
    }
    cost::values(p.state, r)?;
    let state = match repeats {
        true => Indices { pool, next: Some(vec![0; r]), advance: next_multiset },
        false => Indices { pool, next: Some((0..r).collect()), advance: next_combination },
    };
    Ok(lazy(name, state))
}

pub(super) fn next_combination(indices: &mut [usize], len: usize) -> bool {
    let r = indices.len();
    let Some(at) = (0..r).rev().find(|at| indices.get(*at).is_some_and(|index| *index != at + len - r))
    else {
        return false;
    };
    let start = indices.get(at).map_or(0, |index| index + 1);
    indices.iter_mut().skip(at).zip(start..).for_each(|(index, value)| *index = value);
    true
}

pub(super) fn next_multiset(indices: &mut [usize], len: usize) -> bool {
    let Some(at) = indices.iter().rposition(|index| index + 1 != len) else { return false };
    let value = indices.get(at).map_or(0, |index| index + 1);
    indices.iter_mut().skip(at).for_each(|index| *index = value);
    true
}

pub(super) struct Permutations {
    pool: Vec<ScriptValue>,
    indices: Vec<usize>,
    cycles: Vec<usize>,
    ended: bool,
}

pub(super) fn permutations(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    items: ScriptValue,
    r: Option<ScriptValue>,
) -> Outcome {
    let pool = p.collect_values(&items)?;
    let r = match not_none(r) {
        None => pool.len(),
        Some(ScriptValue::Int(r)) => {
            usize::try_from(r).map_err(|_| HostError::value_error("r must be non-negative"))?
        }
        Some(_) => raise!(Type, "Expected int as r"),
    };
    let len = pool.len();
    let ended = r > len;
    let cycles = if ended { Vec::new() } else { (len - r + 1..=len).rev().collect() };
    cost::values(p.state, len)?;
    Ok(lazy("itertools.permutations", Permutations { pool, indices: (0..len).collect(), cycles, ended }))
}

impl Advance for Permutations {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        if self.ended {
            return Ok(None);
        }
        let r = self.cycles.len();
        cost::values(p.state, r)?;
        p.state.program.budget.step(self.pool.len() as u64 / 8)?;
        let items =
            self.indices.iter().take(r).filter_map(|at| self.pool.get(*at).cloned()).collect::<Vec<_>>();
        self.ended = true;
        let len = self.indices.len();
        for at in (0..r).rev() {
            let (Some(cycle), Some(rest)) = (self.cycles.get_mut(at), self.indices.get_mut(at..)) else {
                break;
            };
            *cycle -= 1;
            if *cycle == 0 {
                rest.rotate_left(1);
                *cycle = len - at;
                continue;
            }
            let other = len - *cycle;
            self.indices.swap(at, other);
            self.ended = false;
            break;
        }
        Ok(Some(ScriptValue::tuple(items)))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.append(&mut self.pool);
    }
}

pub(super) struct Product {
    pools: Vec<Rc<Vec<ScriptValue>>>,
    next: Option<Vec<usize>>,
}

pub(super) fn product(p: &mut Eval<'_>, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    let repeat = match a.take_keyword("repeat") {
        Some(repeat) => usize::try_from(length(&repeat)?)
            .map_err(|_| HostError::value_error("repeat argument cannot be negative"))?,
        None => 1,
    };
    if !a.keywords.is_empty() {
        raise!(Type, "product() takes at most 1 keyword argument ({} given)", a.keywords.len() + 1);
    }
    let mut pools = Vec::new();
    for items in &a.positional {
        pools.push(Rc::new(p.collect_values(items)?));
    }
    let width = if pools.is_empty() { 0 } else { pools.len().saturating_mul(repeat) };
    cost::values(p.state, width.saturating_mul(2))?;
    let is_empty = repeat > 0 && pools.iter().any(|pool| pool.is_empty());
    let pools: Vec<_> = pools.iter().cycle().take(width).cloned().collect();
    let next = (!is_empty).then(|| vec![0; width]);
    Ok(lazy("itertools.product", Product { pools, next }))
}

impl Advance for Product {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let Some(indices) = &mut self.next else { return Ok(None) };
        cost::values(p.state, indices.len())?;
        let parts = indices.iter().zip(&self.pools).filter_map(|(at, pool)| pool.get(*at).cloned());
        let items: Vec<ScriptValue> = parts.collect();
        let mut carries = true;
        for (index, pool) in indices.iter_mut().zip(&self.pools).rev() {
            *index += 1;
            if *index < pool.len() {
                carries = false;
                break;
            }
            *index = 0;
        }
        if carries {
            self.next = None;
        }
        Ok(Some(ScriptValue::tuple(items)))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        for pool in self.pools.drain(..) {
            out.extend(Rc::try_unwrap(pool).unwrap_or_default());
        }
    }
}
