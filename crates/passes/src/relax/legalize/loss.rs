//! The negative log likelihood and its gradient.
//!
//! Upstream counterparts: `nll_loss`, `topi/nn.h`; `_grad_nll_loss_backward`,
//! `python/tvm/relax/transform/legalize_ops/grad.py`.

use tvmscript_relax::attrs::NLLLossAttrs;

use super::Outcome;
use super::elementwise::combine_tensors;
use super::manipulate::broadcasted;
use super::reduce::total;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::statements::wide;
use super::tensor::{Answer, Stage, Tensor};

/// The axis of the classes of predictions, which have no batches if they have one axis only.
fn class_axis(predictions: &Tensor) -> usize {
    usize::from(predictions.rank() > 1)
}

/// The weights of the classes: an operand, or ones.
fn weights_of(site: &mut Site<'_>, index: usize, predictions: &Tensor) -> Answer<Tensor> {
    if index < site.count() {
        return site.tensor(index);
    }
    let classes = [predictions.dims().pick(class_axis(predictions))];
    Stage::new("T_full").over(&classes, |_| constant(predictions.dtype(), 1.0))
}

/// The sum of all elements, if there is more than one.
fn sum_of(x: &Tensor) -> Answer<Tensor> {
    if x.rank() == 0 { Ok(x.clone()) } else { total(x) }
}

pub(super) fn nll_loss(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<NLLLossAttrs>()?;
    let (predictions, targets) = (site.tensor(0)?, site.tensor(1)?);
    let weights = weights_of(site, 2, &predictions)?;
    let zero = constant(predictions.dtype(), 0.0);
    let of_targets = |value: &dyn Fn(&[Scalar], &Scalar) -> Scalar| {
        Stage::new("nll_loss").over(&targets.dims(), |i| {
            let class = targets.at(i);
            wide(&class).differs(int(attrs.ignore_index)).select(value(i, &class), &zero)
        })
    };
    let weight = |class: &Scalar| weights.at(std::slice::from_ref(class));
    let loss = of_targets(&|i, class| {
        let place = i.with_inserted(class_axis(&predictions), class.clone());
        (&zero - predictions.at(&place)) * weight(class)
    })?;
    let loss = match attrs.reduction.as_str() {
        "mean" => {
            let all = sum_of(&of_targets(&|_, class| weight(class))?)?;
            combine_tensors(&sum_of(&loss)?, &all, "divide", |a, b| a / b)?
        }
        "sum" => sum_of(&loss)?,
        _ => loss,
    };
    let name = if site.count() > 2 { "nll_loss" } else { "nll_loss_without_weight" };
    Ok(Outcome::Named(name, vec![loss]))
}

pub(super) fn nll_loss_backward(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<NLLLossAttrs>()?;
    let (mut gradient, predictions, targets) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let mut weights = weights_of(site, 3, &predictions)?;
    let zero = constant(predictions.dtype(), 0.0);
    if attrs.ignore_index >= 0 {
        weights = Stage::python("weights_new").with_axes(&["i"]).over(&weights.dims(), |i| {
            i.pick(0).equals(int(attrs.ignore_index)).select(&zero, &weights.at(i))
        })?;
    }
    let places = targets.dims();
    let of_targets = Stage::python("all_weights").over(&places, |i| weights.at(&[targets.at(i)]))?;
    let is_mean = attrs.reduction.as_str() == "mean";
    if is_mean || attrs.reduction.as_str() == "sum" {
        gradient = broadcasted(&gradient, &places)?;
    }
    if is_mean {
        gradient = combine_tensors(&gradient, &sum_of(&of_targets)?, "divide", |a, b| a / b)?;
    }
    let axis = class_axis(&predictions);
    let stage = Stage::python("pred_grad");
    let stage = if axis == 0 { stage.with_axes(&["i"]) } else { stage };
    let result = stage.over(&predictions.dims(), |i| {
        let place = i.without(&[axis]);
        let value = of_targets.at(&place) * -1.0 * gradient.at(&place);
        i.pick(axis).equals(wide(&targets.at(&place))).select(value, &zero)
    })?;
    let name = if site.count() > 3 { "nll_loss_backward" } else { "te_nll_loss_backward_no_weight" };
    Ok(Outcome::Named(name, vec![result]))
}
