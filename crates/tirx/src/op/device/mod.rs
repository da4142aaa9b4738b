//! Operators of devices, of TVM 0.27 and TIRx 0.1: `T.cuda.any_sync(..)`. Texts state no type of their calls. Those
//! that TVM 0.23 has without a function keep their names there, `tir.metal.simd_shuffle`.
//!
//! Upstream counterparts: `python/tvm/backend/cuda/op.py`, `python/tvm/backend/trn/op.py` and their registrations.

pub(crate) mod cuda;
mod nki;
mod nvshmem;
mod subgroup;

use tvmscript_ir_core::{Array, DataType};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{CallArgs, ScriptFn, ScriptValue};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, IntImm, StringImm};
#[cfg(feature = "build")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::Operator;

#[cfg(feature = "build")]
use super::call::{Arguments, Defaults, make, type_of};
use super::{FLOAT32, INT32, INT64, UINT32, UINT64, VOID};

pub(crate) static FAMILIES: &[&[&Operator]] =
    &[cuda::OPERATORS, nki::OPERATORS, nvshmem::OPERATORS, subgroup::OPERATORS];

/// A call whose last argument names its type: `T.cuda.ldg(p, "float32")`.
fn named_by_last(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let name = args.last()?.as_node::<StringImm>()?;
    let dtype = name.value.as_str().parse().ok()?;
    Some(Ok(cuda::LDG.call(dtype, args.iter().cloned())))
}

/// A call whose first argument is the number of bits of its type: `T.cuda.mov_sreg(32, "laneid")`.
fn of_bits(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let bits = args.first()?.as_node::<IntImm>()?.value;
    let dtype = DataType::int(u8::try_from(bits).ok()?);
    Some(Ok(cuda::MOV_SREG.call(dtype, args.iter().cloned())))
}

/// Calls an operator.
#[cfg(feature = "build")]
pub(crate) fn call(
    operator: &'static Operator,
    function: &'static ScriptFn,
    mut args: CallArgs,
    defaults: Defaults,
) -> tvmscript_irbuilder::BuildResult<ScriptValue> {
    // The type of the call may follow the operands.
    if function.params.first().is_some_and(|param| param.name == "dtype")
        && let Some(dtype) = args.take_keyword("dtype")
    {
        args.positional.insert(0, dtype);
    }
    let Arguments { operands, dtype, annotations } = Arguments::bind::<ExprArg>(function, args, defaults)?;
    let dtype = dtype.or_else(|| type_of(operator, &operands)).unwrap_or(VOID);
    match operator.make.and_then(|make| make(dtype, &operands)) {
        Some(made) => Ok(made?.into()),
        None => Ok(make(operator, dtype, operands, annotations)),
    }
}
