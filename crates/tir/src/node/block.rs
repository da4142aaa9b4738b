//! Blocks: computations with declared axes and regions.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, Map, Node, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var};

use super::buffer::DefineBuffer as _;
use super::{Buffer, IterVar, Stmt, StmtRef};
use crate::error::{TirError, TirResult, check_kind};

/// A region of a buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferRegion", check = BufferRegion::check)]
pub struct BufferRegion {
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// One range per dimension.
    pub region: Array<Ref<Range>>,
}

impl BufferRegion {
    /// Creates the node.
    ///
    /// # Errors
    /// [`TirError::Rank`].
    pub fn try_new(buffer: Ref<Buffer>, region: Array<Ref<Range>>) -> TirResult<Ref<BufferRegion>> {
        buffer.check_rank(region.len())?;
        Ok(Ref::new(BufferRegion { buffer, region }))
    }

    fn check(&self) -> Checked {
        self.buffer.check_rank(self.region.len()).map_err(|error| Invalid::at("region", error))
    }
}

/// A buffer of a block that maps a region of another buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.MatchBufferRegion", check = MatchBufferRegion::check_parts)]
pub struct MatchBufferRegion {
    /// The block's buffer.
    pub buffer: Ref<Buffer>,
    /// The mapped region.
    pub source: Ref<BufferRegion>,
}

impl MatchBufferRegion {
    /// Checks that a buffer can map a region.
    ///
    /// # Errors
    /// [`TirError::MatchBuffer`] if scope, type, alignment, rank or extents do not fit.
    ///
    /// # Source
    /// `MatchBufferRegion` constructor, `src/tir/ir/stmt.cc`.
    pub fn check(buffer: &Ref<Buffer>, source: &Ref<BufferRegion>) -> TirResult<()> {
        MatchBufferRegion::check_kinds(buffer, source)?;
        MatchBufferRegion::check_extents(buffer, source)
    }

    /// Checks everything but the extents, whose equality may follow from facts outside the node.
    fn check_parts(&self) -> Checked {
        MatchBufferRegion::check_kinds(&self.buffer, &self.source)
            .map_err(|error| Invalid::at("source", error))
    }

    fn check_kinds(buffer: &Ref<Buffer>, source: &Ref<BufferRegion>) -> TirResult<()> {
        let whole = &source.buffer;
        let fail = |why| Err(TirError::MatchBuffer { why });
        if buffer.scope() != whole.scope() {
            return fail("the storage scopes differ");
        }
        if buffer.dtype != whole.dtype {
            return fail("the element types differ");
        }
        if whole.data_alignment % buffer.data_alignment.max(1) != 0 {
            return fail("the source's alignment is not a multiple of the buffer's");
        }
        if buffer.buffer_type != super::BufferType::Default {
            return fail("a matched buffer cannot broadcast");
        }
        match source.region.len() < buffer.shape.len() {
            true => fail("the region has fewer dimensions than the buffer"),
            false => Ok(()),
        }
    }

    fn check_extents(buffer: &Ref<Buffer>, source: &Ref<BufferRegion>) -> TirResult<()> {
        let fail = |why| Err(TirError::MatchBuffer { why });
        let (outer, inner) = (source.region.len(), buffer.shape.len());
        let mut analyzer = tvmscript_arith::Analyzer::new();
        for range in source.region.iter().take(outer - inner) {
            let one = IntImm::try_new(range.extent.dtype(), 1)?;
            if !analyzer.can_prove_equal(&range.extent, &one) {
                return fail("a leading extent of the region is not 1");
            }
        }
        for (range, extent) in source.region.iter().skip(outer - inner).zip(buffer.shape.iter()) {
            if extent.as_node::<Var>().is_none() && !analyzer.can_prove_equal(&range.extent, extent) {
                return fail("an extent of the region differs from the buffer's");
            }
        }
        Ok(())
    }
}

/// A computation with declared axes and regions.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Block", parent = Stmt, defines = Block::defines)]
pub struct Block {
    /// Source span.
    pub span: Span,
    /// The axes.
    #[node(def)]
    pub iter_vars: Array<Ref<IterVar>>,
    /// Regions read.
    pub reads: Array<Ref<BufferRegion>>,
    /// Regions written.
    pub writes: Array<Ref<BufferRegion>>,
    /// Name for schedules.
    #[node(skip_eq)]
    pub name_hint: Str,
    /// Buffers allocated for the block.
    pub alloc_buffers: Array<Ref<Buffer>>,
    /// Buffers that map regions of others.
    pub match_buffers: Array<Ref<MatchBufferRegion>>,
    /// Annotations for passes.
    pub annotations: Map<Str, Value>,
    /// Initialization, run before the first iteration of a reduction.
    pub init: Option<StmtRef>,
    /// The body.
    pub body: StmtRef,
}

impl Block {
    /// A block defines its axes, its allocated buffers and its matched buffers.
    fn defines(&self, definitions: &mut Definitions) {
        self.iter_vars.iter().for_each(|axis| definitions.define(axis.var.object()));
        self.alloc_buffers.iter().for_each(|buffer| buffer.define_allocated(definitions));
        self.match_buffers.iter().for_each(|matched| matched.buffer.define_matched(definitions));
    }
}

/// A block with values for its axes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BlockRealize", parent = Stmt, check = BlockRealize::check)]
pub struct BlockRealize {
    /// Source span.
    pub span: Span,
    /// One value per axis.
    pub iter_values: Array<Expr>,
    /// Condition under which the block runs.
    pub predicate: Expr,
    /// The block.
    pub block: Ref<Block>,
}

impl BlockRealize {
    /// Creates the node.
    ///
    /// # Errors
    /// If values and axes differ in number, or the predicate is not bool.
    pub fn try_new(iter_values: Array<Expr>, predicate: Expr, block: Ref<Block>) -> TirResult<StmtRef> {
        let realize = BlockRealize { span: Span::current(), iter_values, predicate, block };
        realize.check_values()?;
        realize.check_predicate()?;
        Ok(Ref::new(realize).upcast())
    }

    fn check_values(&self) -> TirResult<()> {
        let (left, right) = (self.iter_values.len(), self.block.iter_vars.len());
        match left == right {
            true => Ok(()),
            false => Err(TirError::Count { what: "values and axes of a block", left, right }),
        }
    }

    fn check_predicate(&self) -> TirResult<()> {
        let found = self.predicate.dtype();
        check_kind("a block's predicate", "bool", found, found.is_bool())
    }

    fn check(&self) -> Checked {
        self.check_values().map_err(|error| Invalid::at("iter_values", error))?;
        self.check_predicate().map_err(|error| Invalid::at("predicate", error))
    }
}
