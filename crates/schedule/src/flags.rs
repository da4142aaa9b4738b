//! The flags of blocks: computed once, and again where a primitive says so.
//!
//! Upstream counterpart: `BlockInfoCollector` of `src/tir/schedule/state.cc`. As there, a block keeps its flags when a
//! primitive changes it, and they may differ from those of a new schedule of the same module.

use hashbrown::HashMap;
use tvmscript_arith::{Analyzer, IntSet};
use tvmscript_prim::{Expr, PrimExprExt as _, ops};

use crate::error::{Result, ScheduleError};
use crate::regions::{Access, Over, accesses, union_lower_bound};
use crate::scope::{Dependence, Dependences};
use crate::state::{Item, State};

/// The flags of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags {
    /// The values of its iterators are affine in the loops around it.
    pub(crate) is_affine: bool,
    /// The blocks before it in its scope write all that it reads of what they write.
    pub(crate) has_region_cover: bool,
    /// As a scope: its blocks are stages, each of which covers what later ones read, and no block overwrites what another
    /// one has read.
    pub(crate) is_stage_pipeline: bool,
}

impl State {
    /// Computes the flags of all blocks in a scope, and its own.
    pub(crate) fn update(&mut self, scope: Item) -> Result<()> {
        self.update_blocks(scope, true)
    }

    /// Computes the flags of all blocks in a scope apart from it: those of the scope stay, and its blocks have region cover.
    pub(crate) fn update_body(&mut self, scope: Item) -> Result<()> {
        self.update_blocks(scope, false)
    }

    fn update_blocks(&mut self, scope: Item, with_scope: bool) -> Result<()> {
        let mut analyzer = Analyzer::new();
        let mut blocks = Vec::new();
        let mut pending = vec![scope];
        while let Some(item) = pending.pop() {
            if !self.is_block(item) {
                let found = self.loop_of(item)?;
                analyzer.bind_range(&found.loop_var, &found.min, &found.extent);
            } else if with_scope || item != scope {
                blocks.push(item);
            }
            pending.extend(self.children(item)?.into_iter().rev());
        }
        // Inner blocks first: a scope decides on the region cover of its blocks.
        for block in blocks.into_iter().rev() {
            let is_top = block == scope || (!with_scope && self.parent(block) == Some(scope));
            let is_affine = match is_top {
                true => self.block_of(block)?.iter_vars.is_empty(),
                false => self.is_affine_below(block, None, &mut analyzer)?,
            };
            let is_stage_pipeline = self.cover_regions(block, &mut analyzer)?;
            self.set_flags(block, Flags { is_affine, has_region_cover: true, is_stage_pipeline });
        }
        Ok(())
    }

    /// Decides on the region cover of the blocks of a scope. Returns `true` if they are a pipeline of stages.
    fn cover_regions(&mut self, scope: Item, analyzer: &mut Analyzer) -> Result<bool> {
        let dependences = Dependences::of_scope(self, scope)?;
        let mut is_stage_pipeline = true;
        for consumer in self.child_blocks(scope)? {
            let edges = dependences.before(consumer);
            if edges.is_empty() {
                continue;
            }
            let has_region_cover = self.is_covered(consumer, scope, edges, analyzer)?;
            let is_overwritten = edges.iter().any(|(_, kind)| *kind == Dependence::WriteAfterRead);
            is_stage_pipeline &= has_region_cover && !is_overwritten;
            self.set_flags(consumer, Flags { has_region_cover, ..self.flags(consumer) });
        }
        Ok(is_stage_pipeline)
    }

