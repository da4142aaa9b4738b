//! What is said at run time: text, and conditions that have to hold.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{FromScript, ScriptValue};

use super::memory::nothing;
use super::{Infer, InferError, Operator};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, ExprsArg, PrimArg, StringImmArg};
use crate::node::*;
use crate::op::Effect;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Writes values, in the places of a format's braces.
    print(*values: ExprArg, format: StringImmArg = "") -> infer(nothing), effect = Opaque {
        let args = std::iter::once(format.0.upcast()).chain(values.into_iter().map(|value| value.0));
        Ok(Call::of_op("relax.print", args.collect::<Vec<_>>(), None))
    }
    /// Stops where a condition does not hold, with values in the places of a format's braces.
    ///
    /// The values stand in a list, then the format; or, as the call is printed, one by one, with the format by name.
    assert_op(
        condition: PrimArg, format_args: Option<ExprsArg> = None, *more: ScriptValue,
        format: Option<StringImmArg> = None
    ) -> infer(asserted), effect = Opaque {
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
}

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
