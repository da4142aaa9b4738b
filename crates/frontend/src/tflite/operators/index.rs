//! Elements at indices that are tensors.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, FloatImm, IntImm};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::{eye, full, zeros};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{divide, equal, greater, multiply, sqrt, where_};
use tvmscript_relax::op::index::{gather_nd, take};
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::search::{bucketize, unique};
use tvmscript_relax::op::shape::{broadcast_to, expand_dims, nonzero, permute_dims};
use tvmscript_relax::{Constant, Expr, PrimValue};

use super::super::importer::element;
use super::super::node::{Converted, Node, Output};
use super::super::schema::{Bucketize, EmbeddingLookupSparse, Gather, OneHot};
use super::rows;
use super::shape::is_symmetric;
use crate::error::Reason;
use crate::ops::{int_operand, ints, number, reshape, shape, tensor_of};

rows! {
    "BUCKETIZE": Real buckets => "bucketize";
    "DENSIFY": Stored |cx| Ok(cx.input(0)?.into()) => "a constant";
    "EMBEDDING_LOOKUP": Stored |cx| {
        let indices = indices_32(cx, 0)?;
        let table = cx.real(1)?;
        Ok(take(table, indices, Some(0), "fast".into()).into())
    } => "take";
    "EMBEDDING_LOOKUP_SPARSE": Stored sparse_lookup => "take, multiply, scatter_nd", "a shape computed at run time";
    "GATHER": Real gather => "take; gather_nd with batches", "an axis after the one that follows the batches";
    "GATHER_ND": Real gather_at => "astype, gather_nd";
    "MATRIX_DIAG": Real matrix_diag => "eye, expand_dims, where";
    "MATRIX_SET_DIAG": Real matrix_set_diag => "eye, expand_dims, where";
    "ONE_HOT": Stored one_hot_of => "one_hot";
    "SCATTER_ND": Stored scatter => "zeros, scatter_nd";
    "SEGMENT_SUM": Stored |cx| segments(cx, "add") => "expand_dims, zeros, scatter_nd", "segments computed at run time";
    "SPARSE_TO_DENSE": Stored sparse_to_dense => "full, scatter_nd";
    "UNIQUE": Stored unique_values => "unique";
    "UNSORTED_SEGMENT_MAX": Stored |cx| segments(cx, "max") => "expand_dims, full, scatter_nd";
    "UNSORTED_SEGMENT_MIN": Stored |cx| segments(cx, "min") => "expand_dims, full, scatter_nd";
    "UNSORTED_SEGMENT_PROD": Stored |cx| segments(cx, "mul") => "expand_dims, full, scatter_nd";
    "UNSORTED_SEGMENT_SUM": Stored |cx| segments(cx, "add") => "expand_dims, zeros, scatter_nd";
    "WHERE": Stored |cx| {
        let condition = cx.input(0)?;
        if cx.has(1) {
            let (x, y) = (cx.input(1)?, cx.input(2)?);
            return Ok(where_(condition, x, y).into());
        }
        // TFLite has a row for each element, TVM a column.
        let rank = cx.shape(0)?.len() as i64;
        let count = prim::Var::new("num_nonzero", DataType::INT64).upcast();
        let info = tensor_of([IntImm::int64(rank), count], DataType::INT64);
        let columns = cx.graph().match_cast(nonzero(condition), info)?;
        Ok(permute_dims(columns, None).into())
    } => "nonzero, permute_dims; where of three operands";
}

/// Indices of `int32` unless they are constant, as TVM's importer has them.
fn indices_32(cx: &mut Node<'_, '_>, at: usize) -> Result<Expr, Reason> {
    let indices = cx.stored(at)?;
    Ok(if cx.is_constant(at) { indices } else { astype(indices, DataType::INT32).upcast() })
}

fn gather(cx: &mut Node<'_, '_>) -> Converted {
    let rank = cx.shape(0)?.len();
    let axis = crate::ops::axis(cx.int(Gather::Axis, 0)?, rank)?;
    let indices_rank = cx.shape(1)?.len();
    let batches = crate::ops::axis(cx.int(Gather::BatchDims, 0)?, indices_rank + 1)?;
    let x = cx.input(0)?;
    if batches == 0 {
        let indices = indices_32(cx, 1)?;
        return Ok(take(x, indices, Some(axis as i64), "fast".into()).into());
    }
    if batches != axis {
        return Err(Reason(format!(
            "with {batches} batches, only the axis {batches} is supported, found {axis}"
        )));
    }
    let indices = astype(cx.stored(1)?, DataType::INT64);
    let indices = expand_dims(indices.upcast(), ints(&[-1]));
    Ok(gather_nd(x, indices.upcast(), batches as i64).into())
}

