//! Changes of shape and of element type.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm, ops as scalar, ops::int_value};
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::join::{flip, repeat, tile};
use tvmscript_relax::op::shape::{broadcast_to, expand_dims, permute_dims, squeeze};

use super::super::node::Node;
use super::super::value::{Converted, Value};
use super::{operand, rows};
use crate::error::Reason;
use crate::ops::{self, dims, dims_of, dtype_of, int, ints, rank, shape_of};

rows! { "aten.":
    "view.default", "reshape.default", "_unsafe_view.default", "_reshape_alias.default" => "reshape", |cx| {
        let x = cx.tensor(0)?;
        let target = cx.shape(1, "size")?;
        match dims_of(&x).is_some_and(|dims| is_same(&dims, &target)) {
            true => Ok(x.into()),
            false => reshaped(cx, x, target),
        }
    };
    "reshape_as.default", "view_as.default" => "reshape", |cx| {
        let (x, other) = (cx.tensor(0)?, cx.tensor(1)?);
        reshaped(cx, x, dims(&other)?)
    };
    "as_strided.default" => "reshape" ("elements out of order"), as_strided;
    "flatten.using_ints" => "reshape", flatten;
    "unflatten.int" => "reshape", |cx| {
        let x = cx.tensor(0)?;
        let mut target = dims(&x)?;
        let axis = ops::axis(cx.needed_int(1, "dim")?, target.len())?;
        target.splice(axis..=axis, cx.shape(2, "sizes")?);
        reshaped(cx, x, target)
    };
    "permute.default" => "permute_dims", |cx| {
        let (x, axes) = (cx.tensor(0)?, cx.needed_ints(1, "dims")?);
        cx.result(permute_dims(x, Some(ints(&axes))))
    };
    "transpose.int", "swapaxes.default", "swapdims.default" => "permute_dims", |cx| {
        let (a, b) = (cx.needed_int(1, "dim0")?, cx.needed_int(2, "dim1")?);
        swapped(cx, a, b)
    };
    "t.default" => "permute_dims", |cx| {
        let x = cx.tensor(0)?;
        if rank(&x)? < 2 { Ok(x.into()) } else { swapped(cx, 0, 1) }
    };
    "mT.default", "mH.default", "adjoint.default" => "permute_dims", |cx| swapped(cx, -2, -1);
    "numpy_T.default" => "permute_dims", |cx| {
        let x = cx.tensor(0)?;
        cx.result(permute_dims(x, None))
    };
    "movedim.int", "movedim.intlist", "moveaxis.int", "moveaxis.intlist" => "permute_dims", move_axes;
    "unsqueeze.default" => "expand_dims", |cx| {
        let (x, axis) = (cx.tensor(0)?, cx.needed_int(1, "dim")?);
        cx.result(expand_dims(x, ints(&[axis])))
    };
    "squeeze.default", "squeeze.dim", "squeeze.dims" => "squeeze", |cx| {
        let (x, axes) = (cx.tensor(0)?, cx.ints(1, "dim")?);
        let axes = axes.filter(|axes| !axes.is_empty()).map(|axes| ints(&axes));
        cx.result(squeeze(x, axes))
    };
    "expand.default" => "broadcast_to", expand;
    "expand_as.default" => "broadcast_to", |cx| {
        let (x, other) = (cx.tensor(0)?, cx.tensor(1)?);
        let shape = shape_expr(&other)?;
        cx.result(broadcast_to(x, shape))
    };
    "broadcast_to.default" => "broadcast_to", |cx| {
        let (x, target) = (cx.tensor(0)?, cx.shape(1, "size")?);
        cx.result(broadcast_to(x, shape_of(target)))
    };
    "repeat.default", "tile.default" => "tile", |cx| {
        let (x, times) = (cx.tensor(0)?, cx.needed_ints(1, "repeats")?);
        cx.result(tile(x, ints(&times)))
    };
    "repeat_interleave.self_int" => "repeat", |cx| {
        let (x, times) = (cx.tensor(0)?, cx.needed_int(1, "repeats")?);
        let axis = cx.optional_int(2, "dim")?;
        cx.result(repeat(x, times, axis))
    };
    "flip.default" => "flip", |cx| {
        let (mut x, axes) = (cx.tensor(0)?, cx.needed_ints(1, "dims")?);
        for axis in axes {
            x = cx.emit(flip(x, int(axis)))?;
        }
        Ok(x.into())
    };
    "to.dtype", "to.dtype_layout", "to.device", "to.prim_Device", "_to_copy.default" => "astype", convert;
    "to.other", "type_as.default" => "astype", |cx| {
        let (x, other) = (cx.tensor(0)?, cx.tensor(1)?);
        cx.result(astype(x, dtype_of(&other)))
    };
    "lift_fresh_copy.default", "dropout.default", "feature_dropout.default", "alpha_dropout.default",
    "native_dropout.default", "contiguous.default", "clone.default", "detach.default", "alias.default",
    "alias_copy.default", "lift_fresh.default", "lift.default", "resolve_conj.default", "resolve_neg.default",
    "_conj.default", "view.dtype", "requires_grad.default" => "the operand", identity;
    "copy.default" => "astype, broadcast_to", copy;
}

