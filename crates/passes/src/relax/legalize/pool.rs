//! Pools of windows, and pools to a given size.
//!
//! Upstream counterpart: `topi/nn/pooling.h`.

use tvmscript_ir_core::{DataType, Str, Value};
use tvmscript_prim::ops;
use tvmscript_relax::attrs::{
    AdaptivePool1DAttrs, AdaptivePool2DAttrs, AdaptivePool3DAttrs, Pool1DAttrs, Pool2DAttrs, Pool3DAttrs,
};
use tvmscript_te::TeError;

use super::Outcome;
use super::conv::values;
use super::pad::{Widths, padded_sides};
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Combine, ReduceAxis, Stage, Tensor};

/// The attributes of a pool.
pub(super) struct Pool<'a> {
    size: Vec<i64>,
    strides: Vec<i64>,
    dilation: Vec<i64>,
    padding: Vec<i64>,
    ceil_mode: bool,
    count_include_pad: bool,
    layout: &'a Str,
    out_layout: &'a Str,
}

macro_rules! pool_of {
    ($($attrs:ident)*) => {$(
        impl<'a> From<&'a $attrs> for Pool<'a> {
            fn from(attrs: &'a $attrs) -> Self {
                Pool {
                    size: values(&attrs.pool_size),
                    strides: values(&attrs.strides),
                    dilation: values(&attrs.dilation),
                    padding: values(&attrs.padding),
                    ceil_mode: attrs.ceil_mode,
                    count_include_pad: attrs.count_include_pad,
                    layout: &attrs.layout,
                    out_layout: &attrs.out_layout,
                }
            }
        }
    )*};
}
pool_of! { Pool1DAttrs Pool2DAttrs Pool3DAttrs }

/// Kinds of pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Max,
    Average,
}

/// The positions of spatial axes in a layout without blocks, in the order depth, height, width.
pub(super) fn spatial_axes(layout: &str, spatial: usize) -> Option<Vec<usize>> {
    if !layout.chars().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    let letters = "DHW".chars().skip(3 - spatial);
    letters.map(|letter| layout.chars().position(|other| other == letter)).collect()
}

fn rule(name: &str) -> Value {
    Value::from(Str::new(name))
}

/// A window along one axis.
pub(super) struct Window {
    pub(super) axis: usize,
    pub(super) length: Scalar,
    pub(super) size: i64,
    pub(super) stride: i64,
    dilation: i64,
    pub(super) before: i64,
    pub(super) after: i64,
    /// Padding that only rounds the number of windows up.
    offset: i64,
}

/// The windows along the axes; `None` if the attributes do not fit.
pub(super) fn windows(x: &Tensor, pool: &Pool<'_>, axes: &[usize]) -> Option<Vec<Window>> {
    // In 32 bits, since the numbers are multiplied.
    let at =
        |list: &[i64], index: usize| list.get(index).copied().filter(|number| i32::try_from(*number).is_ok());
    let window = |(index, axis): (usize, &usize)| {
        let stride = at(&pool.strides, index).filter(|stride| *stride > 0)?;
        let offset = if pool.ceil_mode { stride - 1 } else { 0 };
        Some(Window {
            axis: *axis,
            length: x.dims().pick(*axis),
            size: at(&pool.size, index)?,
            stride,
            dilation: at(&pool.dilation, index).filter(|dilation| *dilation > 0)?,
            before: at(&pool.padding, index)?,
            after: at(&pool.padding, index + axes.len())? + offset,
            offset,
        })
    };
    axes.iter().enumerate().map(window).collect()
}

impl Window {
    /// Number of windows.
    fn count(&self, rounds_up: bool) -> Scalar {
        let steps = &self.length - (self.size - 1) * self.dilation - 1 + self.before + self.after;
        let count = steps.floordiv(self.stride) + 1;
        match rounds_up {
            false => count.simplified(),
            true => {
                let begins_outside = ((&count - 1) * self.stride).ge(&self.length + self.before);
                begins_outside.if_then_else(&count - 1, &count).simplified()
            }
        }
    }

