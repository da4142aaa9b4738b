//! Operators of StableHLO on parts of tensors: slices, gathers, scatters, reductions.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::IntImm;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, maximum, minimum};
use tvmscript_relax::op::index::{dynamic_strided_slice, take};
use tvmscript_relax::op::nn::pool::max_pool2d;
use tvmscript_relax::op::reduce;
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::search::sort;
use tvmscript_relax::op::shape::{broadcast_to, expand_dims};
use tvmscript_relax::{Call, Constant, Expr};

use super::super::node::{Converted, Node, dtype_of};
use super::super::schema::{
    StablehloCompare, StablehloDynamicSlice, StablehloGather, StablehloReduce, StablehloReduceWindow,
    StablehloScatter, StablehloSort,
};
use super::rows;
use super::shape::joined;
use super::stablehlo::{list, list_or};
use crate::error::Reason;
use crate::ops::{int_operand, int64_vector, int64s, ints, number, reshape, shape};

rows! {
    "DYNAMIC_UPDATE_SLICE": Stored |cx| {
        let rank = cx.shape(0)?.len();
        let starts = astype(cx.stored(2)?, DataType::INT64);
        let starts = cx.normalize(starts)?;
        let starts = (0..rank as i64).map(|axis| super::slice::sliced(starts.clone(), &[0], &[axis], &[axis + 1], None));
        let starts: Vec<Expr> = starts.collect();
        updated(cx, starts)
    } => "strided_slice, add, concat, scatter_nd";
    "STABLEHLO_DYNAMIC_SLICE": Stored dynamic_slice => "dynamic_strided_slice", "starts computed at run time";
    "STABLEHLO_DYNAMIC_UPDATE_SLICE": Stored |cx| {
        let rank = cx.shape(0)?.len();
        if (2..2 + rank).all(|at| cx.is_constant(at)) {
            return updated_at_constants(cx, rank);
        }
        let mut starts = Vec::new();
        for at in 2..2 + rank {
            starts.push(astype(cx.stored(at)?, DataType::INT64).upcast());
        }
        updated(cx, starts)
    } => "astype, maximum, minimum, arange, add, concat, scatter_nd";
    "STABLEHLO_GATHER": Stored gather => "reshape, take", "other gathers than of slices along one axis";
    "STABLEHLO_REDUCE": Stored reduced => "sum, max, min, prod", "other functions, several operands";
    "STABLEHLO_REDUCE_WINDOW": Stored window => "nn.max_pool2d", "other functions than the maximum";
    "STABLEHLO_SCATTER": Stored scatter => "scatter_nd", "windows";
    "STABLEHLO_SORT": Stored sorted => "sort", "stable order, several operands";
}

fn dynamic_slice(cx: &mut Node<'_, '_>) -> Converted {
    let sizes = list(cx, StablehloDynamicSlice::SliceSizes)?;
    let lengths = cx.shape(0)?;
    if sizes.len() != lengths.len() {
        return Err("needs a size for each axis".into());
    }
    let mut starts = Vec::new();
    for (at, (size, length)) in sizes.iter().zip(&lengths).enumerate() {
        // Slices that do not fit are moved back.
        let last = length.saturating_sub(*size).max(0);
        starts.push(cx.single_int(at + 1, "a start")?.clamp(0, last));
    }
    let ends: Vec<i64> = starts.iter().zip(&sizes).map(|(start, size)| start.saturating_add(*size)).collect();
    let strides = vec![1; sizes.len()];
    let [begin, end, strides] = [starts, ends, strides].map(|values| int64_vector(&values));
    Ok(dynamic_strided_slice(cx.input(0)?, begin, end, strides).into())
}

/// The first operand with the second one stored at starts that are known when the model runs.
fn updated(cx: &mut Node<'_, '_>, starts: Vec<Expr>) -> Converted {
    let (lengths, sizes) = (cx.shape(0)?, cx.shape(1)?);
    if lengths.len() != sizes.len() || lengths.len() != starts.len() {
        return Err("operand, update and starts must have the same rank".into());
    }
    let (x, update) = (cx.input(0)?, cx.input(1)?);
    let int64 = DataType::INT64;
    let mut columns = Vec::new();
    for (axis, start) in starts.into_iter().enumerate() {
        let (length, size) = (lengths.get(axis).copied().unwrap_or(0), sizes.get(axis).copied().unwrap_or(0));
        if size > length {
            return Err(Reason(format!("the update is longer than the operand along axis {axis}")));
        }
        let start = cx.normalize(start)?;
        let start = maximum(start, number(int64, 0.0));
        let start = minimum(start.upcast(), number(int64, (length - size) as f64));
        let line = arange(int_operand(0), Some(int_operand(size)), int_operand(1), Some(int64));
        let line = add(line.upcast(), start.upcast());
        let mut spread = vec![1; sizes.len()];
        if let Some(at) = spread.get_mut(axis) {
            *at = size;
        }
        let line = cx.normalize(reshape(line.upcast(), shape(&spread))?)?;
        let line = cx.normalize(broadcast_to(line, shape(&sizes)))?;
        columns.push(cx.normalize(expand_dims(line, ints(&[-1])))?);
    }
    Ok(scatter_nd(x, joined(columns, -1), update, "update".into()).into())
}

