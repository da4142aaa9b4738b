//! Calls of functions outside Relax: functions of scalars, external functions, closures.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Map, Ref, Str, Value};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, ScriptValue};

use super::{Infer, InferError, Operator, in_place};
use crate::analysis::{BaseCheck, base_check};
#[cfg(feature = "build")]
use crate::build::args::{AnyExprArg, InfosArg, IntsArg, ShapeArg, StringArg};
#[cfg(feature = "build")]
use crate::build::call_args::{
    CallArgsArg, CalleeArg, ExternalArg, FunctionArg, InlineTupleArg, OutInfosArg,
};
use crate::describe;
use crate::node::attrs::{CallInplacePackedAttrs, CallTIRInplaceAttrs, CallTIRWithGradAttrs};
use crate::node::*;
use crate::op::Effect;
use crate::op::kind::{AnyExpr, InlineTuple};

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Calls a function of scalars and buffers: its last parameters are the results, made here.
    call_tir(
        gvar: FunctionArg, args: CallArgsArg, out_sinfo: OutInfosArg, tir_vars: Option<ShapeArg> = None
    ) -> infer(stated_by_module) {
        let op = tvmscript_prim::Op::get("relax.call_tir");
        Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), None, [out_sinfo.0.into_one()]))
    }
    /// As `R.call_tir`, with results that take the place of arguments.
    call_tir_inplace(
        gvar: FunctionArg, args: CallArgsArg, inplace_indices: IntsArg, out_sinfo: OutInfosArg,
        tir_vars: Option<ShapeArg> = None
    ) -> infer(stated_by_module) {
        let op = tvmscript_prim::Op::get("relax.call_tir_inplace");
        let attrs = Ref::new(CallTIRInplaceAttrs { inplace_indices: inplace_indices.0 }).upcast();
        Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), Some(attrs), [out_sinfo.0.into_one()]))
    }
    /// As `R.call_tir`, with the name of the function's gradient.
    call_tir_with_grad(
        gvar: FunctionArg, args: CallArgsArg, out_sinfo: OutInfosArg, te_grad_name: Str,
        te_grad_kwargs: Option<Map<Str, Value>> = None, tir_vars: Option<ShapeArg> = None
    ) -> infer(stated_by_module) {
        let op = tvmscript_prim::Op::get("relax.call_tir_with_grad");
        let te_grad_kwargs = te_grad_kwargs.unwrap_or_default();
        let attrs = Ref::new(CallTIRWithGradAttrs { te_grad_name, te_grad_kwargs }).upcast();
        Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), Some(attrs), [out_sinfo.0.into_one()]))
    }
    /// Calls an external function whose last parameters are the results, made here.
    call_dps_packed(func: CalleeArg, args: CallArgsArg, out_sinfo: OutInfosArg) -> infer(stated) {
        let op = tvmscript_prim::Op::get("relax.call_dps_packed");
        Ok(Call::new(op.upcast(), [func.0, args.0], None, [out_sinfo.0.into_one()]))
    }
    /// Calls an external function by name. Further keywords are attributes.
    fn call_packed(
        func: CalleeArg, *args: AnyExprArg, sinfo_args: Option<InfosArg> = None, **attrs: ScriptValue
    ) {
        let args = args.into_iter().map(|arg| arg.0);
        let attrs = super::super::packed_attrs(attrs)?;
        Ok(Call::new(func.0, args, attrs, infos(sinfo_args)))
    }
    /// As `R.call_packed`, for a function without effects.
    call_pure_packed(
        func: ExternalArg, *args: AnyExprArg, sinfo_args: Option<InfosArg> = None
    ) -> infer(packed) {
        Ok(with_callee("relax.call_pure_packed", func, args, None, sinfo_args))
    }
    /// As `R.call_pure_packed`, for a function whose results take the place of arguments.
    call_inplace_packed(
        func: ExternalArg, *args: AnyExprArg, inplace_indices: IntsArg,
        sinfo_args: Option<InfosArg> = None
    ) -> infer(packed_in_place) {
        let attrs = Ref::new(CallInplacePackedAttrs { inplace_indices: inplace_indices.0 }).upcast();
        Ok(with_callee("relax.call_inplace_packed", func, args, Some(attrs), sinfo_args))
    }
    /// Calls a function of the virtual machine, which gets the machine as well.
    call_builtin_with_ctx(
        func: CalleeArg, args: InlineTupleArg, *, sinfo_args: Option<InfosArg> = None
    ) -> infer(builtin), effect = Opaque {
        let op = tvmscript_prim::Op::get("relax.call_builtin_with_ctx");
        Ok(Call::new(op.upcast(), [func.0, args.0.upcast()], None, infos(sinfo_args)))
    }
    /// Calls a function of Python by name. In the form with `sinfo_args` the arguments are one tuple.
    call_py_func(
        py_func_name: StringArg, *args: AnyExprArg, out_sinfo: Option<OutInfosArg> = None,
        sinfo_args: Option<InfosArg> = None
    ) -> infer(stated) {
        let op = tvmscript_prim::Op::get("relax.call_py_func");
        let mut args = args.into_iter().map(|arg| arg.0);
        let (args, info) = match (out_sinfo, sinfo_args) {
            (Some(info), None) => (Tuple::new(args).upcast(), info.0.into_one()),
            (None, Some(infos)) => match (args.next(), args.next()) {
                (Some(tuple), None) => (tuple, infos.into_one()),
                _ => return Err(BuildError::message("with `sinfo_args` the arguments are one tuple")),
            },
            _ => {
                return Err(BuildError::message("the call does not say what it gives")
                    .with_help("say it: `out_sinfo=R.Tensor((2,), \"float32\")`"));
            }
        };
        Ok(Call::new(op.upcast(), [py_func_name.0, args], None, [info]))
    }
    /// Makes a closure of a function and the arguments that it keeps.
    make_closure(func: AnyExpr, args: InlineTuple) -> infer(any_value);
    /// Calls a closure.
    invoke_closure(
        closure: AnyExprArg, args: InlineTupleArg, sinfo_args: Option<InfosArg> = None
    ) -> infer(closure), effect = Opaque {
        let op = tvmscript_prim::Op::get("relax.invoke_closure");
        Ok(Call::new(op.upcast(), [closure.0, args.0.upcast()], None, infos(sinfo_args)))
    }
    /// Calls a closure without effects.
    invoke_pure_closure(
        closure: AnyExprArg, args: InlineTupleArg, sinfo_args: Option<InfosArg> = None
    ) -> infer(closure) {
        let op = tvmscript_prim::Op::get("relax.invoke_pure_closure");
        Ok(Call::new(op.upcast(), [closure.0, args.0.upcast()], None, infos(sinfo_args)))
    }
}

