//! New blocks that copy elements of a buffer, and the places in sequences where they go.

use tvmscript_ir_core::{Array, Map, Ref, Span, Str, with_stack};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{
    AllocateConst, Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, DeclBuffer, IterType,
    IterVar, StmtRef, flatten,
};

use crate::error::{Result, ScheduleError};
use crate::insertion::elements;
use crate::state::{Item, State};

/// The region of one element.
pub(crate) fn point(buffer: &Ref<Buffer>, indices: &[Expr]) -> Result<Ref<BufferRegion>> {
    let range = |index: &Expr| Ok(Range::from_min_extent(index.clone(), ops::make_const(index.dtype(), 1)?));
    let ranges = indices.iter().map(range).collect::<Result<Vec<_>>>()?;
    Ok(BufferRegion::try_new(buffer.clone(), Array::new(ranges))?)
}

/// The region of a whole buffer. As in TVM, it starts at a zero of 32 bits.
pub(crate) fn whole(buffer: &Ref<Buffer>) -> Vec<(Expr, Expr)> {
    buffer.shape.iter().map(|extent| (IntImm::int32(0), extent.clone())).collect()
}

/// An axis of a block whose iterations are independent, with values from zero.
pub(crate) fn axis(name: &str, extent: &Expr) -> Result<Ref<IterVar>> {
    let var = Var::new(name, extent.dtype());
    let dom = Some(Range::try_from_extent(extent.clone())?);
    Ok(Ref::new(IterVar { dom, var, iter_type: IterType::DataPar, thread_tag: Str::from("") }))
}

/// A block of axes with their values, and its regions.
pub(crate) struct NewBlock<'b> {
    pub(crate) name: &'b str,
    pub(crate) axes: Vec<Ref<IterVar>>,
    pub(crate) values: Vec<Expr>,
    pub(crate) reads: Vec<Ref<BufferRegion>>,
    pub(crate) writes: Vec<Ref<BufferRegion>>,
}

impl NewBlock<'_> {
    /// The block around a body.
    pub(crate) fn around(self, body: StmtRef) -> Ref<BlockRealize> {
        let block = Ref::new(Block {
            span: Span::current(),
            iter_vars: Array::new(self.axes),
            reads: Array::new(self.reads),
            writes: Array::new(self.writes),
            name_hint: Str::from(self.name),
            alloc_buffers: Array::default(),
            match_buffers: Array::default(),
            annotations: Map::default(),
            init: None,
            body,
        });
        let (iter_values, predicate) = (Array::new(self.values), IntImm::bool(true));
        Ref::new(BlockRealize { span: Span::current(), iter_values, predicate, block })
    }
}

/// An element of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Element<'e> {
    pub(crate) buffer: &'e Ref<Buffer>,
    pub(crate) indices: &'e [Expr],
}

impl Element<'_> {
    pub(crate) fn load(self) -> Result<Expr> {
        Ok(BufferLoad::try_new(self.buffer.clone(), self.indices.iter().cloned().collect(), None)?)
    }

    pub(crate) fn store(self, value: Expr) -> Result<StmtRef> {
        Ok(BufferStore::try_new(self.buffer.clone(), value, self.indices.iter().cloned().collect(), None)?)
    }
}

/// A block that copies an element.
pub(crate) fn copy(
    name: &str,
    axes: Vec<Ref<IterVar>>,
    values: Vec<Expr>,
    from: Element<'_>,
    to: Element<'_>,
) -> Result<Ref<BlockRealize>> {
    let reads = vec![point(from.buffer, from.indices)?];
    let writes = vec![point(to.buffer, to.indices)?];
    Ok(NewBlock { name, axes, values, reads, writes }.around(to.store(from.load()?)?))
}

/// Puts statements into the sequence that is the body of a loop or block, below declarations of buffers.
pub(crate) fn inserted(body: &StmtRef, position: usize, new: &StmtRef) -> Result<StmtRef> {
    if let Some(declaration) = body.downcast_ref::<DeclBuffer>() {
        let mut declaration = declaration.clone();
        declaration.make_mut().body = with_stack(|| inserted(&declaration.body, position, new))?;
        return Ok(declaration.upcast());
    }
    if let Some(constant) = body.downcast_ref::<AllocateConst>() {
        let mut constant = constant.clone();
        constant.make_mut().body = with_stack(|| inserted(&constant.body, position, new))?;
        return Ok(constant.upcast());
    }
    let mut statements = elements(body);
    if position > statements.len() {
        return Err(ScheduleError::plain("there is no place for the copy between the statements"));
    }
    statements.insert(position, new.clone());
    Ok(flatten(statements, true))
}

/// The statements in the body of a loop or block, below declarations of buffers.
pub(crate) fn elements_of(body: &StmtRef) -> Vec<StmtRef> {
    let mut body = body;
    loop {
        if let Some(declaration) = body.as_node::<DeclBuffer>() {
            body = &declaration.body;
        } else if let Some(constant) = body.as_node::<AllocateConst>() {
            body = &constant.body;
        } else {
            return elements(body);
        }
    }
}

/// Puts statements into the body of a loop or block.
pub(crate) fn insert(state: &mut State, place: Item, position: usize, new: &StmtRef) -> Result<()> {
    if state.is_block(place) {
        let mut block = state.block_of(place)?.clone();
        block.make_mut().body = inserted(&block.body, position, new)?;
        return state.replace_block(place, block, &[]);
    }
    let mut found = state.loop_of(place)?.clone();
    found.make_mut().body = inserted(&found.body, position, new)?;
    state.replace(place, found.upcast(), &[])
}
