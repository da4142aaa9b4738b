//! Convolutions, pooling, attention, embeddings and losses.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_prim::{FloatImm, IntImm};
use tvmscript_relax::op::create::{full, zeros_like};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{abs, add, square, subtract, where_};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::nn::activation::log_softmax;
use tvmscript_relax::op::nn::{attention::attention, conv, loss::nll_loss, pool};
use tvmscript_relax::op::reduce;
use tvmscript_relax::op::shape::{expand_dims, permute_dims, squeeze};
use tvmscript_relax::op::tvm_0_27::nn::conv3d_transpose;
use tvmscript_relax::{Call, Expr};

use super::super::node::{DEFAULT_FLOAT, Node};
use super::super::value::{Converted, Number, Value};
use super::rows;
use super::shape::reshaped;
use crate::error::Reason;
use crate::ops::{dims, dtype_of, int64s, ints, lengths, rank};

rows! { "aten.":
    "conv1d.default", "conv1d.padding" => "nn.conv1d, reshape, add", |cx| named_conv(cx, 1);
    "conv2d.default", "conv2d.padding" => "nn.conv2d, reshape, add", |cx| named_conv(cx, 2);
    "conv3d.default", "conv3d.padding" => "nn.conv3d, reshape, add", |cx| named_conv(cx, 3);
    "conv_transpose1d.default" => "nn.conv1d_transpose, reshape, add", |cx| named_transpose(cx, 1);
    "conv_transpose2d.input" => "nn.conv2d_transpose, reshape, add", |cx| named_transpose(cx, 2);
    "conv_transpose3d.input" => "nn.conv3d_transpose, reshape, add", |cx| named_transpose(cx, 3);
    "convolution.default" => "nn.conv*, nn.conv*_transpose, reshape, add", convolution;
    "max_pool1d.default" => "nn.max_pool1d", |cx| max_pool(cx, 1);
    "max_pool2d.default" => "nn.max_pool2d", |cx| max_pool(cx, 2);
    "max_pool3d.default" => "nn.max_pool3d", |cx| max_pool(cx, 3);
    "max_pool1d_with_indices.default"
        => "nn.max_pool1d, zeros_like" ("indices that are used"), |cx| max_pool_with_indices(cx, 1);
    "max_pool2d_with_indices.default"
        => "nn.max_pool2d, zeros_like" ("indices that are used"), |cx| max_pool_with_indices(cx, 2);
    "max_pool3d_with_indices.default"
        => "nn.max_pool3d, zeros_like" ("indices that are used"), |cx| max_pool_with_indices(cx, 3);
    "avg_pool1d.default" => "nn.avg_pool1d", |cx| avg_pool(cx, 1);
    "avg_pool2d.default" => "nn.avg_pool2d" ("a divisor"), |cx| avg_pool(cx, 2);
    "avg_pool3d.default" => "nn.avg_pool3d" ("a divisor"), |cx| avg_pool(cx, 3);
    "adaptive_avg_pool1d.default", "_adaptive_avg_pool1d.default"
        => "nn.adaptive_avg_pool1d", |cx| adaptive_pool(cx, 1);
    "adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default"
        => "nn.adaptive_avg_pool2d", |cx| adaptive_pool(cx, 2);
    "adaptive_avg_pool3d.default", "_adaptive_avg_pool3d.default"
        => "nn.adaptive_avg_pool3d", |cx| adaptive_pool(cx, 3);
    "scaled_dot_product_attention.default" => "permute_dims, nn.attention" ("dropout, heads in groups"), attend;
    "embedding.default" => "astype, reshape, take", embedding;
    "cross_entropy_loss.default"
        => "nn.log_softmax, nn.nll_loss" ("smoothed labels, labels that are probabilities"), cross_entropy;
    "mse_loss.default" => "subtract, square, mean, sum", |cx| difference_loss(cx, square);
    "l1_loss.default" => "subtract, abs, mean, sum", |cx| difference_loss(cx, abs);
}

