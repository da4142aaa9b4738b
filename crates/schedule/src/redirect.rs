//! Accesses of blocks to a buffer, made to another one.

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Array, Descend, Object, ObjectLike as _, Ref, TryMutator, try_mutate, with_stack};
use tvmscript_prim::{Expr, Range, ops};
use tvmscript_tir::{Block, Buffer, BufferLoad, BufferRegion, BufferStore, StmtRef};

use crate::copies::{inserted, point};
use crate::error::{Result, ScheduleError};
use crate::state::{Item, Reused, State};

/// The indices of an access in the new buffer.
#[derive(Debug, Clone)]
pub(crate) enum Indices {
    /// The same.
    Same,
    /// Less the starts of the copied region.
    From(Vec<Expr>),
    /// These, of every access.
    At(Vec<Expr>),
}

/// The blocks whose accesses change.
#[derive(Debug, Clone)]
pub(crate) enum Blocks {
    /// All.
    All,
    /// All but those that write the buffer and what is below these.
    Readers,
    /// Those with these addresses.
    Only(HashSet<usize>),
    /// A block and all below it, and others; no other block is entered.
    Writer { writer: usize, consumers: HashSet<usize> },
}

/// A buffer in the place of another one.
#[derive(Debug, Clone)]
pub(crate) struct Redirection {
    pub(crate) from: Ref<Buffer>,
    pub(crate) to: Ref<Buffer>,
    pub(crate) indices: Indices,
    pub(crate) blocks: Blocks,
}

/// A statement that goes into the body of a loop or of the scope.
#[derive(Debug, Clone)]
pub(crate) struct Insertion {
    /// The loop or block.
    pub(crate) place: Item,
    /// The number of statements in front of it.
    pub(crate) position: usize,
    pub(crate) stmt: StmtRef,
}

impl Redirection {
    /// Changes the accesses of the blocks in a scope, adds statements, and allocates a buffer.
    pub(crate) fn make(
        &self,
        state: &mut State,
        scope: Item,
        insertion: &Insertion,
        allocated: Option<&Ref<Buffer>>,
    ) -> Result<()> {
        let old = state.block_of(scope)?.clone();
        let place = match insertion.place == scope {
            true => None,
            false => Some(state.loop_of(insertion.place)?.loop_var.clone().into_object()),
        };
        let mut reused = Vec::new();
        let mut walk = Walk {
            redirection: self,
            root: old.object().address(),
            changes: matches!(self.blocks, Blocks::Readers),
            is_scope: true,
            kept_init: None,
            insertion: place.map(|variable| (variable, insertion)),
            reused: &mut reused,
            analyzer: Analyzer::new(),
        };
        let mut new = try_mutate(old.clone(), &mut walk)?;
        if insertion.place == scope {
            new.make_mut().body = inserted(&new.body, insertion.position, &insertion.stmt)?;
        }
        if let Some(buffer) = allocated {
            let buffers = new.alloc_buffers.iter().cloned().chain([buffer.clone()]);
            new.make_mut().alloc_buffers = buffers.collect();
        }
        state.replace_block(scope, new, &reused)
    }

    /// Changes the accesses of a statement. Adds its blocks that change to those that keep their handles.
    pub(crate) fn of_stmt(&self, stmt: &StmtRef, reused: &mut Vec<Reused>) -> Result<StmtRef> {
        let mut walk = Walk {
            redirection: self,
            root: 0,
            changes: true,
            is_scope: true,
            kept_init: None,
            insertion: None,
            reused,
            analyzer: Analyzer::new(),
        };
        try_mutate(stmt.clone(), &mut walk)
    }

    /// A block with its accesses changed, or `None` if it stays.
    fn block(
        &self,
        block: &Ref<Block>,
        changes_above: bool,
        reused: &mut Vec<Reused>,
    ) -> Result<Option<Ref<Block>>> {
        let address = block.object().address();
        // The initialization of a block that is named as a consumer stays, also that of the writer, as in TVM.
        let mut kept_init = None;
        let changes = match &self.blocks {
            Blocks::Readers if block.writes.iter().any(|region| region.buffer.ptr_eq(&self.from)) => {
                return Ok(None);
            }
            Blocks::All | Blocks::Readers => true,
            Blocks::Only(blocks) => blocks.contains(&address),
            Blocks::Writer { consumers, .. } if consumers.contains(&address) => {
                kept_init = block.init.as_ref().map(|init| init.object().clone());
                true
            }
            Blocks::Writer { writer, .. } if changes_above || *writer == address => true,
            Blocks::Writer { .. } => return Ok(None),
        };
        let mut walk = Walk {
            redirection: self,
            root: block.object().address(),
            changes,
            is_scope: false,
            kept_init,
            insertion: None,
            reused,
            analyzer: Analyzer::new(),
        };
        let new = try_mutate(block.clone(), &mut walk)?;
        if new.ptr_eq(block) {
            return Ok(None);
        }
        reused.push((block.clone(), new.clone()));
        Ok(Some(new))
    }
}