    /// Number of elements that a window averages.
    fn elements(&self, index: &Scalar, counts_padding: bool) -> Scalar {
        let start = index * self.stride - self.before;
        let end = &start + (self.size - 1) * self.dilation;
        if counts_padding {
            let end = end.min(&self.length + self.after - 1 - self.offset);
            return (end - start) / self.dilation + 1;
        }
        let skipped = ((int(self.dilation - 1) - &start) / self.dilation).max(0);
        let end = end.min(&self.length - 1);
        (end - (start + skipped * self.dilation)) / self.dilation + 1
    }
}

/// The data with the border that its windows reach into.
pub(super) fn bordered(x: &Tensor, windows: &[Window], kind: Kind) -> Answer<Tensor> {
    let mut widths: Widths = vec![(int(0), int(0)); x.rank()];
    for window in windows {
        if let Some(width) = widths.get_mut(window.axis) {
            *width = (int(window.before), int(window.after));
        }
    }
    let border = match kind {
        Kind::Max => Scalar::of(ops::min_value(x.dtype())),
        Kind::Average => constant(x.dtype(), 0.0),
    };
    match windows.iter().any(|window| window.before != 0 || window.after != 0) {
        true => padded_sides(x, &widths, &border),
        false => Ok(x.clone()),
    }
}

/// An axis to reduce over per window.
pub(super) fn window_axes<const N: usize>(
    windows: &[Window],
    names: [&str; N],
    count: fn(&Window) -> i64,
) -> Answer<Vec<ReduceAxis>> {
    windows.iter().zip(names).map(|(window, name)| ReduceAxis::new(&int(count(window)), name)).collect()
}

/// The place of an element of the windows that these indices count.
pub(super) fn in_windows(windows: &[Window], over: &[ReduceAxis], i: &[Scalar]) -> Vec<Scalar> {
    windows.iter().zip(over).fold(i.to_vec(), |place, (window, axis)| {
        let index = i.pick(window.axis) * window.stride + axis.index() * window.dilation;
        place.with_at(window.axis, index)
    })
}

fn pooled(site: &mut Site<'_>, pool: &Pool<'_>, spatial: usize, kind: Kind) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let axes = spatial_axes(pool.layout, spatial).filter(|_| pool.layout == pool.out_layout);
    let Some(axes) = axes else { return Ok(Outcome::Keep) };
    let Some(windows) = windows(&x, pool, &axes) else {
        return Err(TeError::Node("the attributes do not fit the layout".to_owned()));
    };
    let count = |dims: Vec<Scalar>, window: &Window| dims.with_at(window.axis, window.count(pool.ceil_mode));
    let dims = windows.iter().fold(x.dims(), count);
    let over = window_axes(&windows, ["rv0", "rv1", "rv2"], |window| window.size)?;
    let data = bordered(&x, &windows, kind)?;
    let element = |i: &[Scalar]| data.at(&in_windows(&windows, &over, i));
    if kind == Kind::Max {
        let stage = Stage::new("pool_max").with_attr("schedule_rule", rule("meta_schedule.pool_max"));
        return Outcome::one(stage.over(&dims, |i| Combine::Max.over(element(i), &over))?);
    }
    let sum = Stage::new("pool_sum").over(&dims, |i| Combine::Sum.over(element(i), &over))?;
    let stage = Stage::new("pool_avg").with_attr("schedule_rule", rule("meta_schedule.pool_avg"));
    let result = stage.over(&dims, |i| {
        let counts =
            windows.iter().map(|window| window.elements(&i.pick(window.axis), pool.count_include_pad));
        let count = counts.fold(int(1), |product, count| product * count);
        sum.at(i) / if pool.count_include_pad { count } else { count.max(1) }
    });
    Outcome::one(result?)
}

