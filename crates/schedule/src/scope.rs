//! The blocks of a scope: which depends on which, and which may be reordered.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::{Ref, any_node};
use tvmscript_tir::{Buffer, BufferRegion, BufferStore, IterType};

use crate::error::{Result, ScheduleError};
use crate::reads::mentions;
use crate::state::{Item, State};

/// The kind of a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dependence {
    ReadAfterWrite,
    WriteAfterWrite,
    WriteAfterRead,
}

/// Dependences on other blocks, or of other blocks, in the order in which they are found.
type Edges = HashMap<Item, Vec<(Item, Dependence)>>;

/// The dependences between the child blocks of a scope.
#[derive(Debug, Default)]
pub(crate) struct Dependences {
    /// By the later block.
    before: Edges,
    /// By the earlier block.
    after: Edges,
}

impl Dependences {
    /// The dependences between the child blocks of a block.
    pub(crate) fn of_scope(state: &State, scope: Item) -> Result<Dependences> {
        let mut dependences = Dependences::default();
        // The blocks that read or write a buffer so far.
        let mut readers: HashMap<usize, Vec<Item>> = HashMap::new();
        let mut writers: HashMap<usize, Vec<Item>> = HashMap::new();
        for block in state.child_blocks(scope)? {
            let node = state.block_of(block)?;
            let address = |region: &Ref<BufferRegion>| region.buffer.object().address();
            let reads: Vec<usize> = node.reads.iter().map(address).collect();
            let writes: Vec<usize> = node.writes.iter().map(address).collect();
            for (buffers, blocks) in [(&reads, &mut readers), (&writes, &mut writers)] {
                buffers.iter().for_each(|buffer| blocks.entry(*buffer).or_default().push(block));
            }
            let edges = [
                (&reads, &writers, Dependence::ReadAfterWrite),
                (&writes, &writers, Dependence::WriteAfterWrite),
                (&writes, &readers, Dependence::WriteAfterRead),
            ];
            for (buffers, earlier, kind) in edges {
                let sources = buffers.iter().filter_map(|buffer| earlier.get(buffer)).flatten();
                for source in sources.filter(|source| **source != block) {
                    dependences.before.entry(block).or_default().push((*source, kind));
                    dependences.after.entry(*source).or_default().push((block, kind));
                }
            }
        }
        Ok(dependences)
    }

    /// The dependences of a block on earlier ones.
    pub(crate) fn before(&self, block: Item) -> &[(Item, Dependence)] {
        self.before.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The dependences of later blocks on a block.
    pub(crate) fn after(&self, block: Item) -> &[(Item, Dependence)] {
        self.after.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The blocks that write what a block reads or writes.
    pub(crate) fn producers(&self, block: Item) -> Vec<Item> {
        distinct(self.before(block))
    }

    /// The blocks that read or write what a block writes.
    pub(crate) fn consumers(&self, block: Item) -> Vec<Item> {
        distinct(self.after(block))
    }
}

/// The other ends of dependences along which a buffer has content.
fn distinct(edges: &[(Item, Dependence)]) -> Vec<Item> {
    let mut known = HashSet::new();
    let edges = edges.iter().filter(|(_, kind)| *kind != Dependence::WriteAfterRead);
    edges.map(|(item, _)| *item).filter(|item| known.insert(*item)).collect()
}

/// Returns `true` if a block writes a buffer that its scope does not allocate.
pub(crate) fn is_output(state: &State, block: Item, scope: Item) -> bool {
    let (Ok(block), Ok(scope)) = (state.block_of(block), state.block_of(scope)) else { return false };
    let is_local = |buffer: &Ref<Buffer>| scope.alloc_buffers.iter().any(|own| own.ptr_eq(buffer));
    block.writes.iter().any(|region| !is_local(&region.buffer))
}

/// The blocks whose writes compete in a scope: the child blocks of a block; of a loop, those of its child blocks.
fn writers(state: &State, scope: Item) -> Result<Vec<Item>> {
    let children = state.child_blocks(scope)?;
    if state.is_block(scope) {
        return Ok(children);
    }
    let mut inner = Vec::new();
    for child in children {
        inner.extend(state.child_blocks(child)?);
    }
    Ok(inner)
}

/// Returns `true` if a block is the only one in a scope that writes its buffers.
fn is_dominant(state: &State, block: Item, scope: Item) -> Result<bool> {
    let writers = writers(state, scope)?;
    let node = state.block_of(block)?;
    for write in node.writes.iter() {
        let mut count = 0usize;
        for writer in &writers {
            let writes = &state.block_of(*writer)?.writes;
            count += usize::from(writes.iter().any(|other| other.buffer.ptr_eq(&write.buffer)));
        }
        if count > 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if all iterations of a block are independent, and no other block writes its buffers.
pub(crate) fn is_complete(state: &State, block: Item, scope: Item) -> Result<bool> {
    let node = state.block_of(block)?;
    let is_parallel = node.iter_vars.iter().all(|axis| axis.iter_type == IterType::DataPar);
    let overlaps =
        node.writes.iter().any(|write| node.reads.iter().any(|read| read.buffer.ptr_eq(&write.buffer)));
    Ok(is_parallel && !overlaps && is_dominant(state, block, scope)?)
}

/// Returns `true` if a block reduces over some of its axes, and no other block writes its buffers.
pub(crate) fn is_reduction(state: &State, block: Item, scope: Item) -> Result<bool> {
    let node = state.block_of(block)?;
    let is_known = |kind: IterType| matches!(kind, IterType::DataPar | IterType::CommReduce);
    if node.init.is_none()
        || !state.flags(block).is_affine
        || !node.iter_vars.iter().all(|axis| is_known(axis.iter_type))
        || !is_dominant(state, block, scope)?
    {
        return Ok(false);
    }
    let reduced = node.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce);
    let reduced: Vec<_> = reduced.map(|axis| axis.var.clone()).collect();
    // An element must not move while it is reduced.
    let moves = any_node(&node.body, |inner| {
        let Some(store) = inner.as_node::<BufferStore>() else { return false };
        let is_written = node.writes.iter().any(|write| write.buffer.ptr_eq(&store.buffer));
        is_written && store.indices.iter().any(|index| reduced.iter().any(|var| mentions(index, var)))
    });
    Ok(!moves)
}

/// Refuses a loop or block in which a block is neither complete nor a reduction.
pub(crate) fn check_compact(state: &State, root: Item) -> Result<()> {
    for block in state.child_blocks(root)? {
        if !is_complete(state, block, root)? && !is_reduction(state, block, root)? {
            let name = state.block_of(block)?.name_hint.clone();
            let message = format!("the block `{}` is neither complete nor a reduction", name.as_str());
            let mut error = ScheduleError::new("NotCompactDataFlowError", message);
            error.nodes = [root, block].into_iter().filter_map(|item| state.node(item)).collect();
            return Err(error);
        }
    }
    Ok(())
}

/// The only block directly in a loop or block.
///
/// # Errors
/// `NonSingleChildBlockError`.
pub(crate) fn single_child_block(state: &State, item: Item) -> Result<Item> {
    let children = state.child_blocks(item)?;
    match children[..] {
        [only] => Ok(only),
        _ => {
            let message = format!("expected one block in the loop or block, found {}", children.len());
            let error = ScheduleError::new("NonSingleChildBlockError", message);
            Err(match state.node(item) {
                Some(node) => error.at(node),
                None => error,
            })
        }
    }
}
