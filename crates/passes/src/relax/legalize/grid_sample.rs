//! Images sampled at the places of a grid.
//!
//! Upstream counterpart: `topi/image/grid_sample.py`. TVM widens integers inside indices and conditions, and leaves those of
//! weights: so a coordinate has two forms.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::GridSampleAttrs;

use super::Outcome;
use super::elementwise::abs;
use super::image::{float, floor, weighted};
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Stage, Tensor};

/// The type of integers in indices and conditions.
const INDEX: DataType = DataType::INT64;
/// The type of integers in weights.
const WEIGHT: DataType = DataType::INT32;

/// The parameter of the cubic kernel, that of PyTorch.
const ALPHA: f64 = -0.75;

/// The distance to the element before.
fn fraction(x: &Scalar) -> Scalar {
    x - floor(x, WEIGHT)
}

/// An image and the grid, both with batches and channels before the axes of the image.
struct Sampler<'a> {
    data: &'a Tensor,
    grid: &'a Tensor,
    attrs: &'a GridSampleAttrs,
    /// Lengths of the axes of the image.
    lengths: Vec<Scalar>,
}

impl Sampler<'_> {
    /// The coordinate on an axis of the image, which may be outside. The grid has the last axis first.
    fn raw(&self, axis: usize, i: &[Scalar]) -> Scalar {
        let channel = self.lengths.len().saturating_sub(axis + 1);
        let value = self.grid.at(&[vec![i.pick(0), int(channel as i64)], i.range(2, i.len())].concat());
        let length = self.lengths.pick(axis);
        match self.attrs.align_corners {
            true => (value + 1) * (length - 1) / 2,
            false => float(-0.5) + (value + 1) * length / 2,
        }
    }

    /// A coordinate inside the image, if the mode of padding says so. `place` has a form for each type of integers.
    fn padded(&self, axis: usize, place: &dyn Fn(DataType) -> Scalar, ints: DataType) -> Scalar {
        let clipped = |place: Scalar| place.max(0).min(self.lengths.pick(axis) - 1);
        match self.attrs.padding_mode.as_str() {
            "border" => clipped(place(ints)),
            "reflection" => clipped(self.reflected(axis, place, ints)),
            _ => place(ints),
        }
    }

    /// A coordinate reflected at the border of the image as often as needed.
    fn reflected(&self, axis: usize, place: &dyn Fn(DataType) -> Scalar, ints: DataType) -> Scalar {
        let length = self.lengths.pick(axis);
        // TVM does not widen integers inside a comparison of floating-point numbers.
        let compared = if self.attrs.align_corners { place(ints) } else { place(WEIGHT) };
        let place = &place(ints);
        let (size, corner) = match self.attrs.align_corners {
            true => (length - 1, constant(place.dtype(), 0.0)),
            false => (length, float(-0.5)),
        };
        let distance = abs(&(&corner - place));
        let times = |ints: DataType| distance.cast(ints).truncdiv(&size).cast(ints);
        let extra = &distance - times(ints) * &size;
        let is_even = times(INDEX).truncmod(2).equals(0);
        let inside = is_even.if_then_else(&extra + &corner, &(&size - &extra + &corner));
        compared.ge(&corner).and(compared.le(&size + &corner)).if_then_else(place, &inside)
    }

    /// A coordinate on an axis.
    fn coordinate(&self, axis: usize, i: &[Scalar], ints: DataType) -> Scalar {
        let raw = self.raw(axis, i);
        self.padded(axis, &|_| raw.clone(), ints)
    }

    /// An element, or 0 outside the image.
    fn pixel(&self, i: &[Scalar], place: &[Scalar]) -> Scalar {
        let low = place.iter().map(|index| index.ge(0));
        let high = place.iter().zip(&self.lengths).map(|(index, length)| index.lt(length));
        let inside = low.chain(high).reduce(|all, one| all.and(one));
        let inside = inside.unwrap_or_else(|| Scalar::error("the image has no axes"));
        let value = self.data.at(&[i.range(0, 2), place.to_vec()].concat());
        inside.if_then_else(value, &constant(self.data.dtype(), 0.0))
    }

    fn nearest(&self, i: &[Scalar]) -> Scalar {
        let axes = 0..self.lengths.len();
        let place = axes.map(|axis| self.coordinate(axis, i, INDEX).call("nearbyint").cast(INDEX));
        self.pixel(i, &place.collect::<Vec<_>>())
    }

    /// The mean of the elements around a place. A corner has one flag per axis: is it the element after the place?
    fn linear(&self, i: &[Scalar]) -> Scalar {
        let axes = 0..self.lengths.len();
        let before: Vec<Scalar> =
            axes.clone().map(|axis| floor(&self.coordinate(axis, i, INDEX), INDEX)).collect();
        let after: Vec<Scalar> = before.iter().map(|place| place + 1).collect();
        let rest: Vec<Scalar> =
            axes.clone().map(|axis| fraction(&self.coordinate(axis, i, WEIGHT))).collect();
        let corner = |flags: &[bool]| {
            let place = axes.clone().map(|axis| match flags.get(axis) {
                Some(true) => after.pick(axis),
                _ => before.pick(axis),
            });
            let pixel = self.pixel(i, &place.collect::<Vec<_>>());
            let weight = |axis: usize| match flags.get(axis) {
                Some(true) => rest.pick(axis),
                _ => float(1.0) - rest.pick(axis),
            };
            // TVM multiplies by the weights of three axes from the last one to the first.
            let is_deep = flags.len() == 3;
            let order = axes.clone().map(|axis| if is_deep { 2 - axis } else { axis });
            order.fold(pixel, |value, axis| value * weight(axis))
        };
        let corners: &[&[bool]] = match self.lengths.len() {
            2 => &[&[false, false], &[false, true], &[true, false], &[true, true]],
            _ => &[
                &[false, false, false],
                &[false, false, true],
                &[true, true, false],
                &[true, true, true],
                &[false, true, false],
                &[true, false, true],
                &[true, false, false],
                &[false, true, true],
            ],
        };
        let values = corners.iter().map(|flags| corner(flags));
        values.reduce(|sum, value| sum + value).unwrap_or_else(|| Scalar::error("the image has no axes"))
    }

    fn cubic(&self, i: &[Scalar]) -> Scalar {
        let (down, across) = (self.raw(0, i), self.raw(1, i));
        let place = |axis: usize, offset: i64| {
            let place = |ints| floor(if axis == 0 { &down } else { &across }, ints) + offset;
            self.padded(axis, &place, INDEX).cast(INDEX)
        };
        let line = |row: i64| {
            let pixel = |column: i64| self.pixel(i, &[place(0, row), place(1, column)]);
            cubic_sum([-1, 0, 1, 2].map(pixel), &fraction(&across))
        };
        cubic_sum([-1, 0, 1, 2].map(line), &fraction(&down))
    }
}

