//! Gradients of other operators, and markers for the gradient pass.
//!
//! Upstream counterpart: `src/relax/op/tensor/grad.cc`.

use super::prelude::*;
use crate::node::attrs::{NLLLossAttrs, Pool2DAttrs, TakeAttrs};

operators! {
    // Unlike pooling itself, gradients take the lists as they are, one number per axis and side.
    params pool_gradient = (
        output_grad: Expr, data: Expr; pool_size: IntList = [1, 1], strides: IntList = [1, 1],
        padding: IntList = [0, 0, 0, 0], dilation: IntList = [1, 1], ceil_mode: bool = false,
        count_include_pad: bool = false, layout: Str = "NCHW", out_layout: Option<Str> = None
    );

    /// Marks the end of a part that the gradient pass recomputes.
    end_checkpoint(input: Expr) -> infer(marked), text = "grad.end_checkpoint";
    /// The value, through which no gradient flows.
    no_grad(input: Expr) -> infer(as_operand), text = "grad.no_grad";
    /// Marks the start of a part that the gradient pass recomputes.
    start_checkpoint(input: Expr) -> infer(marked), text = "grad.start_checkpoint";
    /// The gradient of `R.nn.nll_loss` with respect to the predictions.
    nll_loss_backward(
        output_grad: Expr, predictions: Expr, targets: Expr, weights: Option<Expr> = None;
        reduction: Str = "mean", ignore_index: i64 = -100
    ) -> infer(as_input), text = "grad.nll_loss_backward", attrs = NLLLossAttrs;
    /// The gradient of `R.nn.avg_pool2d` with respect to the data.
    avg_pool2d_backward(..pool_gradient) -> infer(as_input), text = "grad.avg_pool2d_backward",
        attrs = Pool2DAttrs {
            strides: wide(&strides), padding: wide(&padding), dilation: wide(&dilation),
            out_layout: out_layout.unwrap_or_else(|| layout.clone()), ..
        }, typed_attribute = "pool_size";
    /// The gradient of `R.nn.max_pool2d` with respect to the data.
    max_pool2d_backward(..pool_gradient) -> infer(as_input), text = "grad.max_pool2d_backward",
        attrs = Pool2DAttrs {
            strides: wide(&strides), padding: wide(&padding), dilation: wide(&dilation),
            out_layout: out_layout.unwrap_or_else(|| layout.clone()), ..
        }, typed_attribute = "pool_size";
    /// The gradient of `R.take` with respect to the tensor taken from. TVM prints `mode=""`, which its parser rejects.
    take_backward(output_grad: Expr, x: Expr, indices: Expr; axis: Option<i64> = None, mode: Str = "")
        -> infer(as_input), text = "grad.take_backward", attrs = TakeAttrs;
}

/// The struct info of the input, the second operand.
fn as_input(cx: &mut Infer<'_>) -> Inferred {
    cx.info(1)
}

fn as_operand(cx: &mut Infer<'_>) -> Inferred {
    cx.info(0)
}

fn marked(cx: &mut Infer<'_>) -> Inferred {
    match cx.arg(0)?.is::<Var>() {
        true => cx.info(0),
        false => Err(cx.wrong_kind(0, "a variable")),
    }
}
