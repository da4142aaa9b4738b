//! Copies of buffers in other storage: where they go, and what they copy.
//!
//! Upstream counterpart: `src/tir/schedule/primitive/cache_read_write.cc`.

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_prim::{Expr, PrimExprExt as _, Var, ops};
use tvmscript_tir::{BlockRealize, Buffer, BufferRegion, StmtKind, StmtRef, StmtView as _};

use crate::buffers::Access;
use crate::copies::{Element, axis, copy, elements_of, whole};
use crate::definition::{check_storage, in_scope};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::loops::new_loops;
use crate::redirect::{Blocks, Indices, Insertion, Redirection};
use crate::regions::{Over, accesses};
use crate::scope::{Dependence, Dependences};
use crate::state::{Item, State};
use crate::walk::Found;

/// The loop or block that a new statement goes into, and the number of statements in front of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) item: Item,
    pub(crate) position: usize,
}

/// The parts that a primitive works on when it caches a buffer.
#[derive(Debug, Clone)]
pub(crate) struct Request<'r> {
    pub(crate) block: Item,
    /// A read or a written buffer, by its number.
    pub(crate) access: Access,
    pub(crate) index: i64,
    pub(crate) storage: &'r str,
    /// The blocks that use the copy; if there is none, all that read the buffer.
    pub(crate) consumers: &'r [Item],
}

/// The only region of a buffer among regions.
pub(crate) fn region_of<'r>(
    regions: impl Iterator<Item = &'r Ref<BufferRegion>>,
    buffer: &Ref<Buffer>,
) -> Result<Option<&'r Ref<BufferRegion>>> {
    let mut found = regions.filter(|region| region.buffer.ptr_eq(buffer));
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => {
            let message = format!("a block has several regions of the buffer `{}`", buffer.name.text());
            Err(ScheduleError::plain(message).at(buffer.clone()))
        }
    }
}

/// The only block of a scope that writes a buffer.
///
/// # Errors
/// `NotSingleWriteBlock`.
pub(crate) fn only_writer(state: &State, scope: Item, buffer: &Ref<Buffer>) -> Result<Option<Item>> {
    let mut writers = Vec::new();
    for block in state.child_blocks(scope)? {
        let regions = state.block_of(block)?.writes.iter();
        let count = regions.filter(|region| region.buffer.ptr_eq(buffer)).count();
        writers.extend(std::iter::repeat_n(block, count));
    }
    match writers[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ => {
            let message = format!("{} blocks write the buffer `{}`", writers.len(), buffer.name.text());
            let mut error = ScheduleError::new("NotSingleWriteBlock", message);
            error.nodes = writers.iter().filter_map(|block| state.node(*block)).collect();
            Err(error)
        }
    }
}

/// Refuses a scope in which a block reads more of a buffer than the blocks before it write.
pub(crate) fn check_region_cover(state: &State, scope: Item, buffer: &Ref<Buffer>) -> Result<()> {
    for block in state.child_blocks(scope)? {
        let reads = state.block_of(block)?.reads.iter().any(|region| region.buffer.ptr_eq(buffer));
        if reads && !state.flags(block).has_region_cover {
            let scope = state.block_of(scope)?.clone();
            let name = scope.name_hint.as_str();
            let message = format!(
                "a block of `{name}` reads elements of `{}` that no block before it writes",
                buffer.name.text()
            );
            return Err(ScheduleError::new("NotRegionCoverError", message).at(scope));
        }
    }
    Ok(())
}

/// The place right in front of the first of the readers, in the innermost loop or in the scope that holds it and the writer; at
/// the end of the scope if there are no readers.
pub(crate) fn place_between(state: &State, scope: Item, writer: Item, readers: &[Item]) -> Result<Place> {
    let body = &state.block_of(scope)?.body;
    if readers.is_empty() {
        return Ok(Place { item: scope, position: elements_of(body).len() });
    }
    let address = |item: &Item| Ok(state.block_of(*item)?.object().address());
    let mut finder = PlaceFinder {
        state,
        writer: address(&writer)?,
        readers: readers.iter().map(address).collect::<Result<_>>()?,
        has_writer: false,
        has_reader: false,
        position: None,
        place: None,
    };
    finder.visit(body);
    let PlaceFinder { has_writer, has_reader, position, place, .. } = finder;
    let position = position.or((!has_writer).then_some(0)).filter(|_| has_reader);
    match position {
        Some(position) => Ok(Place { item: place.unwrap_or(scope), position }),
        None => Err(ScheduleError::plain("the consumers of the copy are not blocks of the same scope")),
    }
}

