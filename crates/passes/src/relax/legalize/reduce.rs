//! Reductions along axes, matrix products and softmax.
//!
//! Upstream counterparts: `python/tvm/relax/transform/legalize_ops/{statistical,search,linear_algebra}.py`,
//! `topi/reduction.h`, `topi/nn/softmax.py`.

use tvmscript_ir_core::{DataType, Value};
use tvmscript_prim::ops;
use tvmscript_relax::attrs::{ArgmaxArgminAttrs, MatmulAttrs, SoftmaxAttrs, StatisticalAttrs};
use tvmscript_te::TeError;

use super::Outcome;
use super::elementwise::{combine, combine_tensors, map, map_named};
use super::scalar::{Scalar, Scalars, constant, int, ravel};
use super::site::{self, Site, reduced_dims, same_length};
use super::tensor::{Answer, Combine, ReduceAxis, Stage, Tensor, reduce};

/// The axes that a stage reduces over.
pub(super) fn reduce_axes(x: &Tensor, axes: &[usize]) -> Answer<Vec<ReduceAxis>> {
    let dims = x.dims();
    axes.iter().map(|axis| ReduceAxis::new(&dims.pick(*axis), &format!("k{axis}"))).collect()
}

/// The place of an element: reduced axes, and the indices of the result for the others.
pub(super) fn full_place(
    rank: usize,
    indices: &[Scalar],
    axes: &[usize],
    over: &[ReduceAxis],
    keepdims: bool,
) -> Vec<Scalar> {
    place_of(rank, indices, axes, over, if keepdims { &[] } else { axes })
}

/// The same for a result that lacks some of the reduced axes.
fn place_of(
    rank: usize,
    indices: &[Scalar],
    axes: &[usize],
    over: &[ReduceAxis],
    dropped: &[usize],
) -> Vec<Scalar> {
    let mut reduced = over.iter();
    let mut kept = indices.iter();
    let place = (0..rank).map(|axis| {
        let own = if dropped.contains(&axis) { None } else { kept.next().cloned() };
        let value = if axes.contains(&axis) { reduced.next().map(ReduceAxis::index) } else { own };
        value.unwrap_or_else(|| Scalar::error("an axis is missing"))
    });
    place.collect()
}

/// The combination of the elements along axes.
pub(super) fn reduced(x: &Tensor, axes: &[usize], keepdims: bool, how: Combine) -> Answer<Tensor> {
    let how = match how {
        Combine::Sum if x.dtype().is_bool() => Combine::Any,
        how => how,
    };
    let dropped = if keepdims { &[] } else { axes };
    reduced_to(&reduced_dims(&x.dims(), axes, keepdims), x, axes, dropped, how)
}

/// The same as a tensor of these lengths, which lacks some of the axes.
fn reduced_to(
    dims: &[Scalar],
    x: &Tensor,
    axes: &[usize],
    dropped: &[usize],
    how: Combine,
) -> Answer<Tensor> {
    let over = reduce_axes(x, axes)?;
    Stage::new(format!("{}_red", x.name()))
        .over(dims, |i| how.over(x.at(&place_of(x.rank(), i, axes, &over, dropped)), &over))
}

/// The sum of all elements.
pub(super) fn total(x: &Tensor) -> Answer<Tensor> {
    let axes: Vec<usize> = (0..x.rank()).collect();
    reduced(x, &axes, false, Combine::Sum)
}

/// The sums along the axes that a broadcast from the shape of the result adds or stretches.
pub(super) fn collapse_sum(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let dims = site.result_dims()?;
    let mut left = dims.as_slice();
    let (mut axes, mut dropped) = (Vec::new(), Vec::new());
    for (axis, length) in x.dims().iter().enumerate().rev() {
        match left.split_last() {
            Some((last, rest)) if same_length(length, last) => left = rest,
            Some((last, rest)) => {
                axes.insert(0, axis);
                left = if last.known() == Some(1) { rest } else { left };
            }
            None => {
                axes.insert(0, axis);
                dropped.push(axis);
            }
        }
    }
    Outcome::one(match axes.is_empty() {
        true => map_named(&x, "tensor", |x| x)?,
        false => reduced_to(&dims, &x, &axes, &dropped, Combine::Sum)?,
    })
}

/// `R.sum` and the like. An empty sum or product is its identity.
pub(super) fn statistic(site: &mut Site<'_>, how: Combine) -> Answer<Outcome> {
    let attrs = site.attrs::<StatisticalAttrs>()?;
    let x = site.tensor(0)?;
    let axes = x.axes(attrs.axis.as_ref().map(|axes| axes.iter()))?;
    let is_empty = axes.iter().any(|axis| x.dims().pick(*axis).known() == Some(0));
    let identity = match how {
        Combine::Sum => Some(0.0),
        Combine::Product => Some(1.0),
        _ => None,
    };
    if let (true, Some(identity)) = (is_empty, identity) {
        let dims = reduced_dims(&x.dims(), &axes, attrs.keepdims);
        return Ok(Outcome::Detached(Stage::new("T_full").over(&dims, |_| constant(x.dtype(), identity))?));
    }
    Outcome::one(reduced(&x, &axes, attrs.keepdims, how)?)
}

