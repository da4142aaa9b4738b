//! Convolutions.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{self as prim, IntImm, ops as prim_ops};
use tvmscript_relax::op::elementwise::add;
use tvmscript_relax::op::nn::conv as nn;
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::tvm_0_27::nn::conv3d_transpose;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node, str};
use super::rows;
use crate::error::Reason;
use crate::ops::{dims, int64s, ints, lengths, rank, reshape, shape};

rows! {
    "Conv" { 11: conv } => "nn.conv1d, nn.conv2d or nn.conv3d; reshape, add; nn.pad for `auto_pad`";
    "ConvTranspose" { 1: conv_transpose }
        => "nn.conv1d_transpose, nn.conv2d_transpose or nn.conv3d_transpose; reshape, add";
}

/// The attributes of a window that moves over the spatial axes.
pub(super) struct Window {
    /// Number of spatial axes: 1, 2 or 3.
    pub(super) axes: usize,
    /// Size along each axis; empty if the model does not tell it.
    pub(super) kernel: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    /// Padding before each axis, then after each.
    pub(super) pads: Vec<i64>,
    pub(super) auto_pad: AutoPad,
}

/// Padding that depends on the operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AutoPad {
    /// None: `pads` counts.
    No,
    /// The result is as long as the operand divided by the stride, with an odd element of padding at the end.
    SameUpper,
    /// The same with an odd element of padding at the beginning.
    SameLower,
}

impl AutoPad {
    /// Splits the padding of an axis.
    pub(super) fn split(self, total: i64) -> (i64, i64) {
        let total = total.max(0);
        match self {
            AutoPad::SameLower => (total - total / 2, total / 2),
            AutoPad::No | AutoPad::SameUpper => (total / 2, total - total / 2),
        }
    }
}

impl Window {
    /// Reads the attributes; `kernel` is the size of the kernel if no attribute states it.
    ///
    /// # Errors
    /// Fails if lists are not as long as there are spatial axes, or for more than three.
    pub(super) fn of(cx: &Node<'_, '_>, x: &Expr, kernel: Option<Vec<i64>>) -> Result<Window, Reason> {
        let axes = rank(x)?.checked_sub(2).filter(|axes| (1..=3).contains(axes));
        let axes = axes.ok_or_else(|| Reason::from("needs an operand with 1, 2 or 3 spatial axes"))?;
        let list =
            |name: &str, length: usize, default: i64| match cx.ints(name).filter(|list| !list.is_empty()) {
                None => Ok(vec![default; length]),
                Some(list) if list.len() == length => Ok(list),
                Some(list) => Err(Reason(format!("`{name}` has {} entries, not {length}", list.len()))),
            };
        let kernel = match cx.ints("kernel_shape").filter(|kernel| !kernel.is_empty()) {
            Some(_) => list("kernel_shape", axes, 1)?,
            None => kernel.ok_or_else(|| Reason::from("`kernel_shape` is missing"))?,
        };
        let (auto_pad, has_pads) = match cx.text("auto_pad").as_deref() {
            None | Some("NOTSET" | "") => (AutoPad::No, true),
            Some("VALID") => (AutoPad::No, false),
            Some("SAME_UPPER") => (AutoPad::SameUpper, false),
            Some("SAME_LOWER") => (AutoPad::SameLower, false),
            Some(other) => return Err(Reason(format!("`auto_pad` is `{other}`"))),
        };
        let pads = if has_pads { list("pads", 2 * axes, 0)? } else { vec![0; 2 * axes] };
        let (strides, dilations) = (list("strides", axes, 1)?, list("dilations", axes, 1)?);
        if strides.iter().chain(&dilations).chain(&kernel).any(|value| *value < 1) {
            return Err("strides, dilations and kernel sizes must be positive".into());
        }
        Ok(Window { axes, kernel, strides, dilations, pads, auto_pad })
    }

    /// Length of the kernel along each axis, with the gaps of the dilation.
    ///
    /// # Errors
    /// Fails if the size of the kernel is not known.
    pub(super) fn spans(&self) -> Result<impl Iterator<Item = i64>, Reason> {
        if self.kernel.len() != self.axes {
            return Err("padding needs a kernel whose size is known".into());
        }
        let span =
            |(kernel, dilation): (&i64, &i64)| (kernel - 1).saturating_mul(*dilation).saturating_add(1);
        Ok(self.kernel.iter().zip(&self.dilations).map(span))
    }

