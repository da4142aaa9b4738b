//! The iterations of a block that a region asks for.
//!
//! One iteration of the block provides a region, in terms of its iterators; others require a region, in terms of the loops
//! around the block's new place. The domains of the iterators follow by inverting the former.
//!
//! Upstream counterpart: `CalculateBlockVarDomain`, `src/tir/schedule/primitive/compute_at.cc`.

use hashbrown::HashMap;
use tvmscript_arith::{
    Analyzer, IntSet, IterMapLevel, IterSum, VarRange, detect_iter_map, inverse_affine_iter_map,
};
use tvmscript_ir_core::Ref;
use tvmscript_prim::{Expr, FloorDiv, FloorMod, IntImm, Mul, PrimExprExt as _, Var, ops};
use tvmscript_tir::{Buffer, IterVar};

use crate::error::{Result, ScheduleError};

/// The iterations that are asked for: those of `domain` that are in `bound`, too. Both may be missing.
#[derive(Debug, Clone)]
pub(crate) struct Domain {
    pub(crate) domain: IntSet,
    pub(crate) bound: IntSet,
}

impl Domain {
    fn unknown() -> Domain {
        Domain { domain: IntSet::nothing(), bound: IntSet::nothing() }
    }

    fn add(&mut self, other: &Domain) {
        self.domain = IntSet::union(&[self.domain.clone(), other.domain.clone()]);
        self.bound = IntSet::union(&[self.bound.clone(), other.bound.clone()]);
    }

    /// Drops the bound or moves it into the domain, if their common part is one interval that is known.
    fn simplify(&mut self, analyzer: &mut Analyzer) {
        if self.domain.is_nothing() {
            if self.bound.min().is_some() && self.bound.max().is_some() {
                self.domain = simplified(&self.bound, analyzer);
                self.bound = IntSet::nothing();
            }
            return;
        }
        self.domain = simplified(&self.domain, analyzer);
        self.bound = simplified(&self.bound, analyzer);
        let common = simplified(&IntSet::intersection(&[self.domain.clone(), self.bound.clone()]), analyzer);
        if are_equal(&self.domain, &common, analyzer) {
            self.bound = IntSet::nothing();
        } else if are_equal(&self.bound, &common, analyzer) {
            self.domain = std::mem::replace(&mut self.bound, IntSet::nothing());
        } else if is_constant(common.min()) && is_constant(common.max()) {
            self.domain = common;
            self.bound = IntSet::nothing();
        }
    }
}

fn is_constant(end: Option<&Expr>) -> bool {
    end.is_some_and(|end| end.is::<IntImm>())
}

fn simplified(set: &IntSet, analyzer: &mut Analyzer) -> IntSet {
    if set.is_nothing() {
        return set.clone();
    }
    let mut simplify = |end: Option<&Expr>| end.map(|end| analyzer.simplify(end));
    IntSet::interval(simplify(set.min()), simplify(set.max()))
}

fn are_equal(a: &IntSet, b: &IntSet, analyzer: &mut Analyzer) -> bool {
    let mut equal = |a: Option<&Expr>, b: Option<&Expr>| match (a, b) {
        (Some(a), Some(b)) => analyzer.can_prove_equal(a, b),
        (None, None) => true,
        _ => false,
    };
    a.is_nothing() == b.is_nothing() && equal(a.min(), b.min()) && equal(a.max(), b.max())
}

/// A region that one iteration of a block provides, and the region of the same buffer that others require.
#[derive(Debug, Clone)]
pub(crate) struct Demand {
    pub(crate) buffer: Ref<Buffer>,
    pub(crate) provided: Vec<IntSet>,
    pub(crate) required: Vec<IntSet>,
}

