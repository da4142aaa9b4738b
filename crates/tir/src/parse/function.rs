//! `@T.prim_func`: the signature, the body, the declaration in a module.

use tvmscript_irbuilder::record::{record_syntax, record_syntax_as};
use tvmscript_irbuilder::{CallArgs, FromScript, IntoScript, ScriptValue, Signature};
use tvmscript_python_syntax::ast::{Expr, ExprId, FunctionDef, ParamKind, Parameter};
use tvmscript_script_parser::Definition;
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseErrorKind, Parser, Shadowing};

use crate::build::function::Flags;
use crate::build::types::{TypeArg, call_annotation};
use crate::build::{ConstExpr, function, loops};

/// The head of functions in a release.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Reads the arguments of the decorator.
    pub flags: fn(&mut Parser, &Definition<FunctionDef>) -> EvalResult<Flags>,
    /// Runs in the function's scope, before its annotations are evaluated.
    pub begin: fn(&mut Parser, &FunctionDef) -> EvalResult<()>,
    /// Evaluates the annotation of a parameter.
    pub annotation: fn(&mut Parser, &FunctionDef, Parameter) -> EvalResult<ScriptValue>,
}

/// TVM 0.23.
const TVM_0_23: Head = Head {
    flags: |p, definition| {
        let flags = [("private", false), ("check_well_formed", true)];
        let [is_private, is_checked] = p.decorator_flags(definition, flags)?;
        if !is_checked {
            p.skip_check(definition);
        }
        Ok(Flags { is_private, ..Flags::default() })
    },
    begin: |_, _| Ok(()),
    annotation: |p, _, param| match param.annotation {
        Some(at) => {
            let value = p.eval(at)?;
            let value = call_annotation(value);
            p.checked(at, value)
        }
        None => Ok(ScriptValue::None),
    },
};

/// Parses a function into the open builder.
pub(super) fn define(
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<ScriptValue>> {
    define_with(p, definition, &TVM_0_23)
}

/// Parses a function with the head of a release into the open builder.
///
/// # Errors
/// If the head is invalid. Errors of the body are recorded.
pub fn define_with(
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
    head: &Head,
) -> EvalResult<Option<ScriptValue>> {
    let constants = constants(p, definition);
    if let Some(first) = constants.first()
        && p.constant(first.name).is_none()
    {
        return p.specializable(definition, constants).map(Some);
    }
    build(p, definition, head, true)?;
    Ok(None)
}

/// The parameters with the annotation `T.constexpr`.
fn constants(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> Vec<Parameter> {
    let params = definition.stmt.params;
    let all: Vec<Parameter> = (0..params.len()).filter_map(|index| p.item(params, index)).collect();
    all.into_iter().filter(|param| param.annotation.is_some_and(|at| is_constant(p, at))).collect()
}

/// Tests for `T.constexpr`, without errors for other annotations.
fn is_constant(p: &mut Parser<'_>, at: ExprId) -> bool {
    let is_marked = matches!(p.expr(at), Expr::Attribute { attr, .. } if p.name_text(attr) == "constexpr");
    is_marked && p.eval(at).is_ok_and(|value| value.as_host::<ConstExpr>().is_some())
}

/// The frame of `with T.prim_func():` in host code.
pub(super) fn scope(args: CallArgs) -> tvmscript_irbuilder::BuildResult<ScriptValue> {
    const SCOPE: Signature = Signature::new("prim_func", &["is_private"]).with_required(0);
    let is_private = SCOPE.bind(args)?.optional(0, bool::from_script)?.unwrap_or_default();
    Ok(function::open(is_private, false).into_script())
}

/// Rejects nested functions.
pub(super) fn refuse_nested(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<()> {
    let kind = EvalErrorKind::UnsupportedExpression { what: "a nested function" };
    Err(p.error_with_help(
        definition.stmt.name_place,
        kind,
        "move it out, or into a module beside this function",
    ))
}

/// Declares a function of a module by its signature.
pub(super) fn declare(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<()> {
    build(p, definition, &TVM_0_23, false)
}

/// Declares a function of a module by a signature with the head of a release.
///
/// # Errors
/// If the head is invalid.
pub fn declare_with(p: &mut Parser<'_>, definition: &Definition<FunctionDef>, head: &Head) -> EvalResult<()> {
    build(p, definition, head, false)
}

fn build(
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
    head: &Head,
    with_body: bool,
) -> EvalResult<()> {
    let node = definition.stmt;
    let flags = (head.flags)(p, definition)?;
    let frame = function::open_with(Flags { declares: !with_body, ..flags }).into_script();
    let name = p.name_str(node.name);
    p.in_frame(&frame, definition.id, |p, _| {
        p.with_scope(|p| {
            p.define_builtin("range", ScriptValue::Function(&loops::RANGE));
            record_syntax("T.func_name", || vec![ScriptValue::Str(name.clone())]);
            let named = function::try_func_name(name.clone());
            p.checked(node.name_place, named)?;
            let mut result = (head.begin)(p, &node);
            if let Some(returns) = node.returns {
                result = return_type(p, returns);
            }
            let constants = constants(p, definition);
            for param in &constants {
                // Annotations before the parameter may use it.
                if let Some(value) = p.constant(param.name) {
                    p.define(param.name, value, param.place, Shadowing::SameFrame)?;
                }
            }
            for index in 0..node.params.len() {
                let Some(param) = p.item(node.params, index) else { break };
                if constants.iter().any(|constant| constant.name == param.name) {
                    continue;
                }
                if matches!(param.kind, ParamKind::VarArgs | ParamKind::KwArgs) {
                    let kind = EvalErrorKind::UnsupportedExpression { what: "a starred parameter" };
                    result = Err(p.error(param.place, kind));
                    continue;
                }
                let Some(at) = param.annotation else {
                    let text = p.name_text(param.name).to_owned();
                    let kind = ParseErrorKind::expected("a type annotation", format!("the bare parameter `{text}`"));
                    let help = format!("write `{text}: T.int32`, `{text}: T.handle` or `{text}: T.Buffer((16,), \"float32\")`");
                    result = Err(p.error_with_help(param.place, kind, help));
                    p.poison(param.name, param.place);
                    continue;
                };
                let value = (head.annotation)(p, &node, param).and_then(|value| {
                    let text = p.name_str(param.name);
                    let added = function::try_arg(text.clone(), value.clone());
                    let added = p.checked_value(at, added)?;
                    record_syntax_as("T.arg", || vec![ScriptValue::Str(text), added.clone()], || added.clone());
                    Ok(added)
                });
                match value {
                    Ok(value) => {
                        result = p.define(param.name, value, param.place, Shadowing::OuterFrames).and(result);
                    }
                    Err(reported) => {
                        p.poison(param.name, param.place);
                        result = Err(reported);
                    }
                }
            }
            if with_body {
                p.visit_body(node.body);
            }
            result
        })
    })
}

fn return_type(p: &mut Parser<'_>, at: tvmscript_python_syntax::ast::ExprId) -> EvalResult<()> {
    let value = p.eval(at)?;
    let ty = TypeArg::from_script(value);
    let ty = p.checked(at, ty)?;
    record_syntax("T.func_ret", || vec![ty.0.clone().into()]);
    let done = function::try_func_ret(ty);
    p.checked(at, done)
}
