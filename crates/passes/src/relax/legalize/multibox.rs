//! Boxes from offsets of anchors, with the scores of their classes.
//!
//! Upstream counterpart: `topi/vision/multibox_transform_loc.py`.

use tvmscript_ir_core::Value;
use tvmscript_relax::attrs::MultiboxTransformLocAttrs;

use super::Outcome;
use super::elementwise::{combine_tensors, map, with_scalar};
use super::manipulate::{reshaped, unsupported};
use super::reduce::softmax_of;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Stage};

/// A Python number.
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => Some(*value),
        Value::Int(value) => Some(*value as f64),
        _ => None,
    }
}

pub(super) fn multibox_transform_loc(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<MultiboxTransformLocAttrs>()?;
    let (mut scores, offsets, anchors) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let factors: Option<Vec<f64>> = attrs.variances.values().iter().map(float).collect();
    let Some(&[x, y, width, height]) = factors.as_deref() else {
        return unsupported("there are not four variances");
    };
    let (dims, dtype) = (scores.dims(), scores.dtype());
    let rows = [dims.pick(0), dims.pick(2), int(4)];
    let offsets = reshaped(&offsets, &rows)?;
    let boxes = Stage::python("multibox_boxes").with_axes(&["b", "a", "k"]).over(&rows, |i| {
        let anchor = |place: i64| anchors.at(&[int(0), i.pick(1), int(place)]);
        let offset = |place: i64| offsets.at(&[i.pick(0), i.pick(1), int(place)]);
        let half = constant(dtype, 0.5);
        // Both sides along an axis: 0 for x, 1 for y.
        let sides = |axis: i64, of_centre: f64, of_size: f64| {
            let (low, high) = (anchor(axis), anchor(axis + 2));
            let (size, middle) = (&high - &low, (&low + &high) * &half);
            let centre = offset(axis) * constant(dtype, of_centre) * &size + middle;
            let reach = &half * (offset(axis + 2) * constant(dtype, of_size)).call("exp") * size;
            [&centre - &reach, centre + reach].map(|side| match attrs.clip {
                true => constant(dtype, 0.0).max(constant(dtype, 1.0).min(side)),
                false => side,
            })
        };
        let ([left, right], [top, bottom]) = (sides(0, x, width), sides(1, y, height));
        let is = |place: i64| i.pick(2).equals(place);
        let rest: Scalar = is(2).select(bottom, &right);
        is(0).select(top, &is(1).select(left, &rest))
    })?;
    if attrs.apply_softmax {
        scores = softmax_of(&scores, 1)?;
    }
    let is_good = with_scalar(&scores, attrs.threshold, "greater_equal", |a, b| a.ge(b))?;
    let mask = map(&is_good, |x| x.cast(dtype))?;
    scores = combine_tensors(&scores, &mask, "multiply", |a, b| a * b)?;
    if !attrs.keep_background {
        let stage = Stage::python("multibox_scores_bg").with_axes(&["b", "c", "n"]);
        scores = stage.over(&dims, |i| i.pick(1).equals(0).if_then_else(0.0, &scores.at(i)))?;
    }
    Ok(Outcome::Tensors(vec![boxes, scores]))
}
