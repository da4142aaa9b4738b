//! Regions of images as images of one size.
//!
//! Upstream counterpart: `topi/vision/roi_align.py`. TVM widens integers inside indices and conditions, and leaves those of
//! weights.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::ROIAlignAttrs;

use super::Outcome;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Combine, ReduceAxis, Stage};

/// One axis of a region.
struct Axis {
    /// Number of elements of the image.
    length: Scalar,
    /// Coordinate in the image of a sample.
    place: Scalar,
}

impl Axis {
    /// Tests whether a sample is outside, on one side and on the other.
    fn outside(&self) -> [Scalar; 2] {
        [self.place.lt(-1.0), self.place.gt(self.length.cast(self.place.dtype()))]
    }

    /// The elements around a sample with their weights.
    fn neighbours(&self) -> [(Scalar, Scalar); 2] {
        let dtype = self.place.dtype();
        let place = self.place.max(0.0).min((&self.length - 1).cast(dtype));
        let floor = |ints: DataType| place.call("floor").cast(ints);
        let rest = &place - floor(DataType::INT32);
        let low = floor(DataType::INT64);
        [(constant(dtype, 1.0) - &rest, low.clone()), (rest, low + 1)]
    }

    /// Tests whether an element is inside.
    fn holds(&self, index: &Scalar) -> Scalar {
        int(0).le(index).and(index.le(&self.length - 1))
    }
}

pub(super) fn roi_align(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<ROIAlignAttrs>()?;
    let (data, rois) = (site.tensor(0)?, site.tensor(1)?);
    let own = data.dims();
    let (rows, columns, names): (_, _, &[&str]) = match attrs.layout.as_str() {
        "NCHW" => (2, 3, &["i", "c", "ph", "pw"]),
        "NHWC" => (1, 2, &["i", "ph", "pw", "c"]),
        _ => return Ok(Outcome::Keep),
    };
    let sizes: Vec<i64> = attrs.pooled_size.iter().map(|size| size.value).collect();
    let (&[height, width], true, 4) = (sizes.as_slice(), attrs.sample_ratio > 0, own.len()) else {
        return Ok(Outcome::Keep);
    };
    let combine = match attrs.mode.as_str() {
        "avg" => Combine::Sum,
        "max" => Combine::Max,
        _ => return Ok(Outcome::Keep),
    };
    let (dtype, ratio) = (rois.dtype(), attrs.sample_ratio);
    let dims = own.with_at(0, rois.dims().pick(0)).with_at(rows, int(height)).with_at(columns, int(width));
    let samples = |name: &str| ReduceAxis::new(&int(ratio), name);
    let (down, across) = (samples("rh")?, samples("rw")?);
    let result = Stage::python("compute").with_axes(names).over(&dims, |i| {
        let corner = |at: i64| rois.at(&[i.pick(0), int(at)]) * attrs.spatial_scale;
        let axis = |axis: usize, at: i64, bins: i64, sample: &ReduceAxis| {
            let (start, end) = (corner(at), corner(at + 2));
            let size = &end - &start;
            let size = if attrs.aligned { size } else { size.max(1.0) };
            let bin = size / constant(dtype, bins as f64);
            let start = start + i.pick(axis).cast(dtype) * &bin;
            let place = start + (sample.index().cast(dtype) + 0.5) * bin / constant(dtype, ratio as f64);
            Axis { length: own.pick(axis), place }
        };
        let (y, x) = (axis(rows, 2, height, &down), axis(columns, 1, width, &across));
        let ([top, bottom], [left, right]) = (y.outside(), x.outside());
        let zero = constant(data.dtype(), 0.0);
        let batch = rois.at(&[i.pick(0), int(0)]).cast(DataType::INT64);
        let mut sum: Option<Scalar> = None;
        for (weight_x, column) in x.neighbours() {
            for (weight_y, row) in y.neighbours() {
                let place = i.with_at(0, batch.clone());
                let pixel = data.at(&place.with_at(rows, row.clone()).with_at(columns, column.clone()));
                let inside = y.holds(&row).and(int(0).le(&column)).and(column.le(&x.length - 1));
                let value = inside.if_then_else(&weight_x * weight_y * pixel, &zero);
                sum = Some(sum.map_or_else(|| value.clone(), |sum| sum + &value));
            }
        }
        let value = sum.unwrap_or_else(|| zero.clone());
        let value = top.or(left).or(bottom).or(right).if_then_else(&zero, &value);
        let value = match combine {
            Combine::Sum => value / constant(dtype, ratio as f64 * ratio as f64),
            _ => value,
        };
        combine.over(value, &[down.clone(), across.clone()])
    });
    Outcome::one(result?)
}
