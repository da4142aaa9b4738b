//! Images of another size.
//!
//! Upstream counterpart: `topi/image/resize.py`.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::FloatImm;
use tvmscript_relax::attrs::{AffineGridAttrs, Resize2DAttrs, Resize3DAttrs};

use super::Outcome;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::{Site, literals};
use super::tensor::{Answer, Stage, Tensor};

pub(super) fn float(value: f64) -> Scalar {
    constant(DataType::FLOAT32, value)
}

/// One axis of an image that is resized.
struct Axis {
    axis: usize,
    length: Scalar,
    target: Scalar,
    /// Start and end of the region of interest.
    region: [Scalar; 2],
}

impl Axis {
    /// The coordinate in the image of an element of the result; `None` for an unknown mode.
    fn coordinate(&self, index: &Scalar, mode: &str) -> Option<Scalar> {
        let Axis { length, target, region: [start, end], .. } = self;
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

pub(super) fn floor(x: &Scalar, ints: DataType) -> Scalar {
    x.call("floor").cast(ints)
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

/// Makes a value on a side, by its number, from the values at offsets.
type Combine<'c> = dyn Fn(usize, &dyn Fn(i64) -> Scalar) -> Scalar + 'c;

/// The sides of an image that is resized, and how.
struct Resize<'a> {
    data: &'a Tensor,
    sides: Vec<Axis>,
    method: &'a str,
    mode: &'a str,
    /// Rounding of the coordinates of the nearest element.
    rule: &'a str,
    alpha: f64,
    excludes_outside: bool,
    extrapolation: f64,
}

impl Resize<'_> {
    /// An element, the nearest one if the indices are outside.
    fn pixel(&self, indices: &[Scalar], places: &[Scalar]) -> Scalar {
        let inside = self.sides.iter().zip(places).fold(indices.to_vec(), |inside, (side, place)| {
            inside.with_at(side.axis, place.min(&side.length - 1).max(0))
        });
        self.data.at(&inside).cast(DataType::FLOAT32)
    }

    /// A value from the elements around a place, one side after the other.
    fn around(
        &self,
        indices: &[Scalar],
        base: &[Scalar],
        places: &[Scalar],
        combine: &Combine<'_>,
    ) -> Scalar {
        match base.get(places.len()) {
            None => self.pixel(indices, places),
            Some(start) => combine(places.len(), &|offset| {
                self.around(indices, base, &[places, &[start + offset]].concat(), combine)
            }),
        }
    }

    /// The weights of the neighbours on a side; none outside the image, if so wanted.
    fn weights(&self, side: &Axis, place: &Scalar) -> [Scalar; 4] {
        let weights = cubic_weights(&(place - place.call("floor")), self.alpha);
        if !self.excludes_outside {
            return weights;
        }
        let start = floor(place, DataType::INT64);
        let mut offset = -1;
        let weights = weights.map(|weight| {
            offset += 1;
            let outside = (&start - 1 + offset).lt(0).or((&start + offset).gt(&side.length));
            outside.if_then_else(float(0.0), &weight)
        });
        let sum = weights.iter().cloned().reduce(|sum, weight| sum + weight).unwrap_or_else(|| float(1.0));
        weights.map(|weight| weight / &sum)
    }

    /// An element of the result.
    fn value(&self, i: &[Scalar]) -> Option<Scalar> {
        let coordinates = self.sides.iter().map(|side| side.coordinate(&i.pick(side.axis), self.mode));
        let coordinates = coordinates.collect::<Option<Vec<_>>>()?;
        let start = || coordinates.iter().map(|place| floor(place, DataType::INT64)).collect::<Vec<_>>();
        let value = match self.method {
            "nearest_neighbor" => {
                let places = coordinates.iter().map(|coordinate| nearest(coordinate, self.rule));
                self.pixel(i, &places.collect::<Option<Vec<_>>>()?)
            }
            "linear" => {
                let rest = |x: &Scalar| x - floor(x, DataType::INT32).cast(DataType::FLOAT32);
                let rests: Vec<Scalar> = coordinates.iter().map(rest).collect();
                self.around(i, &start(), &[], &|side, at| {
                    let t = rests.pick(side);
                    at(0) * (float(1.0) - &t) + at(1) * t
                })
            }
            "cubic" => {
                let weights =
                    self.sides.iter().zip(&coordinates).map(|(side, place)| self.weights(side, place));
                let weights: Vec<[Scalar; 4]> = weights.collect();
                self.around(i, &start(), &[], &|side, at| match weights.get(side) {
                    Some(weights) => weighted([-1, 0, 1, 2].map(at), weights),
                    None => float(0.0),
                })
            }
            _ => return None,
        };
        if self.mode != "tf_crop_and_resize" {
            return Some(value.cast(self.data.dtype()));
        }
        // TVM does not look at the depth.
        let sides = self.sides.iter().zip(&coordinates).skip(self.sides.len().saturating_sub(2));
        let outside = float(self.extrapolation);
        let value = sides.fold(value, |value, (side, place)| {
            let last = (&side.length - 1).cast(DataType::FLOAT32);
            place.lt(0).if_then_else(&outside, &place.gt(last).if_then_else(&outside, &value))
        });
        Some(value.cast(self.data.dtype()))
    }

    fn result(&self) -> Answer<Outcome> {
        let dims = self
            .sides
            .iter()
            .fold(self.data.dims(), |dims, side| dims.with_at(side.axis, side.target.clone()));
        let unknown = || Scalar::error("the mode of the resize is unknown");
        Outcome::one(Stage::python("resize").over(&dims, |i| self.value(i).unwrap_or_else(unknown))?)
    }
}

/// The rule for rounding, which depends on the mode if it is not stated.
fn rounding<'a>(rule: &'a str, mode: &str) -> &'a str {
    match (rule, mode) {
        ("", "align_corners") => "round",
        ("", _) => "floor",
        (rule, _) => rule,
    }
}

