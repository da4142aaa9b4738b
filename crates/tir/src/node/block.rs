//! Blocks: computations with declared axes and regions.

use tvmscript_ir_core::{Array, Map, Node, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var};

use super::{Buffer, IterVar, Stmt, StmtRef};
use crate::error::{Result, TirError};

/// Part of a buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferRegion")]
pub struct BufferRegion {
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// One range per dimension.
    pub region: Array<Ref<Range>>,
}

impl BufferRegion {
    /// The node.
    /// # Errors
    /// [`TirError::Rank`].
    pub fn try_new(buffer: Ref<Buffer>, region: Array<Ref<Range>>) -> Result<Ref<BufferRegion>> {
        if buffer.shape.len() != region.len() {
            let name = buffer.name.get().to_string();
            return Err(TirError::Rank { buffer: name, rank: buffer.shape.len(), found: region.len() });
        }
        Ok(Ref::new(BufferRegion { buffer, region }))
    }
}

/// A buffer of a block that stands for part of another.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.MatchBufferRegion")]
pub struct MatchBufferRegion {
    /// The block's buffer.
    pub buffer: Ref<Buffer>,
    /// What it stands for.
    pub source: Ref<BufferRegion>,
}

impl MatchBufferRegion {
    /// Checks that a buffer may stand for a region.
    /// # Errors
    /// [`TirError::MatchBuffer`] when scope, type, alignment, rank or extents do not fit.
    /// # Source
    /// `MatchBufferRegion` constructor, `src/tir/ir/stmt.cc`.
    pub fn check(buffer: &Ref<Buffer>, source: &Ref<BufferRegion>) -> Result<()> {
        let whole = &source.buffer;
        let fail = |why| Err(TirError::MatchBuffer { why });
        if buffer.scope() != whole.scope() {
            return fail("the storage scopes differ");
        }
        if buffer.dtype != whole.dtype {
            return fail("the element types differ");
        }
        if whole.data_alignment % buffer.data_alignment.max(1) != 0 {
            return fail("the source's alignment is no multiple of the buffer's");
        }
        if buffer.buffer_type != super::BufferType::Default {
            return fail("a matched buffer cannot broadcast");
        }
        let (outer, inner) = (source.region.len(), buffer.shape.len());
        if outer < inner {
            return fail("the region has fewer dimensions than the buffer");
        }
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
#[node(key = "tir.Block", parent = Stmt)]
pub struct Block {
    /// Where it was written.
    pub span: Span,
    /// The axes.
    #[node(def)]
    pub iter_vars: Array<Ref<IterVar>>,
    /// What it reads.
    pub reads: Array<Ref<BufferRegion>>,
    /// What it writes.
    pub writes: Array<Ref<BufferRegion>>,
    /// A name for schedules.
    #[node(skip_eq)]
    pub name_hint: Str,
    /// Buffers that live as long as the block.
    pub alloc_buffers: Array<Ref<Buffer>>,
    /// Buffers that stand for parts of others.
    pub match_buffers: Array<Ref<MatchBufferRegion>>,
    /// Notes to passes.
    pub annotations: Map<Str, Value>,
    /// What runs before the first turn of a reduction.
    pub init: Option<StmtRef>,
    /// The body.
    pub body: StmtRef,
}

/// A block run for values of its axes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BlockRealize", parent = Stmt)]
pub struct BlockRealize {
    /// Where it was written.
    pub span: Span,
    /// One value per axis.
    pub iter_values: Array<Expr>,
    /// Whether it runs.
    pub predicate: Expr,
    /// The block.
    pub block: Ref<Block>,
}

impl BlockRealize {
    /// The node.
    /// # Errors
    /// When values and axes differ in number, or the predicate is not bool.
    pub fn try_new(iter_values: Array<Expr>, predicate: Expr, block: Ref<Block>) -> Result<StmtRef> {
        if iter_values.len() != block.iter_vars.len() {
            let (left, right) = (iter_values.len(), block.iter_vars.len());
            return Err(TirError::Count { what: "values against axes of a block", left, right });
        }
        if !predicate.dtype().is_bool() {
            let found = predicate.dtype();
            return Err(TirError::Kind { what: "a block's predicate", expected: "bool", found });
        }
        Ok(Ref::new(BlockRealize { span: Span::current(), iter_values, predicate, block }).upcast())
    }
}
