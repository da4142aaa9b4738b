//! Operators that move elements: shapes, axes, slices, repetitions.
//!
//! Upstream counterparts: `python/tvm/relax/transform/legalize_ops/{manipulate,index}.py`, `topi/transform.h`.

use tvmscript_ir_core::{Array, DataType, ObjectLike as _, Ref};
use tvmscript_prim::{IntImm, ops};
use tvmscript_relax::attrs::{
    ConcatAttrs, ExpandDimsAttrs, FlipAttrs, GatherElementsAttrs, GatherNDAttrs, OneHotAttrs,
    PermuteDimsAttrs, RepeatAttrs, SplitAttrs, SqueezeAttrs, StackAttrs, StridedSliceAttrs, TakeAttrs,
    TileAttrs,
};
use tvmscript_te::TeError;

use super::Outcome;
use super::conv::values;
use super::elementwise::{broadcast_at, map};
use super::scalar::{Scalar, Scalars, constant, int, ravel, unravel};
use super::site::{Site, literals};
use super::tensor::{Answer, Stage, Tensor, axis_of};

pub(super) fn unsupported<T>(message: &str) -> Answer<T> {
    Err(TeError::Node(message.to_owned()))
}

/// A tensor with the same elements in row-major order.
pub(super) fn reshaped(x: &Tensor, dims: &[Scalar]) -> Answer<Tensor> {
    let own = x.dims();
    let is_empty = own.is_empty_shape() || dims.is_empty_shape();
    Stage::new("T_reshape").over(dims, |i| match is_empty {
        true => constant(x.dtype(), 0.0),
        false => x.at(&unravel(ravel(i, dims), &own)),
    })
}

pub(super) fn reshape(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let dims = site.shape(1)?;
    Outcome::one(reshaped(&x, &dims)?)
}

/// A reshape to the inferred shape of the result.
pub(super) fn flatten(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let dims = site.result_dims()?;
    Outcome::one(reshaped(&x, &dims)?)
}

pub(super) fn broadcast_to(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let dims = site.shape(1)?;
    Outcome::one(broadcasted(&x, &dims)?)
}

/// A tensor broadcast to these lengths.
pub(super) fn broadcasted(x: &Tensor, dims: &[Scalar]) -> Answer<Tensor> {
    Stage::new("T_broadcast_to").over(dims, |i| broadcast_at(x, dims, i))
}

pub(super) fn expand_dims(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = &site.attrs::<ExpandDimsAttrs>()?.axis;
    let x = site.tensor(0)?;
    let rank = x.rank() + axis.len();
    let axes = axis.iter().map(|axis| axis_of(axis.value, rank)).collect::<Answer<Vec<_>>>()?;
    let mut own = x.dims().into_iter();
    let dims: Vec<Scalar> = (0..rank)
        .map(|index| if axes.contains(&index) { int(1) } else { own.next().unwrap_or_else(|| int(1)) })
        .collect();
    Outcome::one(Stage::python("expand_dims").over(&dims, |i| x.at(&i.without(&axes)))?)
}

/// A tensor with its axes in another order.
pub(super) fn transposed(x: &Tensor, axes: &[usize]) -> Answer<Tensor> {
    let own = x.dims();
    let dims: Vec<Scalar> = axes.iter().map(|axis| own.pick(*axis)).collect();
    Stage::new("T_transpose").over(&dims, |i| {
        let mut place = vec![int(0); x.rank()];
        for (axis, index) in axes.iter().zip(i) {
            place = place.with_at(*axis, index.clone());
        }
        x.at(&place)
    })
}

pub(super) fn permute_dims(site: &mut Site<'_>) -> Answer<Outcome> {
    let axes = &site.attrs::<PermuteDimsAttrs>()?.axes;
    let x = site.tensor(0)?;
    let axes = match axes {
        Some(axes) => axes.iter().map(|axis| x.axis(axis.value)).collect::<Answer<Vec<_>>>()?,
        None => (0..x.rank()).rev().collect(),
    };
    Outcome::one(transposed(&x, &axes)?)
}

/// A tensor without some axes of length 1.
pub(super) fn squeezed(x: &Tensor, axes: &[usize]) -> Answer<Tensor> {
    Stage::new("T_squeeze").over(&x.dims().without(axes), |i| {
        let mut kept = i.iter().cloned();
        let place = (0..x.rank()).map(|axis| if axes.contains(&axis) { None } else { kept.next() });
        let place: Vec<Scalar> = place.map(|index| index.unwrap_or_else(|| int(0))).collect();
        x.at(&place)
    })
}

