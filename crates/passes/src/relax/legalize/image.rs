//! Images of another size.
//!
//! Upstream counterpart: `topi/image/resize.py`.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::Resize2DAttrs;

use super::Outcome;
use super::scalar::{Scalar, Scalars, constant};
use super::site::Site;
use super::tensor::{Answer, Stage, Tensor};

pub(super) fn float(value: f64) -> Scalar {
    constant(DataType::FLOAT32, value)
}

/// One axis of an image that is resized.
struct Axis {
    length: Scalar,
    target: Scalar,
    /// Start and end of the region of interest.
    region: [Scalar; 2],
}

impl Axis {
    /// The coordinate in the image of an element of the result; `None` for an unknown mode.
    fn coordinate(&self, index: &Scalar, mode: &str) -> Option<Scalar> {
        let Axis { length, target, region: [start, end] } = self;
        let wide = |x: &Scalar| x.cast(DataType::FLOAT32);
        let index = wide(index);
        let scale = wide(length) / wide(target);
        let centre = || (&index + 0.5) * &scale;
        Some(match mode {
            "half_pixel" => centre() - 0.5,
            "align_corners" => wide(&(length - 1)) / wide(&(target - 1)) * index,
            "asymmetric" => scale * index,
            "pytorch_half_pixel" => target.gt(1).if_then_else(centre() - 0.5, &float(0.0)),
            "tf_half_pixel_for_nn" => centre(),
            "tf_crop_and_resize" => {
                let last = wide(&(length - 1));
                let place = start * &last + index * (end - start) * &last / wide(&(target - 1));
                target.gt(1).if_then_else(place, &((start + end) * 0.5 * last))
            }
            _ => return None,
        })
    }
}

/// The index of the nearest element; `None` for an unknown rule.
fn nearest(coordinate: &Scalar, rule: &str) -> Option<Scalar> {
    let rounded = match rule {
        "round" => coordinate.call("round"),
        "round_prefer_floor" => (coordinate - 0.5).call("ceil"),
        "round_prefer_ceil" => (coordinate + 0.5).call("floor"),
        "floor" => (coordinate + 1e-5).call("floor"),
        "ceil" => (coordinate - 1e-5).call("ceil"),
        _ => return None,
    };
    Some(rounded.cast(DataType::INT64))
}

/// The weights of four neighbours.
fn cubic_weights(t: &Scalar, alpha: f64) -> [Scalar; 4] {
    let square = t * t;
    let cube = t * t * t;
    let times = |x: &Scalar, factor: f64| float(factor) * x;
    [
        float(alpha) * (&cube - times(&square, 2.0) + t),
        times(&cube, alpha + 2.0) - times(&square, 3.0 + alpha) + 1.0,
        times(&cube, -(alpha + 2.0)) + times(&square, 3.0 + 2.0 * alpha) - times(t, alpha),
        times(&cube, -alpha) + times(&square, alpha),
    ]
}

/// The sum of values with weights.
pub(super) fn weighted(values: [Scalar; 4], weights: &[Scalar; 4]) -> Scalar {
    let products = values.into_iter().zip(weights).map(|(value, weight)| value * weight);
    products.reduce(|sum, product| sum + product).unwrap_or_else(|| float(0.0))
}

/// An image and the places of its axes.
struct Image<'t> {
    data: &'t Tensor,
    rows: usize,
    columns: usize,
}

impl Image<'_> {
    /// An element, the nearest one if the indices are outside.
    fn pixel(&self, indices: &[Scalar], row: Scalar, column: Scalar) -> Scalar {
        let dims = self.data.dims();
        let inside = |index: Scalar, axis: usize| index.min(dims.pick(axis) - 1).max(0);
        let place = indices.with_at(self.rows, inside(row, self.rows));
        self.data.at(&place.with_at(self.columns, inside(column, self.columns))).cast(DataType::FLOAT32)
    }
}

