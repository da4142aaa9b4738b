//! `annotate_buffer_access`: a declared region of a block becomes another one.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Array, Ref, Value};
use tvmscript_prim::{Expr, Range, ops};
use tvmscript_tir::BufferRegion;

use crate::buffers::{self, Access};
use crate::definition::annotated;
use crate::error::{Result, ScheduleError};
use crate::layout::map_indices;
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static ANNOTATE_BUFFER_ACCESS: Primitive = Primitive {
    kind: "AnnotateBufferAccess",
    name: "annotate_buffer_access",
    doc: "Declares that a block accesses another region of a buffer, which passes then keep.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer_index", Place::Input),
        parameter("buf_type", Place::Kind),
        parameter("gen_new_ranges", Place::Ranges),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, index, kind, map] = args else {
            return Err(ScheduleError::plain("expected four arguments"));
        };
        let (item, index) = (schedule.item(block)?, schedule.int(index)?);
        let access = buffers::access(kind)?;
        let map = map.index_map()?;
        let state = schedule.state_mut();
        let mut block = state.block_of(item)?.clone();
        let buffer = access.buffer(&block, index)?;
        let mut analyzer = Analyzer::new();
        let axes: Vec<Expr> = block.iter_vars.iter().map(|axis| axis.var.clone().upcast()).collect();
        let bounds = map_indices(map, &axes, &mut analyzer)?;
        let mut ranges = Vec::with_capacity(bounds.len() / 2);
        for pair in bounds.chunks(2) {
            let [begin, end] = pair else {
                return Err(ScheduleError::plain("expected a begin and an end of each range"));
            };
            let extent = analyzer.simplify(&ops::sub(end.clone(), begin.clone())?);
            ranges.push(Range::from_min_extent(begin.clone(), extent));
        }
        let new = BufferRegion::try_new(buffer, Array::new(ranges))?;
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let regions = access.regions(&block).iter().enumerate();
        let regions = regions.map(|(other, region)| if other == at { new.clone() } else { region.clone() });
        let regions: Array<Ref<BufferRegion>> = regions.collect();
        let key = match access {
            Access::Read => "explicit_read_region",
            Access::Write => "explicit_write_region",
        };
        let known = block.annotations.get_str(key).cloned();
        let indices = with_index(known.as_ref(), index)?;
        let changed = block.make_mut();
        match access {
            Access::Read => changed.reads = regions,
            Access::Write => changed.writes = regions,
        }
        changed.annotations = annotated(&changed.annotations, key, indices);
        state.replace_block(item, block, &[])?;
        Ok(Vec::new())
    },
};

/// A list of numbers with one more, unless it is there.
fn with_index(known: Option<&Value>, index: i64) -> Result<Value> {
    let list = match known {
        Some(Value::Node(node)) => node.as_node::<ArrayNode>().map(|list| list.items().to_vec()),
        Some(_) => None,
        None => Some(Vec::new()),
    };
    let Some(mut list) = list else { return Err(ScheduleError::plain("the annotation is not a list")) };
    if !list.iter().any(|known| matches!(known, Value::Int(known) if *known == index)) {
        list.push(Value::Int(index));
    }
    Ok(Ref::new(ArrayNode::new(list.into_iter().collect())).into())
}
