//! What is said at run time: text, and conditions that have to hold.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{FromScript, Result, ScriptValue, script_fn};

use super::memory::nothing;
use super::{Infer, InferError, Operator};
use crate::build::args::{ExprArg, ExprsArg, PrimArg, StringImmArg};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

/// Writes values, in the places of a format's braces.
#[script_fn]
pub fn print(
    #[args] values: Vec<ExprArg>,
    #[kw_only]
    #[default = ""]
    format: StringImmArg,
) -> Result<Ref<Call>> {
    let args = std::iter::once(format.0.upcast()).chain(values.into_iter().map(|value| value.0));
    Ok(Call::of_op("relax.print", args.collect::<Vec<_>>(), None))
}

/// Stops where a condition does not hold, with values in the places of a format's braces.
///
/// The values stand in a list, then the format; or, as the call is printed, one by one, with the format by name.
#[script_fn]
pub fn assert_op(
    condition: PrimArg,
    #[default = None] format_args: Option<ExprsArg>,
    #[args] more: Vec<ScriptValue>,
    #[kw_only]
    #[default = None]
    format: Option<StringImmArg>,
) -> Result<Ref<Call>> {
    let mut values = format_args.map(|values| values.0).unwrap_or_default();
    let format = match (format, more.as_slice()) {
        (None, [format]) => StringImmArg::from_script(format.clone()).map_err(|e| e.at_position(2))?,
        (format, _) => {
            for (i, value) in more.into_iter().enumerate() {
                values.push(ExprArg::from_script(value).map_err(|e| e.at_position(i + 2))?.0);
            }
            format.unwrap_or_else(|| StringImmArg::from(""))
        }
    };
    let args = [condition.0, format.0.upcast()].into_iter().chain(values);
    Ok(Call::of_op("relax.assert_op", args.collect::<Vec<_>>(), None))
}

/// The operators of this family.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.assert_op", &ASSERT_OP, asserted).impure(),
    Operator::new("relax.print", &PRINT, nothing).impure(),
];

fn asserted(cx: &mut Infer<'_>) -> Inferred {
    let info = cx.info(0)?;
    let (dtype, ndim) = if let Some(tensor) = info.as_node::<TensorStructInfo>() {
        (tensor.dtype, tensor.ndim)
    } else if let Some(scalar) = info.as_node::<PrimStructInfo>() {
        (scalar.dtype, 0)
    } else {
        return Err(cx.wrong_kind(0, "a truth value"));
    };
    match (dtype.is_bool() || dtype.is_void()) && matches!(ndim, 0 | UNKNOWN_NDIM) {
        true => nothing(cx),
        false => Err(cx.wrong_kind(0, "one truth value")),
    }
}