pub(super) fn squeeze(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = &site.attrs::<SqueezeAttrs>()?.axis;
    let x = site.tensor(0)?;
    let dims = x.dims();
    let mut axes = x.axes(axis.as_ref().map(|axis| axis.iter()))?;
    // Without axes, those known to have length 1 go; of stated ones, those that may have it.
    let goes = |length: Option<i64>| length == Some(1) || axis.is_some() && length.is_none();
    axes.retain(|axis| goes(dims.pick(*axis).known()));
    Outcome::one(squeezed(&x, &axes)?)
}

pub(super) fn concat(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<ConcatAttrs>()?.axis.unwrap_or(0);
    let inputs = site.tensors(0)?;
    let Some((first, rest)) = inputs.split_first() else { return unsupported("there is nothing to join") };
    let axis = first.axis(axis)?;
    let lengths: Vec<Scalar> = inputs.iter().map(|input| input.dims().pick(axis)).collect();
    let joined = lengths.iter().skip(1).fold(lengths.pick(0), |sum, length| sum + length).simplified();
    let result = Stage::new("T_concat").over(&first.dims().with_at(axis, joined), |i| {
        let mut index = i.pick(axis);
        let mut value = first.at(i);
        for (input, before) in rest.iter().zip(&lengths) {
            index = index - before;
            value = index.ge(0).if_then_else(input.at(&i.with_at(axis, index.clone())), &value);
        }
        value
    });
    Outcome::one(result?)
}

pub(super) fn stack(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<StackAttrs>()?.axis.as_ref().map_or(0, |axis| axis.value);
    let inputs = site.tensors(0)?;
    let Some((first, rest)) = inputs.split_first() else { return unsupported("there is nothing to join") };
    let axis = axis_of(axis, first.rank() + 1)?;
    let dims = first.dims().with_inserted(axis, int(inputs.len() as i64));
    let result = Stage::new("T_stack").over(&dims, |i| {
        let place = i.without(&[axis]);
        rest.iter().zip(1..).fold(first.at(&place), |value, (input, number)| {
            i.pick(axis).equals(number).if_then_else(input.at(&place), &value)
        })
    });
    Outcome::one(result?)
}

pub(super) fn split(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<SplitAttrs>()?;
    let x = site.tensor(0)?;
    let axis = x.axis(attrs.axis)?;
    let length = x.dims().pick(axis);
    let (name, starts): (_, Vec<Scalar>) = match attrs.indices_or_sections.as_node::<IntImm>() {
        Some(sections) if sections.value > 0 => {
            let size = (&length + (sections.value - 1)).floordiv(sections.value);
            ("T_split_sections", (0..sections.value).map(|section| &size * section).collect())
        }
        Some(_) => return unsupported("the number of sections is not positive"),
        None => {
            let given = Array::<Ref<IntImm>>::try_from_object(attrs.indices_or_sections.clone());
            let Ok(given) = given else { return unsupported("the places to split at are not literals") };
            ("T_split", std::iter::once(0).chain(values(&given)).map(int).collect())
        }
    };
    let mut parts = Vec::with_capacity(starts.len());
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).unwrap_or(&length);
        let dims = x.dims().with_at(axis, (end - start).simplified());
        parts.push(Stage::new(name).over(&dims, |i| x.at(&i.with_at(axis, i.pick(axis) + start)))?);
    }
    Ok(Outcome::Tensors(parts))
}

pub(super) fn repeat(site: &mut Site<'_>) -> Answer<Outcome> {
    let RepeatAttrs { repeats, axis } = *site.attrs::<RepeatAttrs>()?;
    let mut x = site.tensor(0)?;
    let axis = match axis {
        Some(axis) => x.axis(axis)?,
        None => {
            let dims = x.dims();
            let size = dims.iter().skip(1).fold(dims.pick(0), |size, length| size * length);
            x = reshaped(&x, &[size])?;
            0
        }
    };
    let dims = x.dims().with_at(axis, int(repeats) * x.dims().pick(axis));
    let result =
        Stage::new("T_repeat").over(&dims, |i| x.at(&i.with_at(axis, i.pick(axis).floordiv(repeats))));
    Outcome::one(result?)
}