fn gather_at(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.shape(1)?;
    let x = cx.input(0)?;
    let mut indices = cx.stored(1)?;
    // TVM's importer transposes the indices, which is right for symmetric ones alone.
    if cx.is_constant(1) && is_symmetric(&cx.ints(1, "the indices")?, &lengths) {
        indices = permute_dims(indices, Some(ints(&[-1, 0]))).upcast();
    }
    if super::super::node::dtype_of(cx.tensor(1)?)? != DataType::INT64 {
        indices = astype(indices, DataType::INT64).upcast();
    }
    Ok(gather_nd(x, indices, 0).into())
}

fn one_hot_of(cx: &mut Node<'_, '_>) -> Converted {
    let depth = cx.single_int(1, "the depth")?;
    let dtype = super::super::node::dtype_of(cx.tensor(2)?)?;
    let value = |cx: &mut Node<'_, '_>, at| {
        let literal = match tvmscript_ir_core::arithmetic::is_float(dtype) {
            true => FloatImm::try_new(dtype, cx.single_number(at, "a value")?)?,
            false => IntImm::try_new(dtype, cx.single_int(at, "a value")?)?,
        };
        Ok::<Expr, Reason>(PrimValue::new(literal).upcast())
    };
    let (on, off) = (value(cx, 2)?, value(cx, 3)?);
    if depth < 1 {
        return Err("the depth must be positive".into());
    }
    let axis = cx.int(OneHot::Axis, 0)?;
    Ok(one_hot(cx.stored(0)?, on, off, depth, axis).into())
}

fn buckets(cx: &mut Node<'_, '_>) -> Converted {
    let bounds = cx.floats(Bucketize::Boundaries)?;
    let tensor = Tensor::of_floats(DataType::FLOAT32, vec![bounds.len()], bounds);
    let name = format!("{}.boundaries", cx.layer);
    let bounds = cx.graph().named(&name, Constant::new(tensor.encode()));
    let is_narrow = cx.output_dtype(0)? == DataType::INT32;
    Ok(bucketize(cx.input(0)?, bounds, is_narrow, false).into())
}

fn unique_values(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let flag = |value| int_flag(value);
    let found = unique(x, flag(false), flag(false), flag(true), flag(false), None);
    let found = cx.normalize(found)?;
    let values = cx.emit(element(&found, 0))?;
    let mut places = cx.emit(element(&found, 1))?;
    if cx.output_dtype(1)? == DataType::INT32 {
        places = cx.emit(astype(places, DataType::INT32))?;
    }
    Ok(Output::Many(vec![values, places]))
}

/// A flag as an operand of `R.unique`.
fn int_flag(value: bool) -> Expr {
    let literal =
        IntImm { span: tvmscript_ir_core::Span::current(), dtype: DataType::BOOL, value: value.into() };
    PrimValue::new(tvmscript_ir_core::Ref::new(literal).upcast()).upcast()
}

/// Indices of `int64`, which `R.scatter_nd` needs.
fn wide(cx: &mut Node<'_, '_>, at: usize) -> Result<Expr, Reason> {
    let indices = cx.stored(at)?;
    Ok(match super::super::node::dtype_of(cx.tensor(at)?)? {
        DataType::INT64 => indices,
        _ => astype(indices, DataType::INT64).upcast(),
    })
}

fn scatter(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = match cx.is_constant(2) {
        true => cx.ints(2, "the shape")?,
        false => cx.output(0)?.dims(),
    };
    let base = zeros(shape(&lengths), cx.output_dtype(0)?);
    let indices = wide(cx, 0)?;
    // Elements with the same index are added up.
    Ok(scatter_nd(base.upcast(), indices, cx.stored(1)?, "add".into()).into())
}

fn sparse_to_dense(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.output(0)?.dims();
    let found = cx.shape(0)?;
    let count = if found.is_empty() { 1 } else { found.first().copied().unwrap_or(1) };
    let base = full(shape(&lengths), cx.stored(3)?, None).upcast();
    let indices = wide(cx, 0)?;
    let indices = reshape(indices, shape(&[count, lengths.len() as i64]))?.upcast();
    let values = broadcast_to(cx.stored(2)?, shape(&[count])).upcast();
    Ok(scatter_nd(base, indices, values, "update".into()).into())
}

/// Reduces the slices that have the same segment.
fn segments(cx: &mut Node<'_, '_>, reduction: &str) -> Converted {
    let rank = cx.shape(1)?.len();
    let count = if cx.has(2) {
        cx.single_int(2, "the number of segments")?
    } else {
        let segments = cx.ints(1, "the segments")?;
        segments.iter().max().map_or(0, |last| last.saturating_add(1))
    };
    if cx.is_constant(1) && cx.ints(1, "the segments")?.iter().any(|segment| *segment < 0) {
        return Err("negative segments are not supported".into());
    }
    let lengths = cx.shape(0)?;
    let lengths: Vec<i64> = std::iter::once(count).chain(lengths.into_iter().skip(rank)).collect();
    let dtype = cx.output_dtype(0)?;
    let (lowest, highest) = bounds(dtype);
    let filled = |value: Expr| full(shape(&lengths), value, Some(dtype)).upcast();
    let base = match reduction {
        "mul" => filled(number(dtype, 1.0)),
        "max" => filled(lowest),
        "min" => filled(highest),
        _ => zeros(shape(&lengths), dtype).upcast(),
    };
    let x = cx.stored(0)?;
    let indices = expand_dims(cx.stored(1)?, ints(&[rank as i64]));
    Ok(scatter_nd(base, indices.upcast(), x, reduction.into()).into())
}

