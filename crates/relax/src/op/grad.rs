//! Gradients of other operators, and marks for the pass that computes them.
//!
//! Upstream counterpart: `src/relax/op/tensor/grad.cc`.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_irbuilder::{Result, script_fn};

use super::{Infer, InferError, Operator, plain_operators};
use crate::build::args::{ExprArg, IntListArg, IntsArg};
use crate::node::attrs::{NLLLossAttrs, Pool2DAttrs, TakeAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

plain_operators! { PLAIN;
    /// Marks the end of a part that is computed again for the gradient.
    end_checkpoint END_CHECKPOINT "grad.end_checkpoint" (input) marked;
    /// The value, through which no gradient flows.
    no_grad NO_GRAD "grad.no_grad" (input) as_operand;
    /// Marks the start of a part that is computed again for the gradient.
    start_checkpoint START_CHECKPOINT "grad.start_checkpoint" (input) marked;
}

/// The gradient of `R.nn.nll_loss` by the predictions.
#[script_fn(name = "grad.nll_loss_backward")]
pub fn nll_loss_backward(
    output_grad: ExprArg,
    predictions: ExprArg,
    targets: ExprArg,
    #[default = None] weights: Option<ExprArg>,
    #[default = "mean"] reduction: Str,
    #[default = -100] ignore_index: i64,
) -> Result<Ref<Call>> {
    let args = [Some(output_grad), Some(predictions), Some(targets), weights];
    let args = args.into_iter().flatten().map(|arg| arg.0);
    let attrs = Ref::new(NLLLossAttrs { reduction, ignore_index }).upcast();
    Ok(Call::of_op("relax.grad.nll_loss_backward", args, Some(attrs)))
}

/// Declares gradients of pooling. Other than pooling itself they take the lists as they are, one number for each axis and side.
macro_rules! pool_gradients {
    ($($(#[$doc:meta])* $function:ident $name:literal;)*) => {$(
        $(#[$doc])*
        #[script_fn(name = $name)]
        pub fn $function(
            output_grad: ExprArg,
            data: ExprArg,
            #[default = [1, 1]] pool_size: IntListArg,
            #[default = [1, 1]] strides: IntListArg,
            #[default = [0, 0, 0, 0]] padding: IntListArg,
            #[default = [1, 1]] dilation: IntListArg,
            #[default = false] ceil_mode: bool,
            #[default = false] count_include_pad: bool,
            #[default = "NCHW"] layout: Str,
            #[default = None] out_layout: Option<Str>,
        ) -> Result<Ref<Call>> {
            let [strides, padding, dilation] =
                [strides, padding, dilation].map(|list| IntsArg(list.0).into_int64());
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
            let args = [output_grad.0, data.0];
            Ok(Call::of_op(concat!("relax.", $name), args, Some(Ref::new(attrs).upcast())))
        }
    )*};
}

pool_gradients! {
    /// The gradient of `R.nn.avg_pool2d` by the data.
    avg_pool2d_backward "grad.avg_pool2d_backward";
    /// The gradient of `R.nn.max_pool2d` by the data.
    max_pool2d_backward "grad.max_pool2d_backward";
}

/// The gradient of `R.take` by the tensor taken from. TVM's own text says `mode=""`, which its reader does not take.
#[script_fn(name = "grad.take_backward")]
pub fn take_backward(
    output_grad: ExprArg,
    x: ExprArg,
    indices: ExprArg,
    #[default = None] axis: Option<i64>,
    #[default = ""] mode: Str,
) -> Result<Ref<Call>> {
    let attrs = Ref::new(TakeAttrs { axis, mode }).upcast();
    Ok(Call::of_op("relax.grad.take_backward", [output_grad.0, x.0, indices.0], Some(attrs)))
}

/// Operators with attributes.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.grad.avg_pool2d_backward", &AVG_POOL2D_BACKWARD, as_input),
    Operator::new("relax.grad.max_pool2d_backward", &MAX_POOL2D_BACKWARD, as_input),
    Operator::new("relax.grad.nll_loss_backward", &NLL_LOSS_BACKWARD, as_input),
    Operator::new("relax.grad.take_backward", &TAKE_BACKWARD, as_input),
];

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
