//! Sorting and searching.

use tvmscript_ir_core::DataType;
use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise::{equal, greater};
use tvmscript_relax::op::index::gather_elements;
use tvmscript_relax::op::search::{argsort, bucketize, topk};
use tvmscript_relax::op::shape::{expand_dims, nonzero, permute_dims, squeeze};
use tvmscript_relax::op::{join::one_hot, reduce::sum};

use super::super::node::Node;
use super::super::value::{Converted, Number};
use super::rows;
use crate::ops::{self, dtype_of, field, ints, rank};

rows! { "aten.":
    "argsort.default", "argsort.stable" => "argsort", |cx| {
        let x = cx.tensor(0)?;
        let (axis, falls) = sort_arguments(cx)?;
        cx.result(argsort(x, axis, falls, DataType::INT64))
    };
    "sort.default", "sort.stable" => "argsort, gather_elements", |cx| {
        let x = cx.tensor(0)?;
        let (axis, falls) = sort_arguments(cx)?;
        let indices = cx.emit(argsort(x.clone(), axis, falls, DataType::INT64))?;
        let values = cx.emit(gather_elements(x, indices.clone(), axis))?;
        cx.tuple(vec![values, indices])
    };
    "topk.default" => "topk" ("results out of order"), |cx| {
        let x = cx.tensor(0)?;
        let (count, axis) = (cx.int(1, "k", 1)?, cx.int(2, "dim", -1)?);
        let largest = cx.flag(3, "largest", true)?;
        cx.result(topk(x, count, axis, "both".into(), largest, DataType::INT64))
    };
    "max.dim" => "topk, squeeze", |cx| extreme(cx, true);
    "min.dim" => "topk, squeeze", |cx| extreme(cx, false);
    "bucketize.Tensor" => "bucketize", |cx| {
        let (x, boundaries) = (cx.tensor(0)?, cx.tensor(1)?);
        let (is_short, right) = (cx.flag(2, "out_int32", false)?, cx.flag(3, "right", false)?);
        cx.result(bucketize(x, boundaries, is_short, right))
    };
    "isin.Tensor_Tensor" => "expand_dims, reshape, equal, sum, greater", |cx| {
        let (x, among) = (cx.tensor(0)?, cx.tensor(1)?);
        let expanded = expand_dims(x.clone(), ints(&[-1]));
        let flat = ops::reshape(among, ops::shape(&[-1]))?;
        let is_equal = equal(expanded.upcast(), flat.upcast());
        let count = sum(is_equal.upcast(), Some(ints(&[-1])), false);
        let zero = Number::Int(0).constant(dtype_of(&x));
        cx.result(greater(count.upcast(), zero))
    };
    "nonzero.default" => "nonzero, match_cast, permute_dims", |cx| {
        let x = cx.tensor(0)?;
        let rank = rank(&x)?;
        let found = cx.emit(nonzero(x))?;
        let found = cast_to_matrix(cx, found, rank as i64)?;
        cx.result(permute_dims(found, Some(ints(&[1, 0]))))
    };
    "one_hot.default" => "one_hot" ("a number of classes that depends on the data"), |cx| {
        let x = cx.tensor(0)?;
        let depth = cx.int(1, "num_classes", -1)?;
        if depth <= 0 {
            return Err("the number of classes must be known".into());
        }
        cx.result(one_hot(x, Number::Int(1).scalar(), Number::Int(0).scalar(), depth, -1))
    };
}

/// Axis and direction.
fn sort_arguments(cx: &mut Node<'_, '_>) -> Result<(i64, bool), crate::error::Reason> {
    let is_stable = cx.proto.operator().ends_with(".stable");
    // All arguments of the stable forms but the first are named.
    let [axis, falls] = if is_stable { [usize::MAX; 2] } else { [1, 2] };
    Ok((cx.int(axis, "dim", -1)?, cx.flag(falls, "descending", false)?))
}

/// The greatest or least elements along an axis, with their indices.
fn extreme(cx: &mut Node<'_, '_>, largest: bool) -> Converted {
    let x = cx.tensor(0)?;
    let axis = cx.needed_int(1, "dim")?;
    let keeps = cx.flag(2, "keepdim", false)?;
    let found = cx.emit(topk(x, 1, axis, "both".into(), largest, DataType::INT64))?;
    let [mut values, mut indices] = [field(&found, 0), field(&found, 1)];
    if !keeps {
        values = cx.emit(squeeze(values, Some(ints(&[axis]))))?;
        indices = cx.emit(squeeze(indices, Some(ints(&[axis]))))?;
    }
    cx.tuple(vec![values, indices])
}

/// States that a tensor has this many rows, and columns of a number that is known at run time.
pub(super) fn cast_to_matrix(
    cx: &mut Node<'_, '_>,
    value: Expr,
    rows: i64,
) -> Result<Expr, crate::error::Reason> {
    let count = tvmscript_prim::Var::new("num_selected", DataType::INT64).upcast();
    let dims = [tvmscript_prim::IntImm::int64(rows), count];
    Ok(cx.graph().match_cast(value, ops::tensor_of(dims, DataType::INT64))?)
}
