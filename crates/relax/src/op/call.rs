//! Calls of functions outside Relax: PrimFuncs, external functions, closures.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use hashbrown::HashSet;
use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Map, Value};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, ScriptValue};

use super::memory::any_value;
use super::prelude::*;
use super::{CallForm, DestinationForm, Effect};
use crate::analysis::{BaseCheck, base_check};
#[cfg(feature = "build")]
use crate::build::{args::*, call_args::*};
use crate::describe;
use crate::node::attrs::{CallInplacePackedAttrs, CallTIRInplaceAttrs, CallTIRWithGradAttrs};

operators! {
    /// Calls a PrimFunc of the module. Its last parameters are the results, which the call allocates.
    call_tir(gvar: ModuleFunction, args: CallArgs, out_sinfo: OutInfo, tir_vars: Option<Shape> = None)
        -> infer(stated_by_module), stated = out_sinfo, sharding = Sharding::Unchanged,
        form = CallForm::DestinationPassing(DestinationForm::CALL_TIR);
    /// Like `R.call_tir`, with results that overwrite arguments.
    call_tir_inplace(
        gvar: ModuleFunction, args: CallArgs, inplace_indices: Ints, out_sinfo: OutInfo,
        tir_vars: Option<Shape> = None
    ) -> infer(stated_by_module), attrs = CallTIRInplaceAttrs { inplace_indices }, stated = out_sinfo,
        form = CallForm::DestinationPassing(DestinationForm::CALL_TIR_INPLACE);
    /// Like `R.call_tir`, with the name of the gradient function.
    call_tir_with_grad(
        gvar: ModuleFunction, args: CallArgs, out_sinfo: OutInfo, te_grad_name: Str,
        te_grad_kwargs: Option<Map<Str, Value>> = None, tir_vars: Option<Shape> = None
    ) -> infer(stated_by_module), stated = out_sinfo,
        attrs = CallTIRWithGradAttrs { te_grad_name, te_grad_kwargs: te_grad_kwargs.unwrap_or_default() },
        form = CallForm::DestinationPassing(DestinationForm::CALL_TIR_WITH_GRAD);
    /// Calls an external function. Its last parameters are the results, which the call allocates.
    call_dps_packed(func: Callee, args: CallArgs, out_sinfo: OutInfo)
        -> infer(stated), stated = out_sinfo,
        form = CallForm::DestinationPassing(DestinationForm::CALL_DPS_PACKED);
    /// Calls an external function by name. Further keyword arguments are attributes.
    fn call_packed(
        func: CalleeArg, *args: AnyExprArg, sinfo_args: Option<InfosArg> = None, **attrs: ScriptValue
    ) {
        let args = args.into_iter().map(|arg| arg.0);
        let attrs = super::super::packed_attrs(attrs)?;
        Ok(Call::new(func.0, args, attrs, sinfo_args.map(|infos| infos.0).unwrap_or_default()))
    }
    /// Like `R.call_packed`, for a function without effects.
    call_pure_packed(func: External, *args: AnyExpr, sinfo_args: Option<Infos> = None)
        -> infer(packed), stated = sinfo_args, form = CallForm::Callee;
    /// Like `R.call_pure_packed`, for a function whose results overwrite arguments.
    call_inplace_packed(
        func: External, *args: AnyExpr, inplace_indices: Ints, sinfo_args: Option<Infos> = None
    ) -> infer(packed_in_place), attrs = CallInplacePackedAttrs { inplace_indices }, stated = sinfo_args,
        form = CallForm::Callee;
    /// Calls a function of the virtual machine, which receives the machine's context as well.
    call_builtin_with_ctx(func: Callee, args: InlineTuple, *, sinfo_args: Option<Infos> = None)
        -> infer(builtin), stated = sinfo_args, effect = Opaque, form = CallForm::Callee;
    /// Calls a Python function by name. With `sinfo_args`, the arguments are one tuple.
    call_py_func(
        py_func_name: StringArg, *args: AnyExprArg, out_sinfo: Option<OutInfosArg> = None,
        sinfo_args: Option<InfosArg> = None
    ) -> infer(stated), form = CallForm::SpreadArguments {
        let mut args = args.into_iter().map(|arg| arg.0);
        let (args, info) = match (out_sinfo, sinfo_args) {
            (Some(info), None) => (Tuple::new(args).upcast(), info.0.into_one()),
            (None, Some(infos)) => match (args.next(), args.next()) {
                (Some(tuple), None) => (tuple, infos.into_one()),
                _ => return Err(BuildError::message("with `sinfo_args`, the arguments must be one tuple")),
            },
            _ => {
                return Err(BuildError::message("the call does not state its result")
                    .with_help("add `out_sinfo=R.Tensor((2,), \"float32\")`"));
            }
        };
        Ok(super::CALL_PY_FUNC.call_stated(None, [py_func_name.0, args], [info]))
    }
    /// Makes a closure of a function and captured arguments.
    make_closure(func: AnyExpr, args: InlineTuple) -> infer(any_value);
    /// Calls a closure.
    invoke_closure(closure: AnyExpr, args: InlineTuple, sinfo_args: Option<Infos> = None)
        -> infer(closure), stated = sinfo_args, effect = Opaque;
    /// Calls a closure without effects.
    invoke_pure_closure(closure: AnyExpr, args: InlineTuple, sinfo_args: Option<Infos> = None)
        -> infer(closure), stated = sinfo_args;
}