#[cfg(feature = "build")]
fn args_of(callee: Expr, args: Expr, tir_vars: Option<ShapeArg>) -> Vec<Expr> {
    let mut all = vec![callee, args];
    all.extend(tir_vars.map(|vars| vars.0));
    all
}

#[cfg(feature = "build")]
fn infos(sinfo_args: Option<InfosArg>) -> Vec<Ref<StructInfo>> {
    sinfo_args.map(|infos| infos.0).unwrap_or_default()
}

#[cfg(feature = "build")]
fn with_callee(
    op: &str,
    func: ExternalArg,
    args: Vec<AnyExprArg>,
    attrs: Option<Ref<tvmscript_ir::Attrs>>,
    sinfo_args: Option<InfosArg>,
) -> Ref<Call> {
    let callee = std::iter::once(func.0.upcast());
    let args = callee.chain(args.into_iter().map(|arg| arg.0)).collect::<Vec<_>>();
    Call::new(tvmscript_prim::Op::get(op).upcast(), args, attrs, infos(sinfo_args))
}

/// The one struct info that the call states.
fn stated(cx: &mut Infer<'_>) -> Inferred {
    match cx.call.sinfo_args.len() {
        1 => Ok(cx.call.sinfo_args[0].clone()),
        _ => Err(cx.wrong_attribute("out_sinfo", "says one result, or a tuple of several")),
    }
}

/// As [`stated`], of a function of the module.
pub(super) fn stated_by_module(cx: &mut Infer<'_>) -> Inferred {
    match cx.arg(0)?.is::<GlobalVar>() {
        true => stated(cx),
        false if cx.arg(0)?.is::<ExternFunc>() => {
            let what = "a function of the module (external ones are called by `R.call_dps_packed`)";
            Err(cx.wrong_kind(0, what))
        }
        false => Err(cx.wrong_kind(0, "a function of the module")),
    }
}

/// What an external function gives, as the caller says, or as its own struct info does.
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

/// As [`packed`]; each result fits the argument that it takes the place of.
///
/// # Source
/// `InferStructInfoCallInplacePacked`, `src/relax/op/op.cc`.
fn packed_in_place(cx: &mut Infer<'_>) -> Inferred {
    const ATTRIBUTE: &str = "inplace_indices";
    let indices = &cx.attrs::<CallInplacePackedAttrs>()?.inplace_indices;
    let wrong =
        |cx: &Infer<'_>, error: in_place::InPlaceError| cx.wrong_attribute(ATTRIBUTE, error.to_string());
    let count = cx.arg_count().saturating_sub(1);
    in_place::check(indices, count).map_err(|error| wrong(cx, error))?;
    let result = packed(cx)?;
    let of_tuple = result.as_node::<TupleStructInfo>().map(|tuple| tuple.fields.clone());
    let results = match (indices.len(), of_tuple) {
        (1, _) => [result.clone()].into_iter().collect(),
        (_, Some(fields)) => fields,
        (found, None) => {
            let what = format!("speaks of {found} results, and the call gives one");
            return Err(cx.wrong_attribute(ATTRIBUTE, what));
        }
    };
    for (result, index) in results.iter().zip(indices.iter()) {
        let Ok(index) = usize::try_from(index.value) else { continue };
        let argument = cx.info(index + 1)?;
        if base_check(result, &argument, cx.analyzer) != BaseCheck::Pass {
            let (result, argument) = (describe::struct_info(result), describe::struct_info(&argument));
            let what = format!("the result `{result}` cannot take the place of this argument, `{argument}`");
            return Err(cx.wrong_shape_at(index + 1, what));
        }
    }
    Ok(result)
}

/// What the caller says; nothing where it says nothing.
fn builtin(cx: &mut Infer<'_>) -> Inferred {
    match cx.call.sinfo_args.len() {
        0 => Ok(TupleStructInfo::new([])),
        1 => Ok(cx.call.sinfo_args[0].clone()),
        _ => Err(cx.wrong_attribute("sinfo_args", "says one result")),
    }
}

/// What the caller says: one value, several, or any.
fn closure(cx: &mut Infer<'_>) -> Inferred {
    Ok(crate::blocks::packed_result(&cx.call.sinfo_args))
}

fn any_value(_: &mut Infer<'_>) -> Inferred {
    Ok(ObjectStructInfo::new())
}