/// Returns `true` if dimensions are the same nodes or numbers.
fn is_same(a: &[prim::Expr], b: &[prim::Expr]) -> bool {
    let is_same = |(a, b): (&prim::Expr, &prim::Expr)| {
        a.ptr_eq(b) || int_value(a).is_some_and(|value| int_value(b) == Some(value))
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// The shape of a tensor as an operand.
pub(super) fn shape_expr(x: &Expr) -> Result<Expr, Reason> {
    Ok(shape_of(dims(x)?))
}

/// Binds a tensor with another shape. Relax takes 0 for the length that the operand has at the axis; one 0 that means no
/// elements can be left to inference.
pub(super) fn reshaped(cx: &mut Node<'_, '_>, x: Expr, target: Vec<prim::Expr>) -> Converted {
    let known = dims_of(&x).unwrap_or_default();
    let length = |at: usize| known.get(at).and_then(int_value);
    let is_wrong = |(at, dim): (usize, &prim::Expr)| int_value(dim) == Some(0) && length(at) != Some(0);
    let is_empty = known.iter().any(|dim| int_value(dim) == Some(0));
    let has_rest = target.iter().any(|dim| int_value(dim) == Some(-1));
    let wrong: Vec<usize> = target
        .iter()
        .enumerate()
        .filter(|place| is_empty && !has_rest && is_wrong(*place))
        .map(|(at, _)| at)
        .collect();
    let mut target = target;
    match wrong.as_slice() {
        [] => {}
        [at] => {
            if let Some(dim) = target.get_mut(*at) {
                *dim = IntImm::int64(-1);
            }
        }
        _ => return Err("several new axes without elements are not supported".into()),
    }
    let value = ops::reshape(x, shape_of(target))?;
    cx.result(value)
}

fn as_strided(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let (size, strides) = (cx.shape(1, "size")?, cx.shape(2, "stride")?);
    if cx.int(3, "storage_offset", 0)? != 0 {
        return Err("an offset is not supported".into());
    }
    let known = |dims: &[prim::Expr]| dims.iter().map(int_value).collect::<Option<Vec<i64>>>();
    if let (Some(size), Some(strides)) = (known(&size), known(&strides)) {
        let mut expected = 1i64;
        for (length, stride) in size.iter().zip(&strides).rev() {
            if *length != 1 && *stride != expected {
                return Err("strides that are not those of a compact tensor are not supported".into());
            }
            expected = expected.saturating_mul(*length);
        }
    }
    reshaped(cx, x, size)
}

fn flatten(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let mut target = dims(&x)?;
    let rank = target.len().max(1);
    let first = ops::axis(cx.int(1, "start_dim", 0)?, rank)?;
    let last = ops::axis(cx.int(2, "end_dim", -1)?, rank)?;
    if first > last {
        return Err(Reason(format!("the first axis {first} is after the last one, {last}")));
    }
    if target.is_empty() {
        return cx.result(ops::reshape(x, ops::shape(&[1]))?);
    }
    let mut joined = target.drain(first..=last);
    let one = joined.next().ok_or("has no axes")?;
    let length = joined.try_fold(one, scalar::mul);
    drop(joined);
    target.insert(first, length?);
    reshaped(cx, x, target)
}

fn swapped(cx: &mut Node<'_, '_>, a: i64, b: i64) -> Converted {
    let x = cx.tensor(0)?;
    let rank = rank(&x)?;
    let (a, b) = (ops::axis(a, rank)?, ops::axis(b, rank)?);
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    axes.swap(a, b);
    cx.result(permute_dims(x, Some(ints(&axes))))
}

fn move_axes(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let rank = rank(&x)?;
    let axes = |values: Vec<i64>| {
        values.into_iter().map(|axis| ops::axis(axis, rank)).collect::<Result<Vec<_>, _>>()
    };
    let from = axes(cx.needed_ints(1, "source")?)?;
    let to = axes(cx.needed_ints(2, "destination")?)?;
    let mut rest = (0..rank).filter(|axis| !from.contains(axis));
    let mut order = Vec::new();
    for at in 0..rank {
        let moved = to.iter().position(|place| *place == at).and_then(|at| from.get(at).copied());
        let axis = moved.or_else(|| rest.next()).ok_or("the axes occur twice")?;
        order.push(axis as i64);
    }
    cx.result(permute_dims(x, Some(ints(&order))))
}

/// Lengths of -1 are those of the operand.
fn expand(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let mut target = cx.shape(1, "size")?;
    let known = dims(&x)?;
    let new = target.len().checked_sub(known.len()).ok_or("has fewer axes than the operand")?;
    for (at, dim) in target.iter_mut().enumerate().filter(|(_, dim)| int_value(dim) == Some(-1)) {
        let old = at.checked_sub(new).and_then(|at| known.get(at));
        *dim = old.ok_or("a new axis needs a length")?.clone();
    }
    cx.result(broadcast_to(x, shape_of(target)))
}

/// Elements of another type, if one is stated.
fn convert(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let at = if cx.proto.operator() == "aten.to.dtype" { 1 } else { usize::MAX };
    let at = if cx.proto.operator() == "aten.to.device" { 2 } else { at };
    match cx.dtype(at, "dtype")? {
        Some(dtype) => cx.result(astype(x, dtype)),
        None => Ok(x.into()),
    }
}

/// The operand. A second result is the mask of a dropout that keeps all.
fn identity(cx: &mut Node<'_, '_>) -> Converted {
    if cx.proto.operator() == "aten.view.dtype" {
        let x = cx.tensor(0)?;
        return match cx.dtype(1, "dtype")? {
            Some(dtype) if dtype == dtype_of(&x) => Ok(x.into()),
            _ => Err("the bits of elements as another type are not supported".into()),
        };
    }
    let is_training = match cx.proto.kind() {
        "dropout" | "feature_dropout" | "alpha_dropout" | "native_dropout" => cx.flag(2, "train", false)?,
        _ => false,
    };
    if is_training && cx.float(1, "p", 0.5)? != 0.0 {
        cx.warn("the dropout of the training is left out");
    }
    operand(cx)
}

/// The second operand with type and shape of the first one.
fn copy(cx: &mut Node<'_, '_>) -> Converted {
    let (x, source) = (cx.tensor(0)?, cx.needed(1, "src")?);
    let dtype: DataType = dtype_of(&x);
    let source = cx.point(source, dtype)?;
    let source = cx.cast(source, dtype)?;
    // Like TVM, which compares the nodes of the shapes, broadcasts also to an equal shape.
    let shape = |x: &Expr| ops::tensor_info(x)?.shape.clone();
    let is_same = shape(&x).zip(shape(&source)).is_some_and(|(a, b)| a.ptr_eq(&b));
    match is_same {
        true => Ok(Value::Known(source)),
        false => {
            let shape = shape_expr(&x)?;
            cx.result(broadcast_to(source, shape))
        }
    }
}