/// The domains of the iterators of a block that meet all demands.
///
/// # Errors
/// If the provided indices have another form than those that can be inverted.
pub(crate) fn domains(
    axes: &[Ref<IterVar>],
    demands: &[Demand],
    analyzer: &mut Analyzer,
) -> Result<Vec<Domain>> {
    let mut domains: HashMap<usize, Domain> = HashMap::new();
    for axis in axes {
        domains.insert(axis.var.object().address(), Domain::unknown());
    }
    for demand in demands {
        if !by_inverse(axes, demand, analyzer, &mut domains)? {
            by_dimension(demand, analyzer, &mut domains)?;
        }
    }
    let domain = |axis: &Ref<IterVar>| {
        let mut found = domains.remove(&axis.var.object().address()).unwrap_or_else(Domain::unknown);
        let range =
            axis.dom.as_ref().ok_or_else(|| ScheduleError::plain("an axis of the block has no range"))?;
        let range = IntSet::from_range(&range.min, &range.extent);
        found.bound = match found.bound.is_nothing() {
            true => range,
            false => IntSet::intersection(&[found.bound, range]),
        };
        found.simplify(analyzer);
        match found.domain.is_nothing() {
            false => Ok(found),
            true => Err(ScheduleError::plain("no iteration of the block is asked for")),
        }
    };
    axes.iter().map(domain).collect()
}

/// Inverts provided indices that are a bijective affine map of the iterators. Returns `false` for others.
fn by_inverse(
    axes: &[Ref<IterVar>],
    demand: &Demand,
    analyzer: &mut Analyzer,
    domains: &mut HashMap<usize, Domain>,
) -> Result<bool> {
    if !demand.provided.iter().all(|set| set.is_provably_point(analyzer)) {
        return Ok(false);
    }
    let indices: Vec<Expr> = demand.provided.iter().filter_map(|set| set.min().cloned()).collect();
    let mut ranges = Vec::with_capacity(axes.len());
    for axis in axes {
        let Some(range) = &axis.dom else { return Ok(false) };
        let (min, extent) = (range.min.clone(), range.extent.clone());
        ranges.push(VarRange { var: axis.var.clone(), min, extent });
    }
    let all = IntImm::bool(true);
    let map = detect_iter_map(&indices, &ranges, &all, IterMapLevel::Bijective, false, analyzer);
    let Ok(map) = map else { return Ok(false) };
    if map.sums().is_empty() {
        return Ok(false);
    }
    let mut whole = Vec::with_capacity(demand.buffer.shape.len());
    for extent in demand.buffer.shape.iter() {
        let zero = ops::make_const(extent.dtype(), 0)?;
        whole.push(IntSet::interval(Some(zero), Some(last_index(extent)?)));
    }
    let required = inverted(map.sums(), &demand.required, analyzer)?;
    let bounds = inverted(map.sums(), &whole, analyzer)?;
    for ((var, domain), (_, bound)) in required.into_iter().zip(bounds) {
        if let Some(known) = domains.get_mut(&var.object().address()) {
            known.add(&Domain { domain, bound });
        }
    }
    Ok(true)
}

/// The last index of a dimension.
fn last_index(extent: &Expr) -> Result<Expr> {
    let one = ops::make_const(extent.dtype(), 1)?;
    Ok(ops::max(ops::sub(extent.clone(), one)?, ops::make_const(extent.dtype(), 0)?)?)
}

fn inverted(sums: &[IterSum], sets: &[IntSet], analyzer: &mut Analyzer) -> Result<Vec<(Ref<Var>, IntSet)>> {
    let unbounded = || ScheduleError::plain("a region that is asked for has no bounds");
    let mins: Option<Vec<Expr>> = sets.iter().map(|set| set.min().cloned()).collect();
    let maxes: Option<Vec<Expr>> = sets.iter().map(|set| set.max().cloned()).collect();
    let inverse = |outputs: Vec<Expr>| {
        inverse_affine_iter_map(sums, &outputs).map_err(|error| ScheduleError::plain(error.to_string()))
    };
    let mins = inverse(mins.ok_or_else(unbounded)?)?;
    let maxes = inverse(maxes.ok_or_else(unbounded)?)?;
    let mut sets = Vec::with_capacity(mins.len());
    for ((var, first), (_, last)) in mins.into_iter().zip(maxes) {
        let min = analyzer.simplify(&ops::min(first.clone(), last.clone())?);
        let max = analyzer.simplify(&ops::max(first, last)?);
        sets.push((var, IntSet::interval(Some(min), Some(max))));
    }
    Ok(sets)
}

