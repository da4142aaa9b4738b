//! Calls of functions outside Relax: functions of scalars, external functions, closures.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Map, Ref, Str, Value};
use tvmscript_irbuilder::{Result, ScriptValue, script_fn};

use super::{Infer, InferError, Operator};
use crate::build::args::{AnyExprArg, CallArgsArg, CalleeArg, ExprArg, InfosArg, IntsArg, StringArg};
use crate::node::attrs::{CallInplacePackedAttrs, CallTIRInplaceAttrs, CallTIRWithGradAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

fn args_of(callee: Expr, args: Expr, tir_vars: Option<ExprArg>) -> Vec<Expr> {
    let mut all = vec![callee, args];
    all.extend(tir_vars.map(|vars| vars.0));
    all
}

/// Calls a function of scalars and buffers: its last parameters are the results, made here.
#[script_fn]
pub fn call_tir(
    gvar: ExprArg,
    args: CallArgsArg,
    out_sinfo: InfosArg,
    #[default = None] tir_vars: Option<ExprArg>,
) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_tir");
    Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), None, [out_sinfo.into_one()]))
}

/// As `R.call_tir`, with results that take the place of arguments.
#[script_fn]
pub fn call_tir_inplace(
    gvar: ExprArg,
    args: CallArgsArg,
    inplace_indices: IntsArg,
    out_sinfo: InfosArg,
    #[default = None] tir_vars: Option<ExprArg>,
) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_tir_inplace");
    let attrs = Ref::new(CallTIRInplaceAttrs { inplace_indices: inplace_indices.0 }).upcast();
    Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), Some(attrs), [out_sinfo.into_one()]))
}

/// As `R.call_tir`, with the name of the function's gradient.
#[script_fn]
pub fn call_tir_with_grad(
    gvar: ExprArg,
    args: CallArgsArg,
    out_sinfo: InfosArg,
    te_grad_name: Str,
    #[default = None] te_grad_kwargs: Option<Map<Str, Value>>,
    #[default = None] tir_vars: Option<ExprArg>,
) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_tir_with_grad");
    let te_grad_kwargs = te_grad_kwargs.unwrap_or_default();
    let attrs = Ref::new(CallTIRWithGradAttrs { te_grad_name, te_grad_kwargs }).upcast();
    Ok(Call::new(op.upcast(), args_of(gvar.0, args.0, tir_vars), Some(attrs), [out_sinfo.into_one()]))
}

/// Calls an external function whose last parameters are the results, made here.
#[script_fn]
pub fn call_dps_packed(func: CalleeArg, args: CallArgsArg, out_sinfo: InfosArg) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_dps_packed");
    Ok(Call::new(op.upcast(), [func.0, args.0], None, [out_sinfo.into_one()]))
}

fn infos(sinfo_args: Option<InfosArg>) -> Vec<Ref<StructInfo>> {
    sinfo_args.map(|infos| infos.0).unwrap_or_default()
}

/// Calls an external function by name. Further keywords are attributes.
#[script_fn]
pub fn call_packed(
    func: CalleeArg,
    #[args] args: Vec<AnyExprArg>,
    #[kw_only]
    #[default = None]
    sinfo_args: Option<InfosArg>,
    #[kwargs] attrs: Vec<(Str, ScriptValue)>,
) -> Result<Ref<Call>> {
    let args = args.into_iter().map(|arg| arg.0);
    let attrs = super::packed_attrs(attrs)?;
    Ok(Call::new(func.0, args, attrs, infos(sinfo_args)))
}

fn with_callee(
    op: &str,
    func: CalleeArg,
    args: Vec<AnyExprArg>,
    attrs: Option<Ref<tvmscript_ir_core::Attrs>>,
    sinfo_args: Option<InfosArg>,
) -> Ref<Call> {
    let args = std::iter::once(func.0).chain(args.into_iter().map(|arg| arg.0)).collect::<Vec<_>>();
    Call::new(tvmscript_ir_core::Op::get(op).upcast(), args, attrs, infos(sinfo_args))
}

/// As `R.call_packed`, for a function without effects.
#[script_fn]
pub fn call_pure_packed(
    func: CalleeArg,
    #[args] args: Vec<AnyExprArg>,
    #[kw_only]
    #[default = None]
    sinfo_args: Option<InfosArg>,
) -> Result<Ref<Call>> {
    Ok(with_callee("relax.call_pure_packed", func, args, None, sinfo_args))
}