struct PlaceFinder<'s> {
    state: &'s State,
    writer: usize,
    readers: HashSet<usize>,
    has_writer: bool,
    has_reader: bool,
    position: Option<usize>,
    place: Option<Item>,
}

impl PlaceFinder<'_> {
    fn visit(&mut self, stmt: &StmtRef) {
        match stmt.kind() {
            StmtKind::SeqStmt(sequence) => {
                let had_writer = std::mem::take(&mut self.has_writer);
                for (position, stmt) in sequence.seq.iter().enumerate() {
                    if self.position.is_some() {
                        break;
                    }
                    with_stack(|| self.visit(stmt));
                    if self.has_writer && self.has_reader && self.position.is_none() {
                        self.position = Some(position);
                    }
                    if self.has_reader {
                        break;
                    }
                }
                self.has_writer |= had_writer;
            }
            StmtKind::BlockRealize(realize) => {
                let address = realize.block.object().address();
                self.has_writer |= address == self.writer;
                self.has_reader |= address != self.writer && self.readers.contains(&address);
            }
            StmtKind::For(found) => {
                with_stack(|| self.visit(&found.body));
                let is_found = self.has_writer && self.has_reader && self.position.is_some();
                if let Some(found) = stmt.downcast_ref().filter(|_| is_found && self.place.is_none()) {
                    self.place = self.state.find(Found::Loop(found));
                }
            }
            kind => kind.for_each_child(|child| with_stack(|| self.visit(child))),
        }
    }
}

/// The blocks that read what a block writes, in the order of their dependences.
pub(crate) fn readers(state: &State, scope: Item, writer: Item) -> Result<Vec<Item>> {
    let dependences = Dependences::of_scope(state, scope)?;
    let edges = dependences.after(writer).iter();
    Ok(edges.filter(|(_, kind)| *kind == Dependence::ReadAfterWrite).map(|(reader, _)| *reader).collect())
}

/// Blocks with their child blocks, by address.
pub(crate) fn with_children(state: &State, blocks: &[Item]) -> Result<HashSet<usize>> {
    let mut addresses = HashSet::new();
    for block in blocks {
        for item in state.child_blocks(*block)?.into_iter().chain([*block]) {
            addresses.insert(state.block_of(item)?.object().address());
        }
    }
    Ok(addresses)
}

impl Request<'_> {
    /// Makes the copy. Returns the new block.
    pub(crate) fn make(&self, state: &mut State) -> Result<Item> {
        check_storage(self.storage)?;
        let block = state.block_of(self.block)?.clone();
        let buffer = self.access.buffer(&block, self.index)?;
        let scope = state.scope(self.block)?;
        let (place, region) = match self.access {
            Access::Read => self.read(state, scope, &buffer)?,
            Access::Write => self.written(state, scope, &buffer)?,
        };
        // In the scope itself, the copy is as large as the region.
        let is_full = place.item != scope;
        let mut cache = in_scope(&buffer, self.storage);
        if !is_full {
            cache.make_mut().shape = region.iter().map(|(_, extent)| extent.clone()).collect();
        }
        let (nest, copy) = self.nest(&buffer, &cache, &region, is_full)?;
        let blocks = match (self.access, self.consumers) {
            (Access::Read, []) => Blocks::Readers,
            (Access::Read, consumers) => Blocks::Only(with_children(state, consumers)?),
            (Access::Write, consumers) => Blocks::Writer {
                writer: block.object().address(),
                consumers: with_children(state, consumers)?,
            },
        };
        let indices = match is_full {
            true => Indices::Same,
            false => Indices::From(region.into_iter().map(|(min, _)| min).collect()),
        };
        let redirection = Redirection { from: buffer, to: cache.clone(), indices, blocks };
        let insertion = Insertion { place: place.item, position: place.position, stmt: nest };
        redirection.make(state, scope, &insertion, Some(&cache))?;
        finish(state, &copy)
    }

    /// The place and the region of a copy for readers.
    fn read(&self, state: &State, scope: Item, buffer: &Ref<Buffer>) -> Result<(Place, Vec<(Expr, Expr)>)> {
        check_region_cover(state, scope, buffer)?;
        let Some(writer) = only_writer(state, scope, buffer)? else {
            let region = match region_of(state.block_of(scope)?.reads.iter(), buffer)? {
                Some(region) => {
                    region.region.iter().map(|range| (range.min.clone(), range.extent.clone())).collect()
                }
                None => whole(buffer),
            };
            return Ok((Place { item: scope, position: 0 }, region));
        };
        let place = match self.consumers {
            [] => place_between(state, scope, writer, &readers(state, scope, writer)?)?,
            consumers => place_between(state, scope, writer, consumers)?,
        };
        Ok((place, relaxed_write(state, writer, place.item, buffer)?))
    }

    /// The place and the region of a copy of what the block writes.
    fn written(
        &self,
        state: &State,
        scope: Item,
        buffer: &Ref<Buffer>,
    ) -> Result<(Place, Vec<(Expr, Expr)>)> {
        if only_writer(state, scope, buffer)? != Some(self.block) {
            let message = format!("another block writes the buffer `{}`", buffer.name.text());
            return Err(ScheduleError::plain(message).at(buffer.clone()));
        }
        if self.consumers.contains(&scope) {
            return Err(ScheduleError::plain("a consumer of the copy is the block around it"));
        }
        let consumers = with_children(state, self.consumers)?;
        let mut others = readers(state, scope, self.block)?;
        others.retain(|reader| {
            state.block_of(*reader).is_ok_and(|block| !consumers.contains(&block.object().address()))
        });
        let place = place_between(state, scope, self.block, &others)?;
        Ok((place, relaxed_write(state, self.block, place.item, buffer)?))
    }

    /// The loops and the block that copy a region.
    fn nest(
        &self,
        buffer: &Ref<Buffer>,
        cache: &Ref<Buffer>,
        region: &[(Expr, Expr)],
        is_full: bool,
    ) -> Result<(StmtRef, Ref<BlockRealize>)> {
        let name = format!("{}_{}", buffer.name.text(), self.storage);
        copy_nest(&name, buffer, cache, region, is_full, self.access)
    }
}