pub(super) fn tile(site: &mut Site<'_>) -> Answer<Outcome> {
    let repeats: Vec<i64> = site.attrs::<TileAttrs>()?.repeats.iter().map(|count| count.value).collect();
    let x = site.tensor(0)?;
    let own = x.dims();
    let rank = own.len().max(repeats.len());
    let padded = |missing: usize| std::iter::repeat_n(int(1), missing);
    let lengths = padded(rank - own.len()).chain(own.iter().cloned());
    let counts = padded(rank - repeats.len()).chain(repeats.iter().map(|count| int(*count)));
    let dims: Vec<Scalar> = lengths.zip(counts).map(|(length, count)| length * count).collect();
    let is_empty = dims.is_empty_shape();
    let result = Stage::new("T_tile").over(&dims, |i| {
        let place = i.iter().skip(rank - own.len()).zip(&own);
        let place: Vec<Scalar> = place.map(|(index, length)| index.floormod(length)).collect();
        if is_empty { constant(x.dtype(), 0.0) } else { x.at(&place) }
    });
    Outcome::one(result?)
}

pub(super) fn flip(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<FlipAttrs>()?.axis.value;
    let x = site.tensor(0)?;
    let axis = x.axis(axis)?;
    let result = Stage::new("T_reverse_sequence")
        .over(&x.dims(), |i| x.at(&i.with_at(axis, x.dims().pick(axis) - 1 - i.pick(axis))));
    Outcome::one(result?)
}

pub(super) fn take(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<TakeAttrs>()?;
    let x = site.tensor(0)?;
    let scalar = if site.is_scalar(1) { Some(site.scalar(1)?) } else { None };
    let indices = if scalar.is_some() { None } else { Some(site.tensor(1)?) };
    let places = indices.as_ref().map(Tensor::dims).unwrap_or_default();
    let own = x.dims();
    let index_at = |i: &[Scalar]| match (&indices, &scalar) {
        (Some(indices), _) => indices.at(i),
        (None, Some(scalar)) => scalar.clone(),
        (None, None) => Scalar::error("there are no indices"),
    };
    let Some(axis) = attrs.axis else {
        let size = own.product();
        let result = Stage::new("T_take").over(&places, |i| {
            let index = index_at(i);
            let index = match attrs.mode.as_str() {
                "clip" => constant(index.dtype(), 0.0).max(&index).min(size - 1),
                "wrap" => (index.truncmod(&size) + &size).truncmod(&size),
                _ => index,
            };
            x.at(&unravel(index, &own))
        });
        return Outcome::one(result?);
    };
    let axis = x.axis(axis)?;
    let length = own.pick(axis);
    let dims = [own.range(0, axis), places.clone(), own.range(axis + 1, own.len())].concat();
    let result = Stage::new("T_take").over(&dims, |i| {
        let after = axis + places.len();
        let index = index_at(&i.range(axis, after));
        let at =
            |index: &Scalar| x.at(&[i.range(0, axis), vec![index.clone()], i.range(after, i.len())].concat());
        match attrs.mode.as_str() {
            "clip" => at(&constant(index.dtype(), 0.0).max(&index).min(&length - 1)),
            "fast" => at(&index),
            "wrap" => at(&(index.truncmod(&length) + &length).truncmod(&length)),
            _ => {
                let nan = constant(x.dtype(), f64::NAN);
                index.ge(0).and(index.lt(&length)).if_then_else(at(&index), &nan)
            }
        }
    });
    Outcome::one(result?)
}

/// An index of a slice counted from the front and inside the axis.
fn clamped(index: i64, length: i64, stride: i64) -> i64 {
    let (low, high) = if stride < 0 { (-1, length - 1) } else { (0, length) };
    let index = if index < 0 { index.saturating_add(length) } else { index };
    index.max(low).min(high)
}

/// The same for lengths that are not known.
fn clamped_dynamic(index: &Scalar, length: &Scalar, stride: i64) -> Scalar {
    if let (Some(index), Some(length)) = (index.known(), length.known()) {
        return int(clamped(index, length, stride));
    }
    let (low, high) = if stride < 0 { (int(-1), length - 1) } else { (int(0), length.clone()) };
    let counted = match index.known() {
        Some(0..) => index.clone(),
        _ => index.lt(0).if_then_else(index + length, index),
    };
    counted.max(low).min(high)
}

