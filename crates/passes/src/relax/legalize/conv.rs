//! Convolutions and transposed convolutions.
//!
//! Upstream counterparts: `topi/nn/{conv2d,conv1d_transpose,conv2d_transpose,conv3d_transpose}.py`.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_prim::IntImm;
use tvmscript_relax::attrs::{
    Conv1DAttrs, Conv1DTransposeAttrs, Conv2DAttrs, Conv2DTransposeAttrs, Conv3DAttrs, Conv3DTransposeAttrs,
};
use tvmscript_te::TeError;

use super::Outcome;
use super::pad::{Widths, dilated, padded};
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Combine, ReduceAxis, Stage};

/// The attributes that all convolutions have.
struct Convolution<'a> {
    strides: Vec<i64>,
    /// Before each axis, then after each.
    padding: Vec<i64>,
    /// Of transposed convolutions.
    output_padding: Vec<i64>,
    dilation: Vec<i64>,
    groups: i64,
    data_layout: &'a Str,
    kernel_layout: &'a Str,
    out_layout: &'a Str,
    out_dtype: DataType,
}

pub(super) fn values(ints: &Array<Ref<IntImm>>) -> Vec<i64> {
    ints.iter().map(|int| int.value).collect()
}

macro_rules! convolution_of {
    ($($attrs:ident $output_padding:expr;)*) => {$(
        impl<'a> From<&'a $attrs> for Convolution<'a> {
            fn from(attrs: &'a $attrs) -> Self {
                let output_padding: fn(&$attrs) -> Vec<i64> = $output_padding;
                Convolution {
                    strides: values(&attrs.strides),
                    padding: values(&attrs.padding),
                    output_padding: output_padding(attrs),
                    dilation: values(&attrs.dilation),
                    groups: attrs.groups,
                    data_layout: &attrs.data_layout,
                    kernel_layout: &attrs.kernel_layout,
                    out_layout: &attrs.out_layout,
                    out_dtype: attrs.out_dtype,
                }
            }
        }
    )*};
}
convolution_of! {
    Conv1DAttrs |_| Vec::new();
    Conv2DAttrs |_| Vec::new();
    Conv3DAttrs |_| Vec::new();
    Conv1DTransposeAttrs |attrs| values(&attrs.output_padding);
    Conv2DTransposeAttrs |attrs| values(&attrs.output_padding);
    Conv3DTransposeAttrs |attrs| values(&attrs.output_padding);
}

impl Convolution<'_> {
    /// `true` if the lists have a value per spatial axis.
    fn fits(&self, spatial: usize) -> bool {
        let lists = [&self.strides, &self.dilation];
        lists.iter().all(|list| list.len() == spatial && list.iter().all(|value| *value > 0))
            && self.padding.len() == 2 * spatial
            && self.groups > 0
    }

    /// The padding of a spatial axis.
    fn pads(&self, axis: usize) -> (i64, i64) {
        let at = |index: usize| self.padding.get(index).copied().unwrap_or_default();
        (at(axis), at(axis + self.strides.len()))
    }
}

/// For each letter, its position in a layout; the other letters follow those that come first.
fn positions(layout: &str, first: &str) -> Option<Vec<usize>> {
    let rest =
        layout.chars().enumerate().filter(|(_, letter)| !first.contains(*letter)).map(|(index, _)| index);
    let found = first.chars().map(|letter| layout.chars().position(|other| other == letter));
    found.collect::<Option<Vec<_>>>().map(|found| found.into_iter().chain(rest).collect())
}

/// A list whose entries go to these positions.
fn placed<T: Clone>(values: &[T], positions: &[usize]) -> Vec<T> {
    let mut both: Vec<(usize, &T)> = positions.iter().copied().zip(values).collect();
    both.sort_by_key(|(position, _)| *position);
    both.into_iter().map(|(_, value)| value.clone()).collect()
}

/// The entries at these positions.
fn taken(values: &[Scalar], positions: &[usize]) -> Vec<Scalar> {
    positions.iter().map(|position| values.pick(*position)).collect()
}

