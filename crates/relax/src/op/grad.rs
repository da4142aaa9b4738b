//! Gradients of other operators, and marks for the pass that computes them.
//!
//! Upstream counterpart: `src/relax/op/tensor/grad.cc`.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_ir_macros::operators;

use super::{Infer, InferError, Operator};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntListArg, IntsArg};
use crate::node::attrs::{NLLLossAttrs, Pool2DAttrs, TakeAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    params pool_gradient = (
        output_grad: ExprArg, data: ExprArg, pool_size: IntListArg = [1, 1], strides: IntListArg = [1, 1],
        padding: IntListArg = [0, 0, 0, 0], dilation: IntListArg = [1, 1], ceil_mode: bool = false,
        count_include_pad: bool = false, layout: Str = "NCHW", out_layout: Option<Str> = None
    );

    /// Marks the end of a part that is computed again for the gradient.
    end_checkpoint(input: Expr) -> infer(marked), text = "grad.end_checkpoint";
    /// The value, through which no gradient flows.
    no_grad(input: Expr) -> infer(as_operand), text = "grad.no_grad";
    /// Marks the start of a part that is computed again for the gradient.
    start_checkpoint(input: Expr) -> infer(marked), text = "grad.start_checkpoint";
    /// The gradient of `R.nn.nll_loss` by the predictions.
    nll_loss_backward(
        output_grad: ExprArg, predictions: ExprArg, targets: ExprArg, weights: Option<ExprArg> = None,
        reduction: Str = "mean", ignore_index: i64 = -100
    ) -> infer(as_input), text = "grad.nll_loss_backward" {
        let args = [Some(output_grad), Some(predictions), Some(targets), weights];
        let args = args.into_iter().flatten().map(|arg| arg.0);
        let attrs = Ref::new(NLLLossAttrs { reduction, ignore_index }).upcast();
        Ok(Call::of_op("relax.grad.nll_loss_backward", args, Some(attrs)))
    }
    /// The gradient of `R.nn.avg_pool2d` by the data.
    avg_pool2d_backward(..pool_gradient) -> infer(as_input), text = "grad.avg_pool2d_backward" {
        let flags = [ceil_mode, count_include_pad];
        let attrs = pool_attrs(pool_size, [strides, padding, dilation], flags, layout, out_layout);
        Ok(Call::of_op("relax.grad.avg_pool2d_backward", [output_grad.0, data.0], attrs))
    }
    /// The gradient of `R.nn.max_pool2d` by the data.
    max_pool2d_backward(..pool_gradient) -> infer(as_input), text = "grad.max_pool2d_backward" {
        let flags = [ceil_mode, count_include_pad];
        let attrs = pool_attrs(pool_size, [strides, padding, dilation], flags, layout, out_layout);
        Ok(Call::of_op("relax.grad.max_pool2d_backward", [output_grad.0, data.0], attrs))
    }
    /// The gradient of `R.take` by the tensor taken from. TVM's own text says `mode=""`, which its reader does not take.
    take_backward(output_grad: Expr, x: Expr, indices: Expr; axis: Option<i64> = None, mode: Str = "")
        -> infer(as_input), text = "grad.take_backward", attrs = TakeAttrs;
}

/// The attributes of gradients of pooling. Other than pooling itself they take the lists as they are, one number for each axis
/// and side.
#[cfg(feature = "build")]
fn pool_attrs(
    pool_size: IntListArg,
    others: [IntListArg; 3],
    [ceil_mode, count_include_pad]: [bool; 2],
    layout: Str,
    out_layout: Option<Str>,
) -> Option<Ref<tvmscript_ir::Attrs>> {
    let [strides, padding, dilation] = others.map(|list| IntsArg(list.0).into_int64());
    let attrs = Pool2DAttrs {
        pool_size: pool_size.0,
        strides,
        dilation,
        padding,
        ceil_mode,
        count_include_pad,
        out_layout: out_layout.unwrap_or_else(|| layout.clone()),
        layout,
    };
    Some(Ref::new(attrs).upcast())
}

/// The gradient is what the input is, the second operand.
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
