//! Functions and their direct contents: name, parameters, attributes, result, bindings, scopes.

use tvmscript_ir::GLOBAL_SYMBOL;
use tvmscript_ir_core::{Map, Ref, Str, Value};
use tvmscript_irbuilder::record::{is_on, record_syntax, record_syntax_as};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, FrameOf, HostObject, IntoScript, PyType, ScriptFn, ScriptValue,
    script_fn,
};

use super::args::{AnyExprArg, ExprArg, InfoArg, VarArg};
use super::frame::{
    BranchFrame, DataflowFrame, FunctionFrame, IfFrame, dataflow_frame, free_dataflow_vars, with_blocks,
    with_function,
};
use super::match_cast::MatchCastPair;
use crate::blocks::is_leaf_or_tuple;
use crate::node::*;

/// A function.
#[script_fn]
pub fn function(
    #[default = true] is_pure: bool,
    #[default = false] is_private: bool,
) -> BuildResult<FrameOf<FunctionFrame>> {
    Ok(FrameOf::new(FunctionFrame::new(is_pure, is_private)))
}

/// Sets the name of the function.
#[script_fn]
pub fn func_name(name: Str) -> BuildResult<()> {
    with_function("R.func_name", |function| match &function.name {
        Some(_) => Err(BuildErrorKind::Repeated { what: "the name of the function".to_owned() }.into()),
        None => {
            function.name = Some(name);
            Ok(())
        }
    })?
}

/// Adds attributes to the function.
#[script_fn]
pub fn func_attr(attrs: Map<Str, Value>) -> BuildResult<()> {
    with_function("R.func_attr", |function| {
        for (key, value) in attrs.iter() {
            if key.as_str() == GLOBAL_SYMBOL && function.is_private {
                let error = BuildError::message("a private function cannot have a `global_symbol`");
                return Err(error.with_help("remove `private=True`, or the attribute"));
            }
            if function.attrs.iter().any(|(known, _)| known == key) {
                return Err(BuildErrorKind::Repeated {
                    what: format!("the attribute `{key}` of the function"),
                }
                .into());
            }
            function.attrs.push((key.clone(), value.clone()));
        }
        Ok(())
    })?
}

/// Sets the struct info of the function's result.
#[script_fn]
pub fn func_ret_struct_info(struct_info: InfoArg) -> BuildResult<()> {
    with_function("R.func_ret_struct_info", |function| match &function.ret {
        Some(_) => Err(BuildErrorKind::Repeated { what: "the result of the function".to_owned() }.into()),
        None => {
            function.ret = Some(struct_info.0);
            Ok(())
        }
    })?
}

/// Adds a parameter.
#[script_fn]
pub fn arg(name: Str, struct_info: InfoArg) -> BuildResult<Ref<Var>> {
    let var = Var::new(name, Some(struct_info.0.clone()));
    with_function("R.arg", |function| {
        function.params.push(var.clone());
        function.blocks.define_scalars(&struct_info.0);
    })?;
    Ok(var)
}

/// The annotation of a dataflow variable whose block encloses the fragment.
#[derive(Debug, Clone)]
pub struct DataflowVarInfo(pub Ref<StructInfo>);

impl HostObject for DataflowVarInfo {
    fn type_name(&self) -> &str {
        "the annotation of a dataflow variable"
    }
}

impl IntoScript for DataflowVarInfo {
    const TYPE: PyType = PyType::ANY;
    fn into_script(self) -> ScriptValue {
        ScriptValue::host(self)
    }
}

/// Annotates a dataflow variable whose block encloses the fragment. An extension: TVM has no fragments.
#[script_fn(name = "DataflowVar", annotation)]
pub fn dataflow_var(struct_info: InfoArg) -> BuildResult<DataflowVarInfo> {
    Ok(DataflowVarInfo(struct_info.0))
}

/// Sets the result of the function.
#[script_fn]
pub fn func_ret_value(value: AnyExprArg) -> BuildResult<()> {
    let value = value.0;
    let value = with_blocks("return", Some(value.span()), |blocks| {
        let value = blocks.normalize(value)?;
        let value = if is_leaf_or_tuple(&value) { value } else { blocks.emit(value, None)?.upcast() };
        if blocks.in_dataflow() {
            blocks.return_from_dataflow(free_dataflow_vars(&value));
        }
        Ok(value)
    })?;
    with_function("return", |function| match &function.output {
        Some(_) => {
            let error = BuildErrorKind::Repeated { what: "the `return` of the function".to_owned() };
            Err(BuildError::from(error).with_help("a function has one `return`, at its end"))
        }
        None => {
            function.output = Some(value);
            Ok(())
        }
    })?
}

