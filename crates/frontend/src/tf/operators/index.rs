//! Elements at indices, and places of elements.

use tvmscript_ir_core::{DataType, Ref, structural_equal};
use tvmscript_prim::{IntImm, Var, ops::make_const};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::node::attrs::ReverseSequenceAttrs;
use tvmscript_relax::op::create::{tril, triu, zeros};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{less, less_equal, negative, where_};
use tvmscript_relax::op::index::{gather_elements, gather_nd, take};
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::reduce::sum;
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::search::{argsort, bucketize, sort, topk};
use tvmscript_relax::op::shape::{expand_dims, nonzero, permute_dims};
use tvmscript_relax::{Call, Constant, Expr, PrimValue};

use super::super::node::{Converted, Node, attribute};
use super::rows;
use super::shape::target;
use crate::error::Reason;
use crate::ops::{self, dtype_of, ints, tensor_of};

rows! {
    "Bucketize" => |cx| {
        let bounds = attribute(cx.proto, "boundaries").and_then(|value| value.list.as_ref());
        let bounds: Vec<f64> = bounds.map(|list| list.f.iter().map(|bound| f64::from(*bound)).collect()).unwrap_or_default();
        let bounds = Tensor::of_floats(DataType::FLOAT32, vec![bounds.len()], bounds);
        let x = cx.input(0)?;
        let x = if dtype_of(&x) == DataType::FLOAT32 { x } else { astype(x, DataType::FLOAT32).upcast() };
        Ok(bucketize(x, Constant::new(bounds.encode()).upcast(), true, true).into())
    }, "bucketize";
    "Gather", "ResourceGather" => |cx| {
        let (x, indices) = (cx.input(0)?, cx.input(1)?);
        Ok(take(x, indices, Some(0), "fast".into()).into())
    }, "take";
    "GatherNd" => |cx| {
        let (x, indices) = (cx.input(0)?, cx.input(1)?);
        let indices = cx.step(astype(indices, DataType::INT64))?;
        Ok(gather_nd(x, indices, 0).into())
    }, "astype, gather_nd";
    "GatherV2" => gather, "take; with batches permute_dims, gather_nd, permute_dims", "an axis that is not constant";
    "InvertPermutation" => |cx| {
        let x = cx.input(0)?;
        let dtype = dtype_of(&x);
        Ok(argsort(x, -1, false, dtype).into())
    }, "argsort";
    "LowerBound" => |cx| bound(cx, less), "expand_dims, less, astype, sum";
    "MatrixBandPart" => band, "tril, triu", "widths that are not constant";
    "NthElement" => |cx| {
        let [x, at] = [cx.input(0)?, cx.input(1)?];
        let sorted = cx.step(sort(x, -1, cx.flag("reverse")))?;
        Ok(take(sorted, at, Some(-1), "fast".into()).into())
    }, "sort, take";
    "OneHot" => one_hot_, "one_hot", "a depth or values that are not constant";
    "ReverseSequence" => |cx| {
        let (x, counts) = (cx.input(0)?, cx.input(1)?);
        let attr = |name| cx.int_attr(name).unwrap_or(0);
        let attrs = ReverseSequenceAttrs { seq_axis: attr("seq_dim"), batch_axis: attr("batch_dim") };
        Ok(Call::of_op("relax.reverse_sequence", [x, counts], Some(Ref::new(attrs).upcast())).into())
    }, "reverse_sequence";
    "ScatterNd" => |cx| {
        let (indices, updates) = (cx.input(0)?, cx.input(1)?);
        let shape = target(cx, 2)?;
        let start = cx.step(zeros(shape, dtype_of(&updates)))?;
        let batches = ops::rank(&indices)?.saturating_sub(1);
        let updates = cx.agree_first(&indices, updates, batches)?;
        Ok(scatter_nd(start, indices, updates, "add".into()).into())
    }, "zeros, scatter_nd";
    "Select" => |cx| select(cx, true), "where; reshape of a condition of rank 1";
    "SelectV2" => |cx| select(cx, false), "where";
    "TensorScatterAdd" => |cx| scatter(cx, "add"), "scatter_nd";
    "TensorScatterMax" => |cx| scatter(cx, "max"), "scatter_nd";
    "TensorScatterMin" => |cx| scatter(cx, "min"), "scatter_nd";
    "TensorScatterSub" => |cx| scatter(cx, "subtract"), "negative, scatter_nd";
    "TensorScatterUpdate" => |cx| scatter(cx, "update"), "scatter_nd";
    "TopK", "TopKV2" => top, "topk and its results", "a number of elements that is not constant";
    "UpperBound" => |cx| bound(cx, less_equal), "expand_dims, less_equal, astype, sum";
    "Where" => |cx| {
        let x = cx.input(0)?;
        let rank = IntImm::int64(ops::rank(&x)? as i64);
        let count = Var::new(format!("{}_count", cx.layer), DataType::INT64).upcast();
        let found = cx.graph().match_cast(nonzero(x), tensor_of([rank, count], DataType::INT64))?;
        Ok(permute_dims(found, Some(ints(&[1, 0]))).into())
    }, "nonzero, permute_dims";
}

