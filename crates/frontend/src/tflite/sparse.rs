//! Sparse tensors with all their elements.
//!
//! A sparse tensor is a tree: each level is an axis, or an axis of the blocks that the last axes are cut into, and either
//! all indices along it have a subtree or those that it lists. The leaves are the stored elements, in order.

use tvmscript_ir_core::tensor::byte_count;

use super::flatbuffer::Table;
use super::model::Tensor;
use super::schema::{DimensionMetadata, Int32Vector, SparsityParameters};
use crate::ImportOptions;
use crate::error::Reason;

/// Maximum number of nodes of the tree.
const MAX_NODES: usize = 100_000_000;
/// Maximum number of levels.
const MAX_LEVELS: usize = 32;

/// The indices along a level.
enum Level {
    All(usize),
    /// The indices of each subtree start and end at two of the `segments`.
    Listed {
        segments: Vec<usize>,
        indices: Vec<usize>,
    },
}

/// A level of the tree that lies along an axis of the tensor.
struct Axis {
    level: Level,
    axis: usize,
    /// Number of elements along the axis from one index to the next.
    step: usize,
}

struct Tree<'a> {
    axes: Vec<Axis>,
    width: usize,
    stored: std::slice::ChunksExact<'a, u8>,
    dense: Vec<u8>,
    nodes: usize,
}

/// The elements of a sparse tensor, with zeros between them.
pub(super) fn densified(
    tensor: &Tensor<'_>,
    sparsity: Table<'_>,
    data: &[u8],
    options: &ImportOptions,
) -> Result<Vec<u8>, Reason> {
    let dtype = super::node::dtype_of(tensor)?;
    let size = byte_count(&tensor.shape, dtype).filter(|_| tensor.shape.iter().all(|dim| *dim >= 0));
    let size = size.filter(|size| *size <= options.max_folded_bytes);
    let size = size
        .ok_or_else(|| Reason::from("the sparse tensor has too many elements; see `--max-folded-bytes`"))?;
    let lengths: Vec<usize> = tensor.shape.iter().filter_map(|dim| usize::try_from(*dim).ok()).collect();
    let width = usize::from(dtype.bits / 8).max(1);
    let axes = axes(&lengths, sparsity)?;
    let stored = data.chunks_exact(width);
    let mut tree = Tree { axes, width, stored, dense: vec![0; size], nodes: 0 };
    tree.visit(0, 0, 0)?;
    Ok(tree.dense)
}

fn wrong() -> Reason {
    Reason::from("the description of the sparse tensor is damaged")
}

fn axes(lengths: &[usize], sparsity: Table<'_>) -> Result<Vec<Axis>, Reason> {
    let order = list(sparsity, SparsityParameters::TraversalOrder)?;
    let blocks = list(sparsity, SparsityParameters::BlockMap)?;
    let levels = sparsity.tables(SparsityParameters::DimMetadata)?;
    if order.len() != levels.len() || order.len() != lengths.len() + blocks.len() || order.len() > MAX_LEVELS
    {
        return Err(wrong());
    }
    let levels = levels.into_iter().map(level).collect::<Result<Vec<_>, _>>()?;
    // The number of elements of a block along each axis.
    let mut block_lengths = vec![1usize; lengths.len()];
    for (at, level) in order.iter().zip(&levels) {
        let Some(block) = at.checked_sub(lengths.len()) else { continue };
        let length = blocks.get(block).and_then(|axis| block_lengths.get_mut(*axis)).ok_or_else(wrong)?;
        let Level::All(count) = level else { return Err(wrong()) };
        *length = *count;
    }
    let strides = strides(lengths);
    let places = order.iter().zip(levels).map(|(at, level)| {
        let (axis, step) = match at.checked_sub(lengths.len()) {
            None => (*at, block_lengths.get(*at).copied()),
            Some(block) => (blocks.get(block).copied().ok_or_else(wrong)?, Some(1)),
        };
        let stride = strides.get(axis).copied().ok_or_else(wrong)?;
        let step = step.and_then(|step| step.checked_mul(stride)).ok_or_else(wrong)?;
        Ok(Axis { level, axis, step })
    });
    let places = places.collect::<Result<Vec<_>, Reason>>()?;
    match places.iter().all(|place| place.axis < lengths.len()) {
        true => Ok(places),
        false => Err(wrong()),
    }
}

fn strides(lengths: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; lengths.len()];
    let mut step = 1usize;
    for (stride, length) in strides.iter_mut().zip(lengths).rev() {
        *stride = step;
        step = step.saturating_mul(*length);
    }
    strides
}

fn list(table: Table<'_>, field: impl Into<u16>) -> Result<Vec<usize>, Reason> {
    let numbers: Vec<i32> = table.numbers(field)?.unwrap_or_default();
    numbers.into_iter().map(|number| usize::try_from(number).map_err(|_| wrong())).collect()
}

fn level(table: Table<'_>) -> Result<Level, Reason> {
    use DimensionMetadata as Field;
    if table.scalar(Field::Format, 0i8)? == 0 {
        let count = usize::try_from(table.scalar(Field::DenseSize, 0i32)?).map_err(|_| wrong())?;
        return Ok(Level::All(count));
    }
    Ok(Level::Listed {
        segments: indices(table, Field::ArraySegmentsType, Field::ArraySegments)?,
        indices: indices(table, Field::ArrayIndicesType, Field::ArrayIndices)?,
    })
}

/// A list of 8, 16 or 32 bits per number.
fn indices(
    table: Table<'_>,
    kind: DimensionMetadata,
    field: DimensionMetadata,
) -> Result<Vec<usize>, Reason> {
    let list = table.table(field)?.ok_or_else(wrong)?;
    match table.scalar(kind, 0u8)? {
        1 => self::list(list, Int32Vector::Values),
        2 => {
            let numbers: Vec<u16> = list.numbers(Int32Vector::Values)?.unwrap_or_default();
            Ok(numbers.into_iter().map(usize::from).collect())
        }
        3 => Ok(list.bytes(Int32Vector::Values)?.iter().map(|byte| usize::from(*byte)).collect()),
        _ => Err(wrong()),
    }
}

impl Tree<'_> {
    /// Visits the subtree `number` of a level, whose elements start at a place.
    fn visit(&mut self, depth: usize, number: usize, place: usize) -> Result<(), Reason> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(wrong());
        }
        let Some(axis) = self.axes.get(depth) else { return self.leaf(place) };
        let (step, range) = match &axis.level {
            Level::All(count) => (
                axis.step,
                number.saturating_mul(*count)..number.saturating_mul(*count).saturating_add(*count),
            ),
            Level::Listed { segments, .. } => {
                let bounds = segments.get(number).zip(segments.get(number + 1)).ok_or_else(wrong)?;
                (axis.step, *bounds.0..*bounds.1)
            }
        };
        let first = range.start;
        for at in range {
            let index = match self.axes.get(depth).map(|axis| &axis.level) {
                Some(Level::Listed { indices, .. }) => *indices.get(at).ok_or_else(wrong)?,
                _ => at - first,
            };
            self.visit(depth + 1, at, place.saturating_add(index.saturating_mul(step)))?;
        }
        Ok(())
    }

    fn leaf(&mut self, place: usize) -> Result<(), Reason> {
        let element = self.stored.next().ok_or_else(wrong)?;
        let start = place.saturating_mul(self.width);
        let target = start.checked_add(self.width).and_then(|end| self.dense.get_mut(start..end));
        target.ok_or_else(wrong)?.copy_from_slice(element);
        Ok(())
    }
}
