//! `fuse_reduction_epilogue`: a reduction starts from what a later block adds, and stores what it clips.
//!
//! Like in TVM, a clipped reduction clips every partial sum, which gives the same only if no partial sum leaves the range; and
//! other blocks that read the reduction no longer see it.

use tvmscript_ir_core::{
    Array, Descend, Object, ObjectLike as _, PtrMap, Ref, TryMutator, any_node, structural_equal, substitute,
    try_mutate, visit_nodes,
};
use tvmscript_prim::{Add, Expr, FloatImm, Max, Min, PrimExprExt as _, Var, ops};
use tvmscript_tir::{Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore};

use crate::copies::{Element, point};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::removal::{Removal, moved};
use crate::schedule::Schedule;
use crate::scope::{check_complete, check_not_output, check_reduction};
use crate::state::Item;

pub(in crate::primitive) static FUSE_REDUCTION_EPILOGUE: Primitive = Primitive {
    kind: "FuseReductionEpilogue",
    name: "fuse_reduction_epilogue",
    doc: "Makes a reduction do what a later block does to its result: add a bias, or clip.",
    parameters: &[parameter("reduction_block", Place::Input), parameter("epilogue_block", Place::Input)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [reduction, epilogue] = args else { return Err(ScheduleError::plain("expected two blocks")) };
        let (reduction, epilogue) = (schedule.item(reduction)?, schedule.item(epilogue)?);
        fuse(schedule, reduction, epilogue)?;
        Ok(Vec::new())
    },
};

fn fuse(schedule: &mut Schedule, reduction: Item, epilogue: Item) -> Result<()> {
    let state = schedule.state_mut();
    let scope = state.pipeline_scope(epilogue)?;
    check_reduction(state, reduction, scope)?;
    check_complete(state, epilogue, scope)?;
    check_not_output(state, reduction, scope)?;
    let realize = state.realize_of(reduction)?.clone();
    let after = state.realize_of(epilogue)?.clone();
    let fused = fused(&realize.block, &after)?;
    let removal = Removal::of(state, epilogue)?;
    let mut new = realize.clone();
    new.make_mut().block = fused.clone();
    let mut new_scope = state.block_of(scope)?.clone();
    let body = moved(new_scope.body.clone(), &removal, realize.upcast_ref(), new.upcast_ref())?;
    new_scope.make_mut().body = body;
    state.replace_block(scope, new_scope, &[(realize.block.clone(), fused)])
}

/// The reduction block that also does what the block after it does.
fn fused(block: &Ref<Block>, after: &BlockRealize) -> Result<Ref<Block>> {
    let fail = |why: &str| {
        let message = format!(
            "the block `{}` does not only add to the result of the reduction, or clip it: {why}",
            after.block.name_hint.as_str()
        );
        ScheduleError::new("BodyAnalysisError", message).at(after.block.clone())
    };
    let [write] = &block.writes.iter().collect::<Vec<_>>()[..] else {
        return Err(ScheduleError::plain("the reduction writes several buffers").at(block.clone()));
    };
    let buffer = &write.buffer;
    if ops::int_value(&after.predicate) != Some(1) {
        return Err(fail("it has a condition"));
    }
    let store = after.block.body.downcast_ref::<BufferStore>();
    let store = store.ok_or_else(|| fail("its body is not one store"))?;
    let mut loads: Vec<Ref<BufferLoad>> = Vec::new();
    visit_nodes::<BufferLoad>(&store.value, |load| {
        if load.buffer.ptr_eq(buffer) {
            loads.push(load.clone());
        }
    });
    let [load] = &loads[..] else { return Err(fail("it does not load the result once")) };
    let pattern = Pattern::of(&store.value, load).ok_or_else(|| fail("its value has another form"))?;
    let places = stored_at(block, buffer).ok_or_else(|| fail("the reduction stores at several places"))?;

    let mut map: PtrMap<Object> = PtrMap::default();
    for (index, place) in load.indices.iter().zip(&places) {
        let axis = index.downcast_ref::<Var>().filter(|axis| !map.contains_key(axis.object()));
        let axis = axis.ok_or_else(|| fail("it loads at other places than its axes"))?;
        let extent = |block: &Block, var: &Object| {
            let axis = block.iter_vars.iter().find(|axis| axis.var.object().ptr_eq(var));
            axis.and_then(|axis| axis.dom.as_ref().map(|dom| dom.extent.object().clone()))
        };
        let pair = (extent(&after.block, axis.object()), extent(block, place.object()));
        if !matches!(&pair, (Some(a), Some(b)) if structural_equal(a, b)) {
            return Err(fail("its axes are not those of the reduction"));
        }
        map.insert(axis.object().clone(), place.object().clone());
    }
    let is_unknown = |axis: &Ref<tvmscript_tir::IterVar>| !map.contains_key(axis.var.object());
    if after.block.iter_vars.iter().any(is_unknown) {
        return Err(fail("it has more axes than the result"));
    }
    let new = |e: &Expr| Ok(substitute(e.clone(), &map)?);
    let indices = store.indices.iter().map(new).collect::<Result<Vec<_>>>()?;
    let pattern = Pattern {
        added: pattern.added.as_ref().map(new).transpose()?,
        bounds: pattern
            .bounds
            .iter()
            .map(|(bound, value)| Ok((*bound, new(value)?)))
            .collect::<Result<_>>()?,
    };
    let mut fusion = Fusion {
        old: buffer.clone(),
        new: Element { buffer: &store.buffer, indices: &indices },
        pattern,
        is_init: true,
    };
    // The initialization is rewritten first, on its own.
    let mut fused = block.clone();
    fused.make_mut().init = block.init.clone().map(|init| try_mutate(init, &mut fusion)).transpose()?;
    fusion.is_init = false;
    let is_left = |init| any_node(init, |node| node.ptr_eq(buffer.object()));
    if fused.init.as_ref().is_some_and(is_left) {
        return Err(fail("the reduction does not start from 0"));
    }
    let mut fused = try_mutate(fused, &mut fusion)?;
    let added = after.block.reads.iter().filter(|region| !region.buffer.ptr_eq(buffer));
    let added = added.map(|region| Ok(substitute(region.clone(), &map)?));
    let reads =
        added.chain(fused.reads.iter().cloned().map(Ok)).collect::<Result<Array<Ref<BufferRegion>>>>()?;
    fused.make_mut().reads = reads;
    Ok(fused)
}

