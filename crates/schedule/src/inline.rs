//! Inlining: a block goes away, and with it the buffer that it shares with other blocks.
//!
//! Upstream counterpart: `BaseInliner` of `src/tir/schedule/primitive/compute_inline.cc`. Regions of blocks that accessed
//! the buffer are found again from their bodies.

use tvmscript_ir_core::{Descend, Mutator, Object, ObjectLike as _, PtrMap, Ref, mutate};
use tvmscript_prim::Var;
use tvmscript_tir::complete::block_access_regions;
use tvmscript_tir::{Block, Buffer, BufferRegion};

use crate::error::{Result, ScheduleError};
use crate::removal::Removal;
use crate::state::{Item, Reused, State};

/// Rewrites the nodes of a scope from which a block goes away.
pub(crate) trait Rewrite {
    /// Returns the replacement of a node whose parts are rewritten; of a block, `before` is the block as it was.
    fn leave(&mut self, node: Object, before: Option<&Ref<Block>>) -> Result<Object>;
}

/// A scope without the inlined block.
#[derive(Debug, Clone)]
pub(crate) struct Inlined {
    scope: Item,
    block: Ref<Block>,
    reused: Vec<Reused>,
}

impl Inlined {
    /// Rewrites the scope of a block that goes away with a buffer.
    ///
    /// # Errors
    /// `OnlyLeafError`, `OpaqueAccessError`, and errors of the rewrite.
    pub(crate) fn plan(
        state: &State,
        leaf: Item,
        buffer: &Ref<Buffer>,
        rewrite: &mut impl Rewrite,
    ) -> Result<Inlined> {
        let removal = Removal::of(state, leaf)?;
        let scope = state.scope(leaf)?;
        let before = state.block_of(scope)?.clone();
        let mut inliner = Inliner {
            buffer,
            scope: &before,
            removal: &removal,
            rewrite,
            visible: PtrMap::default(),
            open: Vec::new(),
            left: None,
            reused: Vec::new(),
            is_opaque: false,
            failed: None,
        };
        inliner.see(state.block_of(leaf)?);
        let block = mutate(before.clone(), &mut inliner);
        let Inliner { reused, is_opaque, failed, .. } = inliner;
        if let Some(error) = failed {
            return Err(error);
        }
        if is_opaque {
            let message = format!(
                "the buffer `{}` is used through its data pointer or matched by another buffer",
                buffer.name.get().as_str()
            );
            return Err(ScheduleError::new("OpaqueAccessError", message).at(before));
        }
        Ok(Inlined { scope, block: block?, reused })
    }

    pub(crate) fn apply(self, state: &mut State) -> Result<()> {
        state.replace_block(self.scope, self.block, &self.reused)
    }
}

struct Inliner<'i, R> {
    buffer: &'i Ref<Buffer>,
    scope: &'i Ref<Block>,
    removal: &'i Removal,
    rewrite: &'i mut R,
    /// Buffers of the blocks so far, by data pointer.
    visible: PtrMap<Ref<Buffer>>,
    /// The open blocks as they were.
    open: Vec<Ref<Block>>,
    /// The block that was left last, as it was.
    left: Option<Ref<Block>>,
    reused: Vec<Reused>,
    is_opaque: bool,
    failed: Option<ScheduleError>,
}

impl<R: Rewrite> Inliner<'_, R> {
    /// Makes the buffers of a block visible.
    fn see(&mut self, block: &Block) {
        let regions = block.reads.iter().chain(block.writes.iter()).map(|region| &region.buffer);
        for buffer in regions.chain(block.alloc_buffers.iter()) {
            self.visible.insert(buffer.data.object().clone(), buffer.clone());
        }
    }

    fn is_inlined(&self, region: &BufferRegion) -> bool {
        region.buffer.ptr_eq(self.buffer)
    }

    /// A block whose parts are rewritten, with its allocations and regions.
    fn signed(&self, mut block: Ref<Block>, before: &Ref<Block>) -> Result<Ref<Block>> {
        if before.ptr_eq(self.scope) {
            let rest = block.alloc_buffers.iter().filter(|buffer| !buffer.ptr_eq(self.buffer));
            let rest = rest.cloned().collect();
            block.make_mut().alloc_buffers = rest;
        } else if block.reads.iter().chain(block.writes.iter()).any(|region| self.is_inlined(region)) {
            let found = block_access_regions(&block, &self.visible)
                .map_err(|error| ScheduleError::plain(error.to_string()))?;
            let changed = block.make_mut();
            changed.reads = found.reads.into_iter().collect();
            changed.writes = found.writes.into_iter().collect();
        }
        Ok(block)
    }

    fn left(&mut self, node: Object) -> Result<Object> {
        let node = self.removal.leave(node);
        let block = match node.downcast::<Block>() {
            Ok(block) => block,
            Err(node) => {
                let left = self.left.take();
                return self.rewrite.leave(node, left.as_ref());
            }
        };
        let Some(before) = self.open.pop() else { return Ok(block.into_object()) };
        let block = self.signed(block, &before)?;
        if !block.ptr_eq(&before) {
            self.reused.push((before.clone(), block.clone()));
        }
        self.left = Some(before);
        Ok(block.into_object())
    }
}

impl<R: Rewrite> Mutator for Inliner<'_, R> {
    fn enter(&mut self, node: &Object) -> Descend {
        if self.failed.is_some() || self.removal.is(node) || node.is::<Buffer>() {
            return Descend::Keep;
        }
        if let Some(var) = node.downcast_ref::<Var>() {
            self.is_opaque |= var.ptr_eq(&self.buffer.data);
            return Descend::Keep;
        }
        if let Some(block) = node.downcast_ref::<Block>() {
            self.is_opaque |= block.match_buffers.iter().any(|matched| self.is_inlined(&matched.source));
            self.see(block);
            self.open.push(block.clone());
        }
        Descend::Into
    }

    fn leave(&mut self, node: Object) -> Object {
        if self.failed.is_some() {
            return node;
        }
        let kept = node.clone();
        self.left(node).unwrap_or_else(|error| {
            self.failed = Some(error);
            kept
        })
    }
}
