//! Losses.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::BuildError;

use super::super::elementwise::{common_device, common_dtype};
use super::super::{Infer, InferError, InferErrorKind, Operator, tensor_of, tensor_of_rank};
use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::ExprArg;
use crate::node::attrs::NLLLossAttrs;
use crate::node::*;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The cross entropy of predictions and labels.
    cross_entropy_with_logits(predictions: Expr, labels: Expr) -> infer(cross_entropy), text = "nn.cross_entropy_with_logits";
    /// The negative log likelihood of the target classes.
    nll_loss(
        predictions: ExprArg, targets: ExprArg, weights: Option<ExprArg> = None, reduction: Str = "mean",
        ignore_index: i64 = -100
    ) -> infer(nll), text = "nn.nll_loss" {
        if !matches!(reduction.as_str(), "none" | "sum" | "mean") {
            let message = format!("`reduction` is `none`, `sum` or `mean`, not `{reduction}`");
            return Err(BuildError::message(message).at_parameter("reduction"));
        }
        let args = [Some(predictions), Some(targets), weights];
        let args = args.into_iter().flatten().map(|arg| arg.0);
        let attrs = Ref::new(NLLLossAttrs { reduction, ignore_index }).upcast();
        Ok(Call::of_op("relax.nn.nll_loss", args, Some(attrs)))
    }
}

fn cross_entropy(cx: &mut Infer<'_>) -> Inferred {
    let [predictions, labels] = cx.tensors()?;
    let dtype = common_dtype(cx, predictions.dtype, labels.dtype)?;
    let vdevice = common_device(cx, Some(&predictions), Some(&labels))?;
    let is_rank_known = !predictions.is_unknown_ndim() && !labels.is_unknown_ndim();
    if is_rank_known && predictions.ndim != labels.ndim {
        let expected = format!("the rank of the predictions, {}", predictions.ndim);
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: labels.ndim }.at(1));
    }
    if let (Some(a), Some(b)) = (predictions.known_dims(), labels.known_dims()) {
        for (axis, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            if cx.differ(a, b)? {
                return Err(wrong_axis(cx, 1, axis));
            }
        }
    }
    Ok(tensor_of([], dtype, vdevice))
}

fn wrong_axis(cx: &Infer<'_>, argument: usize, axis: usize) -> InferError {
    let what = format!("axis {axis} is not as long as the predictions have it");
    InferErrorKind::Shape { op: cx.op(), what }.at(argument)
}

/// Predictions are `(C,)` or `(N, C, d1, ..)`, targets `()` or `(N, d1, ..)`, weights `(C,)`.
fn nll(cx: &mut Infer<'_>) -> Inferred {
    if cx.arg_count() != 3 {
        cx.expect_args(2)?;
    }
    let weights = if cx.arg_count() == 3 { Some(cx.tensor(2)?) } else { None };
    let (predictions, targets) = (cx.tensor(0)?, cx.tensor(1)?);
    let (mut dtype, mut vdevice) = (predictions.dtype, predictions.vdevice.clone());
    if let Some(weights) = &weights {
        dtype = common_dtype(cx, dtype, weights.dtype).map_err(|error| error.kind.at(2))?;
        vdevice = common_device(cx, Some(&predictions), Some(weights))?;
    }
    cx.expect_integers(1, &targets)?;
    check_ranks(cx, &predictions, &targets, weights.as_deref())?;
    let shape = check_dims(cx, &predictions, &targets, weights.as_deref())?;
    if cx.attrs::<NLLLossAttrs>()?.reduction.as_str() != "none" {
        return Ok(tensor_of([], dtype, vdevice));
    }
    Ok(match shape {
        Some(shape) if predictions.dims().is_some() => tensor_of(shape, dtype, vdevice),
        _ if predictions.is_unknown_ndim() => tensor_of_rank(UNKNOWN_NDIM, dtype, vdevice),
        _ => tensor_of_rank(predictions.ndim - 1, dtype, vdevice),
    })
}

fn check_ranks(
    cx: &Infer<'_>,
    predictions: &TensorStructInfo,
    targets: &TensorStructInfo,
    weights: Option<&TensorStructInfo>,
) -> std::result::Result<(), InferError> {
    if predictions.ndim == 0 {
        let expected = "at least one dimension".to_owned();
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: 0 }.at(0));
    }
    // How many axes each has besides those of samples and classes.
    let of_predictions = (predictions.ndim - 2).max(0);
    let of_targets = (targets.ndim - 1).max(0);
    let is_rank_known = !predictions.is_unknown_ndim() && !targets.is_unknown_ndim();
    if is_rank_known && of_predictions != of_targets {
        let expected = format!("one dimension less than the predictions, which have {}", predictions.ndim);
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: targets.ndim }.at(1));
    }
    match weights {
        Some(weights) => cx.expect_rank(2, weights, 1),
        None => Ok(()),
    }
}

/// Checks the lengths that are known. Gives the shape of the loss of each element, where that of the predictions is known.
fn check_dims(
    cx: &mut Infer<'_>,
    predictions: &TensorStructInfo,
    targets: &TensorStructInfo,
    weights: Option<&TensorStructInfo>,
) -> std::result::Result<Option<Vec<tvmscript_prim::Expr>>, InferError> {
    let Some(dims) = predictions.known_dims() else { return Ok(None) };
    let has_samples = dims.len() > 1;
    let classes = &dims[usize::from(has_samples)];
    let mut shape: Vec<_> = dims.iter().cloned().collect();
    shape.remove(usize::from(has_samples));
    if let Some(found) = targets.known_dims() {
        if found.is_empty() == has_samples {
            let what = match has_samples {
                true => "the predictions have an axis of samples, the targets have none",
                false => "the predictions have no axis of samples, the targets have one",
            };
            return Err(InferErrorKind::Shape { op: cx.op(), what: what.to_owned() }.at(1));
        }
        for (axis, (a, b)) in shape.iter().zip(found.iter()).enumerate() {
            if cx.differ(a, b)? {
                return Err(wrong_axis(cx, 1, axis));
            }
        }
    }
    if let Some(found) = weights.and_then(|weights| weights.known_dims())
        && cx.differ(classes, &found[0])?
    {
        let what = "the weights are not as many as the classes".to_owned();
        return Err(InferErrorKind::Shape { op: cx.op(), what }.at(2));
    }
    Ok(Some(shape))
}
