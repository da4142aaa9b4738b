//! `tensorize`: an intrinsic in place of a block or nest.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Array, Descend, Map, Mutator, Object, Ref, Str, Value, copy_fresh, mutate};
use tvmscript_prim::{PrimExpr, PrimExprExt as _, Range, ops};
use tvmscript_tir::{Block, BlockRealize, Buffer, BufferRegion, For, MatchBufferRegion, PrimFunc, StmtRef};

use super::blockize::{blockized, handle};
use crate::comparison::Comparison;
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::intrinsic::TensorIntrinsic;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::schedule::Schedule;
use crate::state::{Item, State};

pub(in crate::primitive) static TENSORIZE: Primitive = Primitive {
    kind: "Tensorize",
    name: "tensorize",
    doc: "Computes a block, or all that is in a loop, by a tensor intrinsic.",
    parameters: &[
        parameter("block_or_loop", Place::Input),
        parameter("tensor_intrin", Place::Attribute),
        with_default("preserve_unit_iters", Place::Attribute, Default::Bool(true)),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [target, name, preserves_units] = args else {
            return Err(ScheduleError::plain("expected a block or loop, a name and `preserve_unit_iters`"));
        };
        let intrinsic = schedule.intrinsics().get(name.str()?.as_str())?;
        let target = schedule.item(target)?;
        tensorize(schedule, target, &intrinsic, preserves_units.bool()?)?;
        Ok(Vec::new())
    },
};

fn tensorize(
    schedule: &mut Schedule,
    target: Item,
    intrinsic: &TensorIntrinsic,
    preserves_units: bool,
) -> Result<()> {
    let state = schedule.state();
    let mut realize = match state.is_block(target) {
        true => state.realize_of(target)?.clone(),
        false => blockized(state, target, preserves_units)?.0,
    };
    let description = simplified(&intrinsic.description)?;
    let implementation = copy_fresh(&intrinsic.implementation)?;
    let comparison = Comparison::of(&realize, root(&description)?)?;
    let own = &root(&implementation)?.block;
    let mut matched = Vec::new();
    for (described, implemented) in parameters(&description)?.into_iter().zip(parameters(&implementation)?) {
        let source = source(&comparison, &described, &implemented, own)?;
        MatchBufferRegion::check(&implemented, &source)?;
        matched.push(Ref::new(MatchBufferRegion { buffer: implemented, source }));
    }
    let old = realize.block.clone();
    let changed = realize.make_mut().block.make_mut();
    changed.body = own.body.clone();
    changed.match_buffers = Array::new(matched);
    changed.annotations = with_annotations(&old.annotations, &own.annotations);
    let state = schedule.state_mut();
    let block = match state.is_block(target) {
        true => {
            state.replace_block(target, realize.block.clone(), &[])?;
            target
        }
        false => {
            state.replace(target, realize.clone().upcast(), &[])?;
            handle(state, &realize)?
        }
    };
    update_below(state, state.scope(block)?)
}

/// Renews the flags of the blocks in a scope, but not of the scope.
fn update_below(state: &mut State, scope: Item) -> Result<()> {
    let mut analyzer = Analyzer::new();
    for block in state.child_blocks(scope)? {
        state.update(block)?;
        if state.parent(block) != Some(scope) {
            let is_affine = state.is_affine_below(block, None, &mut analyzer)?;
            state.set_flags(block, Flags { is_affine, ..state.flags(block) });
        }
    }
    Ok(())
}

/// The root block of a function.
fn root(function: &PrimFunc) -> Result<&Ref<BlockRealize>> {
    let root = function.body.downcast_ref::<BlockRealize>();
    root.ok_or_else(|| ScheduleError::plain("the body of a function of an intrinsic is not one root block"))
}

/// The buffers of the parameters of a function.
fn parameters(function: &PrimFunc) -> Result<Vec<Ref<Buffer>>> {
    let buffer = |param: &Ref<tvmscript_prim::Var>| {
        let found =
            function.buffer_map.iter().find(|(var, _)| var.ptr_eq(param)).map(|(_, buffer)| buffer.clone());
        found.ok_or_else(|| ScheduleError::plain("a parameter of an intrinsic is not a buffer"))
    };
    function.params.iter().map(buffer).collect()
}

/// The region of a buffer of the block that a buffer of the implementation is.
fn source(
    comparison: &Comparison,
    described: &Ref<Buffer>,
    implemented: &Ref<Buffer>,
    block: &Block,
) -> Result<Ref<BufferRegion>> {
    let name = implemented.name.text();
    let missing = || ScheduleError::plain(format!("the block has no buffer for `{name}` of the intrinsic"));
    let current = comparison.buffers.get(described.object()).ok_or_else(missing)?;
    let base = comparison.bases.get(current.object()).ok_or_else(missing)?;
    let regions = block.reads.iter().chain(block.writes.iter());
    let region = regions.clone().find(|region| region.buffer.ptr_eq(implemented)).ok_or_else(missing)?;
    let offset = base.len().checked_sub(region.region.len()).ok_or_else(missing)?;
    let mut ranges = Vec::new();
    for (at, min) in base.iter().enumerate() {
        let range = at.checked_sub(offset).and_then(|at| region.region.get(at));
        let extent = match range {
            Some(range) => ops::cast(min.dtype(), range.extent.clone())?,
            None => ops::make_const(min.dtype(), 1)?,
        };
        ranges.push(Range::from_min_extent(min.clone(), extent));
    }
    Ok(BufferRegion::try_new(current.clone(), Array::new(ranges))?)
}

/// Annotations with those of an implementation that have other keys.
fn with_annotations(own: &Map<Str, Value>, added: &Map<Str, Value>) -> Map<Str, Value> {
    let new = added.iter().filter(|(key, _)| !own.iter().any(|(known, _)| known == *key));
    let all = own.iter().chain(new).map(|(key, value)| (key.clone(), value.clone()));
    Map::new(all.collect::<Vec<_>>())
}

/// A description with simplified expressions.
fn simplified(function: &Ref<PrimFunc>) -> Result<Ref<PrimFunc>> {
    let body: StmtRef = mutate(function.body.clone(), &mut Simplifier(Analyzer::new()))?;
    let mut function = function.clone();
    function.make_mut().body = body;
    Ok(function)
}

struct Simplifier(Analyzer);

impl Mutator for Simplifier {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(found) = node.as_node::<For>() {
            self.0.bind_range(&found.loop_var, &found.min, &found.extent);
        } else if let Some(block) = node.as_node::<Block>() {
            for axis in block.iter_vars.iter() {
                if let Some(dom) = &axis.dom {
                    self.0.bind_range(&axis.var, &dom.min, &dom.extent);
                }
            }
        } else if node.is::<tvmscript_tir::IterVar>()
            || node.is::<Buffer>()
            || node.is::<tvmscript_prim::Var>()
        {
            return Descend::Keep;
        } else if let Some(e) = node.downcast_ref::<PrimExpr>() {
            return Descend::Replace(self.0.simplify(e).object().clone());
        }
        Descend::Into
    }
}
