//! Reductions of rows that share a number, and counts of numbers.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::{arange, full, ones_like};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::reduce::{max, sum};
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::shape::{expand_dims, tensor_to_shape};
use tvmscript_relax::{Constant, Expr, ShapeStructInfo};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::names::{Reference, reference};
use super::super::node::{Converted, Node};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, number};

rows! {
    "Bincount" => |cx| {
        let size = size(cx)?;
        let x = cx.input(0)?;
        let x = cx.step(ops::reshape(x, ops::shape(&[-1]))?)?;
        counts(cx, x, size, 2)
    }, "reshape, arange, equal, astype, sum", "a number of counts that is not constant";
    "DenseBincount" => |cx| {
        let size = size(cx)?;
        let x = cx.input(0)?;
        counts(cx, x, size, 2)
    }, "arange, equal, astype, sum", "a number of counts that is not constant";
    "HistogramFixedWidth" => histogram, "subtract, divide, multiply, floor, clip, equal, sum",
        "a number of bins that is not constant";
    "SegmentMax" => |cx| sorted(cx, "max", Start::Lowest), "full, scatter_nd, greater, where";
    "SegmentMean" => mean, "full, scatter_nd, maximum, divide";
    "SegmentMin" => |cx| sorted(cx, "min", Start::Greatest), "full, scatter_nd, greater, where";
    "SegmentProd" => |cx| sorted(cx, "mul", Start::Number(1.0)), "full, scatter_nd";
    "SegmentSum" => |cx| sorted(cx, "add", Start::Number(0.0)), "full, scatter_nd";
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

/// The number of segments: one more than the greatest number, which may be known only at run time.
fn count_of(cx: &mut Node<'_, '_>, ids: &Expr) -> Result<prim::Expr, Reason> {
    if let Some(ids) = ops::integers(ids) {
        let count = ids.into_iter().max().unwrap_or(-1).saturating_add(1);
        return match (0..1 << 24).contains(&count) {
            true => Ok(IntImm::int64(count)),
            false => Err("the numbers of the segments are out of range".into()),
        };
    }
    let last = cx.step(max(ids.clone(), None, false))?;
    let last = cx.step(astype(last, DataType::INT64))?;
    let count = cx.step(op::add(last, ops::int64_number(1)))?;
    let count = cx.step(ops::reshape(count, ops::shape(&[1]))?)?;
    let shape = tensor_to_shape(count);
    let length: prim::Expr = prim::Var::new(format!("{}_count", cx.layer), DataType::INT64).upcast();
    let info = ShapeStructInfo::try_of([length.clone()])?;
    cx.graph().match_cast(shape, info)?;
    Ok(length)
}

/// Rows reduced by number.
fn scattered(
    cx: &mut Node<'_, '_>,
    [x, ids]: [Expr; 2],
    count: prim::Expr,
    start: Start,
    reduction: &str,
) -> Result<Expr, Reason> {
    let (dims, rank) = (ops::dims(&x)?, ops::rank(&ids)?);
    let row = dims.get(rank..).ok_or_else(|| Reason::from("has more axes of numbers than of data"))?;
    let dtype = dtype_of(&x);
    let shape = ops::shape_of(std::iter::once(count).chain(row.iter().cloned()));
    let start = cx.step(full(shape, start.of(dtype), Some(dtype)))?;
    let indices = cx.step(expand_dims(ids, ints(&[-1])))?;
    let indices = cx.step(astype(indices, DataType::INT64))?;
    cx.step(scatter_nd(start, indices, x, reduction.into()))
}

/// Segments by numbers that may come in any order; rows with negative numbers are left out.
fn unsorted(cx: &mut Node<'_, '_>, reduction: &str, start: Start) -> Converted {
    let count = cx.dims(2, "the number of segments")?;
    let count = count.values.into_iter().next().ok_or_else(|| Reason::from("has no number of segments"))?;
    let [x, ids] = numbered(cx)?;
    // The rows that are left out go to one more segment.
    let more = tvmscript_arith::simplify(&prim::ops::add(count.clone(), IntImm::int64(1))?);
    let dtype = dtype_of(&ids);
    let last = cx.importer.tensor(&Value::Dims(Dims::scalar(count.clone(), dtype)))?;
    let is_out = op::less(ids.clone(), number(dtype, 0.0)).upcast();
    let ids = cx.step(op::where_(is_out, last, ids))?;
    let all = scattered(cx, [x, ids], more, start, reduction)?;
    Ok(slice(all, &[Range::until(0, 0, count)]).into())
}

/// The rows and their numbers.
fn numbered(cx: &mut Node<'_, '_>) -> Result<[Expr; 2], Reason> {
    let [x, ids] = [cx.input(0)?, cx.input(1)?];
    let rank = ops::rank(&ids)?;
    let x = cx.agree_first(&ids, x, rank)?;
    Ok([x, ids])
}

/// The number of rows of each segment, for rows of data `x`.
fn sizes(cx: &mut Node<'_, '_>, x: &Expr, ids: &Expr, count: &prim::Expr) -> Result<Expr, Reason> {
    let ones = cx.step(ones_like(ids.clone(), Some(dtype_of(x))))?;
    let sizes = scattered(cx, [ones, ids.clone()], count.clone(), Start::Number(0.0), "add")?;
    let axes: Vec<i64> = (1..ops::rank(x)? as i64).collect();
    if axes.is_empty() { Ok(sizes) } else { cx.step(expand_dims(sizes, ints(&axes))) }
}

/// Segments by sorted numbers; those without rows are 0, or 1 for products.
fn sorted(cx: &mut Node<'_, '_>, reduction: &str, start: Start) -> Converted {
    let [x, ids] = numbered(cx)?;
    let count = count_of(cx, &ids)?;
    let dtype = dtype_of(&x);
    if matches!(start, Start::Number(_)) {
        return Ok(scattered(cx, [x, ids], count, start, reduction)?.into());
    }
    let sizes = sizes(cx, &x, &ids, &count)?;
    let found = scattered(cx, [x, ids], count, start, reduction)?;
    let zero = || number(dtype, 0.0);
    Ok(op::where_(op::greater(sizes, zero()).upcast(), found, zero()).into())
}

fn mean(cx: &mut Node<'_, '_>) -> Converted {
    let [x, ids] = numbered(cx)?;
    let count = count_of(cx, &ids)?;
    let sizes = sizes(cx, &x, &ids, &count)?;
    let least = number(dtype_of(&x), 1.0);
    let sums = scattered(cx, [x, ids], count, Start::Number(0.0), "add")?;
    Ok(op::divide(sums, op::maximum(sizes, least).upcast()).into())
}

/// The number of counts: a constant, or a number that a minimum and a maximum leave no choice.
fn size(cx: &Node<'_, '_>) -> Result<i64, Reason> {
    let used = cx.proto.input.get(1).and_then(|input| reference(input));
    let [low, high] = used.map_or([i64::MIN, i64::MAX], |used| limits(cx, used, 8));
    match low == high {
        true => Ok(low),
        false => Err("the number of counts must be constant".into()),
    }
}

/// The least and the greatest value that an integer can have.
fn limits(cx: &Node<'_, '_>, used: Reference<'_>, depth: usize) -> [i64; 2] {
    let any = [i64::MIN, i64::MAX];
    let Some((scope, at)) = cx.importer.scope().and_then(|scope| Some((scope, scope.node_of(used)?))) else {
        return any;
    };
    let known = match scope.results.get(&at).and_then(|results| results.get(used.index)) {
        Some(Value::Tensor(value)) => ops::integers(value),
        _ => None,
    };
    if let Some([value]) = known.as_deref() {
        return [*value; 2];
    }
    let Some(node) = scope.nodes.get(at).filter(|_| depth > 0) else { return any };
    let mut operands = node.input.iter().filter_map(|input| reference(input));
    let mut next = || operands.next().map_or(any, |used| limits(cx, used, depth - 1));
    match node.op.as_ref() {
        b"Identity" => next(),
        b"Minimum" => {
            let ([a, b], [c, d]) = (next(), next());
            [a.min(c), b.min(d)]
        }
        b"Maximum" => {
            let ([a, b], [c, d]) = (next(), next());
            [a.max(c), b.max(d)]
        }
        _ => any,
    }
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
