//! `read_at` and `write_at`: an opaque copy of what the blocks in a loop access.

use tvmscript_arith::{Analyzer, DomMap, IntSet, eval_set_of_range};
use tvmscript_ir_core::{
    Array, DataType, Map, Object, PtrMap, Ref, Str, Value, post_order_visit, substitute,
};
use tvmscript_prim::{Expr, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{BlockRealize, Buffer, BufferRegion, IterType, IterVar, StmtRef, flatten};

use crate::argument::{Argument, RvValue};
use crate::bindings::Ranges;
use crate::buffers::Access;
use crate::copies::{Element, NewBlock};
use crate::definition::{check_storage, in_scope};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::insertion::elements;
use crate::loops::new_loops;
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::redirect::{Blocks, Indices, Redirection};
use crate::regions::accesses;
use crate::schedule::Schedule;
use crate::state::{Item, State};
use crate::walk::{Found, topmost_blocks};

pub(in crate::primitive) static READ_AT: Primitive = Primitive {
    kind: "ReadAt",
    name: "read_at",
    doc: "Copies what blocks in a loop read of a buffer to another storage scope, at once before the first of them.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("block", Place::Input),
        parameter("read_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| copy_at(schedule, args, Access::Read),
};

pub(in crate::primitive) static WRITE_AT: Primitive = Primitive {
    kind: "WriteAt",
    name: "write_at",
    doc: "Makes blocks in a loop write a buffer in another storage scope, which is copied at once after the last of them.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("block", Place::Input),
        parameter("write_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| copy_at(schedule, args, Access::Write),
};

fn copy_at(schedule: &mut Schedule, args: &[Argument], access: Access) -> Result<Vec<RvValue>> {
    let [target, block, index, storage] = args else {
        return Err(ScheduleError::plain("expected four arguments"));
    };
    let (target, block, index) = (schedule.loop_item(target)?, schedule.item(block)?, schedule.int(index)?);
    let storage = storage.str()?.as_str();
    let state = schedule.state_mut();
    let buffer = access.buffer(state.block_of(block)?, index)?;
    check_storage(storage)?;
    let scope = state.pipeline_scope(target)?;
    let cache = in_scope(&buffer, storage);
    let mut statements = elements(&state.loop_of(target)?.body);
    let touched = touched(state, target, &statements, &buffer, access, storage)?;
    let (changed, position) = touched.places(access, statements.len())?;
    let redirection =
        Redirection { from: buffer.clone(), to: cache.clone(), indices: Indices::Same, blocks: Blocks::All };
    let mut reused = Vec::new();
    for statement in statements.iter_mut().take(changed.end).skip(changed.start) {
        *statement = redirection.of_stmt(statement, &mut reused)?;
    }
    let (from, to) = match access {
        Access::Read => (&buffer, &cache),
        Access::Write => (&cache, &buffer),
    };
    let name = format!("{}_{storage}", buffer.name.text());
    let copy = block_of(&name, from, to, touched.region()?, &Ranges::of(state, &around(state, target))?)?;
    statements.insert(position, copy.clone().upcast());
    let mut new = state.loop_of(target)?.clone();
    new.make_mut().body = flatten(statements, true);
    state.replace(target, new.upcast(), &reused)?;
    let mut new_scope = state.block_of(scope)?.clone();
    let buffers = new_scope.alloc_buffers.iter().cloned().chain([cache]).collect();
    new_scope.make_mut().alloc_buffers = buffers;
    state.replace_block(scope, new_scope, &[])?;
    let item =
        state.find(Found::Block(&copy)).ok_or_else(|| ScheduleError::plain("the new block is lost"))?;
    let is_affine = !copy.iter_values.is_empty();
    state.set_flags(item, Flags { is_affine, has_region_cover: true, is_stage_pipeline: true });
    Ok(vec![RvValue::Block(item)])
}

/// A loop and the loops above it up to the nearest block.
fn around(state: &State, target: Item) -> Vec<Item> {
    let mut loops = state.loops_above(target);
    loops.push(target);
    loops
}

/// The accesses of the statements in a loop to a buffer.
#[derive(Default)]
struct Touched {
    /// Sets of indices, one list for each access.
    sets: Vec<Vec<IntSet>>,
    /// The positions of statements that read and that write.
    reads: Vec<usize>,
    writes: Vec<usize>,
}

fn touched(
    state: &State,
    target: Item,
    statements: &[StmtRef],
    buffer: &Ref<Buffer>,
    access: Access,
    storage: &str,
) -> Result<Touched> {
    let mut touched = Touched::default();
    for (at, statement) in statements.iter().enumerate() {
        let mut blocks: Vec<Ref<BlockRealize>> = Vec::new();
        topmost_blocks(statement, &mut |realize| blocks.push(realize.clone()));
        let has = |realize: &BlockRealize, access: Access| {
            access.regions(&realize.block).iter().any(|region| region.buffer.ptr_eq(buffer))
        };
        if blocks.iter().any(|realize| has(realize, Access::Read)) {
            touched.reads.push(at);
        }
        if blocks.iter().any(|realize| has(realize, Access::Write)) {
            touched.writes.push(at);
        }
        for realize in blocks.iter().filter(|realize| has(realize, access)) {
            let low = state.find(Found::Block(realize)).and_then(|block| state.parent(block));
            let mut domains = DomMap::new();
            for range in Ranges::below(state, low, Some(target), storage)?.0 {
                domains.insert(&range.var, IntSet::from_range(&range.min, &range.extent));
            }
            let regions = accesses(realize, access.regions(&realize.block))?;
            for region in regions.iter().filter(|region| region.buffer.ptr_eq(buffer)) {
                let set = |(min, extent): &(Expr, Expr)| eval_set_of_range(min, extent, &domains);
                touched.sets.push(region.region.iter().map(set).collect());
            }
        }
    }
    Ok(touched)
}

impl Touched {
    /// The statements whose accesses change, and the position of the copy.
    fn places(&self, access: Access, count: usize) -> Result<(std::ops::Range<usize>, usize)> {
        let places = match access {
            Access::Read => {
                let first = self.reads.first().copied();
                let is_after = |first: &usize| self.writes.last().is_none_or(|write| write < first);
                first.filter(is_after).map(|first| (first..count, first))
            }
            Access::Write => {
                let last = self.writes.last().copied();
                let is_before = |last: &usize| self.reads.last().is_none_or(|read| read <= last);
                last.filter(is_before).map(|last| (0..last + 1, last + 1))
            }
        };
        places
            .ok_or_else(|| ScheduleError::plain("the loop does not first write the buffer and then read it"))
    }

    /// The union of the sets, as starts and extents.
    fn region(&self) -> Result<Vec<(Expr, Expr)>> {
        let rank = self.sets.first().map_or(0, Vec::len);
        let mut analyzer = Analyzer::new();
        let mut region = Vec::with_capacity(rank);
        for dimension in 0..rank {
            let sets: Vec<IntSet> =
                self.sets.iter().filter_map(|sets| sets.get(dimension).cloned()).collect();
            let union = IntSet::union(&sets);
            let (Some(min), Some(max)) = (union.min(), union.max()) else {
                return Err(ScheduleError::plain("the accessed region has no bounds"));
            };
            let min = analyzer.simplify(min);
            let end = ops::add(max.clone(), ops::make_const(max.dtype(), 1)?)?;
            let extent = analyzer.simplify(&ops::sub(end, min.clone())?);
            region.push((min, extent));
        }
        Ok(region)
    }
}

/// The block that copies a region, with an axis for each loop that the region depends on.
fn block_of(
    name: &str,
    from: &Ref<Buffer>,
    to: &Ref<Buffer>,
    region: Vec<(Expr, Expr)>,
    around: &Ranges,
) -> Result<Ref<BlockRealize>> {
    let (mut axes, mut values) = (Vec::new(), Vec::new());
    let mut map: PtrMap<Object> = PtrMap::default();
    let mut domain = Vec::with_capacity(region.len());
    for (min, extent) in region {
        for part in [&min, &extent] {
            let mut variables: Vec<Ref<Var>> = Vec::new();
            post_order_visit(part, |node| variables.extend(node.downcast_ref::<Var>().cloned()));
            for variable in variables {
                let range = around.0.iter().find(|range| range.var.ptr_eq(&variable));
                let (Some(range), false) = (range, map.contains_key(variable.object())) else { continue };
                let var = Var::new(format!("v{}", axes.len()), variable.dtype);
                map.insert(variable.object().clone(), var.object().clone());
                let dom = Some(Range::from_min_extent(range.min.clone(), range.extent.clone()));
                let iter_type = IterType::DataPar;
                axes.push(Ref::new(IterVar { dom, var, iter_type, thread_tag: Str::from("") }));
                values.push(variable.upcast());
            }
        }
        domain.push((substitute(min, &map)?, substitute(extent, &map)?));
    }
    let (mut loops, mut indices, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (min, extent)) in domain.into_iter().enumerate() {
        let variable = Var::new(format!("ax{at}"), DataType::INT32);
        indices.push(ops::add(min.clone(), variable.clone().upcast())?);
        loops.push((variable, extent.clone()));
        ranges.push(Range::from_min_extent(min, extent));
    }
    let value = Element { buffer: from, indices: &indices }.load()?;
    let body = new_loops(loops.into_iter(), Element { buffer: to, indices: &indices }.store(value)?)?;
    let all = |buffer: &Ref<Buffer>| BufferRegion::try_new(buffer.clone(), Array::new(ranges.clone()));
    let (reads, writes) = (vec![all(from)?], vec![all(to)?]);
    let mut realize = NewBlock { name, axes, values, reads, writes }.around(body);
    let annotation = [(Str::from("auto_copy"), Value::Bool(true))];
    realize.make_mut().block.make_mut().annotations = Map::new(annotation);
    Ok(realize)
}
