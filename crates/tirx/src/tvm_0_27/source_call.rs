//! Calls of CUDA functions with their source: `T.cuda.func_call("f", x, source_code="..", return_type="int32")`.
//!
//! The source is the last operand.

#[cfg(feature = "build")]
use tvmscript_ir_core::DataType;
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, BuildResult, CallArgs, ScriptFn, ScriptValue};
use tvmscript_prim::Expr;
#[cfg(feature = "build")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::VOID;
#[cfg(feature = "build")]
use crate::op::call::{Arguments, Defaults};

operators! {
    prefix = "tirx.cuda.";
    namespace = "cuda";
    result = Expr;
    script = crate::op::types;
    call = crate::tvm_0_27::source_call::call;
    effect = Update;

    /// Calls a function that the source code defines.
    func_call(func_name, *args, *, source_code: Str, return_type: DataType = DataType::VOID) -> VOID;
}

#[cfg(feature = "build")]
pub(crate) fn call(
    operator: &'static Operator,
    function: &'static ScriptFn,
    args: CallArgs,
    defaults: Defaults,
) -> BuildResult<ScriptValue> {
    let Arguments { operands, dtype, annotations } = Arguments::bind::<ExprArg>(function, args, defaults)?;
    let mut operands: Vec<Expr> = operands.iter().cloned().collect();
    for (_, source) in annotations {
        let Some(source) = source.as_str() else {
            return Err(BuildError::expected("a string", "another value").at_parameter("source_code"));
        };
        operands.push(ExprArg::convert(ScriptValue::str(source))?);
    }
    Ok(operator.call(dtype.unwrap_or(DataType::VOID), operands).into())
}