    /// Padding for `auto_pad` before and after each spatial axis of an operand.
    ///
    /// # Errors
    /// Fails if a length that the padding depends on is not a number.
    pub(super) fn same_pads(&self, x: &Expr) -> Result<Vec<(i64, i64)>, Reason> {
        let spans = self.spans()?;
        let dims = dims(x)?;
        let lengths = dims.iter().skip(2);
        let pads = lengths.zip(spans.zip(&self.strides)).map(|(length, (span, stride))| {
            let rest = match (prim_ops::int_value(length), *stride) {
                (_, 1) => 0,
                (Some(length), stride) => length % stride,
                (None, _) => {
                    return Err(Reason::from("`auto_pad` needs spatial axes whose lengths are numbers"));
                }
            };
            let covered = if rest == 0 { *stride } else { rest };
            Ok(self.auto_pad.split(span - covered))
        });
        pads.collect()
    }

    /// `pads`, or those of `auto_pad`: all before, then all after.
    ///
    /// # Errors
    /// Those of [`Self::same_pads`].
    pub(super) fn resolved_pads(&self, x: &Expr) -> Result<Vec<i64>, Reason> {
        if self.auto_pad == AutoPad::No {
            return Ok(self.pads.clone());
        }
        let pads = self.same_pads(x)?;
        let before = pads.iter().map(|(before, _)| *before);
        Ok(before.chain(pads.iter().map(|(_, after)| *after)).collect())
    }
}

/// The name of a layout with a number of spatial axes.
fn layout(kind: &str, axes: usize) -> tvmscript_ir_core::Str {
    let spatial = match axes {
        1 => "W",
        2 => "HW",
        _ => "DHW",
    };
    str(&format!("{kind}{spatial}"))
}

/// The size of a kernel `(out, in, ...)`; empty if it is not known.
pub(super) fn kernel_of(weight: &Expr) -> Vec<i64> {
    let dims = crate::ops::dims_of(weight);
    dims.and_then(|dims| dims.iter().skip(2).map(prim_ops::int_value).collect()).unwrap_or_default()
}

/// A convolution of channels-first tensors with padding of its own.
pub(super) fn convolved(
    window: &Window,
    x: Expr,
    weight: Expr,
    pads: &[i64],
    groups: i64,
    out_dtype: Option<DataType>,
) -> Ref<Call> {
    type Op = fn(
        Expr,
        Expr,
        Array<Ref<IntImm>>,
        Array<Ref<IntImm>>,
        Array<Ref<IntImm>>,
        i64,
        tvmscript_ir_core::Str,
        tvmscript_ir_core::Str,
        Option<tvmscript_ir_core::Str>,
        Option<DataType>,
    ) -> Ref<Call>;
    let op: Op = match window.axes {
        1 => nn::conv1d,
        2 => nn::conv2d,
        _ => nn::conv3d,
    };
    let (data, kernel) = (layout("NC", window.axes), layout("OI", window.axes));
    let (strides, dilations) = (int64s(&window.strides), int64s(&window.dilations));
    op(x, weight, strides, int64s(pads), dilations, groups, data, kernel, None, out_dtype)
}

/// Pads the spatial axes with zeros for `auto_pad`.
pub(super) fn same_padded(cx: &mut Node<'_, '_>, window: &Window, x: Expr) -> Result<Expr, Reason> {
    let spatial = window.same_pads(&x)?;
    let widths = spatial.iter().flat_map(|(before, after)| [*before, *after]);
    let widths: Vec<i64> = [0; 4].into_iter().chain(widths).collect();
    cx.emit(pad(x, ints(&widths), str("constant"), 0.0))
}

/// Adds a vector along the axis of channels.
pub(super) fn with_bias(result: Expr, bias: Option<Expr>, axes: usize) -> Result<Expr, Reason> {
    let Some(bias) = bias else { return Ok(result) };
    let target: Vec<i64> = [1, -1].into_iter().chain(std::iter::repeat_n(1, axes)).collect();
    let bias = reshape(bias, shape(&target))?.upcast();
    Ok(add(result, bias).upcast())
}