/// The sides: axes with the places of their bounds in the region of interest.
fn sides(
    site: &mut Site<'_>,
    data: &Tensor,
    roi: &Array<Ref<FloatImm>>,
    axes: &[(usize, [usize; 2])],
) -> Answer<Vec<Axis>> {
    let size = site.shape(1)?;
    let roi: Vec<Scalar> = roi.iter().map(|value| float(value.value)).collect();
    let sides = axes.iter().enumerate().map(|(number, (axis, bounds))| Axis {
        axis: *axis,
        length: data.dims().pick(*axis),
        target: size.pick(number),
        region: bounds.map(|bound| roi.pick(bound)),
    });
    Ok(sides.collect())
}

/// A resize; the attributes for two and for three sides have the same names.
macro_rules! resize_of {
    ($site:ident, $data:ident, $attrs:ident, $axes:ident) => {{
        let mode = $attrs.coordinate_transformation_mode.as_str();
        Resize {
            sides: sides($site, &$data, &$attrs.roi, &$axes)?,
            data: &$data,
            method: &$attrs.method,
            mode,
            rule: rounding(&$attrs.rounding_method, mode),
            alpha: $attrs.cubic_alpha,
            excludes_outside: $attrs.cubic_exclude != 0,
            extrapolation: $attrs.extrapolation_value,
        }
    }};
}

pub(super) fn resize2d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Resize2DAttrs>()?;
    let data = site.tensor(0)?;
    let axes = match attrs.layout.as_str() {
        "NCHW" => [(2, [0, 2]), (3, [1, 3])],
        "NHWC" => [(1, [0, 2]), (2, [1, 3])],
        _ => return Ok(Outcome::Keep),
    };
    resize_of!(site, data, attrs, axes).result()
}

pub(super) fn resize3d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Resize3DAttrs>()?;
    let data = site.tensor(0)?;
    // TVM has the bounds of the depth last.
    let axes = match attrs.layout.as_str() {
        "NCDHW" => [(2, [2, 5]), (3, [1, 4]), (4, [0, 3])],
        "NDHWC" => [(1, [2, 5]), (2, [1, 4]), (3, [0, 3])],
        _ => return Ok(Outcome::Keep),
    };
    let resize = resize_of!(site, data, attrs, axes);
    if resize.excludes_outside { Ok(Outcome::Keep) } else { resize.result() }
}

/// The places of a grid under affine maps.
pub(super) fn affine_grid(site: &mut Site<'_>) -> Answer<Outcome> {
    let is_aligned = site.attrs::<AffineGridAttrs>()?.align_corners;
    let maps = site.tensor(0)?;
    let size = site.shape(1)?;
    let (Some(lengths), 2 | 3) = (literals(&size), size.len()) else { return Ok(Outcome::Keep) };
    if lengths.iter().any(|length| *length < if is_aligned { 2 } else { 1 }) {
        return Ok(Outcome::Keep);
    }
    let dtype = maps.dtype();
    let count = size.len();
    let dims = [vec![maps.dims().pick(0), int(count as i64)], size].concat();
    let names = ["n", "dim", "i0", "i1", "i2"];
    let result = Stage::python("compute").with_axes(&names).over(&dims, |i| {
        let entry = |column: usize| maps.at(&[i.pick(0), i.pick(1), int(column as i64)]);
        lengths.iter().enumerate().fold(entry(count), |sum, (axis, length)| {
            let length = *length as f64;
            let (start, step) = match is_aligned {
                true => (-1.0, (2.0 - 1e-7) / (length - 1.0)),
                false => (-1.0 + 1.0 / length, 2.0 / length),
            };
            let place = i.pick(axis + 2).cast(dtype) * constant(dtype, step);
            sum + entry(count - 1 - axis) * (constant(dtype, start) + place)
        })
    });
    Outcome::one(result?)
}