/// The mean along axes.
fn mean_of(x: &Tensor, axes: &[usize], keepdims: bool) -> Answer<Tensor> {
    let dims = x.dims();
    let count = axes.iter().fold(int(1), |count, axis| count * dims.pick(*axis));
    let sum = reduced(x, axes, keepdims, Combine::Sum)?;
    combine(&site::Value::Tensor(sum), &site::Value::Scalar(count), "divide", |a, b| a / b)
}

pub(super) fn mean(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<StatisticalAttrs>()?;
    let x = site.tensor(0)?;
    let axes = x.axes(attrs.axis.as_ref().map(|axes| axes.iter()))?;
    Outcome::one(mean_of(&x, &axes, attrs.keepdims)?)
}

/// The variance along axes, or its square root.
pub(super) fn variance(site: &mut Site<'_>, takes_root: bool) -> Answer<Outcome> {
    let attrs = site.attrs::<StatisticalAttrs>()?;
    let x = site.tensor(0)?;
    let axes = x.axes(attrs.axis.as_ref().map(|axes| axes.iter()))?;
    let deviation = combine_tensors(&x, &mean_of(&x, &axes, true)?, "subtract", |a, b| a - b)?;
    let square = combine_tensors(&deviation, &deviation, "multiply", |a, b| a * b)?;
    let variance = mean_of(&square, &axes, attrs.keepdims)?;
    Outcome::one(if takes_root { map(&variance, |x| x.call("sqrt"))? } else { variance })
}

/// The index of the greatest or least element.
pub(super) fn extreme_index(site: &mut Site<'_>, is_max: bool) -> Answer<Outcome> {
    let attrs = site.attrs::<ArgmaxArgminAttrs>()?;
    let x = site.tensor(0)?;
    let axes = match attrs.axis {
        Some(axis) => vec![x.axis(axis)?],
        None => (0..x.rank()).collect(),
    };
    let over = reduce_axes(&x, &axes)?;
    let own = x.dims();
    let lengths: Vec<Scalar> = axes.iter().map(|axis| own.pick(*axis)).collect();
    let dims = reduced_dims(&own, &axes, attrs.keepdims);
    let both = Stage::new(format!("{}_red_temp", x.name())).all_over(&dims, |i| {
        let places: Vec<Scalar> = over.iter().map(ReduceAxis::index).collect();
        let value = x.at(&full_place(x.rank(), i, &axes, &over, attrs.keepdims));
        first_extreme(ravel(&places, &lengths), value, &over, is_max)
    })?;
    let index = both.first().ok_or_else(|| TeError::Node("a reduction has no result".to_owned()))?;
    Outcome::one(Stage::new(format!("{}_red", x.name())).over(&dims, |i| index.at(i))?)
}

/// The index of the greatest or least value, the least one of several, and the value.
pub(super) fn first_extreme(index: Scalar, value: Scalar, over: &[ReduceAxis], is_max: bool) -> Vec<Scalar> {
    let better = |a: &Scalar, b: &Scalar| if is_max { a.gt(b) } else { a.lt(b) };
    let result = reduce(
        [index, value],
        over,
        |[index, value], [other_index, other]| {
            let is_better = better(value, other);
            let comes_first = value.equals(other).and(index.lt(other_index));
            let takes = is_better.or(comes_first);
            [takes.select(index, other_index), is_better.select(value, other)]
        },
        |[index, value]| {
            let worst = if is_max { ops::min_value(value) } else { ops::max_value(value) };
            [Scalar::of(ops::make_const(index, -1)), Scalar::of(worst)]
        },
    );
    result.map_or_else(|error| vec![Scalar(Err(error))], Vec::from)
}

