//! `transform_layout`: a buffer is laid out by the results of an index map.

mod padding;
mod writes;

use hashbrown::HashMap;
use tvmscript_arith::{Analyzer, non_surjective_inverse};
use tvmscript_ir_core::{Array, DataType, Object, PtrMap, Ref, any_node};
use tvmscript_prim::{Expr, IndexMap, PrimExprExt as _, ops};
use tvmscript_tir::complete::block_access_regions;
use tvmscript_tir::{Block, Buffer, BufferLoad, BufferRegion, flatten};

use self::padding::{Fill, Padding};
use crate::accesses::{Context, RewriteAccess, rewrite_accesses};
use crate::argument::Argument;
use crate::buffers;
use crate::definition::{Definition, Exchange};
use crate::error::{Result, ScheduleError};
use crate::layout::{map_indices, map_shape, of_type};
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::schedule::Schedule;
use crate::state::{Item, Reused};

pub(in crate::primitive) static TRANSFORM_LAYOUT: Primitive = Primitive {
    kind: "TransformLayout",
    name: "transform_layout",
    doc: "Lays a buffer out by the results of an index map of its indices, padded with a value where they leave gaps.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer", Place::Buffer),
        parameter("index_map", Place::Input),
        with_default("pad_value", Place::Map, Default::None),
        with_default("assume_injective_transform", Place::Attribute, Default::Bool(false)),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, buffer, map, value, is_injective] = args else {
            return Err(ScheduleError::plain("expected five arguments"));
        };
        let block = schedule.item(block)?;
        let (kind, index) = buffers::parts(buffer)?;
        let buffer = kind.buffer(schedule.state().block_of(block)?, index)?;
        let value = if *value == Argument::None { None } else { Some(value.index_map()?) };
        transform(schedule, block, &buffer, map.index_map()?, value, is_injective.bool()?)?;
        Ok(Vec::new())
    },
};

fn transform(
    schedule: &mut Schedule,
    item: Item,
    old: &Ref<Buffer>,
    map: &Ref<IndexMap>,
    value: Option<&Ref<IndexMap>>,
    is_injective: bool,
) -> Result<()> {
    let state = schedule.state();
    let mut analyzer = Analyzer::new();
    state.bound_shapes(item, &mut analyzer);
    let shape: Vec<Expr> = old.shape.iter().cloned().collect();
    let dtypes: Vec<DataType> = shape.iter().map(|extent| extent.dtype()).collect();
    let map = of_type(map, &dtypes)?;
    let definition = Definition::of(state, item, old);
    if definition == Definition::Matched {
        let message = format!("the buffer `{}` is a part of another buffer", old.name.text());
        return Err(ScheduleError::new("BufferIsSubregionError", message).at(old.clone()));
    }
    if let Some(value) = value {
        check_value(old, value)?;
    }
    let scope = match definition {
        Definition::Allocated(scope) => scope,
        _ => state.scope(item)?,
    };
    let mut fill = None;
    if !is_injective {
        let mut ranges = Vec::new();
        for extent in &shape {
            ranges.push((ops::make_const(extent.dtype(), 0)?, extent.clone()));
        }
        let inverse = non_surjective_inverse(&map, &ranges, &mut analyzer);
        let (inverse, condition) = inverse
            .map_err(|errors| ScheduleError::plain(format!("the index map has no inverse: {errors}")))?;
        fill = match (value, ops::is_zero(&condition)) {
            (_, true) => None,
            (Some(value), false) => Some(Fill { inverse, condition, value: value.clone() }),
            (None, false) => {
                let message = format!(
                    "the index map leaves gaps in the buffer `{}`: give a value for them as `pad_value`",
                    old.name.text()
                );
                let error = ScheduleError::new("TransformationIntroducesPaddingError", message);
                return Err(error.at(old.clone()));
            }
        };
    } else if value.is_some() {
        let message = "an injective index map leaves no gaps for `pad_value`: give only one of them";
        return Err(ScheduleError::plain(message));
    }
    let mut new = old.clone();
    new.make_mut().shape = Array::new(map_shape(&map, &shape, &mut analyzer)?);

    let before = state.block_of(scope)?.clone();
    let padding = match fill {
        Some(fill) => Padding::plan(&before, old, &new, fill)?,
        None => Padding::None,
    };
    let mut layout = Layout {
        old,
        new: &new,
        map: &map,
        visible: std::iter::once((new.data.object().clone(), new.clone())).collect(),
        reused: Vec::new(),
        indices: Analyzer::new(),
    };
    let (padded, replaced) = padding.applied(&before)?;
    let mut after = rewrite_accesses(padded, &mut Analyzer::new(), &mut layout)?;
    let first: HashMap<usize, Ref<Block>> =
        replaced.iter().map(|(old, new)| (new.object().address(), old.clone())).collect();
    let mut reused: Vec<Reused> = replaced;
    for (from, to) in layout.reused {
        let from = first.get(&from.object().address()).cloned().unwrap_or(from);
        reused.push((from, to));
    }
    if let Padding::Assumption(assumption) = padding {
        let body = after.body.clone();
        after.make_mut().body = flatten(vec![assumption, body], true);
    }
    let state = schedule.state_mut();
    state.replace_block(scope, after, &reused)?;
    if definition == Definition::Parameter {
        let mut exchange = Exchange::default();
        exchange.add(old, &new);
        state.exchange_parameters(scope, &exchange)?;
    }
    Ok(())
}