pub(super) fn resize2d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Resize2DAttrs>()?;
    let data = site.tensor(0)?;
    let size = site.shape(1)?;
    let (rows, columns) = match attrs.layout.as_str() {
        "NCHW" => (2, 3),
        "NHWC" => (1, 2),
        _ => return Ok(Outcome::Keep),
    };
    let own = data.dims();
    let dims = own.with_at(rows, size.pick(0)).with_at(columns, size.pick(1));
    let roi: Vec<Scalar> = attrs.roi.iter().map(|value| float(value.value)).collect();
    let axis = |place: usize, number: usize| Axis {
        length: own.pick(place),
        target: dims.pick(place),
        region: [roi.pick(number), roi.pick(number + 2)],
    };
    let (vertical, horizontal) = (axis(rows, 0), axis(columns, 1));
    let mode = attrs.coordinate_transformation_mode.as_str();
    let rule = match (attrs.rounding_method.as_str(), mode) {
        ("", "align_corners") => "round",
        ("", _) => "floor",
        (rule, _) => rule,
    };
    let image = Image { data: &data, rows, columns };
    let unknown = || Scalar::error("the mode of the resize is unknown");
    let result = Stage::python("resize").over(&dims, |i| {
        let places =
            (vertical.coordinate(&i.pick(rows), mode), horizontal.coordinate(&i.pick(columns), mode));
        let (Some(y), Some(x)) = places else { return unknown() };
        let floor = |x: &Scalar| x.call("floor").cast(DataType::INT64);
        let value = match attrs.method.as_str() {
            "nearest_neighbor" => match (nearest(&y, rule), nearest(&x, rule)) {
                (Some(row), Some(column)) => image.pixel(i, row, column),
                _ => unknown(),
            },
            "linear" => {
                let (row, column) = (floor(&y), floor(&x));
                let between = |a: Scalar, b: Scalar, t: &Scalar| a * (float(1.0) - t) + b * t;
                let rest = |x: &Scalar| x - x.call("floor").cast(DataType::INT32).cast(DataType::FLOAT32);
                let (down, right) = (rest(&y), rest(&x));
                let line = |offset: i64| {
                    let at = |other: i64| image.pixel(i, &row + offset, &column + other);
                    between(at(0), at(1), &right)
                };
                between(line(0), line(1), &down)
            }
            "cubic" => {
                let (row, column) = (floor(&y), floor(&x));
                let weights = |place: &Scalar, start: &Scalar, length: &Scalar| {
                    let mut weights = cubic_weights(&(place - place.call("floor")), attrs.cubic_alpha);
                    if attrs.cubic_exclude != 0 {
                        for (weight, offset) in weights.iter_mut().zip(0i64..) {
                            let outside = (start - 1 + offset).lt(0).or((start + offset).gt(length));
                            *weight = outside.if_then_else(float(0.0), weight);
                        }
                        let sum = weights.iter().cloned().reduce(|sum, weight| sum + weight);
                        let sum = sum.unwrap_or_else(|| float(1.0));
                        weights = weights.map(|weight| weight / &sum);
                    }
                    weights
                };
                let across = weights(&x, &column, &own.pick(columns));
                let down = weights(&y, &row, &own.pick(rows));
                let line = |offset: i64| {
                    let at = |other: i64| image.pixel(i, &row + offset - 1, &column + other - 1);
                    weighted([0, 1, 2, 3].map(at), &across)
                };
                weighted([0, 1, 2, 3].map(line), &down)
            }
            _ => unknown(),
        };
        let value = match mode {
            "tf_crop_and_resize" => {
                let outside = float(attrs.extrapolation_value);
                let clip = |place: &Scalar, length: &Scalar, value: Scalar| {
                    let last = (length - 1).cast(DataType::FLOAT32);
                    let inner = place.gt(last).if_then_else(&outside, &value);
                    place.lt(0).if_then_else(&outside, &inner)
                };
                clip(&x, &own.pick(columns), clip(&y, &own.pick(rows), value))
            }
            _ => value,
        };
        value.cast(data.dtype())
    });
    Outcome::one(result?)
}