/// As `R.call_pure_packed`, for a function whose results take the place of arguments.
#[script_fn]
pub fn call_inplace_packed(
    func: CalleeArg,
    #[args] args: Vec<AnyExprArg>,
    #[kw_only] inplace_indices: IntsArg,
    #[kw_only]
    #[default = None]
    sinfo_args: Option<InfosArg>,
) -> Result<Ref<Call>> {
    let attrs = Ref::new(CallInplacePackedAttrs { inplace_indices: inplace_indices.0 }).upcast();
    Ok(with_callee("relax.call_inplace_packed", func, args, Some(attrs), sinfo_args))
}

/// Calls a function of the virtual machine, which gets the machine as well.
#[script_fn]
pub fn call_builtin_with_ctx(
    func: CalleeArg,
    args: CallArgsArg,
    #[kw_only]
    #[default = None]
    sinfo_args: Option<InfosArg>,
) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_builtin_with_ctx");
    Ok(Call::new(op.upcast(), [func.0, args.0], None, infos(sinfo_args)))
}

/// Calls a function of Python by name.
#[script_fn]
pub fn call_py_func(
    py_func_name: StringArg,
    #[args] args: Vec<AnyExprArg>,
    #[kw_only] out_sinfo: InfosArg,
) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.call_py_func");
    let args = Tuple::new(args.into_iter().map(|arg| arg.0)).upcast();
    Ok(Call::new(op.upcast(), [py_func_name.0, args], None, out_sinfo.0))
}

/// Makes a closure of a function and the arguments that it keeps.
#[script_fn]
pub fn make_closure(func: ExprArg, args: CallArgsArg) -> Result<Ref<Call>> {
    Ok(Call::of_op("relax.make_closure", [func.0, args.0], None))
}

/// Calls a closure.
#[script_fn]
pub fn invoke_closure(closure: ExprArg, args: CallArgsArg, sinfo_args: InfosArg) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.invoke_closure");
    Ok(Call::new(op.upcast(), [closure.0, args.0], None, sinfo_args.0))
}

/// Calls a closure without effects.
#[script_fn]
pub fn invoke_pure_closure(closure: ExprArg, args: CallArgsArg, sinfo_args: InfosArg) -> Result<Ref<Call>> {
    let op = tvmscript_ir_core::Op::get("relax.invoke_pure_closure");
    Ok(Call::new(op.upcast(), [closure.0, args.0], None, sinfo_args.0))
}

/// The operators of this family. `R.call_packed` is no operator: it calls the external function itself.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.call_tir", &CALL_TIR, stated_result),
    Operator::new("relax.call_tir_inplace", &CALL_TIR_INPLACE, stated_result),
    Operator::new("relax.call_tir_with_grad", &CALL_TIR_WITH_GRAD, stated_result),
    Operator::new("relax.call_dps_packed", &CALL_DPS_PACKED, stated_result),
    Operator::new("relax.call_pure_packed", &CALL_PURE_PACKED, packed),
    Operator::new("relax.call_inplace_packed", &CALL_INPLACE_PACKED, packed),
    Operator::new("relax.call_builtin_with_ctx", &CALL_BUILTIN_WITH_CTX, packed).impure(),
    Operator::new("relax.call_py_func", &CALL_PY_FUNC, packed).impure(),
    Operator::new("relax.make_closure", &MAKE_CLOSURE, any_value),
    Operator::new("relax.invoke_closure", &INVOKE_CLOSURE, packed).impure(),
    Operator::new("relax.invoke_pure_closure", &INVOKE_PURE_CLOSURE, packed),
];

/// Functions that make calls of something else than an operator.
pub static FUNCTIONS: &[&tvmscript_irbuilder::ScriptFn] = &[&CALL_PACKED];

/// The one struct info that the call states.
pub(super) fn stated_result(cx: &mut Infer<'_>) -> Inferred {
    if cx.call.sinfo_args.len() != 1 {
        return Err(cx.wrong_attribute("out_sinfo", "says one result, or a tuple of several"));
    }
    let callee = cx.arg(0)?;
    if !(callee.is::<GlobalVar>() || callee.is::<ExternFunc>() || callee.is::<Var>()) {
        return Err(cx.wrong_kind(0, "a function"));
    }
    Ok(cx.call.sinfo_args[0].clone())
}

/// What the caller says: one value, several, or any.
fn packed(cx: &mut Infer<'_>) -> Inferred {
    Ok(crate::build::packed_result(&cx.call.sinfo_args))
}

fn any_value(_: &mut Infer<'_>) -> Inferred {
    Ok(ObjectStructInfo::new())
}