/// The sum of four neighbours with the weights of the cubic kernel.
fn cubic_sum(values: [Scalar; 4], t: &Scalar) -> Scalar {
    let near = |t: Scalar| (float(ALPHA + 2.0) * &t - (ALPHA + 3.0)) * &t * &t + 1;
    let far = |t: Scalar| ((float(ALPHA) * &t - 5.0 * ALPHA) * &t + 8.0 * ALPHA) * &t - 4.0 * ALPHA;
    let weights = [far(t + 1), near(t.clone()), near(float(1.0) - t), far(float(2.0) - t)];
    weighted(values, &weights)
}

pub(super) fn grid_sample(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<GridSampleAttrs>()?;
    let (data, grid) = (site.tensor(0)?, site.tensor(1)?);
    let own = data.dims();
    let axes: &[&str] = match (attrs.layout.as_str(), own.len(), grid.rank()) {
        ("NCHW", 4, 4) => &["n", "c", "h", "w"],
        ("NCDHW", 5, 5) => &["n", "c", "d", "h", "w"],
        _ => return Ok(Outcome::Keep),
    };
    let sampler = Sampler { data: &data, grid: &grid, attrs, lengths: own.range(2, own.len()) };
    let method = attrs.method.as_str();
    if !matches!((method, axes.len()), ("bilinear" | "nearest", _) | ("bicubic", 4)) {
        return Ok(Outcome::Keep);
    }
    let dims = [own.range(0, 2), grid.dims().range(2, own.len())].concat();
    let result = Stage::python("compute").with_axes(axes).over(&dims, |i| match method {
        "bilinear" => sampler.linear(i),
        "nearest" => sampler.nearest(i),
        _ => sampler.cubic(i),
    });
    Outcome::one(result?)
}
