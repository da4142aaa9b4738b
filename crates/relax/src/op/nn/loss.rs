//! Loss functions.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use crate::node::attrs::NLLLossAttrs;
use crate::op::elementwise::{common_device, common_dtype};
use crate::op::prelude::*;

operators! {
    /// The cross entropy of predictions and labels.
    cross_entropy_with_logits(predictions: Expr, labels: Expr)
        -> infer(cross_entropy), text = "nn.cross_entropy_with_logits";
    /// The negative log likelihood of the target classes.
    nll_loss(
        predictions: Expr, targets: Expr, weights: Option<Expr> = None;
        reduction: Reduction = "mean", ignore_index: i64 = -100
    ) -> infer(nll), text = "nn.nll_loss", attrs = NLLLossAttrs;
}

fn cross_entropy(cx: &mut Infer<'_>) -> Inferred {
    let [predictions, labels] = cx.tensors()?;
    let dtype = common_dtype(cx, predictions.dtype, labels.dtype)?;
    let vdevice = common_device(cx, Some(&predictions), Some(&labels))?;
    let is_rank_known = !predictions.is_unknown_ndim() && !labels.is_unknown_ndim();
    if is_rank_known && predictions.ndim != labels.ndim {
        return Err(cx.wrong_rank(
            1,
            format!("rank {}, like the predictions", predictions.ndim),
            labels.ndim,
        ));
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
    let what = format!("dimensions differ on axis {axis} from the predictions");
    cx.wrong_shape_at(argument, what)
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
) -> Checked<()> {
    if predictions.ndim == 0 {
        return Err(cx.wrong_rank(0, "at least rank 1", 0));
    }
    // The number of axes besides those of samples and classes.
    let of_predictions = (predictions.ndim - 2).max(0);
    let of_targets = (targets.ndim - 1).max(0);
    let is_rank_known = !predictions.is_unknown_ndim() && !targets.is_unknown_ndim();
    if is_rank_known && of_predictions != of_targets {
        return Err(cx.wrong_rank(
            1,
            format!("one dimension less than the predictions, rank {}", predictions.ndim),
            targets.ndim,
        ));
    }
    match weights {
        Some(weights) => cx.expect_rank(2, weights, 1),
        None => Ok(()),
    }
}

/// Checks the known lengths. Returns the shape of the elementwise loss, if that of the predictions is known.
fn check_dims(
    cx: &mut Infer<'_>,
    predictions: &TensorStructInfo,
    targets: &TensorStructInfo,
    weights: Option<&TensorStructInfo>,
) -> Checked<Option<Vec<tvmscript_prim::Expr>>> {
    let Some(dims) = predictions.known_dims() else { return Ok(None) };
    let has_samples = dims.len() > 1;
    let mut shape: Vec<_> = dims.iter().cloned().collect();
    let classes = shape.remove(usize::from(has_samples));
    if let Some(found) = targets.known_dims() {
        if found.is_empty() == has_samples {
            let what = match has_samples {
                true => "the predictions have an axis of samples, but the targets do not",
                false => "the targets have an axis of samples, but the predictions do not",
            };
            return Err(cx.wrong_shape_at(1, what));
        }
        for (axis, (a, b)) in shape.iter().zip(found.iter()).enumerate() {
            if cx.differ(a, b)? {
                return Err(wrong_axis(cx, 1, axis));
            }
        }
    }
    if let Some(found) = weights.and_then(|weights| weights.known_dims()?.first().cloned())
        && cx.differ(&classes, &found)?
    {
        return Err(cx.wrong_shape_at(2, "expected one weight per class"));
    }
    Ok(Some(shape))
}