fn convolution(site: &mut Site<'_>, conv: &Convolution<'_>, spatial: usize) -> Answer<Outcome> {
    let (data, weight) = (site.tensor(0)?, site.tensor(1)?);
    let has_plain_layouts = conv.out_layout == conv.data_layout
        && conv.data_layout.len() == spatial + 2
        && conv.kernel_layout.len() == spatial + 2;
    let layouts = positions(conv.data_layout, "NC").zip(positions(conv.kernel_layout, "OI"));
    let Some((data_at, weight_at)) = layouts.filter(|_| has_plain_layouts && conv.fits(spatial)) else {
        return Ok(Outcome::Keep);
    };
    let lengths = taken(&data.dims(), &data_at);
    let kernel = taken(&weight.dims(), &weight_at);
    let (channels, filters) = (lengths.pick(1), kernel.pick(0));
    let out_dtype = if conv.out_dtype.is_void() { data.dtype() } else { conv.out_dtype };
    let mut dims = vec![lengths.pick(0), filters.clone()];
    let mut widths = vec![(int(0), int(0)); 2];
    for (axis, (stride, dilation)) in conv.strides.iter().zip(&conv.dilation).enumerate() {
        let (before, after) = conv.pads(axis);
        let window = (kernel.pick(axis + 2) - 1) * *dilation;
        let steps = lengths.pick(axis + 2) - window - 1 + before + after;
        dims.push((steps.floordiv(*stride) + 1).simplified());
        widths.push((int(before), int(after)));
    }
    let widths: Widths = placed(&widths, &data_at);
    let zero = constant(data.dtype(), 0.0);
    let padded = padded(&data, &widths, &zero, Stage::python("pad_temp"))?;
    let of_group = channels.floordiv(conv.groups).simplified();
    let rc = ReduceAxis::new(&of_group, "rc")?;
    let windows = ["ry", "rx", "rz"].iter().zip(kernel.iter().skip(2));
    let windows = windows.map(|(name, length)| ReduceAxis::new(length, name)).collect::<Answer<Vec<_>>>()?;
    // The axes of the reduction have the order of the layout.
    let mut reduced: Vec<(usize, ReduceAxis)> = data_at
        .iter()
        .skip(1)
        .copied()
        .zip(std::iter::once(rc.clone()).chain(windows.iter().cloned()))
        .collect();
    reduced.sort_by_key(|(position, _)| *position);
    let reduced: Vec<ReduceAxis> = reduced.into_iter().map(|(_, axis)| axis).collect();
    let group = if conv.groups > 1 { "group_" } else { "" };
    let name = format!("{group}conv{spatial}d_{}", conv.data_layout.to_lowercase());
    let names: Vec<&str> = ["nn", "ff", "yy", "xx", "zz"].into_iter().take(spatial + 2).collect();
    let result = Stage::new(name).with_axes(&placed(&names, &data_at)).over(&placed(&dims, &data_at), |i| {
        let i = taken(i, &data_at);
        let filter = i.pick(1);
        let channel = match conv.groups {
            1 => rc.index(),
            groups => filter.floordiv(filters.floordiv(groups)) * &of_group + rc.index(),
        };
        let mut place = vec![i.pick(0), channel];
        let mut of_weight = vec![filter, rc.index()];
        let steps = conv.strides.iter().zip(&conv.dilation).zip(&windows).zip(i.iter().skip(2));
        for (((stride, dilation), window), index) in steps {
            place.push(index * *stride + window.index() * *dilation);
            of_weight.push(window.index());
        }
        let value = padded.at(&placed(&place, &data_at)).cast(out_dtype)
            * weight.at(&placed(&of_weight, &weight_at)).cast(out_dtype);
        Combine::Sum.over(value, &reduced)
    });
    Outcome::one(result?)
}

pub(super) fn conv1d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv1DAttrs>()?;
    convolution(site, &attrs.into(), 1)
}

pub(super) fn conv2d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv2DAttrs>()?;
    convolution(site, &attrs.into(), 2)
}

pub(super) fn conv3d(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv3DAttrs>()?;
    convolution(site, &attrs.into(), 3)
}

/// Names of spatial axes.
const SPATIAL: [&str; 3] = ["d", "h", "w"];

