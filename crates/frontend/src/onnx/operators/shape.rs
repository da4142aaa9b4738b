//! Shapes of tensors, and changes of shape that keep the elements.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm, ops::int_value};
use tvmscript_relax::op::create::ones;
use tvmscript_relax::op::elementwise::{equal, floor_divide, less, maximum, where_};
use tvmscript_relax::op::index::strided_slice;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::reduce::prod;
use tvmscript_relax::op::shape::{
    broadcast_to, expand_dims, permute_dims, shape_of, shape_to_tensor, squeeze, tensor_to_shape,
};
use tvmscript_relax::op::tvm_0_27::tensor::size;
use tvmscript_relax::{
    Call, Constant, Expr, ExternFunc, PrimValue, ShapeExpr, ShapeStructInfo, Tuple, struct_info_of,
};

use super::super::node::{Converted, Node};
use super::rows;
use super::runtime::{is_shape, known_rank, length};
use super::scalar::as_tensor;
use crate::error::Reason;
use crate::ops::{self, axis, dims, int_operand, int64_number, int64_vector, ints, rank, reshape};

rows! {
    "Expand" { 13: expand } => "broadcast_to";
    "Flatten" { 13: flatten } => "reshape";
    "Reshape" { 13: reshape_ } => "reshape";
    "Shape" { 13: |cx| shape(cx, 0, None), 15: |cx| shape(cx, cx.int("start").unwrap_or(0), cx.int("end")) } => "a shape; shape_of";
    "Size" { 1: |cx| Ok(size(cx.input(0)?).into()) } => "size";
    "Squeeze" { 1: |cx| { let axes = cx.ints("axes"); squeezed(cx, axes) }, 13: squeeze_13 } => "squeeze; reshape";
    "Transpose" { 13: transpose } => "permute_dims";
    "Unsqueeze" {
        1: |cx| { let axes = cx.ints("axes").unwrap_or_default(); unsqueezed(cx, &axes) }, 13: unsqueeze_13
    } => "expand_dims; reshape";
}

fn transpose(cx: &mut Node<'_, '_>) -> Converted {
    let axes = cx.ints("perm");
    let x = cx.tensor(0)?;
    match ops::rank_of(&x) {
        Some(0) => return Ok(x.into()),
        Some(rank) if axes.as_ref().is_some_and(|axes| axes.len() != rank) => {
            let count = axes.map_or(0, |axes| axes.len());
            return Err(Reason(format!("`perm` has {count} axes, and the operand {rank}")));
        }
        _ => {}
    }
    cx.fold(permute_dims(x, axes.map(|axes| ints(&axes))))
}