/// Changes the accesses of one block. Each nested block is walked on its own, since blocks may share expressions.
struct Walk<'w> {
    redirection: &'w Redirection,
    /// The address of the block.
    root: usize,
    changes: bool,
    is_scope: bool,
    /// A statement that stays as it is.
    kept_init: Option<Object>,
    /// The variable of the loop that a statement goes into.
    insertion: Option<(Object, &'w Insertion)>,
    reused: &'w mut Vec<Reused>,
    analyzer: Analyzer,
}

impl Walk<'_> {
    fn indices(&mut self, indices: &Array<Expr>) -> Result<Array<Expr>> {
        match &self.redirection.indices {
            Indices::Same => Ok(indices.clone()),
            Indices::From(starts) => {
                let shifted = indices.iter().zip(starts).map(|(index, start)| {
                    Ok(self.analyzer.simplify(&ops::sub(index.clone(), start.clone())?))
                });
                shifted.collect()
            }
            Indices::At(indices) => Ok(indices.iter().cloned().collect()),
        }
    }

    fn region(&mut self, region: &BufferRegion) -> Result<Ref<BufferRegion>> {
        let to = &self.redirection.to;
        if let Indices::At(indices) = &self.redirection.indices {
            return point(to, indices);
        }
        let mins: Array<Expr> = region.region.iter().map(|range| range.min.clone()).collect();
        let mins = self.indices(&mins)?;
        let ranges = mins.iter().zip(region.region.iter());
        let ranges = ranges.map(|(min, range)| Range::from_min_extent(min.clone(), range.extent.clone()));
        Ok(BufferRegion::try_new(to.clone(), ranges.collect())?)
    }

    /// The access in place of one to the old buffer, or the loop with its statement.
    fn changed(&mut self, node: &Object) -> Result<Option<Object>> {
        if let Some((variable, insertion)) = &self.insertion
            && let Some(found) = node.downcast_ref::<tvmscript_tir::For>()
            && found.loop_var.object().ptr_eq(variable)
        {
            let mut found = found.clone();
            found.make_mut().body = inserted(&found.body, insertion.position, &insertion.stmt)?;
            return Ok(Some(found.into_object()));
        }
        if !self.changes {
            return Ok(None);
        }
        let from = self.redirection.from.clone();
        if let Some(load) = node.downcast_ref::<BufferLoad>().filter(|load| load.buffer.ptr_eq(&from)) {
            let indices = self.indices(&load.indices)?;
            let to = self.redirection.to.clone();
            return Ok(Some(BufferLoad::try_new(to, indices, load.predicate.clone())?.into_object()));
        }
        if let Some(store) = node.downcast_ref::<BufferStore>().filter(|store| store.buffer.ptr_eq(&from)) {
            let mut new = store.clone();
            let indices = self.indices(&store.indices)?;
            let changed = new.make_mut();
            changed.buffer = self.redirection.to.clone();
            changed.indices = indices;
            return Ok(Some(new.into_object()));
        }
        // The regions of the scope itself stay.
        let region = node.downcast_ref::<BufferRegion>().filter(|_| !self.is_scope);
        if let Some(region) = region.filter(|region| region.buffer.ptr_eq(&from)) {
            return Ok(Some(self.region(region)?.into_object()));
        }
        Ok(None)
    }
}

impl TryMutator for Walk<'_> {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        let is_kept = self.kept_init.as_ref().is_some_and(|init| init.ptr_eq(node));
        if node.is::<Buffer>() || is_kept {
            return Ok(Descend::Keep);
        }
        // The scope may declare the memory.
        if self.changes && !self.is_scope && node.ptr_eq(self.redirection.from.data.object()) {
            return Ok(Descend::Replace(self.redirection.to.data.object().clone()));
        }
        let Some(block) = node.downcast_ref::<Block>().filter(|_| node.address() != self.root) else {
            return Ok(Descend::Into);
        };
        let new = with_stack(|| self.redirection.block(block, self.changes, self.reused))?;
        Ok(new.map_or(Descend::Keep, |new| Descend::Replace(new.into_object())))
    }

    fn leave(&mut self, node: &Object) -> Result<Option<Object>> {
        self.changed(node)
    }
}