/// The indices of all stores of a block to a buffer, if they are the same.
fn stored_at(block: &Ref<Block>, buffer: &Ref<Buffer>) -> Option<Vec<Expr>> {
    let mut places: Vec<Array<Expr>> = Vec::new();
    visit_nodes::<BufferStore>(block, |store| {
        if store.buffer.ptr_eq(buffer) {
            places.push(store.indices.clone());
        }
    });
    let first = places.first()?;
    let is_same = |other: &Array<Expr>| structural_equal(first.object(), other.object());
    places.iter().all(is_same).then(|| first.iter().cloned().collect())
}

/// The side on which values are bounded.
#[derive(Debug, Clone, Copy)]
enum Bound {
    AtLeast,
    AtMost,
}

/// The operations of a block on the result of a reduction.
struct Pattern {
    /// The added value.
    added: Option<Expr>,
    /// The bounds, inner ones first.
    bounds: Vec<(Bound, Expr)>,
}

impl Pattern {
    /// The pattern of a value with one load of the result: an addition, the same bounded by 0, or the load between two bounds.
    fn of(value: &Expr, load: &Ref<BufferLoad>) -> Option<Pattern> {
        let holds = |e: &Expr| any_node(e, |node| node.ptr_eq(load.object()));
        let mut bounds = Vec::new();
        let mut rest = value;
        loop {
            let (bound, a, b) = match (rest.as_node::<Max>(), rest.as_node::<Min>()) {
                (Some(max), _) => (Bound::AtLeast, &max.a, &max.b),
                (_, Some(min)) => (Bound::AtMost, &min.a, &min.b),
                _ => break,
            };
            let (inner, value) = if holds(a) { (a, b) } else { (b, a) };
            if holds(value) {
                return None;
            }
            bounds.push((bound, value.clone()));
            rest = inner;
        }
        bounds.reverse();
        let added = match rest.as_node::<Add>() {
            Some(sum) if sum.a.object().ptr_eq(load.object()) => Some(sum.b.clone()),
            Some(sum) if sum.b.object().ptr_eq(load.object()) => Some(sum.a.clone()),
            Some(_) => return None,
            None if rest.object().ptr_eq(load.object()) => None,
            None => return None,
        };
        let is_known = match (&added, &bounds[..]) {
            (Some(_), []) => true,
            (_, [(Bound::AtLeast, zero)]) => is_zero(zero),
            (None, [(one, _), (other, _)]) => {
                matches!((one, other), (Bound::AtLeast, Bound::AtMost) | (Bound::AtMost, Bound::AtLeast))
            }
            _ => false,
        };
        is_known.then_some(Pattern { added, bounds })
    }

    fn bounded(&self, value: Expr) -> Result<Expr> {
        self.bounds.iter().try_fold(value, |value, (bound, limit)| {
            Ok(match bound {
                Bound::AtLeast => ops::max(value, limit.clone())?,
                Bound::AtMost => ops::min(value, limit.clone())?,
            })
        })
    }
}

fn is_zero(e: &Expr) -> bool {
    ops::is_zero(e) || e.as_node::<FloatImm>().is_some_and(|literal| literal.value == 0.0)
}

/// Makes a reduction accumulate in another buffer.
struct Fusion<'f> {
    old: Ref<Buffer>,
    new: Element<'f>,
    pattern: Pattern,
    is_init: bool,
}

impl TryMutator for Fusion<'_> {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        Ok(if node.is::<Buffer>() { Descend::Keep } else { Descend::Into })
    }

    fn leave(&mut self, node: &Object) -> Result<Option<Object>> {
        if node.downcast_ref::<BufferLoad>().is_some_and(|load| load.buffer.ptr_eq(&self.old)) {
            return Ok(Some(self.new.load()?.into_object()));
        }
        if let Some(store) = node.downcast_ref::<BufferStore>().filter(|store| store.buffer.ptr_eq(&self.old))
        {
            let value = match (self.is_init, &self.pattern.added) {
                // Only a sum that starts from 0 may start from another value.
                (true, _) if !is_zero(&store.value) => return Ok(None),
                (true, Some(added)) => added.clone(),
                (true, None) => ops::make_zero(store.value.dtype())?,
                (false, _) => store.value.clone(),
            };
            return Ok(Some(self.new.store(self.pattern.bounded(value)?)?.into_object()));
        }
        if node.downcast_ref::<BufferRegion>().is_some_and(|region| region.buffer.ptr_eq(&self.old)) {
            return Ok(Some(point(self.new.buffer, self.new.indices)?.into_object()));
        }
        Ok(None)
    }
}