/// The first operand with the second one stored at constant starts: the index of each element is a constant, too.
fn updated_at_constants(cx: &mut Node<'_, '_>, rank: usize) -> Converted {
    let (lengths, sizes) = (cx.shape(0)?, cx.shape(1)?);
    if sizes.len() != rank {
        return Err("operand, update and starts must have the same rank".into());
    }
    let mut starts = Vec::new();
    for (at, (length, size)) in lengths.iter().zip(&sizes).enumerate() {
        starts.push(cx.single_int(at + 2, "a start")?.clamp(0, length.saturating_sub(*size).max(0)));
    }
    let dims: Vec<usize> = sizes.iter().filter_map(|size| usize::try_from(*size).ok()).collect();
    let count = dims.iter().try_fold(rank.max(1), |count, size| count.checked_mul(*size));
    let count = count.filter(|count| *count <= cx.graph().max_folded_bytes() / 8);
    let count = count.ok_or_else(|| Reason::from("the update is too large; see `--max-folded-bytes`"))?;
    let mut indices: Vec<i128> = Vec::with_capacity(count);
    let mut index = starts.clone();
    for _ in 0..count / rank.max(1) {
        indices.extend(index.iter().map(|place| i128::from(*place)));
        for ((place, start), size) in index.iter_mut().zip(&starts).zip(&sizes).rev() {
            *place += 1;
            if *place < start + size {
                break;
            }
            *place = *start;
        }
    }
    let shape: Vec<usize> = dims.into_iter().chain([rank]).collect();
    let tensor = Tensor::of_ints(DataType::INT64, shape, indices);
    let name = format!("{}.indices", cx.layer);
    let indices = cx.graph().named(&name, Constant::new(tensor.encode()));
    let (x, update) = (cx.input(0)?, cx.input(1)?);
    Ok(scatter_nd(x, indices, update, "update".into()).into())
}

fn gather(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloGather as Field;
    let (lengths, places) = (cx.shape(0)?, cx.shape(1)?);
    let [axis] = list(cx, Field::StartIndexMap)?[..] else { return Err("only one axis is supported".into()) };
    let at = crate::ops::axis(axis, lengths.len())?;
    let sizes: Vec<i64> =
        lengths.iter().enumerate().map(|(index, length)| if index == at { 1 } else { *length }).collect();
    let Some((1, batch)) = places.split_last() else {
        return Err("the last axis of the indices must have length 1".into());
    };
    let offsets = (0..at).chain(at + batch.len()..lengths.len() + batch.len() - 1);
    let offsets: Vec<i64> = offsets.map(|axis| axis as i64).collect();
    let is_take = list(cx, Field::CollapsedSliceDims)? == [axis]
        && list(cx, Field::SliceSizes)? == sizes
        && cx.long(Field::IndexVectorDim, 0)? == places.len() as i64 - 1
        && list(cx, Field::OffsetDims)? == offsets;
    if !is_take {
        return Err("only slices along one axis are supported".into());
    }
    let indices = reshape(cx.input(1)?, shape(batch))?;
    Ok(take(cx.input(0)?, indices.upcast(), Some(axis), "fast".into()).into())
}

/// The only operator of a subgraph that combines two values, and its options.
fn body<'m>(
    cx: &Node<'_, 'm>,
    field: impl Into<u16>,
) -> Result<&'m super::super::model::Operator<'m>, Reason> {
    let index = cx.subgraph(field)?;
    let graph = cx.importer.model.subgraphs.get(index).filter(|_| index != 0);
    let graph = graph.filter(|graph| graph.inputs.len() == 2 && graph.outputs.len() == 1);
    match graph.map(|graph| graph.operators.as_slice()) {
        Some([only]) => Ok(only),
        _ => Err("only functions of one operator are supported".into()),
    }
}

/// Fails unless the operand at a position is the number that does not change the result.
fn check_neutral(cx: &mut Node<'_, '_>, at: usize, function: &str) -> Result<(), Reason> {
    let dtype = dtype_of(cx.tensor(at)?)?;
    let value = cx.single_number(at, "the first value")?;
    let bits = i32::from(dtype.bits);
    let (low, high) = match (tvmscript_ir_core::arithmetic::is_float(dtype), dtype.is_int()) {
        (true, _) => (f64::NEG_INFINITY, f64::INFINITY),
        (false, true) => (-(2f64.powi(bits - 1)), (2f64.powi(bits - 1) - 1.0)),
        (false, false) => (0.0, 2f64.powi(bits) - 1.0),
    };
    let neutral = match function {
        "STABLEHLO_ADD" => 0.0,
        "STABLEHLO_MULTIPLY" => 1.0,
        "STABLEHLO_MAXIMUM" => low,
        "STABLEHLO_MINIMUM" => high,
        other => return Err(Reason(format!("the function `{other}` is not supported"))),
    };
    match value == neutral {
        true => Ok(()),
        false => Err(Reason(format!("the first value must be {neutral}, found {value}"))),
    }
}