/// Solves each dimension by itself.
fn by_dimension(
    demand: &Demand,
    analyzer: &mut Analyzer,
    domains: &mut HashMap<usize, Domain>,
) -> Result<()> {
    let sets = demand.provided.iter().zip(&demand.required).zip(demand.buffer.shape.iter());
    for ((provided, required), extent) in sets {
        let differs = || ScheduleError::plain("an index of the block is not the one that is asked for");
        if is_constant(provided.min()) && provided.is_provably_point(analyzer) {
            let is_same = match (provided.min(), required.min()) {
                (Some(a), Some(b)) => required.is_provably_point(analyzer) && analyzer.can_prove_equal(a, b),
                _ => false,
            };
            if is_same { continue } else { return Err(differs()) }
        }
        let last = last_index(extent)?;
        let (var, domain) = solved(provided, required, &last, analyzer)?;
        match domains.get_mut(&var.object().address()) {
            Some(known) => known.add(&domain),
            None if are_equal(provided, required, analyzer) => {}
            None => return Err(differs()),
        }
    }
    Ok(())
}

/// The values of the variable in a provided index for which it is in a required interval.
fn solved(
    provided: &IntSet,
    required: &IntSet,
    last: &Expr,
    analyzer: &mut Analyzer,
) -> Result<(Ref<Var>, Domain)> {
    let unsupported =
        || ScheduleError::plain("an index of the block is not `v`, `v * c`, `v // c` or `v % c`");
    let (Some(first), Some(end)) = (provided.min(), provided.max()) else { return Err(unsupported()) };
    let (first, end) = (analyzer.simplify(first), analyzer.simplify(end));
    let lower = required.min().map(|end| analyzer.simplify(end));
    let upper = required.max().map(|end| analyzer.simplify(end));
    let zero = ops::make_const(last.dtype(), 0)?;
    if let Some(product) = first.as_node::<Mul>() {
        let sides = [(&product.a, &product.b), (&product.b, &product.a)];
        if let Some((var, by)) = sides.into_iter().find_map(|(a, b)| Some((a.downcast_ref::<Var>()?, b))) {
            let divided = |e: Option<Expr>| e.map(|e| ops::floordiv(e, by.clone())).transpose();
            let domain = IntSet::interval(divided(lower)?, divided(upper)?);
            let bound = IntSet::interval(Some(zero), divided(Some(last.clone()))?);
            return Ok((var.clone(), Domain { domain, bound }));
        }
    }
    if !analyzer.can_prove_equal(&first, &end) {
        return Err(unsupported());
    }
    if let Some(var) = first.downcast_ref::<Var>() {
        let domain = IntSet::interval(lower, upper);
        return Ok((var.clone(), Domain { domain, bound: IntSet::interval(Some(zero), Some(last.clone())) }));
    }
    if let Some(quotient) = first.as_node::<FloorDiv>()
        && analyzer.can_prove_greater_equal(&quotient.b, 1)
    {
        let by = &quotient.b;
        let mut end_of = |e: Expr| -> Result<Expr> {
            let one = ops::make_const(by.dtype(), 1)?;
            let end = ops::sub(ops::add(ops::mul(e, by.clone())?, by.clone())?, one)?;
            Ok(analyzer.simplify(&end))
        };
        let max = upper.map(&mut end_of).transpose()?;
        let bound = IntSet::interval(Some(zero), Some(end_of(last.clone())?));
        let min = lower.map(|e| ops::mul(e, by.clone())).transpose()?;
        let domain = IntSet::interval(min, max);
        return match quotient.a.downcast_ref::<Var>() {
            Some(var) => Ok((var.clone(), Domain { domain, bound })),
            None => solved(&IntSet::point(&quotient.a), &domain, last, analyzer),
        };
    }
    if let Some(remainder) = first.as_node::<FloorMod>() {
        // The remainder says nothing about the variable.
        if let Some(var) = remainder.a.downcast_ref::<Var>() {
            return Ok((var.clone(), Domain::unknown()));
        }
        if analyzer.can_prove_greater_equal(&remainder.a, 1)
            && analyzer.can_prove_greater_equal(&remainder.b, 1)
            && lower.as_ref().is_some_and(|lower| analyzer.can_prove_greater_equal(lower, 0))
        {
            let required = IntSet::interval(lower, None);
            return solved(&IntSet::point(&remainder.a), &required, last, analyzer);
        }
    }
    Err(unsupported())
}