pub(super) fn strided_slice(site: &mut Site<'_>) -> Answer<Outcome> {
    let assume_inbound = site.attrs::<StridedSliceAttrs>()?.assume_inbound;
    let x = site.tensor(0)?;
    let axes = literals(&site.scalar_tuple(1)?);
    let (begin, end) = (site.scalar_tuple(2)?, site.scalar_tuple(3)?);
    let strides =
        if site.count() > 4 { literals(&site.scalar_tuple(4)?) } else { Some(vec![1; begin.len()]) };
    let (Some(axes), Some(strides)) = (axes, strides) else {
        return unsupported("axes and strides are not literals");
    };
    if axes.len() != begin.len()
        || end.len() != begin.len()
        || strides.len() != begin.len()
        || strides.contains(&0)
    {
        return unsupported("the parts of the slice do not fit");
    }
    let axes = axes.into_iter().map(|axis| x.axis(axis)).collect::<Answer<Vec<_>>>()?;
    let own = x.dims();
    let lengths: Vec<Scalar> = axes.iter().map(|axis| own.pick(*axis)).collect();
    let is_known = [&begin, &end, &lengths].iter().all(|list| literals(list).is_some());
    let mut dims = own.clone();
    let mut starts = Vec::with_capacity(axes.len());
    let slices = axes.iter().zip(&lengths).zip(begin.iter().zip(&end)).zip(&strides);
    for (((axis, length), (begin, end)), stride) in slices {
        let (first, count) = match (begin.known(), end.known(), length.known()) {
            (Some(begin), Some(end), Some(length)) if is_known => {
                let (begin, end) = (clamped(begin, length, *stride), clamped(end, length, *stride));
                let span = if *stride < 0 { begin - end } else { end - begin };
                (int(begin), int((span.max(0) as u64).div_ceil(stride.unsigned_abs()) as i64))
            }
            _ => {
                let (begin, end) = match assume_inbound {
                    true => (begin.clone(), end.clone()),
                    false => (clamped_dynamic(begin, length, *stride), clamped_dynamic(end, length, *stride)),
                };
                let count = match *stride < 0 {
                    true if !assume_inbound => (&begin - &end).ceildiv(-*stride),
                    _ => (&end - &begin).ceildiv(*stride),
                };
                (begin, count.simplified())
            }
        };
        dims = dims.with_at(*axis, count);
        starts.push(first);
    }
    let name = if is_known { "T_strided_slice_with_axes" } else { "T_dynamic_strided_slice_with_axes" };
    let result = Stage::new(name).over(&dims, |i| {
        let mut place = i.to_vec();
        for ((axis, start), stride) in axes.iter().zip(&starts).zip(&strides) {
            place = place.with_at(*axis, i.pick(*axis) * *stride + start);
        }
        x.at(&place)
    });
    Outcome::one(result?)
}

/// The elements whose indices along an axis another tensor states.
pub(super) fn gathered(x: &Tensor, axis: usize, indices: &Tensor) -> Answer<Tensor> {
    Stage::new("T_gather").over(&indices.dims(), |i| x.at(&i.with_at(axis, indices.at(i))))
}

pub(super) fn gather_elements(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<GatherElementsAttrs>()?.axis.value;
    let (x, indices) = (site.tensor(0)?, site.tensor(1)?);
    Outcome::one(gathered(&x, x.axis(axis)?, &indices)?)
}

pub(super) fn gather_nd(site: &mut Site<'_>) -> Answer<Outcome> {
    let batches = usize::try_from(site.attrs::<GatherNDAttrs>()?.batch_dims.value).unwrap_or_default();
    let (x, indices) = (site.tensor(0)?, site.tensor(1)?);
    let Some(last) = indices.rank().checked_sub(1) else { return unsupported("there are no indices") };
    let axes: Vec<usize> = std::iter::once(last).chain(0..last).collect();
    let indices = transposed(&indices, &axes)?;
    let Some(count) = indices.dims().pick(0).known().and_then(|count| usize::try_from(count).ok()) else {
        return unsupported("the number of indices is not known");
    };
    let own = x.dims();
    let dims = [indices.dims().range(1, last + 1), own.range(count + batches, own.len())].concat();
    let result = Stage::new("T_gather_nd").over(&dims, |i| {
        let places = i.range(0, last);
        let found = (0..count).map(|number| indices.at(&[vec![int(number as i64)], places.clone()].concat()));
        let found: Vec<Scalar> = i.range(0, batches).into_iter().chain(found).collect();
        let rest = if found.len() == own.len() { Vec::new() } else { i.range(last, i.len()) };
        x.at(&[found, rest].concat())
    });
    Outcome::one(result?)
}

