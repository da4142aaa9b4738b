//! `storage_align`: a dimension of a buffer is laid out with gaps.

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Ref, Value};
use tvmscript_prim::IntImm;

use crate::buffers::Access;
use crate::definition::{allocation, annotated};
use crate::error::ScheduleError;
use crate::primitive::{Place, Primitive, Results, parameter};

/// The annotation: a list of `[buffer, axis, factor, offset]`.
const KEY: &str = "buffer_dim_align";

pub(in crate::primitive) static STORAGE_ALIGN: Primitive = Primitive {
    kind: "StorageAlign",
    name: "storage_align",
    doc: "Makes the stride of a dimension of a written buffer an offset more than a multiple of a factor.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer_index", Place::Attribute),
        parameter("axis", Place::Attribute),
        parameter("factor", Place::Attribute),
        parameter("offset", Place::Attribute),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, index, axis, factor, offset] = args else {
            return Err(ScheduleError::plain("expected a block and four numbers"));
        };
        let item = schedule.item(block)?;
        let index = schedule.int(index)?;
        let (axis, factor, offset) = (schedule.int(axis)?, schedule.int(factor)?, schedule.int(offset)?);
        let state = schedule.state_mut();
        let mut block = state.block_of(item)?.clone();
        let buffer = Access::Write.buffer(&block, index)?;
        if factor <= 0 {
            let message = format!("expected a positive factor, found {factor}");
            return Err(ScheduleError::new("StorageAlignInvalidFactorError", message));
        }
        let rank = i64::try_from(buffer.shape.len()).unwrap_or(i64::MAX);
        if !(-rank..rank).contains(&axis) {
            let message = format!("expected an axis from {} to {}, found {axis}", -rank, rank - 1);
            return Err(ScheduleError::new("StorageAlignAxisOutOfRangeError", message));
        }
        let axis = if axis < 0 { axis + rank } else { axis };
        allocation(state, item, &buffer)?;
        let Some(mut entries) = entries(block.annotations.get_str(KEY)) else {
            let message = format!("the annotation `{KEY}` of the block is not a list of four numbers each");
            return Err(ScheduleError::new("StorageAlignInvalidAnnotationError", message).at(block));
        };
        let entry = [index, axis, factor, offset];
        match entries.iter_mut().find(|known| known.starts_with(&[index, axis])) {
            Some(known) => *known = entry,
            None => entries.push(entry),
        }
        let list = entries.iter().map(|entry| {
            Value::from(Ref::new(ArrayNode::new(entry.iter().map(|number| Value::Int(*number)).collect())))
        });
        let list = Ref::new(ArrayNode::new(list.collect()));
        block.make_mut().annotations = annotated(&block.annotations, KEY, list.into());
        state.replace_block(item, block, &[])?;
        Ok(Vec::new())
    },
};

/// The entries of an annotation; `None` if it has another form.
fn entries(annotation: Option<&Value>) -> Option<Vec<[i64; 4]>> {
    let Some(annotation) = annotation else { return Some(Vec::new()) };
    let items = |value: &Value| match value {
        Value::Node(node) => node.as_node::<ArrayNode>().map(|list| list.items().to_vec()),
        _ => None,
    };
    let number = |value: &Value| match value {
        Value::Int(number) => Some(*number),
        Value::Node(node) => node.as_node::<IntImm>().map(|literal| literal.value),
        _ => None,
    };
    let entry = |value: &Value| {
        let numbers: Option<Vec<i64>> = items(value)?.iter().map(number).collect();
        numbers?.try_into().ok()
    };
    items(annotation)?.iter().map(entry).collect()
}
