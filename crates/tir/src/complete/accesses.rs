//! Accessed sets of buffers, and their conversion to regions.

use tvmscript_arith::{Analyzer, IntSet};
use tvmscript_ir_core::{PtrMap, Ref};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range};

use crate::node::{Buffer, BufferRegion};

/// Accesses to one buffer.
struct AccessEntry {
    buffer: Ref<Buffer>,
    /// One set per dimension.
    sets: Vec<IntSet>,
}

/// Accesses of one kind, in order of first access.
#[derive(Default)]
pub(super) struct Accesses {
    entries: Vec<AccessEntry>,
    /// Index of each buffer in `entries`.
    indices: PtrMap<usize>,
}

impl Accesses {
    pub(super) fn contains(&self, buffer: &Ref<Buffer>) -> bool {
        self.indices.contains_key(buffer.object())
    }

    pub(super) fn add(&mut self, buffer: Ref<Buffer>, sets: Vec<IntSet>) {
        let known = self.indices.get(buffer.object()).and_then(|index| self.entries.get_mut(*index));
        let Some(entry) = known else {
            self.indices.insert(buffer.object().clone(), self.entries.len());
            self.entries.push(AccessEntry { buffer, sets });
            return;
        };
        for (before, set) in entry.sets.iter_mut().zip(sets) {
            *before = IntSet::union(&[before.clone(), set]);
        }
    }

    pub(super) fn to_regions(&self, is_excluded: impl Fn(&Ref<Buffer>) -> bool) -> Vec<Ref<BufferRegion>> {
        let mut analyzer = Analyzer::new();
        let kept = self.entries.iter().filter(|entry| !is_excluded(&entry.buffer));
        let region = |entry: &AccessEntry| {
            let ranges = entry.sets.iter().zip(entry.buffer.shape.iter());
            let ranges = ranges.map(|(set, full)| range_of(set, full, &mut analyzer)).collect();
            Ref::new(BufferRegion { buffer: entry.buffer.clone(), region: ranges })
        };
        kept.map(region).collect()
    }
}

fn range_of(set: &IntSet, full: &Expr, analyzer: &mut Analyzer) -> Ref<Range> {
    let point = |min: &Expr| {
        let one = IntImm::try_new(min.dtype(), 1).ok()?;
        Some(Range::from_min_extent(min.clone(), one))
    };
    if let Some(range) = set.as_point().and_then(point) {
        return range;
    }
    let covered = set.cover_range();
    // A proof is needed only if the extent does not already show several values.
    let is_wide =
        covered.as_ref().and_then(|(_, extent)| extent.as_node::<IntImm>()).is_some_and(|e| e.value != 1);
    if !is_wide
        && set.is_provably_point(analyzer)
        && let Some(range) = set.min().and_then(point)
    {
        return range;
    }
    let (min, extent) = covered.unwrap_or_else(|| (IntImm::int32(0), full.clone()));
    Range::from_min_extent(min, extent)
}

/// The least value and the extent of a set in a dimension of extent `full`.
pub(super) fn cover(set: &IntSet, full: &Expr) -> (Expr, Expr) {
    set.cover_range().unwrap_or_else(|| (IntImm::int32(0), full.clone()))
}