fn conv(cx: &mut Node<'_, '_>) -> Converted {
    let (mut x, weight) = (cx.input(0)?, cx.input(1)?);
    let window = Window::of(cx, &x, Some(kernel_of(&weight)))?;
    if window.auto_pad != AutoPad::No {
        x = same_padded(cx, &window, x)?;
    }
    let groups = cx.int("group").unwrap_or(1);
    let result = cx.normalize(convolved(&window, x, weight, &window.pads, groups, None))?;
    Ok(with_bias(result, cx.optional(2), window.axes)?.into())
}

fn conv_transpose(cx: &mut Node<'_, '_>) -> Converted {
    let (x, weight) = (cx.input(0)?, cx.input(1)?);
    let mut window = Window::of(cx, &x, Some(kernel_of(&weight)))?;
    let axes = window.axes;
    let mut output_padding = cx.ints("output_padding").unwrap_or_else(|| vec![0; axes]);
    let stated = cx.ints("output_shape").filter(|shape| !shape.is_empty());
    if stated.as_ref().is_some_and(|stated| stated.iter().any(|length| *length < 1)) {
        return Err("`output_shape` must be positive".into());
    }
    if output_padding.len() != axes || output_padding.iter().any(|value| *value < 0) {
        return Err(Reason(format!("`output_padding` does not have {axes} entries of at least 0")));
    }
    if stated.is_some() || window.auto_pad != AutoPad::No {
        window.pads = transposed_pads(&window, &x, &mut output_padding, stated)?;
    }
    let (strides, dilations) = (int64s(&window.strides), int64s(&window.dilations));
    let (pads, output_padding) = (int64s(&window.pads), int64s(&output_padding));
    let groups = cx.int("group").unwrap_or(1);
    let op = match axes {
        1 => nn::conv1d_transpose,
        2 => nn::conv2d_transpose,
        _ => conv3d_transpose,
    };
    let (data, kernel) = (layout("NC", axes), layout("IO", axes));
    let result = op(x, weight, strides, pads, output_padding, dilations, groups, data, kernel, None, None);
    Ok(with_bias(result.upcast(), cx.optional(2), axes)?.into())
}

/// The padding that gives a result of the stated shape, or one as long as the operand times the stride.
fn transposed_pads(
    window: &Window,
    x: &Expr,
    output_padding: &mut [i64],
    stated: Option<Vec<i64>>,
) -> Result<Vec<i64>, Reason> {
    let spans = window.spans()?;
    let skipped = |stated: &Vec<i64>| stated.len().saturating_sub(window.axes);
    let stated = stated.map(|stated| stated.iter().skip(skipped(&stated)).copied().collect::<Vec<_>>());
    let lengths = match stated {
        Some(_) => lengths(x)?.split_off(2),
        None => Vec::new(),
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let axes = spans.zip(&window.strides).zip(output_padding.iter_mut()).enumerate();
    for (axis, ((span, stride), extra)) in axes {
        let total = match (&stated, lengths.get(axis)) {
            (Some(stated), Some(length)) => {
                let wanted = stated.get(axis).copied().unwrap_or(0);
                (length - 1).saturating_mul(*stride).saturating_add(span).saturating_add(*extra) - wanted
            }
            _ => span.saturating_add(*extra) - stride,
        };
        // A result longer than the kernels reach is filled up at its end.
        if total < 0 && stated.is_some() {
            *extra = extra.saturating_sub(total);
        }
        let (first, last) = window.auto_pad.split(total);
        // A stated shape without `auto_pad` puts an odd element at the beginning.
        let (first, last) = match (stated.is_some(), window.auto_pad) {
            (true, AutoPad::No) => (last, first),
            _ => (first, last),
        };
        before.push(first);
        after.push(last);
    }
    before.extend(after);
    Ok(before)
}

/// The dimensions of a batch of images: batch, channels, height, width.
///
/// # Errors
/// Fails for other ranks.
pub(super) fn image_dims(x: &Expr) -> Result<[prim::Expr; 4], Reason> {
    dims(x)?.try_into().map_err(|_| Reason::from("needs an operand with two spatial axes"))
}