/// A convolution of the dilated data with the turned kernel.
fn transposed(site: &mut Site<'_>, conv: &Convolution<'_>, spatial: usize) -> Answer<Outcome> {
    let letters: String = "DHW".chars().skip(3 - spatial).collect();
    let has_plain_layouts = conv.out_layout == conv.data_layout
        && conv.data_layout.as_str() == format!("NC{letters}")
        && conv.kernel_layout.as_str() == format!("IO{letters}");
    if !has_plain_layouts || !conv.fits(spatial) || conv.output_padding.len() != spatial {
        return Ok(Outcome::Keep);
    }
    let (data, mut weight) = (site.tensor(0)?, site.tensor(1)?);
    if data.rank() != spatial + 2 || weight.rank() != spatial + 2 {
        return Err(TeError::Node("the operands do not have the rank of the layout".to_owned()));
    }
    let out_dtype = site.result_dtype()?;
    let with_channels = |values: &[i64]| [&[1, 1], values].concat();
    if conv.dilation.iter().any(|dilation| *dilation != 1) {
        weight = dilated(&weight, &with_channels(&conv.dilation), "kernel_dilate")?;
    }
    let kernel = weight.dims();
    let channels = data.dims().pick(1);
    let spread = dilated(&data, &with_channels(&conv.strides), "data_dilate")?;
    let mut widths: Widths = vec![(int(0), int(0)); 2];
    for (axis, added) in conv.output_padding.iter().enumerate() {
        let (before, after) = conv.pads(axis);
        let window = kernel.pick(axis + 2) - 1;
        widths.push(((&window - before).simplified(), (window - after + *added).simplified()));
    }
    let padded = padded(&spread, &widths, &constant(data.dtype(), 0.0), Stage::python("data_pad"))?;
    let names = SPATIAL.get(3 - spatial..).unwrap_or_default();
    // Groups read the kernel with other names of its axes.
    let order = if conv.groups == 1 || spatial == 1 { ["o", "i"] } else { ["i", "o"] };
    let own = [order.as_slice(), names].concat();
    let turned_dims = [vec![kernel.pick(1), channels.clone()], kernel.range(2, spatial + 2)].concat();
    let name = if spatial == 1 { "kernel" } else { "kernel_transform" };
    let turned = Stage::python(name).with_axes(&own).over(&turned_dims, |i| {
        let mut place = vec![i.pick(1), i.pick(0)];
        place.extend((2..spatial + 2).map(|axis| kernel.pick(axis) - 1 - i.pick(axis)));
        weight.at(&place)
    })?;
    let filters = (kernel.pick(1) * conv.groups).simplified();
    let in_group = channels.floordiv(conv.groups).simplified();
    let out_of_group = filters.floordiv(conv.groups).simplified();
    let mut dims = vec![data.dims().pick(0), filters.clone()];
    let mut over = vec![ReduceAxis::new(&in_group, "dc")?];
    for (axis, name) in (2..).zip(names) {
        dims.push((padded.dims().pick(axis) - kernel.pick(axis) + 1).simplified());
        over.push(ReduceAxis::new(&kernel.pick(axis), &format!("d{name}"))?);
    }
    let windows: Vec<Scalar> = over.iter().skip(1).map(ReduceAxis::index).collect();
    let own = [&["b", "c"], names].concat();
    let result = Stage::python("compute").with_axes(&own).over(&dims, |i| {
        let dc = over.first().map_or_else(|| int(0), ReduceAxis::index);
        let (filter, channel) = match conv.groups {
            1 => (i.pick(1), dc),
            _ => (i.pick(1).floormod(&out_of_group), i.pick(1).floordiv(&out_of_group) * &in_group + dc),
        };
        let shifted = i.iter().skip(2).zip(&windows).map(|(index, window)| index + window);
        let place: Vec<Scalar> = [i.pick(0), channel.clone()].into_iter().chain(shifted).collect();
        let of_weight = [vec![filter, channel], windows.clone()].concat();
        Combine::Sum.over(padded.at(&place).cast(out_dtype) * turned.at(&of_weight).cast(out_dtype), &over)
    });
    Outcome::one(result?)
}

pub(super) fn conv1d_transpose(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv1DTransposeAttrs>()?;
    transposed(site, &attrs.into(), 1)
}

pub(super) fn conv2d_transpose(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv2DTransposeAttrs>()?;
    transposed(site, &attrs.into(), 2)
}

pub(super) fn conv3d_transpose(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<Conv3DTransposeAttrs>()?;
    transposed(site, &attrs.into(), 3)
}
