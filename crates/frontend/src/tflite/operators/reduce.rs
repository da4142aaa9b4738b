//! Reductions along axes.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::IntImm;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::join::flip;
use tvmscript_relax::op::reduce as op;
use tvmscript_relax::op::search::topk;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node};
use super::super::schema::{Cumsum, Reducer};
use super::rows;
use crate::error::Reason;
use crate::ops::{int, ints};

rows! {
    "ARG_MAX": Real |cx| argument(cx, op::argmax) => "argmax";
    "ARG_MIN": Real |cx| argument(cx, op::argmin) => "argmin";
    "CUMSUM": Real cumsum => "cumsum; flip if reversed";
    "MEAN": Real |cx| reduced(cx, op::mean) => "mean";
    "REDUCE_ALL": Stored |cx| of_bools(cx, op::min) => "astype, min";
    "REDUCE_ANY": Stored |cx| of_bools(cx, op::max) => "astype, max";
    "REDUCE_MAX": Real |cx| reduced(cx, op::max) => "max";
    "REDUCE_MIN": Real |cx| reduced(cx, op::min) => "min";
    "REDUCE_PROD": Real |cx| reduced(cx, op::prod) => "prod";
    "SUM": Real |cx| reduced(cx, op::sum) => "sum";
    "TOPK_V2": Real |cx| {
        let count = cx.single_int(1, "the number of elements")?;
        Ok(topk(cx.input(0)?, count, -1, "both".into(), true, DataType::INT32).into())
    } => "topk";
}

/// A reduction: the tensor, the axes, and whether they stay with length 1.
type Reduction = fn(Expr, Option<Array<Ref<IntImm>>>, bool) -> Ref<Call>;

fn axes(cx: &mut Node<'_, '_>) -> Result<Option<Array<Ref<IntImm>>>, Reason> {
    Ok(Some(ints(&cx.ints(1, "the axes")?)))
}

fn reduced(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let (axes, keeps) = (axes(cx)?, cx.flag(Reducer::KeepDims)?);
    Ok(op(cx.input(0)?, axes, keeps).into())
}

fn of_bools(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let (axes, keeps) = (axes(cx)?, cx.flag(Reducer::KeepDims)?);
    let bytes = astype(cx.input(0)?, DataType::int(8)).upcast();
    Ok(astype(op(bytes, axes, keeps).upcast(), DataType::BOOL).into())
}

fn argument(cx: &mut Node<'_, '_>, op: fn(Expr, Option<i64>, bool) -> Ref<Call>) -> Converted {
    let axis = cx.single_int(1, "the axis")?;
    Ok(op(cx.input(0)?, Some(axis), false).into())
}

fn cumsum(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.single_int(1, "the axis")?;
    let (exclusive, reverse) = (cx.flag(Cumsum::Exclusive)?, cx.flag(Cumsum::Reverse)?);
    let dtype = super::activation::real_dtype(cx)?;
    let turned = |x: Expr| if reverse { flip(x, int(axis)).upcast() } else { x };
    let x = turned(cx.input(0)?);
    let sums = op::cumsum(x, Some(axis), Some(dtype), Some(exclusive));
    Ok(turned(sums.upcast()).into())
}