// --- convolutions ------------------------------------------------------------------------------------------------

/// The arguments of a convolution.
struct Conv {
    x: Expr,
    weight: Expr,
    bias: Option<Expr>,
    axes: usize,
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    groups: i64,
    /// Elements added to one side of the result; only of a transposed convolution.
    output_padding: Option<Vec<i64>>,
}

/// One number per axis, from one for all or one for each.
fn per_axis(name: &str, values: &[i64], axes: usize) -> Result<Vec<i64>, Reason> {
    match values {
        [one] => Ok(vec![*one; axes]),
        several if several.len() == axes => Ok(several.to_vec()),
        _ => Err(format!("needs one number as `{name}`, or {axes}, has {}", values.len()).into()),
    }
}

/// Numbers per axis as an attribute.
fn each(name: &str, values: &[i64], axes: usize) -> Result<Array<Ref<IntImm>>, Reason> {
    Ok(int64s(&per_axis(name, values, axes)?))
}

/// The padding before all axes and after them, from one number for all, one per axis or all.
fn both_sides(values: &[i64], axes: usize) -> Result<Array<Ref<IntImm>>, Reason> {
    if values.len() == 2 * axes {
        return Ok(int64s(values));
    }
    let values = per_axis("padding", values, axes)?;
    Ok(int64s(&[values.clone(), values].concat()))
}

impl Conv {
    fn convert(self, cx: &mut Node<'_, '_>) -> Converted {
        let Conv { x, weight, bias, axes, stride, padding, dilation, groups, output_padding } = self;
        let (stride, dilation) = (each("stride", &stride, axes)?, each("dilation", &dilation, axes)?);
        let padding = both_sides(&padding, axes)?;
        let letters = ["W", "HW", "DHW"].get(axes.wrapping_sub(1)).ok_or("needs 1, 2 or 3 spatial axes")?;
        let data = Str::from(format!("NC{letters}"));
        let out = Some(DEFAULT_FLOAT);
        let call = match output_padding {
            None => {
                let kernel = Str::from(format!("OI{letters}"));
                let make = match axes {
                    1 => conv::conv1d,
                    2 => conv::conv2d,
                    _ => conv::conv3d,
                };
                make(x.clone(), weight, stride, padding, dilation, groups, data, kernel, None, out)
            }
            Some(added) => {
                let kernel = Str::from(format!("IO{letters}"));
                let added = each("output_padding", &added, axes)?;
                let make = match axes {
                    1 => conv::conv1d_transpose,
                    2 => conv::conv2d_transpose,
                    _ => conv3d_transpose,
                };
                // The attributes of one axis come in another order.
                make(x.clone(), weight, stride, padding, added, dilation, groups, data, kernel, None, out)
            }
        };
        let result = cx.emit(call)?;
        let Some(bias) = bias else { return Ok(result.into()) };
        let result = match dtype_of(&bias) == dtype_of(&x) {
            true => cx.cast(result, dtype_of(&bias))?,
            false => result,
        };
        let shape: Vec<i64> = [1, -1].into_iter().chain(std::iter::repeat_n(1, axes)).collect();
        let bias = crate::ops::reshape(bias, crate::ops::shape(&shape))?;
        cx.result(add(result, bias.upcast()))
    }
}

/// The padding that keeps lengths, for steps of 1.
fn same_padding(weight: &Expr, dilation: &[i64], axes: usize) -> Result<Vec<i64>, Reason> {
    let kernel = lengths(weight)?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (length, dilation) in kernel.iter().skip(2).zip(per_axis("dilation", dilation, axes)?) {
        let total = dilation.saturating_mul(length.saturating_sub(1));
        before.push(total / 2);
        after.push(total - total / 2);
    }
    Ok([before, after].concat())
}

