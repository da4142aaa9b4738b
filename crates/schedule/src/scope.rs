//! The blocks of a scope: which depends on which, and which may be reordered.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::{Ref, any_node};
use tvmscript_tir::{Block, Buffer, BufferRegion, BufferStore, IterType};

use crate::error::{Result, ScheduleError};
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

/// The number of regions of each buffer that blocks write.
#[derive(Debug, Default)]
pub(crate) struct Writers(HashMap<usize, usize>);

impl Writers {
    /// The regions that compete in a scope: those of the child blocks of a block; of a loop, those inside of its child
    /// blocks, each buffer in the first of them that writes it.
    pub(crate) fn of(state: &State, scope: Item) -> Result<Writers> {
        let mut writers = Writers::default();
        if state.is_block(scope) {
            writers.add(state, scope)?;
            return Ok(writers);
        }
        for child in state.child_blocks(scope)? {
            let mut inner = Writers::default();
            inner.add(state, child)?;
            for (buffer, count) in inner.0 {
                writers.0.entry(buffer).or_insert(count);
            }
        }
        Ok(writers)
    }

    fn add(&mut self, state: &State, scope: Item) -> Result<()> {
        for block in state.child_blocks(scope)? {
            for region in state.block_of(block)?.writes.iter() {
                *self.0.entry(region.buffer.object().address()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Returns `true` if a block of the scope writes a buffer.
    pub(crate) fn has(&self, buffer: &Ref<Buffer>) -> bool {
        self.0.contains_key(&buffer.object().address())
    }

    /// Returns `true` if no other region competes with those that a block writes.
    fn dominates(&self, block: &Block) -> bool {
        let count = |region: &Ref<BufferRegion>| self.0.get(&region.buffer.object().address());
        block.writes.iter().all(|region| count(region).is_none_or(|count| *count == 1))
    }
}

const SHARED_OUTPUT: &str = "something else writes its buffers";

/// The reason why the iterations of a block depend on each other or on other blocks; `None` for complete blocks.
fn incomplete(block: &Block, writers: &Writers) -> Option<&'static str> {
    if !block.iter_vars.iter().all(|axis| axis.iter_type == IterType::DataPar) {
        return Some("not all of its axes are spatial");
    }
    if !writers.dominates(block) {
        return Some(SHARED_OUTPUT);
    }
    let is_read =
        |write: &Ref<BufferRegion>| block.reads.iter().any(|read| read.buffer.ptr_eq(&write.buffer));
    block.writes.iter().any(is_read).then_some("it reads what it writes")
}

/// The reason why a block does not reduce over some of its axes; `None` for reductions.
fn irreducible(state: &State, item: Item, block: &Block, writers: &Writers) -> Option<&'static str> {
    if block.init.is_none() {
        return Some("it has no `T.init()`");
    }
    if !state.flags(item).is_affine {
        return Some("the values of its axes are not affine in the loops");
    }
    let is_known = |kind: IterType| matches!(kind, IterType::DataPar | IterType::CommReduce);
    if !block.iter_vars.iter().all(|axis| is_known(axis.iter_type)) {
        return Some("an axis is neither spatial nor a reduction");
    }
    if !writers.dominates(block) {
        return Some(SHARED_OUTPUT);
    }
    let reduced = block.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce);
    let reduced: HashSet<usize> = reduced.map(|axis| axis.var.object().address()).collect();
    // An element must not move while it is reduced.
    let moves = any_node(&block.body, |inner| {
        let Some(store) = inner.as_node::<BufferStore>() else { return false };
        let is_written = block.writes.iter().any(|write| write.buffer.ptr_eq(&store.buffer));
        is_written && any_node(&store.indices, |node| reduced.contains(&node.address()))
    });
    moves.then_some("an index of what it writes is reduced")
}

/// Returns `true` if all iterations of a block are independent, and no other block writes its buffers.
pub(crate) fn is_complete(state: &State, block: Item, scope: Item) -> Result<bool> {
    Ok(incomplete(state.block_of(block)?, &Writers::of(state, scope)?).is_none())
}

fn refused(class: &'static str, block: &Ref<Block>, what: &str, why: &str) -> ScheduleError {
    let message = format!("the block `{}` is not {what}: {why}", block.name_hint.as_str());
    ScheduleError::new(class, message).at(block.clone())
}

/// Refuses a block with dependent iterations: `IncompleteBlockError`.
pub(crate) fn check_complete(state: &State, block: Item, scope: Item) -> Result<()> {
    let node = state.block_of(block)?;
    match incomplete(node, &Writers::of(state, scope)?) {
        None => Ok(()),
        Some(why) => Err(refused("IncompleteBlockError", node, "complete", why)),
    }
}

/// Refuses a block that is not a reduction: `NotReductionBlockError`.
pub(crate) fn check_reduction(state: &State, block: Item, scope: Item) -> Result<()> {
    let node = state.block_of(block)?;
    match irreducible(state, block, node, &Writers::of(state, scope)?) {
        None => Ok(()),
        Some(why) => Err(refused("NotReductionBlockError", node, "a reduction", why)),
    }
}

/// Refuses a block that is neither complete nor a reduction: `NotCompleteOrReductionBlockError`.
pub(crate) fn check_complete_or_reduction(state: &State, block: Item, scope: Item) -> Result<()> {
    let (node, writers) = (state.block_of(block)?, Writers::of(state, scope)?);
    match (incomplete(node, &writers), irreducible(state, block, node, &writers)) {
        (Some(why), Some(too)) => {
            let why = format!("{why}; nor a reduction: {too}");
            Err(refused("NotCompleteOrReductionBlockError", node, "complete", &why))
        }
        _ => Ok(()),
    }
}

/// Refuses a block that writes a buffer that its scope does not allocate: `OutputBlockError`.
pub(crate) fn check_not_output(state: &State, block: Item, scope: Item) -> Result<()> {
    if !is_output(state, block, scope) {
        return Ok(());
    }
    let node = state.block_of(block)?;
    let message =
        format!("the block `{}` writes a buffer from outside of its scope", node.name_hint.as_str());
    Err(ScheduleError::new("OutputBlockError", message).at(node.clone()))
}

/// Refuses a loop or block in which a block is neither complete nor a reduction.
pub(crate) fn check_compact(state: &State, root: Item) -> Result<()> {
    let writers = Writers::of(state, root)?;
    for block in state.child_blocks(root)? {
        let node = state.block_of(block)?;
        if incomplete(node, &writers).is_some() && irreducible(state, block, node, &writers).is_some() {
            let message =
                format!("the block `{}` is neither complete nor a reduction", node.name_hint.as_str());
            let mut error = ScheduleError::new("NotCompactDataFlowError", message);
            error.nodes = [root, block].into_iter().filter_map(|item| state.node(item)).collect();
            return Err(error);
        }
    }
    Ok(())
}
