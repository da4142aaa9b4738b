//! Arguments of script functions that call functions outside Relax.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};

use super::args::{AnyExprArg, EXPR, ExprArg, INFO, InfosArg, convert};
use crate::describe;
use crate::node::*;

arguments! {
    /// The arguments of a call: a tuple, a variable that holds one, or a single argument.
    ///
    /// # Source
    /// `_wrap_inline_arg_tuple`, `python/tvm/relax/op/base.py`.
    CallArgsArg(Expr): PyType::Union { of: &[EXPR, PyType::Generic { name: "Sequence", of: &[EXPR] }] }, |value| {
        let expr = convert(&value)?;
        let is_tuple =
            expr.is::<Tuple>() || struct_info_of(&expr).is_some_and(|info| info.is::<TupleStructInfo>());
        Ok(if is_tuple { expr } else { Tuple::new([expr]).upcast() })
    };
    /// A tuple literal.
    InlineTupleArg(Ref<Tuple>): PyType::Union { of: &[PyType::node::<Tuple>(), PyType::Generic { name: "Sequence", of: &[EXPR] }] }, |value| {
        let found = BuildError::expected("a tuple literal", describe::value(&value));
        let found = found.with_help("a single argument needs a tuple too: `(x,)`");
        AnyExprArg::from_script(value)?.0.downcast().map_err(|_| found)
    };
    /// A function outside Relax: a function of the module, or the name of an external one.
    CalleeArg(Expr): PyType::Union { of: &[EXPR, PyType::STR] }, |value| match &value {
        ScriptValue::Str(name) => Ok(ExternFunc::new(name.clone(), None).upcast()),
        _ => ExprArg::from_script(value).map(|expr| expr.0),
    };
    /// An external function, or its name.
    ExternalArg(Ref<ExternFunc>): PyType::Union { of: &[PyType::STR, PyType::node::<ExternFunc>()] }, |value| match (&value, value.as_node::<ExternFunc>()) {
        (ScriptValue::Str(name), _) => Ok(ExternFunc::new(name.clone(), None)),
        (_, Some(function)) => Ok(function.clone()),
        _ => Err(BuildError::expected("the name of an external function", describe::value(&value))
            .with_help("call functions of the module and variables directly: `f(x)`")),
    };
    /// The struct info of results that the caller allocates: tensors with known shapes.
    OutInfosArg(InfosArg): PyType::Union { of: &[INFO, PyType::Generic { name: "Sequence", of: &[INFO] }] }, |value| {
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
        Ok(infos)
    };
    /// The callee of a call of a PrimFunc.
    FunctionArg(Expr): PyType::ANY, |value| {
        if let Ok(callee) = ExprArg::from_script(value.clone()) {
            return Ok(callee.0);
        }
        let error = BuildError::expected("a function of the module, such as `cls.add`", describe::value(&value));
        Err(match value {
            ScriptValue::Str(name) => {
                error.with_help(format!("call an external function with `R.call_dps_packed(\"{name}\", ..)`"))
            }
            _ => error,
        })
    };
}

defaults! { &str => ExternalArg(|name| ExternFunc::new(name, None)); }

/// Checks that the shape is known: the caller allocates the result.
fn has_shape(info: &Ref<StructInfo>) -> BuildResult<()> {
    let tensor = info.as_node::<TensorStructInfo>();
    if tensor.and_then(|tensor| tensor.shape.as_ref()).is_some_and(|shape| shape.is::<ShapeExpr>()) {
        return Ok(());
    }
    let found = format!("`{}`", describe::struct_info(info));
    Err(BuildError::expected("a tensor with a known shape", found).with_help(
        "the caller allocates the result, so its shape must be complete: `R.Tensor((n, 4), \"float32\")`",
    ))
}