fn named_conv(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    let (x, weight, bias) = (cx.tensor(0)?, cx.tensor(1)?, cx.optional(2, "bias")?);
    let stride = cx.ints(3, "stride")?.unwrap_or_else(|| vec![1]);
    let dilation = cx.ints(5, "dilation")?.unwrap_or_else(|| vec![1]);
    let padding = match cx.proto.operator().ends_with(".padding") {
        false => cx.ints(4, "padding")?.unwrap_or_else(|| vec![0]),
        true => match cx.text(4, "padding", "valid")?.as_str() {
            "same" => same_padding(&weight, &dilation, axes)?,
            _ => vec![0],
        },
    };
    let groups = cx.int(6, "groups", 1)?;
    Conv { x, weight, bias, axes, stride, padding, dilation, groups, output_padding: None }.convert(cx)
}

fn named_transpose(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    let (x, weight, bias) = (cx.tensor(0)?, cx.tensor(1)?, cx.optional(2, "bias")?);
    let stride = cx.ints(3, "stride")?.unwrap_or_else(|| vec![1]);
    let padding = cx.ints(4, "padding")?.unwrap_or_else(|| vec![0]);
    let output_padding = Some(cx.ints(5, "output_padding")?.unwrap_or_else(|| vec![0]));
    let groups = cx.int(6, "groups", 1)?;
    let dilation = cx.ints(7, "dilation")?.unwrap_or_else(|| vec![1]);
    Conv { x, weight, bias, axes, stride, padding, dilation, groups, output_padding }.convert(cx)
}

fn convolution(cx: &mut Node<'_, '_>) -> Converted {
    let (x, weight, bias) = (cx.tensor(0)?, cx.tensor(1)?, cx.optional(2, "bias")?);
    let stride = cx.ints(3, "stride")?.unwrap_or_else(|| vec![1]);
    let padding = cx.ints(4, "padding")?.unwrap_or_else(|| vec![0]);
    let dilation = cx.ints(5, "dilation")?.unwrap_or_else(|| vec![1]);
    let is_transposed = cx.flag(6, "transposed", false)?;
    let added = cx.ints(7, "output_padding")?.unwrap_or_else(|| vec![0]);
    let groups = cx.int(8, "groups", 1)?;
    let axes = rank(&x)?.saturating_sub(2);
    let output_padding = is_transposed.then_some(added);
    Conv { x, weight, bias, axes, stride, padding, dilation, groups, output_padding }.convert(cx)
}

// --- pooling -----------------------------------------------------------------------------------------------------

/// The layout of images with this many spatial axes.
fn layout(axes: usize) -> Str {
    Str::from(match axes {
        1 => "NCW",
        2 => "NCHW",
        _ => "NCDHW",
    })
}

/// Adds a batch to a single sample, applies an operator, and takes the batch away.
fn batched(cx: &mut Node<'_, '_>, x: Expr, axes: usize, op: impl FnOnce(Expr) -> Ref<Call>) -> Converted {
    let is_single = rank(&x)? == axes + 1;
    let x = if is_single { expand_dims(x, ints(&[0])).upcast() } else { x };
    let result = cx.emit(op(x))?;
    match is_single {
        true => cx.late(squeeze(result, Some(ints(&[0])))),
        false => Ok(result.into()),
    }
}

fn max_pool(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    let x = cx.tensor(0)?;
    let size = cx.needed_ints(1, "kernel_size")?;
    let stride = cx.ints(2, "stride")?.filter(|stride| !stride.is_empty()).unwrap_or_else(|| size.clone());
    let padding = cx.ints(3, "padding")?.unwrap_or_else(|| vec![0]);
    let dilation = cx.ints(4, "dilation")?.unwrap_or_else(|| vec![1]);
    let rounds_up = cx.flag(5, "ceil_mode", false)?;
    let make = match axes {
        1 => pool::max_pool1d,
        2 => pool::max_pool2d,
        _ => pool::max_pool3d,
    };
    let (size, stride) = (each("kernel_size", &size, axes)?, each("stride", &stride, axes)?);
    let (padding, dilation) = (both_sides(&padding, axes)?, each("dilation", &dilation, axes)?);
    batched(cx, x, axes, |x| make(x, size, stride, padding, dilation, rounds_up, false, layout(axes), None))
}

