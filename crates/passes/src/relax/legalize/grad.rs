//! Gradients of pools and of elements taken at indices.
//!
//! Upstream counterparts: `python/tvm/relax/transform/legalize_ops/grad.py`, `pool_grad_impl` in `topi/nn/pooling.h`.

use tvmscript_relax::attrs::{Pool2DAttrs, TakeAttrs};
use tvmscript_te::TeError;
use tvmscript_tir::ForKind;

use super::Outcome;
use super::conv::values;
use super::pool::{Kind, Window, bordered, in_windows, spatial_axes, window_axes, windows};
use super::reduce::first_extreme;
use super::scalar::{Scalar, Scalars, constant, int, ravel};
use super::scatter::{ADD, combined, lacking, scattered};
use super::site::Site;
use super::statements::{each, in_order, repeat, wide};
use super::tensor::{Answer, Combine, ReduceAxis, Stage, Tensor};

impl Window {
    /// Number of windows, as the gradient counts them.
    fn steps(&self) -> Scalar {
        ((&self.length - self.size + self.before + self.after) / self.stride + 1).simplified()
    }

    /// Number of windows that may hold an element.
    fn overlap(&self) -> i64 {
        self.size.saturating_add(self.stride - 1) / self.stride
    }

    /// A window that may hold an element, the last one first, and the first window that does.
    fn around(&self, index: &Scalar, step: &ReduceAxis) -> [Scalar; 2] {
        let place = index + self.before;
        let window = &place / self.stride - step.index();
        let first = place.lt(self.size).select(0, &((&place - self.size) / self.stride + 1));
        [window, first]
    }

    /// Number of elements of a window that are no padding.
    fn elements_inside(&self, window: &Scalar) -> Scalar {
        let start = window * self.stride - self.before;
        (&start + self.size).min(&self.length) - start.max(0)
    }
}

/// The places of the greatest elements of windows.
fn greatest_places(x: &Tensor, windows: &[Window], lengths: &[Scalar]) -> Answer<Tensor> {
    let data = bordered(x, windows, Kind::Max)?;
    let over = window_axes(windows, ["dh", "dw"], |window| window.size)?;
    let dims = windows.iter().fold(x.dims(), |dims, window| dims.with_at(window.axis, window.steps()));
    // TVM counts the axes of windows in `int32`.
    let both = Stage::new("maxpool_grad_argmax").with_narrow_axes(x.rank()).all_over(&dims, |i| {
        let place = in_windows(windows, &over, i);
        first_extreme(ravel(&place, lengths), data.at(&place), &over, true)
    })?;
    both.into_iter().next().ok_or_else(|| TeError::Node("a reduction has no result".to_owned()))
}

pub(super) fn pool2d_backward(site: &mut Site<'_>, kind: Kind) -> Answer<Outcome> {
    let attrs = site.attrs::<Pool2DAttrs>()?;
    let (gradient, x) = (site.tensor(0)?, site.tensor(1)?);
    let places = spatial_axes(&attrs.layout, 2).filter(|_| values(&attrs.dilation) == [1, 1]);
    let windows = places.and_then(|places| windows(&x, &attrs.into(), &places));
    let Some(windows) = windows else { return Ok(Outcome::Keep) };
    let lengths = windows.iter().fold(x.dims(), |dims, window| {
        dims.with_at(window.axis, &window.length + window.before + window.after)
    });
    let greatest = match kind {
        Kind::Max => Some(greatest_places(&x, &windows, &lengths)?),
        Kind::Average => None,
    };
    let over = window_axes(&windows, ["wh", "ww"], Window::overlap)?;
    let result = Stage::new("T_pool_grad").with_narrow_axes(x.rank()).over(&x.dims(), |i| {
        let (mut place, mut from, mut count) = (i.to_vec(), i.to_vec(), int(1));
        let mut tests = Vec::with_capacity(3);
        for (window, step) in windows.iter().zip(&over) {
            let [index, first] = window.around(&i.pick(window.axis), step);
            let begins = index.ge(first);
            tests.push(match kind {
                Kind::Max => begins,
                Kind::Average => begins.and(index.lt(window.steps())),
            });
            let elements = match attrs.count_include_pad {
                true => int(window.size),
                false => window.elements_inside(&index),
            };
            count = count * elements;
            place = place.with_at(window.axis, i.pick(window.axis) + window.before);
            from = from.with_at(window.axis, index);
        }
        let value = gradient.at(&from);
        let value = match &greatest {
            Some(greatest) => {
                tests.push(greatest.at(&from).equals(ravel(&place, &lengths)));
                value
            }
            None if attrs.count_include_pad => value / count,
            None => value / count.max(1),
        };
        let test = tests.into_iter().reduce(|all, test| all.and(test));
        let test = test.unwrap_or_else(|| Scalar::error("there are no windows"));
        Combine::Sum.over(test.if_then_else(value, &constant(x.dtype(), 0.0)), &over)
    });
    Outcome::one(result?)
}

pub(super) fn take_backward(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<TakeAttrs>()?.axis;
    let (gradient, x, indices) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    if indices.rank() != 1 || gradient.rank() != x.rank() {
        return Ok(Outcome::Keep);
    }
    let axis = axis.map(|axis| x.axis(axis)).transpose()?;
    let (own, dtype, count, given) = (x.dims(), x.dtype(), indices.dims().pick(0), gradient.dims());
    let inputs = [&gradient, &x, &indices];
    let result = scattered("take_backward", &x, &inputs, move |inputs, out| {
        let [gradient, _, indices] = inputs else { return lacking() };
        let clear = each(&own.product(), |i| out.store(i, constant(dtype, 0.0)));
        let add = |to: &Scalar, from: &Scalar| combined(out, to, &gradient.at(from), ADD);
        let gather = match axis {
            Some(axis) => {
                let (before, after) = (given.range(0, axis), given.range(axis + 1, given.len()));
                let (before, after) = (before.product(), after.product());
                repeat(&(before * &after), ForKind::Serial, |fused| {
                    let (i, j) = (fused.floordiv(&after), fused.floormod(&after));
                    each(&count, |k| {
                        let row = &i * &after;
                        let to = &row * own.pick(axis) + wide(&indices.at(k)) * &after + &j;
                        add(&to, &(row * &count + k * &after + &j))
                    })
                })
            }
            None => each(&count, |k| add(&indices.at(k), k)),
        };
        in_order([clear, gather])
    });
    Outcome::one(result?)
}