/// The only struct info that the call states.
fn stated(cx: &mut Infer<'_>) -> Inferred {
    match cx.call.sinfo_args.only() {
        Some(only) => Ok(only.clone()),
        None => {
            Err(cx
                .wrong_attribute("out_sinfo", "must be the struct info of one result, or a tuple of several"))
        }
    }
}

/// Like [`stated`], for a PrimFunc of the module.
pub(super) fn stated_by_module(cx: &mut Infer<'_>) -> Inferred {
    match cx.arg(0)?.is::<GlobalVar>() {
        true => stated(cx),
        false if cx.arg(0)?.is::<ExternFunc>() => {
            let what = "a function of the module (use `R.call_dps_packed` for external functions)";
            Err(cx.wrong_kind(0, what))
        }
        false => Err(cx.wrong_kind(0, "a function of the module")),
    }
}

/// The result of an external function: as the caller states, or from the function's struct info.
///
/// # Source
/// `InferStructInfoCallPurePacked`, `src/relax/op/op.cc`.
fn packed(cx: &mut Infer<'_>) -> Inferred {
    let info = cx.info(0)?;
    let function = info.as_node::<FuncStructInfo>().filter(|function| function.params.is_none());
    let Some(function) = function else { return Err(cx.wrong_kind(0, "an external function")) };
    Ok(match function.derive_func {
        Some(_) => crate::blocks::packed_result(&cx.call.sinfo_args),
        None => function.ret.clone(),
    })
}

/// Like [`packed`]; checks each result against the argument that it overwrites.
///
/// # Source
/// `InferStructInfoCallInplacePacked`, `src/relax/op/op.cc`.
fn packed_in_place(cx: &mut Infer<'_>) -> Inferred {
    const ATTRIBUTE: &str = "inplace_indices";
    let indices = &cx.attrs::<CallInplacePackedAttrs>()?.inplace_indices;
    let wrong = |cx: &Infer<'_>, error: InPlaceError| cx.wrong_attribute(ATTRIBUTE, error.to_string());
    let count = cx.arg_count().saturating_sub(1);
    check_in_place(indices, count).map_err(|error| wrong(cx, error))?;
    let result = packed(cx)?;
    let of_tuple = result.as_node::<TupleStructInfo>().map(|tuple| tuple.fields.clone());
    let results = match (indices.len(), of_tuple) {
        (1, _) => [result.clone()].into_iter().collect(),
        (_, Some(fields)) => fields,
        (found, None) => {
            let what = format!("has {found} entries, but the call has one result");
            return Err(cx.wrong_attribute(ATTRIBUTE, what));
        }
    };
    for (result, index) in results.iter().zip(indices.iter()) {
        let Ok(index) = usize::try_from(index.value) else { continue };
        let argument = cx.info(index + 1)?;
        if base_check(result, &argument, cx.analyzer) != BaseCheck::Pass {
            let (result, argument) = (describe::struct_info(result), describe::struct_info(&argument));
            let what = format!("the result `{result}` cannot overwrite this argument, `{argument}`");
            return Err(cx.wrong_shape_at(index + 1, what));
        }
    }
    Ok(result)
}

/// The stated struct info, or the empty tuple.
fn builtin(cx: &mut Infer<'_>) -> Inferred {
    match cx.call.sinfo_args.only() {
        Some(only) => Ok(only.clone()),
        None if cx.call.sinfo_args.is_empty() => Ok(TupleStructInfo::new([])),
        None => Err(cx.wrong_attribute("sinfo_args", "must be the struct info of one result")),
    }
}

/// The stated struct info: one value, several, or any.
fn closure(cx: &mut Infer<'_>) -> Inferred {
    Ok(crate::blocks::packed_result(&cx.call.sinfo_args))
}

/// The index of a result that overwrites no argument.
const NEW: i64 = -1;

/// Invalid `inplace_indices`. The message continues the name of the attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InPlaceError {
    /// The argument does not exist.
    #[error("refers to argument {index}, but there are {count}, counted from 0")]
    OutOfRange {
        /// Index.
        index: i64,
        /// Number of arguments.
        count: usize,
    },
    /// Two results overwrite the same argument.
    #[error("refers to argument {index} twice")]
    Repeated {
        /// Index.
        index: i64,
    },
    /// No result overwrites an argument.
    #[error("refers to no argument: such a call needs no indices")]
    Nothing,
}

/// Checks that results overwrite different arguments, and at least one does.
///
/// # Errors
/// Fails otherwise.
pub fn check_in_place(indices: &Array<Ref<IntImm>>, count: usize) -> Result<(), InPlaceError> {
    let mut taken = HashSet::new();
    for index in indices.iter().map(|index| index.value).filter(|index| *index != NEW) {
        if usize::try_from(index).map_or(true, |index| index >= count) {
            return Err(InPlaceError::OutOfRange { index, count });
        }
        if !taken.insert(index) {
            return Err(InPlaceError::Repeated { index });
        }
    }
    if taken.is_empty() { Err(InPlaceError::Nothing) } else { Ok(()) }
}
