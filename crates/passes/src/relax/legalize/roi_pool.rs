//! The greatest elements of the bins of regions.
//!
//! Upstream counterpart: `topi/vision/roi_pool.py`. TVM counts bins in `int32`.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::ROIPoolAttrs;

use super::Outcome;
use super::conv::values;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Combine, ReduceAxis, Stage};

pub(super) fn roi_pool(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<ROIPoolAttrs>()?;
    let (data, rois) = (site.tensor(0)?, site.tensor(1)?);
    let (sizes, own) = (values(&attrs.pooled_size), data.dims());
    let (&[height, width], "NCHW", 4) = (sizes.as_slice(), attrs.layout.as_str(), own.len()) else {
        return Ok(Outcome::Keep);
    };
    let dtype = rois.dtype();
    let scale = constant(DataType::FLOAT32, attrs.spatial_scale);
    // The first element of a bin and the one after the last, along the axis whose first corner is the number at `place`.
    let bin = |i: &[Scalar], axis: usize, place: i64, bins: i64| {
        let corner = |place: i64| {
            let corner = rois.at(&[i.pick(0), int(place)]) * &scale;
            (corner + constant(dtype, 0.5)).call("floor").cast(DataType::INT32)
        };
        let (start, end) = (corner(place), corner(place + 2));
        let length = (end - &start + 1).max(1);
        let step = length.cast(dtype) / constant(dtype, bins as f64);
        let bound = |index: Scalar, rounding: &str| {
            let bound = (index.cast(dtype) * &step).call(rounding).cast(DataType::INT32) + &start;
            bound.max(0).min(own.pick(axis))
        };
        [bound(i.pick(axis), "floor"), bound(i.pick(axis) + 1, "ceil")]
    };
    let bins = |i: &[Scalar]| [bin(i, 2, 2, height), bin(i, 3, 1, width)];
    let stage = || Stage::python("compute").with_axes(&["i", "c", "ph", "pw"]).with_narrow_axes(2);
    let dims = [rois.dims().pick(0), own.pick(1), int(height), int(width)];
    let over = [ReduceAxis::new(&own.pick(2), "rh")?, ReduceAxis::new(&own.pick(3), "rw")?];
    let greatest = stage().over(&dims, |i| {
        let [[top, bottom], [left, right]] = bins(i);
        let [row, column] = over.each_ref().map(ReduceAxis::index);
        let inside = top.le(&row).and(row.lt(bottom)).and(left.le(&column)).and(column.lt(right));
        let batch = rois.at(&[i.pick(0), int(0)]).cast(DataType::INT64);
        let value = data.at(&[batch, i.pick(1), row, column]);
        Combine::Max.over(inside.if_then_else(value, &constant(data.dtype(), f64::NEG_INFINITY)), &over)
    })?;
    let result = stage().over(&dims, |i| {
        let [[top, bottom], [left, right]] = bins(i);
        bottom.le(top).or(right.le(left)).if_then_else(0.0, &greatest.at(i))
    });
    Outcome::one(result?)
}