/// The loops and the block that copy a region of a buffer, for reads, or of a cache back to the buffer, for writes.
pub(crate) fn copy_nest(
    name: &str,
    buffer: &Ref<Buffer>,
    cache: &Ref<Buffer>,
    region: &[(Expr, Expr)],
    is_full: bool,
    access: Access,
) -> Result<(StmtRef, Ref<BlockRealize>)> {
    let (mut loops, mut axes, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for (at, ((min, extent), dimension)) in region.iter().zip(buffer.shape.iter()).enumerate() {
        let variable = Var::new(format!("ax{at}"), extent.dtype());
        let value: Expr = variable.clone().upcast();
        loops.push((variable, extent.clone()));
        let axis = axis(&format!("v{at}"), if is_full { dimension } else { extent })?;
        let index: Expr = axis.var.clone().upcast();
        values.push(if is_full { ops::add(min.clone(), value)? } else { value });
        outer.push(if is_full { index.clone() } else { ops::add(min.clone(), index.clone())? });
        inner.push(index);
        axes.push(axis);
    }
    let buffer = Element { buffer, indices: &outer };
    let cache = Element { buffer: cache, indices: &inner };
    let (from, to) = match access {
        Access::Read => (buffer, cache),
        Access::Write => (cache, buffer),
    };
    let block = copy(name, axes, values, from, to)?;
    Ok((new_loops(loops.into_iter(), block.clone().upcast())?, block))
}

/// The region that a block writes in all iterations below a loop or block.
fn relaxed_write(state: &State, writer: Item, high: Item, buffer: &Ref<Buffer>) -> Result<Vec<(Expr, Expr)>> {
    let realize = state.realize_of(writer)?;
    region_of(realize.block.writes.iter(), buffer)?;
    let accesses = accesses(realize, &realize.block.writes)?;
    let Some(access) = accesses.iter().find(|access| access.buffer.ptr_eq(buffer)) else {
        return Ok(whole(buffer));
    };
    let over = Over { block: writer, high, predicate: &realize.predicate };
    let sets = access.upper_bound(state, over, &mut Analyzer::new())?;
    let covered = sets.iter().zip(whole(buffer)).map(|(set, whole)| set.cover_range().unwrap_or(whole));
    Ok(covered.collect())
}

/// Sets the flags of a new block that copies, and returns its handle.
pub(crate) fn finish(state: &mut State, copy: &Ref<BlockRealize>) -> Result<Item> {
    let lost = || ScheduleError::plain("the new block is lost");
    let item = state.find(Found::Block(copy)).ok_or_else(lost)?;
    let is_affine = state.is_affine_below(item, None, &mut Analyzer::new())?;
    state.set_flags(item, Flags { is_affine, has_region_cover: true, is_stage_pipeline: true });
    Ok(item)
}
