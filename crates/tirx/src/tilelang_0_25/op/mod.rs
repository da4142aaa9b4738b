//! Operators of TileLang, `tl.*`, one family per file.
//!
//! Texts name them by their last part and state no type of a call: it follows from the entry, or is `open`. Some
//! names are those of TIR's operators, which the number of arguments tells apart.
//!
//! Upstream counterparts: `src/op/builtin.h`, `src/op`, `src/ascend/op/builtin.cc` and `tilelang/language` of
//! TileLang 0.1.15.

mod ascend;
mod atomic;
mod control;
mod math;
mod memory;
mod simd;
mod tensor_core;
mod thread;
mod tile;

#[cfg(feature = "build")]
use std::sync::LazyLock;

#[cfg(feature = "build")]
use hashbrown::HashMap;
use tvmscript_ir_core::{Array, DataType};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, CallArgs, ParamKind, ScriptFn, ScriptValue};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, PrimExprExt as _, StringImm};
#[cfg(feature = "build")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::Operator;

#[cfg(feature = "build")]
use crate::op::call::{Arguments, Defaults};
use crate::op::{BOOL, HANDLE, INT32, UINT32, UINT64, VOID};

pub(crate) static FAMILIES: &[&[&Operator]] = &[
    ascend::OPERATORS,
    atomic::OPERATORS,
    control::OPERATORS,
    math::OPERATORS,
    memory::OPERATORS,
    simd::OPERATORS,
    tensor_core::OPERATORS,
    thread::OPERATORS,
    tile::OPERATORS,
];

/// A call whose argument names its type: `T.infinity("float32")`.
fn infinity_of_type(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let name = args.first()?.as_node::<StringImm>()?;
    let dtype = name.value.as_str().parse().ok()?;
    Some(Ok(math::INFINITY.call(dtype, args.iter().cloned())))
}

/// TIR's operator of the same name and number of operands, which texts mean.
fn fma_of_tir(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let dtype = args.first()?.dtype();
    Some(Ok(tvmscript_tir::op::math::FMA.call(dtype, args.iter().cloned())))
}

/// Calls an operator, or TIR's of the same name if that takes as many arguments.
#[cfg(feature = "build")]
pub(super) fn call(
    operator: &'static Operator,
    function: &'static ScriptFn,
    args: CallArgs,
    defaults: Defaults,
) -> tvmscript_irbuilder::BuildResult<ScriptValue> {
    let of_tir = OF_TIR.get(operator.text).filter(|_| operator.make.is_none());
    if let Some(of_tir) = of_tir.filter(|function| takes(function, &args)) {
        return of_tir.call(args);
    }
    let Arguments { operands, annotations, .. } = Arguments::bind::<ExprArg>(function, args, defaults)?;
    if let Some(make) = operator.make {
        return match make(VOID, &operands) {
            Some(made) => Ok(made?.into()),
            None => Err(BuildError::expected("the name of a type", "other arguments").at_position(0)),
        };
    }
    let dtype = crate::op::call::type_of(operator, &operands).unwrap_or(VOID);
    Ok(crate::op::call::make(operator, dtype, operands, annotations))
}

/// TIR's functions with names of these operators.
#[cfg(feature = "build")]
static OF_TIR: LazyLock<HashMap<&'static str, &'static ScriptFn>> = LazyLock::new(|| {
    let of_tir = |operator: &Operator| match tvmscript_tir::build::find_name(operator.text)? {
        ScriptValue::Function(function) => Some((operator.text, function)),
        _ => None,
    };
    FAMILIES.iter().copied().flatten().copied().filter_map(of_tir).collect()
});

/// Tests whether a function takes as many positional arguments as a call has.
#[cfg(feature = "build")]
fn takes(function: &ScriptFn, args: &CallArgs) -> bool {
    let required = function.params.iter().filter(|param| param.default.is_none());
    let most = match function.params.iter().any(|param| param.kind == ParamKind::Args) {
        true => usize::MAX,
        false => function.params.len(),
    };
    (required.count().max(1)..=most).contains(&args.positional.len())
}
