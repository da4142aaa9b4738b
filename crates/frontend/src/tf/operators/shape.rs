//! Shapes of tensors, and tensors in other shapes.

use tvmscript_ir_core::{DataType, Str};
use tvmscript_prim::{IntImm, ops as dim};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::join::{concat, flip, tile};
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::shape::{
    RESHAPE, broadcast_to, expand_dims, permute_dims, shape_of, shape_to_tensor, squeeze, tensor_to_shape,
};
use tvmscript_relax::{Expr, Tuple};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::node::{Converted, Node, Output};
use super::slice::{Range, slice};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, int, ints};

rows! {
    "BroadcastArgs" => |cx| {
        let (a, b) = (cx.dims(0, "shapes")?, cx.dims(1, "shapes")?);
        Ok(broadcast(a, &b).into())
    }, "a constant, or integers that other operators use", "shapes at run time";
    "BroadcastTo" => |cx| {
        let x = cx.input(0)?;
        let shape = target(cx, 1)?;
        Ok(broadcast_to(x, shape).into())
    }, "broadcast_to";
    "ExpandDims" => expand, "expand_dims", "an axis that is not constant";
    "MirrorPad" => mirror_pad, "nn.pad (`REFLECT`); strided_slice, flip, concat (`SYMMETRIC`)",
        "paddings that are not constant";
    "Pad", "PadV2" => constant_pad, "nn.pad", "paddings or a value that are not constant";
    "Rank" => |cx| {
        let rank = ops::rank(&cx.input(0)?)? as i64;
        Ok(Dims::scalar(IntImm::int64(rank), DataType::INT32).into())
    }, "a constant", "operands of unknown rank";
    "Reshape" => reshape, "reshape";
    "ReverseV2" => |cx| {
        let x = cx.input(0)?;
        let rank = ops::rank(&x)?;
        let axes = cx.ints(1, "the axes")?.into_iter().map(|axis| ops::axis(axis, rank));
        let flipped = axes.collect::<Result<Vec<_>, _>>()?.into_iter();
        Ok(flipped.fold(x, |x, axis| flip(x, int(axis as i64)).upcast()).into())
    }, "flip of each axis", "axes that are not constant";
    "Shape", "ShapeN" => |cx| {
        let shapes = (0..cx.count()).map(|index| shape(cx, index));
        Ok(Output::Values(shapes.collect::<Result<_, _>>()?))
    }, "a constant, or integers that other operators use; shape_of, shape_to_tensor at run time";
    "Size" => |cx| {
        let dims = Dims::vector(ops::dims(&cx.input(0)?)?, cx.out_type()?);
        Ok(Dims::scalar(dims.fold(1, dim::mul)?, dims.dtype).into())
    }, "a constant, or an integer that other operators use", "operands of unknown shape";
    "Squeeze" => squeeze_, "squeeze";
    "Tile" => tiled, "tile; with numbers that come from shapes reshape, broadcast_to, reshape",
        "numbers of repetitions at run time";
    "Transpose" => |cx| {
        let axes = cx.ints(1, "the order of the axes")?;
        Ok(permute_dims(cx.input(0)?, Some(ints(&axes))).into())
    }, "permute_dims", "an order of the axes that is not constant";
}

/// The shape that two tensors have when they are broadcast.
fn broadcast(a: Dims, b: &Dims) -> Dims {
    let count = a.values.len().max(b.values.len());
    let at = |dims: &Dims, i: usize| {
        let at = (i + dims.values.len()).checked_sub(count)?;
        dims.values.get(at).filter(|dim| !dim::is_one(dim)).cloned()
    };
    let values = (0..count).map(|i| at(&a, i).or_else(|| at(b, i)).unwrap_or_else(|| IntImm::int64(1)));
    Dims { is_scalar: false, ..a.with(values.collect()) }
}

/// An operand that is a shape: known or symbolic integers, or a tensor at run time.
pub(super) fn target(cx: &mut Node<'_, '_>, index: usize) -> Result<Expr, Reason> {
    match cx.known_dims(index) {
        Some(dims) => Ok(ops::shape_of(dims.values)),
        None => {
            let shape = cx.input(index)?;
            let shape = astype(shape, DataType::INT64).upcast();
            cx.normalize(tensor_to_shape(shape))
        }
    }
}

fn reshape(cx: &mut Node<'_, '_>) -> Converted {
    if cx.is_symbolic(0)
        && let (Some(dims), Some(shape)) = (cx.known_dims(0), cx.known_dims(1))
        && shape.values.len() < 2
        && (!shape.values.is_empty() || dims.values.len() == 1)
    {
        return Ok(Dims { is_scalar: shape.values.is_empty(), ..dims }.into());
    }
    let x = cx.input(0)?;
    let Some(shape) = cx.known_dims(1) else {
        let shape = target(cx, 1)?;
        return Ok(RESHAPE.call(None, [x, shape]).into());
    };
    // Unlike in scripts, a length of 0 is one.
    let has = |length: i64| shape.values.iter().any(|dim| dim::int_value(dim) == Some(length));
    let has_rest = has(-1);
    if has(0) && has_rest {
        return Err("a shape with lengths of 0 and -1 is not supported".into());
    }
    let shape = ops::shape_of(shape.values);
    match has_rest {
        true => Ok(ops::reshape(x, shape)?.into()),
        false => Ok(RESHAPE.call(None, [x, shape]).into()),
    }
}