/// The lowest and the highest finite number of a type.
fn bounds(dtype: DataType) -> (Expr, Expr) {
    let bits = u32::from(dtype.bits);
    if tvmscript_ir_core::arithmetic::is_float(dtype) {
        let highest = match bits {
            16 => 65504.0,
            32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        return (number(dtype, -highest), number(dtype, highest));
    }
    let limit = 1i128 << (bits.min(64) - u32::from(dtype.is_int()));
    let lowest = if dtype.is_int() { -limit } else { 0 };
    let constant = |value| Constant::new(Tensor::of_ints(dtype, Vec::new(), [value]).encode()).upcast();
    (constant(lowest), constant(limit - 1))
}

/// A condition that holds on the diagonal of matrices of these lengths.
fn on_diagonal(rows: i64, columns: i64) -> Expr {
    let identity = eye(int_operand(rows), Some(int_operand(columns)), int_operand(0), DataType::INT32);
    equal(identity.upcast(), number(DataType::INT32, 1.0)).upcast()
}

fn matrix_diag(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.output(0)?.dims();
    let [.., rows, columns] = lengths[..] else { return Err("the result must have two axes".into()) };
    let base = zeros(shape(&lengths), super::activation::real_dtype(cx)?).upcast();
    let diagonal = expand_dims(cx.input(0)?, ints(&[-1])).upcast();
    Ok(where_(on_diagonal(rows, columns), diagonal, base).into())
}

fn matrix_set_diag(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.shape(0)?;
    let [.., rows, columns] = lengths[..] else { return Err("needs an operand of two axes".into()) };
    let base = cx.input(0)?;
    // The diagonal is as long as the shorter axis, along which it lies.
    let axis = if rows <= columns { -1 } else { -2 };
    let diagonal = expand_dims(cx.input(1)?, ints(&[axis])).upcast();
    Ok(where_(on_diagonal(rows, columns), diagonal, base).into())
}

/// The operands are ids, indices, the shape, weights and the table.
fn sparse_lookup(cx: &mut Node<'_, '_>) -> Converted {
    let [count] = cx.lengths(0)?;
    let [_, rank] = cx.lengths(1)?;
    let dense = cx.ints(2, "the shape")?;
    let (table, tail) = (cx.real(4)?, cx.shape(4)?);
    let tail = tail.get(1..).unwrap_or_default();
    let prefix = dense.split_last().map(|(_, prefix)| prefix).unwrap_or_default();
    let lengths = [prefix, tail].concat();
    let f32 = DataType::FLOAT32;
    let (ids, weights) = (cx.stored(0)?, cx.stored(3)?);
    let rows = take(table, astype(ids, DataType::INT32).upcast(), Some(0), "fast".into());
    let ones = vec![1; tail.len()];
    let each = reshape(weights.clone(), shape(&[&[count], ones.as_slice()].concat()))?;
    let weighted = multiply(rows.upcast(), each.upcast());
    let indices = wide(cx, 1)?;
    let buckets = super::slice::sliced(indices, &[1], &[0], &[rank - 1], None);
    let base: Expr = zeros(shape(&lengths), f32).upcast();
    let sums = scatter_nd(base.clone(), buckets.clone(), weighted.upcast(), "add".into());
    let summed = |values: Expr| {
        let base = zeros(shape(prefix), f32).upcast();
        scatter_nd(base, buckets.clone(), values, "add".into()).upcast()
    };
    let divisor: Expr = match cx.choice(EmbeddingLookupSparse::Combiner)? {
        0 => return Ok(sums.into()),
        1 => summed(weights),
        2 => sqrt(summed(multiply(weights.clone(), weights).upcast())).upcast(),
        number => return Err(Reason(format!("the combiner number {number} is not supported"))),
    };
    let counts = summed(full(shape(&[count]), number(f32, 1.0), Some(f32)).upcast());
    let spread = |x: Expr| {
        let x = reshape(x, shape(&[prefix, ones.as_slice()].concat()))?;
        Ok::<Expr, Reason>(broadcast_to(x.upcast(), shape(&lengths)).upcast())
    };
    let means = divide(sums.upcast(), spread(divisor)?);
    let is_used = greater(spread(counts)?, number(f32, 0.0));
    Ok(where_(is_used.upcast(), means.upcast(), base).into())
}