    /// Returns `true` if at each loop around a consumer, what its producers there write covers what it reads of it.
    fn is_covered(
        &self,
        consumer: Item,
        scope: Item,
        edges: &[(Item, Dependence)],
        analyzer: &mut Analyzer,
    ) -> Result<bool> {
        // Producers by the lowest loop or block that holds both.
        let mut path: Vec<(Item, Vec<Item>)> = vec![(consumer, Vec::new())];
        for above in self.ancestors(consumer) {
            path.push((above, Vec::new()));
            if above == scope {
                break;
            }
        }
        let places: HashMap<Item, usize> =
            path.iter().enumerate().map(|(at, (item, _))| (*item, at)).collect();
        for (producer, kind) in edges {
            let common = self.ancestors(*producer).find_map(|above| places.get(&above).copied());
            if let Some((_, producers)) = common.and_then(|at| path.get_mut(at))
                && *kind == Dependence::ReadAfterWrite
                && producers.last() != Some(producer)
            {
                producers.push(*producer);
            }
        }
        let realize = self.realize_of(consumer)?;
        let reads = accesses(realize, &realize.block.reads)?;
        for (high, producers) in path.into_iter().filter(|(_, producers)| !producers.is_empty()) {
            let mut written: HashMap<usize, Vec<Vec<IntSet>>> = HashMap::new();
            for read in &reads {
                written.insert(read.buffer.object().address(), Vec::new());
            }
            for block in producers {
                let realize = self.realize_of(block)?;
                for write in accesses(realize, &realize.block.writes)? {
                    let Some(sets) = written.get_mut(&write.buffer.object().address()) else { continue };
                    let over = Over { block, high, predicate: &realize.predicate };
                    let unknown = || vec![IntSet::nothing(); write.region.len()];
                    sets.push(write.lower_bound(self, over, analyzer)?.unwrap_or_else(unknown));
                }
            }
            for read in &reads {
                let sets = written.get(&read.buffer.object().address()).filter(|sets| !sets.is_empty());
                let Some(sets) = sets else { continue };
                let over = Over { block: consumer, high, predicate: &realize.predicate };
                let consumed = read.upper_bound(self, over, analyzer)?;
                if !covers(read, &union_lower_bound(sets)?, &consumed, analyzer)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The nearest block above, whose blocks must be a pipeline of stages.
    ///
    /// # Errors
    /// `RootBlockError` for the root block, `NotStagePipelineError` for other scopes unless checks are off.
    pub(crate) fn pipeline_scope(&self, item: Item) -> Result<Item> {
        let scope = self.scope(item)?;
        if !self.is_checked() || self.flags(scope).is_stage_pipeline {
            return Ok(scope);
        }
        let message = format!(
            "the blocks of `{}` are not a pipeline of stages: each must read only what earlier ones write whole, \
             and none may overwrite what an earlier one reads",
            self.block_of(scope)?.name_hint.as_str()
        );
        Err(ScheduleError::new("NotStagePipelineError", message).at(self.block_of(scope)?.clone()))
    }
}

/// Returns `true` if a region certainly has all elements of another one that are in the buffer.
fn covers(read: &Access, produced: &[IntSet], consumed: &[IntSet], analyzer: &mut Analyzer) -> Result<bool> {
    for ((shape, produced), consumed) in read.buffer.shape.iter().zip(produced).zip(consumed) {
        if produced.is_nothing() {
            return Ok(false);
        }
        if consumed.is_nothing() {
            continue;
        }
        let whole = IntSet::from_range(&ops::make_const(shape.dtype(), 0)?, shape);
        let (produced, consumed) = (clipped(produced, &whole, analyzer), clipped(consumed, &whole, analyzer));
        let ends = (produced.min(), produced.max(), consumed.min(), consumed.max());
        let (Some(first), Some(last), Some(from), Some(to)) = ends else { return Ok(false) };
        if !(is_at_most(first, from, analyzer)? && is_at_most(to, last, analyzer)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn clipped(set: &IntSet, whole: &IntSet, analyzer: &mut Analyzer) -> IntSet {
    let mut canonical = |end: Option<&Expr>| end.map(|end| analyzer.canonical_simplify(end));
    let set = IntSet::interval(canonical(set.min()), canonical(set.max()));
    let common = IntSet::intersection(&[set, whole.clone()]);
    if common.is_nothing() {
        return common;
    }
    IntSet::interval(
        common.min().map(|end| analyzer.simplify(end)),
        common.max().map(|end| analyzer.simplify(end)),
    )
}

fn is_at_most(a: &Expr, b: &Expr, analyzer: &mut Analyzer) -> Result<bool> {
    let difference = analyzer.canonical_simplify(&ops::sub(a.clone(), b.clone())?);
    let zero = ops::make_const(difference.dtype(), 0)?;
    Ok(analyzer.can_prove(&ops::le(difference, zero)?))
}
