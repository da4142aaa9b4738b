//! Bindings of names by assignments.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::ScriptValue;
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{self as prim, PrimExpr};
use tvmscript_python_syntax::ast::{ExprId, Name};
use tvmscript_script_parser::{EvalResult, ParseErrorKind, Parser, Shadowing};

use crate::build::args::convert;
use crate::build::function::{emit_match_cast_value, emit_value};
use crate::build::{MatchCastPair, constant_of};
use crate::node::{PrimStructInfo, PrimValue, ScalarUse, StructInfo, Var};
use crate::syntax::RelaxSyntax;

/// A target inside a tuple, for which the position of the value is unknown.
pub(super) fn assign(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    assign_from(p, name, at, at, value, None)
}

/// `x: annotation = value`; errors of the value are reported at `value_at`.
pub(super) fn assign_from(
    p: &mut Parser<'_>,
    name: Name,
    at: ExprId,
    value_at: ExprId,
    value: ScriptValue,
    annotation: Option<Ref<StructInfo>>,
) -> EvalResult<()> {
    let scalar = match &annotation {
        Some(info) => bare_scalar(&value, info),
        None => computed_scalar(p, name, &value).map(Ok),
    };
    let value = match scalar {
        Some(scalar) => PrimValue::or_variable(p.checked(value_at, scalar)?).into(),
        None => value,
    };
    let bound = if let Some(var) = value.as_node::<prim::Var>() {
        scalar_variable(p, name, at, var)?.into()
    } else if let Some(pair) = value.as_host::<MatchCastPair>() {
        cast(p, name, value_at, pair.clone(), annotation)?
    } else {
        let expr = match value {
            ScriptValue::Tuple(_) => {
                let tuple = convert(&value);
                Some(p.checked(value_at, tuple)?)
            }
            ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => {
                let constant = constant_of(&value, None);
                Some(p.checked(value_at, constant)?.upcast())
            }
            ScriptValue::Node(object) => match object.downcast::<BaseExpr>() {
                Ok(expr) if !expr.is::<PrimExpr>() => Some(expr),
                Ok(scalar) => return p.define(name, scalar.into(), at, Shadowing::SameFrame),
                Err(object) => return p.define(name, ScriptValue::Node(object), at, Shadowing::SameFrame),
            },
            other => return p.define(name, other, at, Shadowing::SameFrame),
        };
        let Some(expr) = expr else { return Ok(()) };
        let emitted = emit_value(expr, annotation);
        let var = p.checked_call(value_at, emitted)?;
        named(p, name, &var);
        used(var)
    };
    p.define(name, bound, at, Shadowing::SameFrame)
}

/// The value of `c: T.int64 = n`, in releases that have it.
fn bare_scalar(
    value: &ScriptValue,
    info: &Ref<StructInfo>,
) -> Option<tvmscript_irbuilder::BuildResult<prim::Expr>> {
    let dtype = info.as_node::<PrimStructInfo>().filter(|_| RelaxSyntax::open().has_bare_scalars)?.dtype;
    let scalar = match value {
        ScriptValue::Int(value) => prim::ops::make_const(dtype, *value),
        ScriptValue::Bool(value) => prim::ops::make_const(dtype, i64::from(*value)),
        ScriptValue::Float(value) => prim::ops::make_const(dtype, *value),
        other => Ok(other.as_node::<PrimExpr>()?.clone()),
    };
    Some(scalar.map_err(Into::into))
}

fn named(p: &mut Parser<'_>, name: Name, var: &Ref<Var>) {
    // Most variables already have the name.
    if var.vid.name_hint.text() != p.name_text(name) {
        let text = p.name_str(name);
        var.vid.name_hint.set(text);
    }
}

fn cast(
    p: &mut Parser<'_>,
    name: Name,
    value_at: ExprId,
    pair: MatchCastPair,
    annotation: Option<Ref<StructInfo>>,
) -> EvalResult<ScriptValue> {
    if let Some(annotation) = &annotation
        && !tvmscript_ir_core::structural_equal(annotation.object(), pair.struct_info.object())
    {
        let kind = ParseErrorKind::expected("the annotation of the cast", "another one");
        return Err(p.error_with_help(value_at, kind, "remove the annotation"));
    }
    let emitted = emit_match_cast_value(pair.value, pair.struct_info);
    let var = p.checked_call(value_at, emitted)?;
    named(p, name, &var);
    Ok(used(var))
}

/// The value of a variable's name: a scalar, in releases whose scalars are bare.
pub(super) fn used(var: Ref<Var>) -> ScriptValue {
    match ScalarUse::of(&var).filter(|_| RelaxSyntax::open().has_bare_scalars) {
        Some(scalar) => scalar.into(),
        None => var.into(),
    }
}

/// The value of `c = n + 1`, in releases that bind it. `n = T.int64()` declares a variable.
fn computed_scalar(p: &Parser<'_>, name: Name, value: &ScriptValue) -> Option<prim::Expr> {
    let scalar = value.as_node::<PrimExpr>().filter(|_| RelaxSyntax::open().has_bare_scalars)?;
    let is_declared = scalar.as_node::<prim::Var>().is_some_and(|var| {
        let hint = var.name.get();
        hint.is_empty() || hint.as_str() == p.name_text(name)
    });
    (!is_declared).then(|| scalar.clone())
}

/// `n = T.int64()`: the variable already bound to the name, or a new one.
fn scalar_variable(
    p: &mut Parser<'_>,
    name: Name,
    at: ExprId,
    var: &Ref<prim::Var>,
) -> EvalResult<Ref<prim::Var>> {
    let text = p.name_str(name);
    let hint = var.name.get();
    if !hint.is_empty() && hint != text {
        let kind = ParseErrorKind::expected(
            format!("the name `{hint}`, which the variable has"),
            format!("`{text}`"),
        );
        return Err(p.error(at, kind));
    }
    match p.lookup(name) {
        None => {
            var.name.set(text);
            Ok(var.clone())
        }
        Some(known) => {
            let Some(known) = known.as_node::<prim::Var>().cloned() else {
                let what = p.lookup(name).map(|value| p.describe(value)).unwrap_or_default();
                let kind =
                    ParseErrorKind::expected(format!("a scalar variable under the name `{text}`"), what);
                return Err(p.error_with_help(at, kind, "give the scalar variable another name"));
            };
            // A type variable of the file that the signature does not use: one handle is in the scope, one is here.
            if known.dtype != var.dtype && known.object().handle_count() <= 2 {
                var.name.set(text);
                return Ok(var.clone());
            }
            if known.dtype != var.dtype {
                let (expected, found) = (known.dtype, var.dtype);
                let kind = ParseErrorKind::expected(
                    format!("`{text}` of type `{expected}`, as declared before"),
                    format!("`{found}`"),
                );
                return Err(p.error(at, kind));
            }
            Ok(known)
        }
    }
}