fn shape(cx: &mut Node<'_, '_>, start: i64, end: Option<i64>) -> Converted {
    let x = cx.input(0)?;
    let info = struct_info_of(&x);
    let whole: Expr = match info.as_ref().and_then(|info| info.as_node::<ShapeStructInfo>()) {
        Some(shape) if shape.ndim < 0 => return Err("needs an operand of known rank".into()),
        Some(shape) => ops::shape(&[shape.ndim]),
        None if x.is::<PrimValue>() => ops::shape(&[]),
        None => match ops::dims_of(&x) {
            Some(dims) => ops::shape_of(dims),
            None => cx.normalize(shape_of(x))?,
        },
    };
    if start == 0 && end.is_none() {
        return Ok(whole.into());
    }
    if let Some(whole) = whole.as_node::<ShapeExpr>() {
        let rank = whole.values.len() as i64;
        let bound = |at: i64| (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize;
        let (start, end) = (bound(start), bound(end.unwrap_or(rank)));
        let chosen = whole.values.iter().take(end).skip(start).cloned();
        return Ok(ops::shape_of(chosen).into());
    }
    let tensor = cx.normalize(shape_to_tensor(whole))?;
    let tuple = |value: i64| Tuple::new([int_operand(value)]).upcast();
    let end = tuple(end.unwrap_or(i64::MAX));
    let part = cx.normalize(strided_slice(tensor, tuple(0), tuple(start), end, Some(tuple(1)), false))?;
    Ok(cx.normalize(tensor_to_shape(part))?.into())
}

fn flatten(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let dims = dims(&x)?;
    let stated = cx.int("axis").unwrap_or(1);
    let rank = dims.len() as i64;
    let axis = if stated < 0 { stated.saturating_add(rank) } else { stated };
    if !(0..=rank).contains(&axis) {
        return Err(Reason(format!("axis {stated} is out of range for rank {rank}")));
    }
    let mut rows = IntImm::int64(1);
    for dim in dims.iter().take(axis as usize) {
        rows = prim::ops::mul(rows, dim.clone())?;
    }
    Ok(reshape(x, ops::shape_of([rows, IntImm::int64(-1)]))?.into())
}

// --- Reshape -----------------------------------------------------------------------------------------------------

fn reshape_(cx: &mut Node<'_, '_>) -> Converted {
    let stated = cx.ints("shape").map(|dims| int64_vector(&dims));
    let target = match (cx.constant(1), stated) {
        (Some(constant), _) | (None, Some(constant)) => constant,
        (None, None) => cx.input(1)?,
    };
    let zero_is_length = cx.flag("allowzero");
    let mut x = cx.input(0)?;
    let known = ops::integers(&target).filter(|_| target.is::<Constant>());
    if is_shape(&x) && known.as_deref() == Some(&[-1]) {
        return Ok(x.into());
    }
    if is_shape(&x) && x.is::<ShapeExpr>() && known.is_some() && ops::integers(&x).is_none() {
        x = cx.normalize(shape_to_tensor(x))?;
    } else {
        x = as_tensor(x)?;
    }
    let Some(known) = known else {
        return Ok(match is_shape(&target) {
            true => reshape(x, target)?.into(),
            false => reshaped_at_run_time(cx, x, target, zero_is_length)?.into(),
        });
    };
    let has_zero = known.contains(&0);
    if zero_is_length && has_zero && !x.is::<Constant>() {
        let dims = cx.tensor_to_shape(target, known.len(), "reshape_dim")?;
        return Ok(reshape(x, ops::shape_of(dims))?.into());
    }
    if zero_is_length && has_zero && known.contains(&-1) {
        return Err("the shape has both 0 and -1, and `allowzero` is set".into());
    }
    if zero_is_length && has_zero {
        let call = Call::of_op("relax.reshape", [x, ops::shape(&known)], None);
        return cx.fold(call);
    }
    let own = if has_zero { ops::dims_of(&x) } else { None };
    let length = |(axis, length): (usize, &i64)| match own.as_ref().filter(|_| *length == 0) {
        Some(own) => own.get(axis).cloned().ok_or_else(|| {
            Reason(format!(
                "0 stands for the length of axis {axis}, which is out of range for rank {}",
                own.len()
            ))
        }),
        None => Ok(IntImm::int64(*length)),
    };
    let target = known.iter().enumerate().map(length).collect::<Result<Vec<_>, _>>()?;
    let call = reshape(x, ops::shape_of(target))?;
    cx.fold(call)
}

/// Reshapes to a vector known at run time: 0 keeps a length, and -1 is computed.
fn reshaped_at_run_time(
    cx: &mut Node<'_, '_>,
    x: Expr,
    target: Expr,
    zero_is_length: bool,
) -> Result<Expr, Reason> {
    let new_rank = length(&target, "the shape")?;
    let old_rank = rank(&x)?;
    let mut target = cx.int64_tensor(target)?;
    let lengths = cx.shape_tensor(x.clone())?;
    if !zero_is_length {
        // The lengths of the same axes; axes that the operand does not have cannot be kept.
        let tuple = |value: usize| Tuple::new([int_operand(value as i64)]).upcast();
        let kept: Expr = match new_rank <= old_rank {
            true => strided_slice(lengths.clone(), tuple(0), tuple(0), tuple(new_rank), None, false).upcast(),
            false => {
                let missing = ones(ops::shape(&[(new_rank - old_rank) as i64]), DataType::INT64).upcast();
                concat(Tuple::new([lengths.clone(), missing]).upcast(), Some(0)).upcast()
            }
        };
        let is_zero = equal(target.clone(), int64_number(0)).upcast();
        target = cx.normalize(where_(is_zero, kept, target))?;
    }
    let is_open = cx.normalize(less(target.clone(), int64_number(0)))?;
    let known = where_(is_open.clone(), int64_number(1), target.clone()).upcast();
    let known = maximum(prod(known, None, false).upcast(), int64_number(1)).upcast();
    let rest = floor_divide(prod(lengths, None, false).upcast(), known).upcast();
    let shape = cx.normalize(where_(is_open, rest, target))?;
    let dims = cx.tensor_to_shape(shape, new_rank, "reshape_dim")?;
    Ok(reshape(x, ops::shape_of(dims))?.upcast())
}

// --- Squeeze and Unsqueeze ---------------------------------------------------------------------------------------

/// Axes counted from the front, each once.
fn distinct_axes(axes: &[i64], rank: usize) -> Result<Vec<usize>, Reason> {
    let found = axes.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?;
    let mut sorted = found.clone();
    sorted.sort_unstable();
    sorted.dedup();
    match sorted.len() == found.len() {
        true => Ok(found),
        false => Err("an axis is listed twice".into()),
    }
}

fn squeeze_13(cx: &mut Node<'_, '_>) -> Converted {
    let axes = cx.constant(1).and_then(|axes| ops::integers(&axes));
    let Some(at_run_time) = cx.optional(1).filter(|_| axes.is_none()) else { return squeezed(cx, axes) };
    let x = cx.tensor(0)?;
    let rank = rank(&x)?;
    let count = length(&at_run_time, "the list of axes")?;
    let new_rank = rank.checked_sub(count).ok_or("has more axes to remove than the operand has")?;
    let lengths = cx.shape_tensor(x.clone())?;
    let lengths = cx.squeezed_shape(lengths, at_run_time, rank)?;
    let dims = cx.tensor_to_shape(lengths, new_rank, "squeeze_dim")?;
    Ok(reshape(x, ops::shape_of(dims))?.into())
}

fn squeezed(cx: &mut Node<'_, '_>, axes: Option<Vec<i64>>) -> Converted {
    let x = cx.input(0)?;
    if let Some(shape) = x.as_node::<ShapeExpr>() {
        if let Some(axes) = &axes {
            distinct_axes(axes, 1)?;
        }
        return match (shape.values.iter().collect::<Vec<_>>().as_slice(), axes.as_deref()) {
            ([only], None | Some([_])) => Ok(scalar((*only).clone()).into()),
            (_, None | Some([])) => Ok(x.into()),
            _ => Err("only a shape of one length can become a scalar".into()),
        };
    }
    let x = as_tensor(x)?;
    if let (Some(axes), Some(rank)) = (&axes, known_rank(&x)) {
        let dims = ops::dims_of(&x);
        for at in distinct_axes(axes, rank)? {
            match dims.as_ref().and_then(|dims| dims.get(at)).map(int_value) {
                Some(None) => return Err(Reason(format!("axis {at} is not known to have length 1"))),
                Some(Some(length)) if length != 1 => {
                    return Err(Reason(format!("axis {at} has length {length}, not 1")));
                }
                _ => {}
            }
        }
    }
    cx.fold(squeeze(x, axes.map(|axes| ints(&axes))))
}

/// A scalar operand.
pub(super) fn scalar(value: prim::Expr) -> Expr {
    PrimValue::new(value).upcast()
}

fn unsqueeze_13(cx: &mut Node<'_, '_>) -> Converted {
    if let Some(axes) = cx.constant(1).and_then(|axes| ops::integers(&axes)) {
        return unsqueezed(cx, &axes);
    }
    let axes = cx.input(1)?;
    let x = cx.tensor(0)?;
    let rank = rank(&x)?;
    let new_rank = rank + length(&axes, "the list of axes")?;
    let lengths = cx.shape_tensor(x.clone())?;
    let lengths = cx.unsqueezed_shape(lengths, axes, new_rank)?;
    let dims = cx.tensor_to_shape(lengths, new_rank, "unsqueeze_dim")?;
    Ok(reshape(x, ops::shape_of(dims))?.into())
}

fn unsqueezed(cx: &mut Node<'_, '_>, axes: &[i64]) -> Converted {
    let x = cx.input(0)?;
    let rank = known_rank(&x).ok_or("needs an operand of known rank")?;
    let mut axes = distinct_axes(axes, rank + axes.len())?;
    axes.sort_unstable();
    if let (Some(value), [0]) = (x.as_node::<PrimValue>(), axes.as_slice()) {
        let wide = prim::ops::cast(DataType::INT64, value.value.clone())?;
        return Ok(ops::shape_of([wide]).into());
    }
    let mut x = as_tensor(x)?;
    for axis in axes {
        x = cx.folded(expand_dims(x, ints(&[axis as i64])))?;
    }
    Ok(x.into())
}

// --- Expand ------------------------------------------------------------------------------------------------------

fn expand(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let target = cx.input(1)?;
    let known = super::runtime::scalars(&target).filter(|_| !target.is::<PrimValue>());
    let Some(target) = known else { return expanded_at_run_time(cx, x, target) };
    let is_shape = cx.input(1)?.is::<ShapeExpr>();
    let own = dims(&x)?;
    let rank = own.len().max(target.len());
    let padded = |dims: &[prim::Expr]| -> Vec<prim::Expr> {
        std::iter::repeat_n(IntImm::int64(1), rank - dims.len()).chain(dims.iter().cloned()).collect()
    };
    let (own_dims, mut target) = (padded(&own), padded(&target));
    for (at, (new, old)) in target.iter_mut().zip(&own_dims).enumerate() {
        match (int_value(new), int_value(old)) {
            (Some(-1), _) => *new = old.clone(),
            (Some(length), Some(1)) if length < 1 => {
                return Err(Reason(format!("cannot expand to length {length} along axis {at}")));
            }
            (Some(1), _) => *new = old.clone(),
            (Some(length), Some(old)) if old != 1 && old != length => {
                return Err(Reason(format!("cannot expand length {old} to {length} along axis {at}")));
            }
            _ => {}
        }
    }
    let is_same = |(a, b): (&prim::Expr, &prim::Expr)| match (int_value(a), int_value(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.object().address() == b.object().address(),
    };
    if is_shape && own.len() == rank && target.iter().zip(&own_dims).all(is_same) {
        return Ok(x.into());
    }
    Ok(broadcast_to(x, ops::shape_of(target)).into())
}

fn expanded_at_run_time(cx: &mut Node<'_, '_>, x: Expr, target: Expr) -> Converted {
    let new_rank = length(&target, "the shape")?;
    let own = dims(&x)?;
    if own.iter().any(|dim| int_value(dim) != Some(1)) {
        cx.warn("lengths of 1 in a shape known at run time must not keep a greater length");
    }
    let callee = ExternFunc::new("vm.builtin.tensor_to_shape", None).upcast();
    let shape = cx.emit(Call::new(callee, [target], None, [ShapeStructInfo::of_rank(new_rank as i64)]))?;
    let dims = cx.cast_shape(shape, new_rank, "x")?;
    let x = match new_rank.checked_sub(own.len()) {
        Some(missing @ 1..) => {
            let dims = std::iter::repeat_n(IntImm::int64(1), missing).chain(own);
            cx.normalize(reshape(x, ops::shape_of(dims))?)?
        }
        _ => x,
    };
    Ok(broadcast_to(x, ops::shape_of(dims)).into())
}
