//! Elements at indices, and places of elements.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{IntImm, Var, ops::make_const};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::node::attrs::ReverseSequenceAttrs;
use tvmscript_relax::op::create::{tril, triu, zeros};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, where_};
use tvmscript_relax::op::index::{gather_nd, take};
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::op::search::{argsort, bucketize, topk};
use tvmscript_relax::op::shape::{nonzero, permute_dims};
use tvmscript_relax::{Call, Constant, Expr, PrimValue};

use super::super::node::{Converted, Node, attribute};
use super::rows;
use super::shape::target;
use crate::error::Reason;
use crate::ops::{self, dtype_of, ints, lengths, tensor_of};

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
    "GatherV2" => gather, "take; reshape, add, take with batches", "an axis that is not constant";
    "InvertPermutation" => |cx| {
        let x = cx.input(0)?;
        let dtype = dtype_of(&x);
        Ok(argsort(x, -1, false, dtype).into())
    }, "argsort";
    "MatrixBandPart" => band, "tril, triu", "widths that are not constant";
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
        Ok(scatter_nd(start, indices, updates, "add".into()).into())
    }, "zeros, scatter_nd";
    "Select" => |cx| select(cx, true), "where; reshape of a condition of rank 1";
    "SelectV2" => |cx| select(cx, false), "where";
    "TensorScatterAdd" => |cx| scatter(cx, "add"), "scatter_nd";
    "TensorScatterMax" => |cx| scatter(cx, "max"), "scatter_nd";
    "TensorScatterMin" => |cx| scatter(cx, "min"), "scatter_nd";
    "TensorScatterUpdate" => |cx| scatter(cx, "update"), "scatter_nd";
    "TopK", "TopKV2" => top, "topk and its results", "a number of elements that is not constant";
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
    gather_of_batches(x, indices, axis, batches)
}

/// One gather per batch: indices into all batches at once.
fn gather_of_batches(x: Expr, indices: Expr, axis: i64, batches: i64) -> Converted {
    let (of_x, of_indices) = (lengths(&x)?, lengths(&indices)?);
    let batches = if batches < 0 { of_indices.len() as i64 + batches } else { batches };
    let axis = ops::axis(axis, of_x.len())?;
    let batches = usize::try_from(batches).ok().filter(|batches| *batches == axis);
    let batches = batches.ok_or_else(|| Reason::from("`batch_dims` other than the axis is not supported"))?;
    let (Some(shared), Some(rest), Some(length)) =
        (of_x.get(..batches), of_x.get(axis + 1..), of_x.get(axis))
    else {
        return Err("`batch_dims` is out of range".into());
    };
    let too_large = || Reason::from("the operand is too large");
    let product =
        |dims: &[i64]| dims.iter().try_fold(1i64, |all, dim| all.checked_mul(*dim)).ok_or_else(too_large);
    let count = product(shared)?;
    if usize::try_from(count).map_or(true, |count| count > tvmscript_relax::evaluate::MAX_ELEMENTS) {
        return Err(too_large());
    }
    let mut flat = vec![count.checked_mul(*length).ok_or_else(too_large)?];
    flat.extend(rest);
    let own = of_indices.get(batches..).unwrap_or_default();
    let mut starts_shape = shared.to_vec();
    starts_shape.extend(own.iter().map(|_| 1));
    let starts = (0..i128::from(count)).map(|batch| batch * i128::from(*length));
    let sizes = starts_shape.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect();
    let starts = Tensor::of_ints(dtype_of(&indices), sizes, starts);
    let starts = Constant::new(starts.encode()).upcast();
    let flat = ops::reshape(x, ops::shape(&flat))?;
    Ok(take(flat.upcast(), add(indices, starts).upcast(), Some(0), "fast".into()).into())
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
    Ok(where_(condition, x, y).into())
}

fn scatter(cx: &mut Node<'_, '_>, reduction: &str) -> Converted {
    let [x, indices, updates] = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    Ok(scatter_nd(x, indices, updates, reduction.into()).into())
}

fn top(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let k = match cx.int_attr("k") {
        Some(k) => k,
        None => cx.int(1, "the number of elements")?,
    };
    let dtype = cx.dtype_attr("index_type")?.unwrap_or(DataType::INT32);
    if k < 1 {
        return Err(Reason(format!("the number of elements must be positive, found {k}")));
    }
    Ok(topk(x, k, -1, "both".into(), true, dtype).into())
}