fn expand(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(1, "the axis")?;
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0))
        && dims.is_scalar
    {
        return Ok(Dims { is_scalar: false, ..dims }.into());
    }
    Ok(expand_dims(cx.input(0)?, ints(&[axis])).into())
}

fn squeeze_(cx: &mut Node<'_, '_>) -> Converted {
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0))
        && dims.values.len() == 1
    {
        return Ok(Dims { is_scalar: true, ..dims }.into());
    }
    let axes = cx.ints_attr("squeeze_dims").or_else(|| cx.ints_attr("axis"));
    Ok(squeeze(cx.input(0)?, axes.map(|axes| ints(&axes))).into())
}

/// The shape of an operand, as integers if it is known.
fn shape(cx: &mut Node<'_, '_>, index: usize) -> Result<Value, Reason> {
    let dtype = cx.out_type()?;
    let x = cx.input(index)?;
    if let Some(values) = ops::dims_of(&x) {
        return Ok(Dims::vector(values, dtype).into());
    }
    let found = shape_to_tensor(shape_of(x).upcast());
    let found = match dtype == DataType::INT64 {
        true => found,
        false => astype(found.upcast(), dtype),
    };
    Ok(Value::Tensor(cx.normalize(found)?))
}

fn tiled(cx: &mut Node<'_, '_>) -> Converted {
    let repeats = cx.dims(1, "the numbers of repetitions")?.values;
    let x = cx.input(0)?;
    if let Some(known) = repeats.iter().map(dim::int_value).collect::<Option<Vec<i64>>>() {
        return Ok(tile(x, ints(&known)).into());
    }
    let dims = ops::dims(&x)?;
    if dims.len() != repeats.len() {
        return Err("needs one number of repetitions per axis".into());
    }
    let (mut split, mut spread, mut joined) = (Vec::new(), Vec::new(), Vec::new());
    for (length, count) in dims.iter().zip(repeats) {
        split.extend([IntImm::int64(1), length.clone()]);
        joined.push(tvmscript_arith::simplify(&dim::mul(count.clone(), length.clone())?));
        spread.extend([count, length.clone()]);
    }
    let split = cx.step(ops::reshape(x, ops::shape_of(split))?)?;
    let spread = cx.step(broadcast_to(split, ops::shape_of(spread)))?;
    Ok(ops::reshape(spread, ops::shape_of(joined))?.into())
}

/// The numbers of elements before and after each axis.
fn paddings(cx: &Node<'_, '_>) -> Result<Vec<i64>, Reason> {
    let paddings = cx.ints(1, "the paddings")?;
    match paddings.iter().all(|count| *count >= 0) {
        true => Ok(paddings),
        false => Err("paddings must not be negative".into()),
    }
}

fn constant_pad(cx: &mut Node<'_, '_>) -> Converted {
    let paddings = paddings(cx)?;
    let value = if cx.count() > 2 { cx.number(2, "the value")? } else { 0.0 };
    Ok(pad(cx.input(0)?, ints(&paddings), Str::from("constant"), value).into())
}

fn mirror_pad(cx: &mut Node<'_, '_>) -> Converted {
    let paddings = paddings(cx)?;
    let mut x = cx.input(0)?;
    if only("mode", cx.text_attr("mode"), &["REFLECT", "SYMMETRIC"])? == "REFLECT" {
        return Ok(pad(x, ints(&paddings), Str::from("reflect"), 0.0).into());
    }
    let dims = ops::dims(&x)?;
    for (axis, (widths, length)) in paddings.chunks_exact(2).zip(&dims).enumerate() {
        let [before, after] = *widths else { continue };
        if before == 0 && after == 0 {
            continue;
        }
        let length = dim::int_value(length).ok_or_else(|| Reason::from("needs axes of known length"))?;
        if before > length || after > length {
            return Err("paddings must not be larger than the axis".into());
        }
        let mut mirrored = |start, end| {
            let part = slice(x.clone(), &[Range::of(axis, start, end)]);
            cx.step(flip(part.upcast(), int(axis as i64)))
        };
        let mut parts = Vec::new();
        if before > 0 {
            parts.push(mirrored(0, before)?);
        }
        let last = if after > 0 { Some(mirrored(length - after, length)?) } else { None };
        parts.push(x.clone());
        parts.extend(last);
        if parts.len() > 1 {
            x = cx.step(concat(Tuple::new(parts).upcast(), Some(axis as i64)))?;
        }
    }
    Ok(x.into())
}