pub(super) fn matmul(site: &mut Site<'_>) -> Answer<Outcome> {
    let out_dtype = site.attrs::<MatmulAttrs>()?.out_dtype;
    let (a, b) = (site.tensor(0)?, site.tensor(1)?);
    let dtype = site.result_dtype()?;
    let dims = site.result_dims()?;
    let (a_is_vector, b_is_vector) = (a.rank() == 1, b.rank() == 1);
    let (mut a_dims, mut b_dims) = (a.dims(), b.dims());
    if a_is_vector {
        a_dims.insert(0, int(1));
    }
    if b_is_vector {
        b_dims.push(int(1));
    }
    let length = a_dims.last().cloned().unwrap_or_else(|| int(1));
    if length.known() == Some(0) {
        return Outcome::one(Stage::python("matmul").over(&dims, |_| constant(dtype, 0.0))?);
    }
    let k = ReduceAxis::new(&length, "k")?;
    let batches = dims.len().saturating_sub(2 - usize::from(a_is_vector) - usize::from(b_is_vector));
    let result = Stage::python("matmul").over(&dims, |i| {
        let (mut a_place, mut b_place) = (Vec::new(), Vec::new());
        let skipped = a_dims.len().abs_diff(b_dims.len());
        let a_is_larger = a_dims.len() > b_dims.len();
        for (batch, index) in i.iter().enumerate().take(batches) {
            if batch < skipped {
                if a_is_larger {
                    a_place.push(index.clone())
                } else {
                    b_place.push(index.clone())
                }
                continue;
            }
            let a_length = a_dims.pick(if a_is_larger { batch } else { batch - skipped });
            let b_length = b_dims.pick(if a_is_larger { batch - skipped } else { batch });
            let place =
                |length: &Scalar| match length.known() == Some(1) && !same_length(&a_length, &b_length) {
                    true => int(0),
                    false => index.clone(),
                };
            a_place.push(place(&a_length));
            b_place.push(place(&b_length));
        }
        if !a_is_vector {
            a_place.push(i.pick(i.len().saturating_sub(2 - usize::from(b_is_vector))));
        }
        a_place.push(k.index());
        b_place.push(k.index());
        if !b_is_vector {
            b_place.push(i.pick(i.len().saturating_sub(1)));
        }
        let converted = |value: Scalar| if out_dtype.is_void() { value } else { value.cast(out_dtype) };
        Combine::Sum.over(converted(a.at(&a_place)) * converted(b.at(&b_place)), std::slice::from_ref(&k))
    });
    Outcome::one(result?)
}

pub(super) fn outer(site: &mut Site<'_>) -> Answer<Outcome> {
    let (a, b) = (site.tensor(0)?, site.tensor(1)?);
    let dims = [a.dims(), b.dims()].concat();
    let result = Stage::python("outer")
        .with_axes(&["i", "j"])
        .over(&dims, |i| a.at(&[i.pick(0)]) * b.at(&[i.pick(1)]));
    Outcome::one(result?)
}

/// The softmax along an axis.
pub(super) fn softmax_of(x: &Tensor, axis: usize) -> Answer<Tensor> {
    let dims = x.dims();
    let rest = dims.without(&[axis]);
    let axes = [axis];
    let k = |name| ReduceAxis::new(&dims.pick(axis), name);
    let greatest = greatest(x, axis)?;
    let exp = Stage::python("T_softmax_exp")
        .over(&dims, |i| (x.at(i) - greatest.at(&i.without(&axes))).call("exp"))?;
    let over = [k("k")?];
    let sum = Stage::python("T_softmax_expsum")
        .over(&rest, |i| Combine::Sum.over(exp.at(&full_place(x.rank(), i, &axes, &over, false)), &over))?;
    let annotation = Value::Int(axis as i64);
    Stage::python("T_softmax_norm")
        .with_attr("axis", annotation)
        .over(&dims, |i| exp.at(i) / sum.at(&i.without(&axes)))
}

/// The greatest element along an axis.
fn greatest(x: &Tensor, axis: usize) -> Answer<Tensor> {
    let over = [ReduceAxis::new(&x.dims().pick(axis), "k")?];
    Stage::python("T_softmax_maxelem").over(&x.dims().without(&[axis]), |i| {
        Combine::Max.over(x.at(&full_place(x.rank(), i, &[axis], &over, false)), &over)
    })
}

pub(super) fn softmax(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<SoftmaxAttrs>()?.axis;
    let x = site.tensor(0)?;
    let axis = x.axis(axis)?;
    Outcome::one(softmax_of(&x, axis)?)
}

pub(super) fn log_softmax(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<SoftmaxAttrs>()?.axis;
    let x = site.tensor(0)?;
    let axis = x.axis(axis)?;
    let axes = [axis];
    let dims = x.dims();
    let greatest = greatest(&x, axis)?;
    let over = [ReduceAxis::new(&dims.pick(axis), "k")?];
    let sum = Stage::python("compute").over(&dims.without(&axes), |i| {
        let value = x.at(&full_place(x.rank(), i, &axes, &over, false)) - greatest.at(i);
        Combine::Sum.over(value.call("exp"), &over)
    })?;
    let annotation = Value::Int(axis as i64);
    let result = Stage::python("compute").with_attr("axis", annotation).over(&dims, |i| {
        let rest = i.without(&axes);
        x.at(i) - greatest.at(&rest) - sum.at(&rest).call("log")
    });
    Outcome::one(result?)
}

/// `true` for `float16`, whose sums are computed in `float32`.
pub(super) fn is_half(dtype: DataType) -> bool {
    dtype == DataType::float(16)
}
