//! What script functions take that call functions outside Relax: the callee, the arguments, what the call makes.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{BuildError, FromScript, Result, ScriptValue};

use super::args::{AnyExprArg, ExprArg, InfosArg, convert};
use crate::describe;
use crate::node::*;

/// The arguments of a call: a tuple, a variable that holds one, or one argument by itself.
///
/// # Source
/// `_wrap_inline_arg_tuple`, `python/tvm/relax/op/base.py`.
#[derive(Debug, Clone)]
pub struct CallArgsArg(pub Expr);

impl FromScript for CallArgsArg {
    const TYPE: &'static str = "Expr | Sequence[Expr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let expr = convert(&value)?;
        let is_tuple =
            expr.is::<Tuple>() || struct_info_of(&expr).is_some_and(|info| info.is::<TupleStructInfo>());
        Ok(CallArgsArg(if is_tuple { expr } else { Tuple::new([expr]).upcast() }))
    }
}

/// Several values that stand in the call as a tuple.
#[derive(Debug, Clone)]
pub struct InlineTupleArg(pub Ref<Tuple>);

impl FromScript for InlineTupleArg {
    const TYPE: &'static str = "Tuple | Sequence[Expr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let found = BuildError::expected("a tuple that is written out", describe::value(&value));
        let found = found.with_help("one argument is a tuple too: `(x,)`");
        AnyExprArg::from_script(value)?.0.downcast().map(InlineTupleArg).map_err(|_| found)
    }
}

/// A function outside Relax: a function of the module, or the name of an external one.
#[derive(Debug, Clone)]
pub struct CalleeArg(pub Expr);

impl FromScript for CalleeArg {
    const TYPE: &'static str = "Expr | str";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Str(name) => Ok(CalleeArg(ExternFunc::new(name.clone(), None).upcast())),
            _ => ExprArg::from_script(value).map(|e| CalleeArg(e.0)),
        }
    }
}

/// An external function, or its name.
#[derive(Debug, Clone)]
pub struct ExternalArg(pub Ref<ExternFunc>);

impl FromScript for ExternalArg {
    const TYPE: &'static str = "str | ExternFunc";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let ScriptValue::Str(name) = &value {
            return Ok(ExternalArg(ExternFunc::new(name.clone(), None)));
        }
        match value.as_node::<ExternFunc>() {
            Some(function) => Ok(ExternalArg(function.clone())),
            None => Err(BuildError::expected("the name of an external function", describe::value(&value))
                .with_help("functions of the module and variables are called by themselves: `f(x)`")),
        }
    }
}

impl From<&str> for ExternalArg {
    fn from(name: &str) -> ExternalArg {
        ExternalArg(ExternFunc::new(name, None))
    }
}

/// What a call makes whose last parameters are its results: one tensor or several, each with its shape.
#[derive(Debug, Clone)]
pub struct OutInfosArg(pub InfosArg);

impl FromScript for OutInfosArg {
    const TYPE: &'static str = "TensorStructInfo | Sequence[TensorStructInfo]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let infos = InfosArg::from_script(value)?;
        if let [only] = &infos.0[..]
            && let Some(tuple) = only.as_node::<TupleStructInfo>()
        {
            tuple.fields.iter().try_for_each(has_shape)?;
        } else {
            for (i, info) in infos.0.iter().enumerate() {
                has_shape(info).map_err(|e| e.at_item(i))?;
            }
        }
        Ok(OutInfosArg(infos))
    }
}

/// The function that a call of a function of buffers calls.
#[derive(Debug, Clone)]
pub struct FunctionArg(pub Expr);

impl FromScript for FunctionArg {
    const TYPE: &'static str = "GlobalVar";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let Ok(callee) = ExprArg::from_script(value.clone()) {
            return Ok(FunctionArg(callee.0));
        }
        let error =
            BuildError::expected("a function of the module, such as `cls.add`", describe::value(&value));
        Err(match value {
            ScriptValue::Str(name) => error.with_help(format!(
                "an external function is called with `R.call_dps_packed(\"{name}\", ..)`"
            )),
            _ => error,
        })
    }
}

/// The result is made by the caller, who has to know its shape.
fn has_shape(info: &Ref<StructInfo>) -> Result<()> {
    let tensor = info.as_node::<TensorStructInfo>();
    if tensor.and_then(|tensor| tensor.shape.as_ref()).is_some_and(|shape| shape.is::<ShapeExpr>()) {
        return Ok(());
    }
    let found = format!("`{}`", describe::struct_info(info));
    Err(BuildError::expected("a tensor whose shape is written out", found).with_help(
        "the caller makes the result, so it says all of its shape: `R.Tensor((n, 4), \"float32\")`",
    ))
}
