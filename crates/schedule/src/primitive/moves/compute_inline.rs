//! `compute_inline`: consumers compute what a block computes.

use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, detect_iter_map, inverse_affine_iter_map};
use tvmscript_ir_core::{Object, ObjectLike as _, PtrMap, Ref, substitute};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Var, ops};
use tvmscript_tir::{Block, Buffer, BufferLoad, BufferStore};

use crate::error::{Result, ScheduleError};
use crate::inline::{Inlined, Rewrite};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::scope::{check_complete, check_not_output};
use crate::state::{Item, State};

pub(in crate::primitive) static COMPUTE_INLINE: Primitive = Primitive {
    kind: "ComputeInline",
    name: "compute_inline",
    doc: "Removes a block; its consumers compute what it computes.",
    parameters: &[parameter("block", Place::Input)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block] = args else { return Err(ScheduleError::plain("expected a block")) };
        let block = schedule.block_item(block)?;
        inline(schedule.state_mut(), block)?;
        Ok(Vec::new())
    },
};

/// Inlines a block into its consumers.
pub(super) fn inline(state: &mut State, block: Item) -> Result<()> {
    plan(state, block)?.apply(state)
}

/// Refuses a block with an initialization: `HasInitBlock`.
pub(super) fn check_no_init(block: &Ref<Block>) -> Result<()> {
    if block.init.is_none() {
        return Ok(());
    }
    let message = format!("the block `{}` has `T.init()`", block.name_hint.as_str());
    Err(ScheduleError::new("HasInitBlock", message).at(block.clone()))
}

/// Refuses the body of a block to inline: `BodyAnalysisError`.
pub(super) fn wrong_body(block: &Ref<Block>, expected: &str) -> ScheduleError {
    let message = format!("the block `{}` cannot be inlined: {expected}", block.name_hint.as_str());
    ScheduleError::new("BodyAnalysisError", message).at(block.clone())
}

/// Tests whether a block can be inlined, and makes the new scope.
pub(crate) fn plan(state: &State, item: Item) -> Result<Inlined> {
    let block = state.block_of(item)?;
    check_no_init(block)?;
    let mut writes = block.writes.iter();
    let (Some(write), None) = (writes.next(), writes.next()) else {
        let message = format!(
            "the block `{}` writes {} regions; expected one",
            block.name_hint.as_str(),
            block.writes.len()
        );
        return Err(ScheduleError::new("NotSingleReadWriteBuffer", message).at(block.clone()));
    };
    let scope = state.pipeline_scope(item)?;
    check_not_output(state, item, scope)?;
    check_complete(state, item, scope)?;
    let mut inline = Inline::of(block, write.buffer.clone())?;
    Inlined::plan(state, item, &write.buffer, &mut inline)
}

/// The value of an element of the buffer, in terms of its indices.
struct Inline {
    buffer: Ref<Buffer>,
    indices: Vec<Ref<Var>>,
    value: Expr,
}

impl Inline {
    fn of(block: &Ref<Block>, buffer: Ref<Buffer>) -> Result<Inline> {
        let expected = "expected one store, at indices that are a bijective affine map of its axes";
        let Some(store) = block.body.as_node::<BufferStore>() else {
            return Err(wrong_body(block, expected));
        };
        let mut analyzer = Analyzer::new();
        if let Some(indices) = plain_indices(block, store, &mut analyzer) {
            return Ok(Inline { buffer, indices, value: store.value.clone() });
        }
        let mut ranges = Vec::with_capacity(block.iter_vars.len());
        for axis in block.iter_vars.iter() {
            let Some(dom) = &axis.dom else { return Err(wrong_body(block, expected)) };
            let (min, extent) = (dom.min.clone(), dom.extent.clone());
            ranges.push(VarRange { var: axis.var.clone(), min, extent });
        }
        let stored: Vec<Expr> = store.indices.iter().cloned().collect();
        let all = IntImm::bool(true);
        let map = detect_iter_map(&stored, &ranges, &all, IterMapLevel::Bijective, false, &mut analyzer)
            .map_err(|_| wrong_body(block, expected))?;
        let indices: Vec<Ref<Var>> = stored
            .iter()
            .enumerate()
            .map(|(at, index)| Var::new(format!("ph_{at}"), index.dtype()))
            .collect();
        let outputs: Vec<Expr> = indices.iter().map(|index| index.clone().upcast()).collect();
        let inverse = inverse_affine_iter_map(map.sums(), &outputs)
            .map_err(|error| ScheduleError::plain(error.to_string()))?;
        let mut values: PtrMap<Object> = PtrMap::default();
        values.extend(inverse.into_iter().map(|(var, value)| (var.into_object(), value.into_object())));
        for range in &ranges {
            if range.min.is::<IntImm>() && is(&range.extent, 1, &mut analyzer) {
                values.insert(range.var.object().clone(), range.min.object().clone());
            }
        }
        Ok(Inline { buffer, indices, value: substitute(store.value.clone(), &values)? })
    }
}

/// The axes of a block if it stores at them, in order; an axis of one value may be stored at 0.
fn plain_indices(block: &Block, store: &BufferStore, analyzer: &mut Analyzer) -> Option<Vec<Ref<Var>>> {
    if block.iter_vars.len() != store.indices.len() {
        return None;
    }
    let mut is_plain = |axis: &tvmscript_tir::IterVar, index: &Expr| {
        index.object().ptr_eq(axis.var.object())
            || axis.dom.as_ref().is_some_and(|dom| {
                is(index, 0, analyzer) && is(&dom.min, 0, analyzer) && is(&dom.extent, 1, analyzer)
            })
    };
    let are_plain =
        block.iter_vars.iter().zip(store.indices.iter()).all(|(axis, index)| is_plain(axis, index));
    are_plain.then(|| block.iter_vars.iter().map(|axis| axis.var.clone()).collect())
}

/// Returns `true` if an expression provably has a value.
fn is(expr: &Expr, value: i64, analyzer: &mut Analyzer) -> bool {
    ops::make_const(expr.dtype(), value).is_ok_and(|value| analyzer.can_prove_equal(expr, &value))
}

impl Rewrite for Inline {
    fn leave(&mut self, node: Object, _: Option<&Ref<Block>>) -> Result<Object> {
        let Some(load) = node.as_node::<BufferLoad>().filter(|load| load.buffer.ptr_eq(&self.buffer)) else {
            return Ok(node);
        };
        let mut values: PtrMap<Object> = PtrMap::default();
        let pairs = self.indices.iter().zip(load.indices.iter());
        values.extend(pairs.map(|(var, index)| (var.object().clone(), index.object().clone())));
        Ok(substitute(self.value.clone(), &values)?.into_object())
    }
}