fn max_pool_with_indices(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    if cx.uses_result(1) {
        return Err("the indices of the maxima are not supported".into());
    }
    let Value::Known(result) = max_pool(cx, axes)? else { return Err("is not a tensor".into()) };
    let indices = zeros_like(result.clone(), None).upcast();
    cx.tuple(vec![result, indices])
}

fn avg_pool(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    let x = cx.tensor(0)?;
    let size = cx.needed_ints(1, "kernel_size")?;
    let stride = cx.ints(2, "stride")?.filter(|stride| !stride.is_empty()).unwrap_or_else(|| size.clone());
    let padding = cx.ints(3, "padding")?.unwrap_or_else(|| vec![0]);
    let rounds_up = cx.flag(4, "ceil_mode", false)?;
    let counts_padding = cx.flag(5, "count_include_pad", true)?;
    if cx.has(6, "divisor_override") {
        return Err("a divisor is not supported".into());
    }
    let make = match axes {
        1 => pool::avg_pool1d,
        2 => pool::avg_pool2d,
        _ => pool::avg_pool3d,
    };
    let (size, stride) = (each("kernel_size", &size, axes)?, each("stride", &stride, axes)?);
    let (padding, dilation) = (both_sides(&padding, axes)?, each("dilation", &[1], axes)?);
    batched(cx, x, axes, |x| {
        make(x, size, stride, padding, dilation, rounds_up, counts_padding, layout(axes), None)
    })
}

fn adaptive_pool(cx: &mut Node<'_, '_>, axes: usize) -> Converted {
    let x = cx.tensor(0)?;
    let size = cx.needed_ints(1, "output_size")?;
    let make = match axes {
        1 => pool::adaptive_avg_pool1d,
        2 => pool::adaptive_avg_pool2d,
        _ => pool::adaptive_avg_pool3d,
    };
    let size = ints(&per_axis("output_size", &size, axes)?);
    batched(cx, x, axes, |x| make(x, Some(size), layout(axes), None))
}

// --- attention ---------------------------------------------------------------------------------------------------

/// Attention. Relax has heads after lengths, PyTorch before.
fn attend(cx: &mut Node<'_, '_>) -> Converted {
    let operands = [cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?];
    let rank = rank(&operands[0])?;
    let mask = cx.optional(3, "attn_mask")?;
    if cx.float(4, "dropout_p", 0.0)? != 0.0 {
        return Err("dropout is not supported".into());
    }
    let is_causal = cx.flag(5, "is_causal", false)?;
    let scale = cx.number(6, "scale")?.map(|scale| {
        Ref::new(FloatImm {
            span: tvmscript_ir_core::Span::current(),
            dtype: DataType::FLOAT32,
            value: scale.as_f64(),
        })
    });
    if cx.flag(7, "enable_gqa", false)? {
        return Err("heads in groups are not supported".into());
    }
    let swapped = |x: Expr| permute_dims(x, Some(ints(&[0, 2, 1, 3])));
    let mut inner = Vec::new();
    match rank {
        2 => {
            // All operands get a batch, then all get heads.
            let mut batches = Vec::new();
            for operand in operands {
                batches.push(cx.emit(expand_dims(operand, ints(&[0])))?);
            }
            for operand in batches {
                inner.push(cx.emit(expand_dims(operand, ints(&[1])))?);
            }
        }
        3 => {
            for operand in operands {
                inner.push(cx.emit(expand_dims(operand, ints(&[2])))?);
            }
        }
        4 => {
            for operand in operands {
                inner.push(cx.emit(swapped(operand))?);
            }
        }
        other => return Err(Reason(format!("needs operands of rank 2 to 4, found {other}"))),
    }
    let mask = match mask {
        Some(mask) => Some(attention_mask(cx, mask, dtype_of(inner.first().ok_or("has no operands")?))?),
        None => None,
    };
    let [query, key, value] = <[Expr; 3]>::try_from(inner).map_err(|_| "has no operands")?;
    let causal = is_causal.then(|| Str::from("TopLeft"));
    let result = cx.emit(attention(query, key, value, mask, scale, causal, None))?;
    match rank {
        2 => cx.result(squeeze(result, Some(ints(&[0, 1])))),
        3 => cx.result(squeeze(result, Some(ints(&[2])))),
        _ => cx.result(swapped(result)),
    }
}

