//! Reductions of rows that share a number, and counts of numbers.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::{arange, full};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::reduce::{max, sum};
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::shape::expand_dims;
use tvmscript_relax::{Constant, Expr};

use super::super::node::{Converted, Node};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, number};

rows! {
    "Bincount" => |cx| {
        let size = cx.int(1, "the number of counts")?;
        let x = cx.input(0)?;
        let x = cx.step(ops::reshape(x, ops::shape(&[-1]))?)?;
        counts(cx, x, size, 2)
    }, "reshape, arange, equal, astype, sum", "a number of counts that is not constant";
    "DenseBincount" => |cx| {
        let size = cx.int(1, "the number of counts")?;
        let x = cx.input(0)?;
        counts(cx, x, size, 2)
    }, "arange, equal, astype, sum", "a number of counts that is not constant";
    "HistogramFixedWidth" => histogram, "subtract, divide, multiply, floor, clip, equal, sum",
        "a number of bins that is not constant";
    "SegmentMax" => |cx| sorted(cx, "max", Start::Lowest), "full, scatter_nd, where", "numbers that are not constant";
    "SegmentMean" => mean, "full, scatter_nd, divide", "numbers that are not constant";
    "SegmentMin" => |cx| sorted(cx, "min", Start::Greatest), "full, scatter_nd, where", "numbers that are not constant";
    "SegmentProd" => |cx| sorted(cx, "mul", Start::Number(1.0)), "full, scatter_nd", "numbers that are not constant";
    "SegmentSum" => |cx| sorted(cx, "add", Start::Number(0.0)), "full, scatter_nd", "numbers that are not constant";
    "UnsortedSegmentMax" => |cx| unsorted(cx, "max", Start::Lowest), "less, where, full, scatter_nd, strided_slice";
    "UnsortedSegmentMin" => |cx| unsorted(cx, "min", Start::Greatest), "less, where, full, scatter_nd, strided_slice";
    "UnsortedSegmentProd" => |cx| unsorted(cx, "mul", Start::Number(1.0)), "less, where, full, scatter_nd, strided_slice";
    "UnsortedSegmentSum" => |cx| unsorted(cx, "add", Start::Number(0.0)), "less, where, full, scatter_nd, strided_slice";
}

/// The value of a segment without rows.
#[derive(Clone, Copy)]
enum Start {
    Number(f64),
    Lowest,
    Greatest,
}

impl Start {
    fn of(self, dtype: DataType) -> Expr {
        match self {
            Start::Number(value) => number(dtype, value),
            Start::Lowest => extreme(dtype, false),
            Start::Greatest => extreme(dtype, true),
        }
    }
}

/// The greatest or lowest finite number of a type.
pub(super) fn extreme(dtype: DataType, is_greatest: bool) -> Expr {
    let bits = u32::from(dtype.bits).clamp(1, 64);
    if dtype.is_any_float() {
        let greatest = match bits {
            64 => f64::MAX,
            16 if dtype == DataType::float(16) => 65504.0,
            _ => f64::from(f32::MAX),
        };
        return number(dtype, if is_greatest { greatest } else { -greatest });
    }
    let (low, high) = match dtype.is_uint() {
        true => (0, (1i128 << bits) - 1),
        false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    };
    let value = if is_greatest { high } else { low };
    Constant::new(Tensor::of_ints(dtype, Vec::new(), [value]).encode()).upcast()
}

/// Rows reduced by number: as many segments, and dimensions of a row.
fn scattered(
    cx: &mut Node<'_, '_>,
    [x, ids]: [Expr; 2],
    count: prim::Expr,
    start: Start,
    reduction: &str,
) -> Result<Expr, Reason> {
    let (dims, rank) = (ops::dims(&x)?, ops::rank(&ids)?);
    let rest = dims.get(rank..).ok_or_else(|| Reason::from("has more axes of numbers than of data"))?;
    let dtype = dtype_of(&x);
    let shape = ops::shape_of(std::iter::once(count).chain(rest.iter().cloned()));
    let start = cx.step(full(shape, start.of(dtype), Some(dtype)))?;
    let indices = cx.step(expand_dims(ids, ints(&[-1])))?;
    let indices = cx.step(astype(indices, DataType::INT64))?;
    cx.step(scatter_nd(start, indices, x, reduction.into()))
}

/// Segments by numbers that may come in any order; rows with negative numbers are left out.
fn unsorted(cx: &mut Node<'_, '_>, reduction: &str, start: Start) -> Converted {
    let count = cx.dims(2, "the number of segments")?;
    let count = count.values.into_iter().next().ok_or_else(|| Reason::from("has no number of segments"))?;
    let [x, ids] = [cx.input(0)?, cx.input(1)?];
    let rank = ops::rank(&ids)?;
    let x = cx.agree(&ids, x, |axis| (axis < rank).then_some(axis))?;
    // The rows that are left out go to one more segment.
    let more = tvmscript_arith::simplify(&prim::ops::add(count.clone(), IntImm::int64(1))?);
    let dtype = dtype_of(&ids);
    let last = cx.importer.tensor(&super::super::importer::Value::Dims(super::super::dims::Dims::scalar(
        count.clone(),
        dtype,
    )))?;
    let is_out = op::less(ids.clone(), number(dtype, 0.0)).upcast();
    let ids = cx.step(op::where_(is_out, last, ids))?;
    let all = scattered(cx, [x, ids], more, start, reduction)?;
    Ok(slice(all, &[Range::until(0, 0, count)]).into())
}

