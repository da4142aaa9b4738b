//! The regions of buffers that blocks access, and their bounds over loops.

use tvmscript_arith::{Analyzer, IntSet, estimate_region_lower_bound, estimate_region_upper_bound};
use tvmscript_ir_core::{Array, PtrMap, Ref, substitute};
use tvmscript_prim::{Expr, ops};
use tvmscript_tir::{BlockRealize, Buffer, BufferRegion, ForKind};

use crate::bindings::Ranges;
use crate::error::Result;
use crate::state::{Item, State};
use crate::storage::is_shared_by;

/// The region of a buffer that one iteration of a block accesses, in terms of the loops around the block.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) buffer: Ref<Buffer>,
    /// The least index and the extent of each dimension.
    pub(crate) region: Vec<(Expr, Expr)>,
}

/// The values of the iterators of a block, by their variables.
pub(crate) fn values_of(realize: &BlockRealize) -> PtrMap<tvmscript_ir_core::Object> {
    let mut values = PtrMap::default();
    for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
        values.insert(axis.var.object().clone(), value.object().clone());
    }
    values
}

/// Regions of a block with the values of its iterators.
pub(crate) fn accesses(realize: &BlockRealize, regions: &Array<Ref<BufferRegion>>) -> Result<Vec<Access>> {
    let values = values_of(realize);
    let access = |region: &Ref<BufferRegion>| {
        let bound = |range: &Ref<tvmscript_prim::Range>| {
            Ok((substitute(range.min.clone(), &values)?, substitute(range.extent.clone(), &values)?))
        };
        let ranges = region.region.iter().map(bound).collect::<Result<_>>()?;
        Ok(Access { buffer: region.buffer.clone(), region: ranges })
    };
    regions.iter().map(access).collect()
}

impl Ranges {
    /// The ranges of the loops from `low` up to `high`, without it, and of the loops above whose threads share a storage.
    pub(crate) fn below(
        state: &State,
        low: Option<Item>,
        high: Option<Item>,
        storage: &str,
    ) -> Result<Ranges> {
        let mut above = std::iter::successors(low, |item| state.parent(*item)).peekable();
        let mut loops = Vec::new();
        while let Some(item) = above.next_if(|item| Some(*item) != high && !state.is_block(*item)) {
            loops.push(item);
        }
        for item in above.filter(|item| !state.is_block(*item)) {
            let found = state.loop_of(item)?;
            if let (ForKind::ThreadBinding, Some(thread)) = (found.kind, &found.thread_binding)
                && is_shared_by(storage, thread.thread_tag.as_str())
            {
                loops.push(item);
            }
        }
        loops.reverse();
        Ranges::of(state, &loops)
    }
}

/// The place of a region and the loops over which it is bounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Over<'p> {
    /// The block with the region.
    pub(crate) block: Item,
    /// The loop or block around it whose iterations are apart.
    pub(crate) high: Item,
    /// The condition of the block.
    pub(crate) predicate: &'p Expr,
}

impl Access {
    /// A set that the block certainly accesses; `None` if it is not known.
    pub(crate) fn lower_bound(
        &self,
        state: &State,
        over: Over<'_>,
        analyzer: &mut Analyzer,
    ) -> Result<Option<Vec<IntSet>>> {
        let storage = self.buffer.scope();
        let loops = Ranges::below(state, state.parent(over.block), Some(over.high), storage.as_str())?;
        Ok(estimate_region_lower_bound(&self.region, &loops.0, over.predicate, analyzer))
    }

    /// A set outside of which the block accesses nothing.
    pub(crate) fn upper_bound(
        &self,
        state: &State,
        over: Over<'_>,
        analyzer: &mut Analyzer,
    ) -> Result<Vec<IntSet>> {
        let storage = self.buffer.scope();
        let loops = Ranges::below(state, state.parent(over.block), Some(over.high), storage.as_str())?;
        Ok(estimate_region_upper_bound(&self.region, &loops.0, over.predicate, analyzer))
    }
}

/// A set that is certainly in the union of regions, which leaves out parts that may be apart from the first.
///
/// # Source
/// `UnionRegionLowerBound`, `src/arith/int_set.cc`.
pub(crate) fn union_lower_bound(regions: &[Vec<IntSet>]) -> Result<Vec<IntSet>> {
    let Some((first, rest)) = regions.split_first() else { return Ok(Vec::new()) };
    let mut analyzer = Analyzer::new();
    let mut union = first.clone();
    for region in rest {
        for (known, set) in union.iter_mut().zip(region) {
            let (Some(min), Some(max)) = (known.min(), known.max()) else { continue };
            let (Some(new_min), Some(new_max)) = (set.min(), set.max()) else { continue };
            if meets(new_min, max, &mut analyzer)? && meets(min, new_max, &mut analyzer)? {
                let min = ops::min(min.clone(), new_min.clone())?;
                *known = IntSet::interval(Some(min), Some(ops::max(max.clone(), new_max.clone())?));
            }
        }
    }
    Ok(union)
}

/// Returns `true` if nothing is between the end of a set and the start of another one.
fn meets(start: &Expr, last: &Expr, analyzer: &mut Analyzer) -> Result<bool> {
    let end = ops::add(last.clone(), ops::make_const(tvmscript_prim::PrimExprExt::dtype(last), 1)?)?;
    Ok(analyzer.can_prove(&ops::le(start.clone(), end)?))
}
