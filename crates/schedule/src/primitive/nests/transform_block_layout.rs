//! `transform_block_layout`: a block is iterated along other axes.

use tvmscript_arith::{Analyzer, inverse_index_map};
use tvmscript_ir_core::{Array, PtrMap, Ref, any_node, substitute};
use tvmscript_prim::{Expr, IndexMap, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{Block, IterType, IterVar, StmtRef};

use crate::accesses::simplify_accesses;
use crate::bindings::reused_blocks;
use crate::error::{Result, ScheduleError};
use crate::layout::{map_indices, map_shape};
use crate::loops::{check_starts_at_zero, new_loops};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::schedule::Schedule;
use crate::state::{Item, State};

pub(in crate::primitive) static TRANSFORM_BLOCK_LAYOUT: Primitive = Primitive {
    kind: "TransformBlockLayout",
    name: "transform_block_layout",
    doc: "Iterates a block along the results of an index map of its iterators, in new loops.",
    parameters: &[parameter("block", Place::Input), parameter("index_map", Place::Map)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, map] = args else {
            return Err(ScheduleError::plain("expected a block and an index map"));
        };
        let block = schedule.item(block)?;
        transform(schedule, block, map.index_map()?).map(|()| Vec::new())
    },
};

fn transform(schedule: &mut Schedule, item: Item, map: &Ref<IndexMap>) -> Result<()> {
    let state = schedule.state();
    let old = state.block_of(item)?.clone();
    let mut analyzer = state.shape_analyzer(item);
    let loops = state.loops_above(item);
    for found in &loops {
        check_starts_at_zero(state.loop_of(*found)?, &mut analyzer)?;
    }
    let top = match loops.first() {
        Some(top) => {
            state.only_block(*top)?;
            *top
        }
        None => item,
    };
    check_trivial(state, item, &loops)?;
    let extents: Vec<Expr> = old.iter_vars.iter().map(|axis| extent_of(axis)).collect::<Result<_>>()?;
    if map.initial_indices.len() != old.iter_vars.len() {
        let message = format!(
            "the index map takes {} indices, and the block `{}` has {} iterators",
            map.initial_indices.len(),
            old.name_hint.as_str(),
            old.iter_vars.len()
        );
        return Err(ScheduleError::new("IndexMapNotApplicableToBlockIterError", message).at(old));
    }
    let variables: Vec<Expr> = old.iter_vars.iter().map(|axis| axis.var.clone().upcast()).collect();
    let mapped = map_indices(map, &variables, &mut analyzer)?;
    let shape = map_shape(map, &extents, &mut analyzer)?;
    let mut axes = Vec::new();
    for (at, (value, extent)) in mapped.iter().zip(&shape).enumerate() {
        let dtype = value.dtype();
        let iter_type = if ops::is_one(extent) { Some(IterType::DataPar) } else { iter_type(&old, value) };
        let Some(iter_type) = iter_type.filter(|kind| *kind != IterType::Opaque) else {
            let message = format!("result {at} of the index map uses iterators of different kinds, or none");
            return Err(ScheduleError::new("OpaqueNewIterTypeError", message).at(old));
        };
        let dom = Range::from_min_extent(ops::make_const(dtype, 0)?, ops::cast(dtype, extent.clone())?);
        let var = Var::new(format!("v{at}"), dtype);
        axes.push(Ref::new(IterVar { dom: Some(dom), var, iter_type, thread_tag: "".into() }));
    }
    let new = with_axes(&old, map, &extents, &axes, &mut analyzer)?;
    let new = simplify_accesses(new, &mut analyzer)?;
    if top == item {
        let message = "the block has no loops around it, which new loops would replace";
        return Err(ScheduleError::plain(message).at(old));
    }
    let mut variables = Vec::new();
    for (at, (axis, extent)) in axes.iter().zip(shape).enumerate() {
        variables.push((Var::new(format!("ax{at}"), axis.var.dtype), extent));
    }
    let mut realize = state.realize_of(item)?.clone();
    let changed = realize.make_mut();
    changed.block = new.clone();
    changed.iter_values = variables.iter().map(|(var, _)| var.clone().upcast()).collect();
    let nest: StmtRef = new_loops(variables.into_iter(), realize.upcast())?;
    let mut reused = reused_blocks(&old.body, &new.body);
    reused.push((old, new));
    schedule.state_mut().replace(top, nest, &reused)
}

fn extent_of(axis: &IterVar) -> Result<Expr> {
    match &axis.dom {
        Some(dom) if ops::is_zero(&dom.min) => Ok(dom.extent.clone()),
        _ => Err(ScheduleError::plain("an iterator of the block does not start at 0")),
    }
}

/// Refuses a block whose values are not just the loops around it.
fn check_trivial(state: &State, item: Item, loops: &[Item]) -> Result<()> {
    let realize = state.realize_of(item)?;
    let mut is_trivial = loops.len() == realize.iter_values.len();
    for (found, value) in loops.iter().zip(realize.iter_values.iter()) {
        is_trivial &= value.object().ptr_eq(state.loop_of(*found)?.loop_var.object());
    }
    if is_trivial {
        return Ok(());
    }
    let message = format!(
        "the values of the block `{}` are not the variables of the loops around it",
        realize.block.name_hint.as_str()
    );
    Err(ScheduleError::new("NotTrivialBindingError", message).at(realize.block.clone()))
}

/// The common kind of the iterators in an expression.
fn iter_type(block: &Block, value: &Expr) -> Option<IterType> {
    let mut kinds: Vec<IterType> = Vec::new();
    any_node(value, |node| {
        let axis = block.iter_vars.iter().find(|axis| node.ptr_eq(axis.var.object()));
        kinds.extend(axis.map(|axis| axis.iter_type));
        false
    });
    let first = *kinds.first()?;
    kinds.iter().all(|kind| *kind == first).then_some(first)
}

/// The block with new iterators, and the old ones in terms of them.
fn with_axes(
    old: &Ref<Block>,
    map: &IndexMap,
    extents: &[Expr],
    axes: &[Ref<IterVar>],
    analyzer: &mut Analyzer,
) -> Result<Ref<Block>> {
    let mut ranges = Vec::new();
    for extent in extents {
        ranges.push((ops::make_const(extent.dtype(), 0)?, extent.clone()));
    }
    let inverse = inverse_index_map(map, &ranges, analyzer).map_err(|errors| {
        let message = format!("the index map is not bijective and affine: {errors}");
        ScheduleError::new("NotBijectiveAffineIndexMapError", message)
    })?;
    let variables: Vec<Expr> = axes.iter().map(|axis| axis.var.clone().upcast()).collect();
    let values = map_indices(&inverse, &variables, analyzer)?;
    let mut replaced = PtrMap::default();
    for (axis, value) in old.iter_vars.iter().zip(values) {
        let (expected, found) = (axis.var.dtype, value.dtype());
        if expected != found {
            let name = axis.var.name.text();
            let message = format!("the iterator `{name}` is `{expected}`, and the index map gives `{found}`");
            return Err(ScheduleError::plain(message).at(old.clone()));
        }
        replaced.insert(axis.var.object().clone(), value.object().clone());
    }
    let mut new = old.clone();
    new.make_mut().iter_vars = Array::default();
    let mut new = substitute(new, &replaced)?;
    new.make_mut().iter_vars = Array::new(axes.iter().cloned());
    Ok(new)
}