pub(super) fn one_hot(site: &mut Site<'_>) -> Answer<Outcome> {
    let OneHotAttrs { depth, axis } = *site.attrs::<OneHotAttrs>()?;
    let indices = site.tensor(0)?;
    let (on, off) = (site.scalar(1)?, site.scalar(2)?);
    let axis = axis_of(axis, indices.rank() + 1)?;
    let result = Stage::new("T_one_hot").over(&indices.dims().with_inserted(axis, int(depth)), |i| {
        indices.at(&i.without(&[axis])).equals(i.pick(axis)).select(on, &off)
    });
    Outcome::one(result?)
}

/// The part of matrices on one side of a diagonal.
pub(super) fn triangle(x: &Tensor, k: &Scalar, is_upper: bool) -> Answer<Tensor> {
    let Some(row) = x.rank().checked_sub(2) else { return unsupported("a matrix has two axes") };
    Stage::python("trilu").over(&x.dims(), |i| {
        let diagonal = i.pick(row + 1) - k;
        let is_kept = if is_upper { i.pick(row).le(diagonal) } else { i.pick(row).ge(diagonal) };
        is_kept.select(x.at(i), &constant(x.dtype(), 0.0))
    })
}

pub(super) fn triangular(site: &mut Site<'_>, is_upper: bool) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let k = site.scalar(1)?;
    Outcome::one(triangle(&x, &k, is_upper)?)
}

/// The elements and a mask of ones, since nothing is dropped at inference.
pub(super) fn dropout(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let same = map(&x, |x| x)?;
    let mask = Stage::new("T_full_like").over(&x.dims(), |_| constant(x.dtype(), 1.0))?;
    Ok(Outcome::Tensors(vec![same, mask]))
}

/// The lengths of a shape as a tensor.
pub(super) fn shape_to_tensor(site: &mut Site<'_>) -> Answer<Outcome> {
    let lengths = site.known_shape(0)?;
    let result = Stage::python("shape_to_tensor").with_axes(&["i"]).over(&[int(lengths.len() as i64)], |i| {
        lengths.iter().enumerate().rev().fold(int(0), |rest, (number, length)| {
            i.pick(0).equals(int(number as i64)).if_then_else(length.cast(DataType::INT64), &rest)
        })
    });
    Outcome::one(result?)
}

/// A tensor filled with one value.
pub(super) fn full(site: &mut Site<'_>, is_like: bool, value: Option<f64>) -> Answer<Outcome> {
    let dtype = site.result_dtype()?;
    let value = match value {
        Some(value) => Some(constant(dtype, value)),
        None => site.literal(1).map(|value| value.cast(dtype)),
    };
    let dims = if is_like { site.result_dims()? } else { site.shape(0)? };
    let result = match value {
        Some(value) => Stage::new("T_full").over(&dims, |_| value),
        None => {
            let value = site.tensor(1)?;
            Stage::new("T_full").over(&dims, |_| value.at(&[]).cast(dtype))
        }
    };
    Outcome::one(result?)
}

/// The numbers of an interval.
pub(super) fn arange(site: &mut Site<'_>) -> Answer<Outcome> {
    if let Some(value) = site.evaluated() {
        return Ok(Outcome::Value(value));
    }
    let dtype = site.attrs::<tvmscript_relax::attrs::InitAttrs>()?.dtype;
    let (start, end, step) = (site.scalar(0)?, site.scalar(1)?, site.scalar(2)?);
    let distance = &end - &start;
    let is_int = [&start, &end, &step].iter().all(|value| value.dtype().is_integer());
    let count = match is_int {
        true if start.known() == Some(0) && step.known() == Some(1) => end.clone(),
        true => distance.ceildiv(&step),
        false => (distance / &step).map(ops::ceil).cast(DataType::INT64),
    };
    let result = Stage::new("T_arange").over(&[count], |i| (&start + &step * i.pick(0)).cast(dtype));
    Outcome::one(result?)
}