type Reduction = fn(Expr, Option<Array<Ref<IntImm>>>, bool) -> Ref<Call>;

fn reduced(cx: &mut Node<'_, '_>) -> Converted {
    if cx.operator.inputs.len() != 2 {
        return Err("only one operand is supported".into());
    }
    let function = body(cx, StablehloReduce::BodySubgraphIndex)?;
    check_neutral(cx, 1, &function.name)?;
    let op: Reduction = match function.name.as_ref() {
        "STABLEHLO_ADD" => reduce::sum,
        "STABLEHLO_MULTIPLY" => reduce::prod,
        "STABLEHLO_MAXIMUM" => reduce::max,
        _ => reduce::min,
    };
    let axes = list(cx, StablehloReduce::Dimensions)?;
    Ok(op(cx.input(0)?, Some(ints(&axes)), false).into())
}

fn window(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloReduceWindow as Field;
    let function = body(cx, Field::BodySubgraphIndex)?;
    if function.name != "STABLEHLO_MAXIMUM" {
        return Err(Reason(format!("the function `{}` is not supported", function.name)));
    }
    check_neutral(cx, 1, &function.name)?;
    let _: [i64; 4] = cx.lengths(0)?;
    let (size, strides) =
        (list_or(cx, Field::WindowDimensions, 1, 4)?, list_or(cx, Field::WindowStrides, 1, 4)?);
    let dilation = list_or(cx, Field::WindowDilations, 1, 4)?;
    let base = list_or(cx, Field::BaseDilations, 1, 4)?;
    let padding = list_or(cx, Field::Padding, 0, 8)?;
    let inner = |values: &[i64], edge: i64| match values {
        [first, a, b, last] if *first == edge && *last == edge => Ok([*a, *b]),
        _ => Err(Reason::from("only windows along height and width are supported")),
    };
    let [0, 0, top, bottom, left, right, 0, 0] = padding[..] else {
        return Err("only padding along height and width is supported".into());
    };
    if base != [1, 1, 1, 1] {
        return Err("dilated data is not supported".into());
    }
    let (size, strides) = (int64s(&inner(&size, 1)?), int64s(&inner(&strides, 1)?));
    let (dilation, padding) = (int64s(&inner(&dilation, 1)?), int64s(&[top, left, bottom, right]));
    let (layout, out) = ("NHWC".into(), Some("NHWC".into()));
    Ok(max_pool2d(cx.input(0)?, size, strides, padding, dilation, false, false, layout, out).into())
}

fn scatter(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloScatter as Field;
    let (lengths, places, updates) = (cx.shape(0)?, cx.shape(1)?, cx.shape(2)?);
    let axes: Vec<i64> = (0..lengths.len() as i64).collect();
    let is_of_points = cx.long(Field::IndexVectorDim, 0)? == places.len() as i64 - 1
        && list(cx, Field::UpdateWindowDims)?.is_empty()
        && list(cx, Field::InsertedWindowDims)? == axes
        && list(cx, Field::ScatterDimsToOperandDims)? == axes
        && places.split_last() == Some((&(lengths.len() as i64), updates.as_slice()));
    if !is_of_points {
        return Err("only updates of single elements are supported".into());
    }
    let function = body(cx, Field::UpdateComputationSubgraphIndex)?;
    let reduction = match function.name.as_ref() {
        "STABLEHLO_ADD" => "add",
        "STABLEHLO_MULTIPLY" => "mul",
        "STABLEHLO_MAXIMUM" => "max",
        "STABLEHLO_MINIMUM" => "min",
        other => return Err(Reason(format!("the function `{other}` is not supported"))),
    };
    let (x, indices, updates) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    Ok(scatter_nd(x, indices, updates, reduction.into()).into())
}

fn sorted(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloSort as Field;
    if cx.operator.inputs.len() != 1 || cx.flag(Field::IsStable)? {
        return Err("a stable order and several operands are not supported".into());
    }
    let comparison = body(cx, Field::ComparatorSubgraphIndex)?;
    let direction = comparison.options.filter(|_| comparison.name == "STABLEHLO_COMPARE");
    let direction = direction.map(|options| options.scalar(StablehloCompare::ComparisonDirection, 0u32));
    let descending = match direction.transpose()? {
        Some(3) => true,
        Some(5) => false,
        _ => return Err("only the orders `less` and `greater` are supported".into()),
    };
    Ok(sort(cx.input(0)?, cx.long(Field::Dimension, 0)?, descending).into())
}
