//! Padding and dilation of tensors, which convolutions and pools begin with.
//!
//! Upstream counterparts: `topi/nn/{pad,dilate}.py`, `pad` in `topi/nn.h`.

use tvmscript_ir_core::Str;
use tvmscript_prim::ops;
use tvmscript_relax::attrs::PadAttrs;
use tvmscript_te::TeError;

use super::Outcome;
use super::elementwise::abs;
use super::scalar::{Scalar, constant, int};
use super::site::Site;
use super::tensor::{Answer, Stage, Tensor};

/// Elements added before and after those of each axis.
pub(super) type Widths = Vec<(Scalar, Scalar)>;

fn is_zero(width: &Scalar) -> bool {
    width.known() == Some(0)
}

fn padded_dims(x: &Tensor, widths: &Widths) -> Vec<Scalar> {
    let dims = x.dims().into_iter().zip(widths);
    dims.map(|(length, (before, after))| (length + before + after).simplified()).collect()
}

/// All conditions; `None` if there is none.
fn all(conditions: Vec<Scalar>) -> Option<Scalar> {
    conditions.into_iter().reduce(|all, next| all.and(next))
}

/// A tensor with a border of one value, as the Python library makes it.
pub(super) fn padded(x: &Tensor, widths: &Widths, value: &Scalar, stage: Stage<'_>) -> Answer<Tensor> {
    stage.over(&padded_dims(x, widths), |i| {
        let mut inside = Vec::new();
        let mut place = Vec::with_capacity(i.len());
        for ((index, length), (before, after)) in i.iter().zip(x.dims()).zip(widths) {
            if is_zero(before) && is_zero(after) {
                place.push(index.clone());
                continue;
            }
            place.push(index - before);
            inside.push(index.ge(before));
            inside.push(index.lt(length + before));
        }
        match all(inside) {
            Some(inside) => inside.if_then_else(x.at(&place), value),
            None => x.at(&place),
        }
    })
}

/// The same as the C++ library makes it, which tests only the sides that have a border.
pub(super) fn padded_sides(x: &Tensor, widths: &Widths, value: &Scalar) -> Answer<Tensor> {
    Stage::new("pad_temp").over(&padded_dims(x, widths), |i| {
        let mut inside = Vec::new();
        let mut place = Vec::with_capacity(i.len());
        for ((index, length), (before, after)) in i.iter().zip(x.dims()).zip(widths) {
            if is_zero(before) {
                place.push(index.clone());
            } else {
                inside.push(index.ge(before));
                place.push(index - before);
            }
            if !is_zero(after) {
                inside.push(index.lt(before + length).simplified());
            }
        }
        match all(inside) {
            Some(inside) => inside.if_then_else(x.at(&place), value),
            None => x.at(&place),
        }
    })
}

/// A tensor with zeros between its elements.
pub(super) fn dilated(x: &Tensor, strides: &[i64], name: impl Into<Str>) -> Answer<Tensor> {
    let lengths = x.dims().into_iter().zip(strides);
    let dims: Vec<Scalar> =
        lengths.map(|(length, stride)| ((length - 1) * *stride + 1).simplified()).collect();
    Stage::python(name).over(&dims, |i| {
        let mut inside = Vec::new();
        let mut place = Vec::with_capacity(i.len());
        for (index, stride) in i.iter().zip(strides) {
            if *stride == 1 {
                place.push(index.clone());
            } else {
                place.push(index.floordiv(*stride));
                inside.push(index.floormod(*stride).equals(0));
            }
        }
        match all(inside) {
            Some(inside) => inside.if_then_else(x.at(&place), &constant(x.dtype(), 0.0)),
            None => x.at(&place),
        }
    })
}

pub(super) fn pad(site: &mut Site<'_>) -> Answer<Outcome> {
    let PadAttrs { pad_width, pad_value, pad_mode } = site.attrs::<PadAttrs>()?;
    let x = site.tensor(0)?;
    let widths: Vec<i64> = pad_width.iter().map(|width| width.value).collect();
    let widths: Widths =
        widths.chunks_exact(2).filter_map(|pair| Some((int(*pair.first()?), int(*pair.last()?)))).collect();
    if widths.len() != x.rank() {
        return Err(TeError::Node("there is not one pair of widths per axis".to_owned()));
    }
    let moved = |name: &str, place: &dyn Fn(Scalar, &Scalar) -> Scalar| {
        Stage::python(name).over(&padded_dims(&x, &widths), |i| {
            let axes = i.iter().zip(x.dims()).zip(&widths);
            let place: Vec<Scalar> =
                axes.map(|((index, length), (before, _))| place(index - before, &length)).collect();
            x.at(&place)
        })
    };
    let (function, result) = match pad_mode.as_str() {
        "reflect" => (
            "reflect_pad",
            moved("ReflectPadInput", &|index, length| {
                let last = length - 1;
                &last - abs(&(&last - abs(&index)))
            })?,
        ),
        "replicate" => (
            "replicate_pad",
            moved("ReplicatePadInput", &|index, length| int(0).max((length - 1).min(index)))?,
        ),
        "circular" => {
            ("circular_pad", moved("CircularPadInput", &|index, length| (index + length).floormod(length))?)
        }
        _ => {
            let value = Scalar::of(ops::make_const(x.dtype(), *pad_value));
            ("pad", padded(&x, &widths, &value, Stage::python("PadInput"))?)
        }
    };
    Ok(Outcome::Named(function, vec![result]))
}