fn gather(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(2, "the axis")?;
    if cx.is_symbolic(0)
        && let (Some(dims), Some(indices)) = (cx.known_dims(0), cx.known_dims(1))
    {
        let count = dims.values.len() as i64;
        let value = |index: &tvmscript_prim::Expr| {
            let index = tvmscript_prim::ops::int_value(index)?;
            let index = if index < 0 { index.checked_add(count)? } else { index };
            dims.values.get(usize::try_from(index).ok()?).cloned()
        };
        let found: Option<Vec<_>> = indices.values.iter().map(value).collect();
        let found = found.ok_or_else(|| Reason::from("an index is out of range"))?;
        return Ok(super::super::dims::Dims { is_scalar: indices.is_scalar, ..dims.with(found) }.into());
    }
    let (x, indices) = (cx.input(0)?, cx.input(1)?);
    let batches = cx.int_attr("batch_dims").unwrap_or(0);
    if batches == 0 {
        return Ok(take(x, indices, Some(axis), "fast".into()).into());
    }
    gather_of_batches(cx, [x, indices], axis, batches)
}

/// A gather along an axis that comes after shared batches. The axis is moved to the batches, and back.
fn gather_of_batches(cx: &mut Node<'_, '_>, [x, indices]: [Expr; 2], axis: i64, batches: i64) -> Converted {
    let (rank, own) = (ops::rank(&x)?, ops::rank(&indices)?);
    let batches = if batches < 0 { batches + own as i64 } else { batches };
    let axis = ops::axis(axis, rank)?;
    let batches = usize::try_from(batches).ok().filter(|batches| *batches <= axis && *batches <= own);
    let batches = batches.ok_or_else(|| Reason::from("`batch_dims` is out of range"))?;
    let indices = cx.agree_first(&x, indices, batches)?;
    let order =
        |first: std::ops::Range<usize>, second: std::ops::Range<usize>, rest: std::ops::Range<usize>| {
            let all = (0..batches).chain(first).chain(second).chain(rest);
            all.map(|at| at as i64).collect::<Vec<_>>()
        };
    let is_moved = axis > batches;
    let x = match is_moved {
        true => {
            cx.step(permute_dims(x, Some(ints(&order(axis..axis + 1, batches..axis, axis + 1..rank)))))?
        }
        false => x,
    };
    let indices = cx.step(astype(indices, DataType::INT64))?;
    let indices = cx.step(expand_dims(indices, ints(&[-1])))?;
    let found = gather_nd(x, indices, batches as i64);
    if !is_moved {
        return Ok(found.into());
    }
    let found = cx.step(found)?;
    // The new axes come first, then those before the axis of the gather.
    let between = axis - batches;
    let last = own + between;
    let order = order(own..last, batches..own, last..last + rank - axis - 1);
    Ok(permute_dims(found, Some(ints(&order))).into())
}