/// The constant numbers of sorted segments, and the number of rows in each.
fn sorted_ids(cx: &Node<'_, '_>) -> Result<Vec<i64>, Reason> {
    let ids = cx.ints(1, "the numbers of the segments")?;
    let last = ids.iter().copied().max().unwrap_or(-1);
    let is_good = ids.iter().all(|id| *id >= 0) && last < 1 << 24;
    let length = usize::try_from(last + 1).ok().filter(|_| is_good);
    let mut counts =
        vec![0; length.ok_or_else(|| Reason::from("the numbers of the segments are out of range"))?];
    for id in ids {
        if let Some(count) = usize::try_from(id).ok().and_then(|id| counts.get_mut(id)) {
            *count += 1;
        }
    }
    Ok(counts)
}

/// A constant with one number per segment, for rows of data.
fn per_segment(
    x: &Expr,
    dtype: DataType,
    values: impl ExactSizeIterator<Item = i64>,
) -> Result<Expr, Reason> {
    let mut shape = vec![values.len()];
    shape.resize(ops::rank(x)?.max(1), 1);
    let values = Tensor::of_ints(DataType::INT64, shape, values.map(i128::from));
    Ok(astype(Constant::new(values.encode()).upcast(), dtype).upcast())
}

fn sorted(cx: &mut Node<'_, '_>, reduction: &str, start: Start) -> Converted {
    let counts = sorted_ids(cx)?;
    let [x, ids] = [cx.input(0)?, cx.input(1)?];
    let dtype = dtype_of(&x);
    let empty = per_segment(&x, DataType::BOOL, counts.iter().map(|count| i64::from(*count == 0)))?;
    let empty = cx.step(empty)?;
    let found = scattered(cx, [x, ids], IntImm::int64(counts.len() as i64), start, reduction)?;
    Ok(match start {
        Start::Number(_) => found.into(),
        _ if counts.iter().all(|count| *count > 0) => found.into(),
        _ => op::where_(empty, number(dtype, 0.0), found).into(),
    })
}

fn mean(cx: &mut Node<'_, '_>) -> Converted {
    let counts = sorted_ids(cx)?;
    let [x, ids] = [cx.input(0)?, cx.input(1)?];
    let divisors = per_segment(&x, dtype_of(&x), counts.iter().map(|count| (*count).max(1)))?;
    let divisors = cx.step(divisors)?;
    let count = IntImm::int64(counts.len() as i64);
    let sums = scattered(cx, [x, ids], count, Start::Number(0.0), "add")?;
    Ok(op::divide(sums, divisors).into())
}

/// How often each number below `size` is in a row, or the sum of its weights.
fn counts(cx: &mut Node<'_, '_>, x: Expr, size: i64, weights: usize) -> Converted {
    if !(1..=1 << 24).contains(&size) {
        return Err("the number of counts is out of range".into());
    }
    let weights = if cx.count() > weights { Some(cx.input(weights)?) } else { None };
    let dtype = weights.as_ref().map_or(DataType::INT32, dtype_of);
    let weights = weights.filter(|weights| ops::lengths_of(weights).is_none_or(|dims| !dims.contains(&0)));
    let numbers = arange(int_operand(0), Some(int_operand(size)), int_operand(1), Some(dtype_of(&x)));
    let numbers = cx.step(numbers)?;
    let own = cx.step(expand_dims(x, ints(&[-1])))?;
    let mut is_it = cx.step(astype(op::equal(own, numbers).upcast(), dtype))?;
    if let Some(weights) = weights {
        let weights = cx.step(expand_dims(weights, ints(&[-1])))?;
        let weights = cx.agree(&is_it, weights, Some)?;
        is_it = cx.step(op::multiply(is_it, weights))?;
    }
    let reduce = if cx.flag("binary_output") { max } else { sum };
    Ok(reduce(is_it, Some(ints(&[-2])), false).into())
}

/// How many values are in each of equal parts of a range; values outside count in the first and last part.
fn histogram(cx: &mut Node<'_, '_>) -> Converted {
    let size = cx.int(2, "the number of bins")?;
    let [x, range] = [cx.input(0)?, cx.input(1)?];
    let dtype = dtype_of(&x);
    let x = cx.step(ops::reshape(x, ops::shape(&[-1]))?)?;
    let low = cx.step(slice(range.clone(), &[Range::of(0, 0, 1)]))?;
    let high = cx.step(slice(range, &[Range::of(0, 1, 2)]))?;
    let width = op::subtract(high, low.clone()).upcast();
    let part = op::divide(op::subtract(x, low).upcast(), width).upcast();
    let part = op::floor(op::multiply(part, number(dtype, size as f64)).upcast()).upcast();
    let part = op::clip(part, int_operand(0), int_operand(size.saturating_sub(1))).upcast();
    let part = cx.step(astype(part, DataType::INT32))?;
    counts(cx, part, size, usize::MAX)
}