/// A mask of numbers that are added, of rank 4.
fn attention_mask(cx: &mut Node<'_, '_>, mask: Expr, dtype: DataType) -> Result<Expr, Reason> {
    let mut mask = mask;
    if dtype_of(&mask) == DataType::BOOL {
        let shape = super::shape::shape_expr(&mask)?;
        let fill = |value: f64| {
            let value = Number::Float(value).constant(dtype);
            full(shape.clone(), value, Some(dtype))
        };
        // TVM's reader has no infinite constants.
        let least = if dtype.bits < 32 { -65504.0 } else { f64::from(f32::MIN) };
        let (kept, masked) = (fill(0.0), fill(least));
        mask = cx.emit(where_(mask, kept.upcast(), masked.upcast()))?;
    }
    while rank(&mask)? < 4 {
        let axis = if rank(&mask)? == 3 { 1 } else { 0 };
        mask = cx.emit(expand_dims(mask, ints(&[axis])))?;
    }
    Ok(mask)
}

// --- embeddings and losses ---------------------------------------------------------------------------------------

fn embedding(cx: &mut Node<'_, '_>) -> Converted {
    let (weight, indices) = (cx.tensor(0)?, cx.tensor(1)?);
    let indices = cx.emit(astype(indices, DataType::INT32))?;
    let rows = |indices| take(weight.clone(), indices, Some(0), "fast".into());
    if rank(&indices)? == 1 {
        return cx.result(rows(indices));
    }
    let mut shape = dims(&indices)?;
    shape.push(dims(&weight)?.pop().ok_or("the weight has no axes")?);
    let flat = cx.emit(crate::ops::reshape(indices, crate::ops::shape(&[-1]))?)?;
    let found = cx.emit(rows(flat))?;
    reshaped(cx, found, shape)
}

/// Reductions of losses by number.
fn reduction(number: i64) -> Result<&'static str, Reason> {
    match number {
        0 => Ok("none"),
        1 => Ok("mean"),
        2 => Ok("sum"),
        other => Err(Reason(format!("the reduction {other} is unknown"))),
    }
}

fn cross_entropy(cx: &mut Node<'_, '_>) -> Converted {
    let (predictions, targets, weights) = (cx.tensor(0)?, cx.tensor(1)?, cx.optional(2, "weight")?);
    let reduction = reduction(cx.int(3, "reduction", 1)?)?;
    let ignored = cx.int(4, "ignore_index", -100)?;
    if cx.float(5, "label_smoothing", 0.0)? != 0.0 {
        return Err("smoothed labels are not supported".into());
    }
    let axis = if rank(&predictions)? > 2 { 1 } else { -1 };
    let predictions = log_softmax(predictions, axis).upcast();
    cx.result(nll_loss(predictions, targets, weights, reduction.into(), ignored))
}

/// A loss of differences.
fn difference_loss(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let reduction = reduction(cx.int(2, "reduction", 1)?)?;
    let difference = cx.emit(subtract(a, b))?;
    let loss = cx.emit(op(difference))?;
    match reduction {
        "mean" => cx.result(reduce::mean(loss, None, false)),
        "sum" => cx.result(reduce::sum(loss, None, false)),
        _ => Ok(loss.into()),
    }
}