macro_rules! pools {
    ($($name:ident = $attrs:ident, $spatial:literal;)*) => {$(
        pub(super) fn $name(site: &mut Site<'_>, kind: Kind) -> Answer<Outcome> {
            let attrs = site.attrs::<$attrs>()?;
            pooled(site, &attrs.into(), $spatial, kind)
        }
    )*};
}
pools! {
    pool1d = Pool1DAttrs, 1;
    pool2d = Pool2DAttrs, 2;
    pool3d = Pool3DAttrs, 3;
}

/// The average over the parts that an axis is divided into.
fn adaptive(
    site: &mut Site<'_>,
    output_size: Option<Vec<i64>>,
    [layout, out_layout]: [&Str; 2],
    spatial: usize,
) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let axes = spatial_axes(layout, spatial).filter(|_| layout == out_layout);
    let Some(axes) = axes else { return Ok(Outcome::Keep) };
    let sizes: Vec<Scalar> = match output_size {
        Some(sizes) => sizes.into_iter().map(int).collect(),
        None => axes.iter().map(|axis| x.dims().pick(*axis)).collect(),
    };
    if sizes.len() != spatial || sizes.iter().any(|size| size.known().is_some_and(|size| size < 1)) {
        return Err(TeError::Node("there is not one size per axis".to_owned()));
    }
    let own = x.dims();
    let parts: Vec<(usize, &Scalar)> = axes.iter().copied().zip(&sizes).collect();
    let dims = parts.iter().fold(own.clone(), |dims, (axis, size)| dims.with_at(*axis, (*size).clone()));
    let bounds = |index: Scalar, axis: usize, size: &Scalar| {
        let length = own.pick(axis);
        let start = (&index * &length).floordiv(size);
        let next = (index + 1) * length;
        let end = next.floordiv(size);
        let end = next.floormod(size).equals(0).select(end.clone(), &(&end + 1));
        (start, end)
    };
    let over = |i: &[Scalar]| {
        let axis = |(number, (axis, size)): (usize, &(usize, &Scalar))| {
            let (start, end) = bounds(i.pick(*axis), *axis, size);
            ReduceAxis::new(&(end - &start).simplified(), &format!("rv{number}"))
                .map(|over| (*axis, start, over))
        };
        parts.iter().enumerate().map(axis).collect::<Answer<Vec<_>>>()
    };
    let sum = Stage::new("adaptive_pool_sum").over(&dims, |i| match over(i) {
        Ok(over) => {
            let place = over
                .iter()
                .fold(i.to_vec(), |place, (axis, start, over)| place.with_at(*axis, start + over.index()));
            let axes: Vec<ReduceAxis> = over.into_iter().map(|(_, _, axis)| axis).collect();
            Combine::Sum.over(x.at(&place), &axes)
        }
        Err(error) => Scalar(Err(error)),
    })?;
    let stage =
        Stage::new("adaptive_pool_avg").with_attr("schedule_rule", rule("meta_schedule.adaptive_pool_avg"));
    let result = stage.over(&dims, |i| {
        let count = parts.iter().fold(constant(x.dtype(), 1.0), |count, (axis, size)| {
            let (start, end) = bounds(i.pick(*axis), *axis, size);
            count * (end - start).cast(DataType::INT64)
        });
        sum.at(i) / count
    });
    Outcome::one(result?)
}

macro_rules! adaptive_pools {
    ($($name:ident = $attrs:ident, $spatial:literal;)*) => {$(
        pub(super) fn $name(site: &mut Site<'_>) -> Answer<Outcome> {
            let attrs = site.attrs::<$attrs>()?;
            let size = attrs.output_size.as_ref().map(values);
            adaptive(site, size, [&attrs.layout, &attrs.out_layout], $spatial)
        }
    )*};
}
adaptive_pools! {
    adaptive_pool1d = AdaptivePool1DAttrs, 1;
    adaptive_pool2d = AdaptivePool2DAttrs, 2;
    adaptive_pool3d = AdaptivePool3DAttrs, 3;
}