/// Refuses a value for gaps that is not one element of the buffer.
fn check_value(buffer: &Ref<Buffer>, value: &IndexMap) -> Result<()> {
    let name = buffer.name.text();
    let results: Vec<&Expr> = value.final_indices.iter().collect();
    let [result] = results[..] else {
        let message = format!("expected one value for gaps in `{name}`, found {}", results.len());
        return Err(ScheduleError::new("TransformationPaddingIndexMapError", message));
    };
    let (expected, found) = (buffer.dtype, result.dtype());
    if expected != found {
        let message = format!("the buffer `{name}` is `{expected}`, and the value for its gaps `{found}`");
        return Err(ScheduleError::new("TransformationPaddingTypeError", message));
    }
    let reads_other =
        any_node(result, |node| node.as_node::<BufferLoad>().is_some_and(|load| !load.buffer.ptr_eq(buffer)));
    match reads_other {
        false => Ok(()),
        true => {
            let message = format!("the value for gaps in `{name}` reads another buffer");
            Err(ScheduleError::new("TransformationPaddingExpressionError", message))
        }
    }
}

/// Puts a buffer in the place of another one, at mapped indices.
struct Layout<'l> {
    old: &'l Ref<Buffer>,
    new: &'l Ref<Buffer>,
    map: &'l IndexMap,
    visible: PtrMap<Ref<Buffer>>,
    reused: Vec<Reused>,
    indices: Analyzer,
}

impl RewriteAccess for Layout<'_> {
    fn access(
        &mut self,
        context: &mut Context<'_>,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
    ) -> Result<Option<(Ref<Buffer>, Vec<Expr>)>> {
        if !buffer.ptr_eq(self.old) {
            return Ok(None);
        }
        let indices: Vec<Expr> = indices.iter().cloned().collect();
        let mapped = map_indices(self.map, &indices, &mut self.indices)?;
        Ok(Some((self.new.clone(), context.simple(mapped.into_iter()))))
    }

    fn block(&mut self, _: &mut Context<'_>, block: Ref<Block>, before: Ref<Block>) -> Result<Ref<Block>> {
        let is_old = |region: &Ref<BufferRegion>| region.buffer.ptr_eq(self.old);
        let uses_old = block.reads.iter().chain(block.writes.iter()).any(is_old);
        let mut new = block.clone();
        if uses_old {
            let found = block_access_regions(&block, &self.visible)
                .map_err(|error| ScheduleError::plain(error.to_string()).at(before.clone()))?;
            let changed = new.make_mut();
            changed.reads = self.regions(&block.reads, &found.reads, &before)?;
            changed.writes = self.regions(&block.writes, &found.writes, &before)?;
        }
        if block.alloc_buffers.iter().any(|buffer| buffer.ptr_eq(self.old)) {
            let buffers = block.alloc_buffers.iter();
            let buffers = buffers.map(|own| if own.ptr_eq(self.old) { self.new } else { own }.clone());
            new.make_mut().alloc_buffers = buffers.collect();
        }
        if !new.ptr_eq(&before) {
            self.reused.push((before, new.clone()));
        }
        Ok(new)
    }
}

impl Layout<'_> {
    /// Regions with the one that was found in place of those of the old buffer.
    fn regions(
        &self,
        regions: &Array<Ref<BufferRegion>>,
        found: &[Ref<BufferRegion>],
        block: &Ref<Block>,
    ) -> Result<Array<Ref<BufferRegion>>> {
        let region = |region: &Ref<BufferRegion>| match (region.buffer.ptr_eq(self.old), found) {
            (false, _) => Ok(region.clone()),
            (true, [only]) => Ok(only.clone()),
            (true, _) => {
                let (name, block_name) = (self.old.name.text(), block.name_hint.as_str());
                let message =
                    format!("the block `{block_name}` declares a region of `{name}`, and has no such access");
                Err(ScheduleError::plain(message).at(block.clone()))
            }
        };
        regions.iter().map(region).collect()
    }
}

/// Variables with what takes their place.
type Values = PtrMap<Object>;