/// A dataflow block.
#[script_fn]
pub fn dataflow() -> BuildResult<FrameOf<DataflowFrame>> {
    Ok(dataflow_frame())
}

/// Sets the outputs of the dataflow block.
#[script_fn]
pub fn output(#[args] vars: Vec<VarArg>) -> BuildResult<()> {
    let vars = vars.into_iter().map(|var| var.0).collect();
    with_blocks("R.output", None, |blocks| blocks.output(vars))
}

/// Binds a value to a new variable.
#[script_fn]
pub fn emit(
    value: ExprArg,
    #[default = None] annotate_struct_info: Option<InfoArg>,
) -> BuildResult<Ref<Var>> {
    emit_value(value.0, annotate_struct_info.map(|info| info.0))
}

/// Binds a value to a new variable; the typed counterpart of [`emit`].
///
/// # Errors
/// Fails if inference fails, if the annotation contradicts the value, and where no binding is allowed.
pub fn emit_value(value: Expr, annotation: Option<Ref<StructInfo>>) -> BuildResult<Ref<Var>> {
    let span = value.span();
    let shown = is_on().then(|| (value.clone(), annotation.clone()));
    let var = with_blocks("R.emit", Some(span), |blocks| blocks.emit(value, annotation))?;
    let args = |(value, annotation): (Expr, Option<Ref<StructInfo>>)| {
        std::iter::once(value.into()).chain(annotation.map(ScriptValue::from)).collect()
    };
    record_syntax_as("R.emit", || shown.map(args).unwrap_or_default(), || var.clone().into());
    Ok(var)
}

/// Binds a value, cast to the given struct info, to a new variable.
#[script_fn]
pub fn emit_match_cast(value: ExprArg, struct_info: InfoArg) -> BuildResult<Ref<Var>> {
    emit_match_cast_value(value.0, struct_info.0)
}

/// Binds a cast value to a new variable; the typed counterpart of [`emit_match_cast`].
///
/// # Errors
/// Fails if the cast is impossible, and where no binding is allowed.
pub fn emit_match_cast_value(value: Expr, struct_info: Ref<StructInfo>) -> BuildResult<Ref<Var>> {
    let span = value.span();
    let shown = is_on().then(|| [value.clone().into(), struct_info.clone().into()]);
    let var = with_blocks("R.match_cast", Some(span), |blocks| blocks.emit_match_cast(value, struct_info))?;
    record_syntax_as("R.emit_match_cast", || shown.into_iter().flatten().collect(), || var.clone().into());
    Ok(var)
}

/// Casts a value; the variable it is bound to has the given struct info.
#[script_fn]
pub fn match_cast(value: ExprArg, struct_info: InfoArg) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(MatchCastPair { value: value.0, struct_info: struct_info.0 }))
}

/// Binds a value to an existing variable.
///
/// # Errors
/// Fails where no binding is allowed.
pub fn emit_to(var: Ref<Var>, value: Expr) -> BuildResult<()> {
    record_syntax("R.emit_var_binding", || vec![var.clone().into(), value.clone().into()]);
    with_blocks("R.emit_var_binding", None, |blocks| blocks.emit_to(var, value))
}

/// A conditional.
#[script_fn(name = "If")]
pub fn if_(condition: ExprArg) -> BuildResult<FrameOf<IfFrame>> {
    Ok(FrameOf::new(IfFrame::new(condition.0)))
}

/// The branch of a conditional for a true condition.
#[script_fn(name = "Then")]
pub fn then_() -> BuildResult<FrameOf<BranchFrame>> {
    Ok(FrameOf::new(BranchFrame::new(true)))
}

/// The branch of a conditional for a false condition.
#[script_fn(name = "Else")]
pub fn else_() -> BuildResult<FrameOf<BranchFrame>> {
    Ok(FrameOf::new(BranchFrame::new(false)))
}

/// The script functions of this module.
pub static FUNCTIONS: &[&ScriptFn] = &[
    &FUNCTION,
    &FUNC_NAME,
    &FUNC_ATTR,
    &FUNC_RET_STRUCT_INFO,
    &ARG,
    &DATAFLOW_VAR,
    &FUNC_RET_VALUE,
    &DATAFLOW,
    &OUTPUT,
    &EMIT,
    &EMIT_MATCH_CAST,
    &MATCH_CAST,
    &IF,
    &THEN,
    &ELSE,
];