/// The diagonals around the main one; a negative width keeps all.
fn band(cx: &mut Node<'_, '_>) -> Converted {
    let mut x = cx.input(0)?;
    let (lower, upper) = (cx.int(1, "the lower width")?, cx.int(2, "the upper width")?);
    if lower >= 0 {
        x = triu(x, ops::int_operand(-lower)).upcast();
    }
    if upper >= 0 {
        x = tril(x, ops::int_operand(upper)).upcast();
    }
    Ok(x.into())
}

fn one_hot_(cx: &mut Node<'_, '_>) -> Converted {
    let depth = cx.int(1, "the depth")?;
    if depth < 1 {
        return Err(Reason(format!("the depth must be positive, found {depth}")));
    }
    let on = cx.input(2)?;
    let dtype = dtype_of(&on);
    let value = |number: f64| -> Result<Expr, Reason> {
        let value = match tvmscript_ir_core::arithmetic::is_float(dtype) {
            true => make_const(dtype, number)?,
            false => make_const(dtype, number as i64)?,
        };
        Ok(PrimValue::new(value).upcast())
    };
    let (on, off) = (value(cx.number(2, "the value")?)?, value(cx.number(3, "the other value")?)?);
    let axis = cx.int_attr("axis").unwrap_or(-1);
    Ok(one_hot(cx.input(0)?, on, off, depth, axis).into())
}

fn select(cx: &mut Node<'_, '_>, is_of_rows: bool) -> Converted {
    let [mut condition, x, y] = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    let rank = ops::rank_of(&x).unwrap_or(0);
    if is_of_rows && ops::rank_of(&condition) == Some(1) && rank > 1 {
        let ones = std::iter::repeat_with(|| tvmscript_prim::IntImm::int64(1)).take(rank - 1);
        let dims = ops::dims(&condition)?;
        condition = ops::reshape(condition, ops::shape_of(dims.into_iter().chain(ones)))?.upcast();
    }
    let x = cx.broadcast_with(&condition, x)?;
    let y = cx.broadcast_with(&x, y)?;
    let y = cx.broadcast_with(&condition, y)?;
    Ok(where_(condition, x, y).into())
}

fn scatter(cx: &mut Node<'_, '_>, reduction: &str) -> Converted {
    let [x, indices, updates] = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    let batches = ops::rank(&indices)?.saturating_sub(1);
    let updates = cx.agree_first(&indices, updates, batches)?;
    let (updates, reduction) = match reduction {
        "subtract" => (negative(updates).upcast(), "add"),
        _ => (updates, reduction),
    };
    Ok(scatter_nd(x, indices, updates, reduction.into()).into())
}

/// For each value, how many elements of the sorted row pass a test against it.
fn bound(cx: &mut Node<'_, '_>, test: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let [rows, values] = [cx.input(0)?, cx.input(1)?];
    let values = cx.agree_first(&rows, values, 1)?;
    let rows = cx.step(expand_dims(rows, ints(&[-2])))?;
    let values = cx.step(expand_dims(values, ints(&[-1])))?;
    let dtype = cx.out_type()?;
    let passes = cx.step(astype(test(rows, values).upcast(), dtype))?;
    Ok(sum(passes, Some(ints(&[-1])), false).into())
}

fn top(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dtype = cx.dtype_attr("index_type")?.unwrap_or(DataType::INT32);
    let last = ops::dims_of(&x).and_then(|dims| dims.last().cloned());
    let stated = cx.known_dims(1).and_then(|dims| dims.values.first().cloned());
    if cx.is_symbolic(1)
        && let (Some(last), Some(stated)) = (last, stated)
        && structural_equal(last.object(), stated.object())
    {
        // All elements are sorted.
        let indices = cx.step(argsort(x.clone(), -1, true, DataType::INT64))?;
        let sorted = gather_elements(x, indices.clone(), -1).upcast();
        return Ok(vec![sorted, astype(indices, dtype).upcast()].into());
    }
    let k = match cx.int_attr("k") {
        Some(k) => k,
        None => cx.int(1, "the number of elements")?,
    };
    if k < 1 {
        return Err(Reason(format!("the number of elements must be positive, found {k}")));
    }
    Ok(topk(x, k, -1, "both".into(), true, dtype).into())
}
