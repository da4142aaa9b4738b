//! Output and assertions at run time.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

#[cfg(feature = "build")]
use tvmscript_irbuilder::{FromScript, ScriptValue};

use super::memory::nothing;
use super::prelude::*;
use super::{CallForm, Effect};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, ExprsArg, PrimArg, StringImmArg};

operators! {
    /// Prints values, inserted into the braces of a format string.
    print(*values: Expr, format: Text = "") -> infer(nothing), args = [format].into_iter().chain(values),
        effect = Opaque, form = CallForm::Format(0);
    /// Stops unless a condition holds, with a message of values inserted into the braces of a format string.
    ///
    /// The values are a list, followed by the format; or, as the call is printed, single arguments, with the format by name.
    assert_op(
        condition: PrimArg, format_args: Option<ExprsArg> = None, *more: ScriptValue,
        format: Option<StringImmArg> = None
    ) -> infer(asserted), effect = Opaque, form = CallForm::Format(1) {
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
        Ok(super::ASSERT_OP.call(None, [condition.0, format.0.upcast()].into_iter().chain(values)))
    }
}

fn asserted(cx: &mut Infer<'_>) -> Inferred {
    let info = cx.info(0)?;
    let (dtype, ndim) = if let Some(tensor) = info.as_node::<TensorStructInfo>() {
        (tensor.dtype, tensor.ndim)
    } else if let Some(scalar) = info.as_node::<PrimStructInfo>() {
        (scalar.dtype, 0)
    } else {
        return Err(cx.wrong_kind(0, "a bool"));
    };
    match (dtype.is_bool() || dtype.is_void()) && matches!(ndim, 0 | UNKNOWN_NDIM) {
        true => nothing(cx),
        false => Err(cx.wrong_kind(0, "a bool scalar")),
    }
}
