//! Fragments: bindings or an expression outside a function, as the printer writes a block, a sequence or an expression
//! alone.
//!
//! A single binding is itself; with `pass` it is a block, and `pass` before a value makes a sequence.
//! `R.DataflowVar(..)` around an annotation marks a dataflow variable whose block encloses the fragment.

use tvmscript_ir::RelaxExpr;
use tvmscript_irbuilder::{PendingFrame, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, Stmt, StmtId};
use tvmscript_script_parser::{EvalResult, Parser};

use super::signature::expr_at;
use super::statements::{conditional_alone, is_alone};
use crate::build::args::AnyExprArg;
use crate::build::function::try_func_ret_value;
use crate::build::{FunctionFrame, StructInfoProxy, with_blocks, with_function};
use crate::node::{Call, Var};

/// Parses a fragment.
pub(super) fn read(p: &mut Parser<'_>, body: &[StmtId]) -> EvalResult<()> {
    let Some(last) = body.last() else { return Ok(()) };
    let frame = PendingFrame::value(FunctionFrame::fragment());
    p.in_frame(&frame, *last, |p, _| {
        p.visit_fragment(body, |p, id| match p.stmt(id) {
            Stmt::Expr(stmt) => value(p, id, stmt.value),
            Stmt::If(node) if is_alone(p, &node) => conditional_alone(p, id, &node),
            _ => p.visit(id),
        })
    })
}

/// The value of a sequence; a call after bindings is another binding. A value alone stays as it is.
fn value(p: &mut Parser<'_>, id: StmtId, at: ExprId) -> EvalResult<()> {
    let value = p.eval(at)?;
    let is_alone = with_function("a fragment", |function| function.blocks.is_empty());
    if p.checked(at, is_alone)? {
        return alone(p, at, &value);
    }
    let expr = expr_at(p, at, &value)?;
    drop(value);
    if expr.is::<Call>() {
        drop(expr);
        return p.visit(id);
    }
    let done = try_func_ret_value(AnyExprArg(expr));
    p.checked_call(at, done)
}

/// An expression, struct info or other node alone.
fn alone(p: &mut Parser<'_>, at: ExprId, value: &ScriptValue) -> EvalResult<()> {
    let node = match value {
        ScriptValue::Node(node) => Some(node.clone()).filter(|node| !node.is::<RelaxExpr>()),
        ScriptValue::List(_) | ScriptValue::Dict(_) => {
            value.to_field().and_then(|field| field.as_object().cloned())
        }
        _ => None,
    };
    let info = StructInfoProxy::of(value).ok().filter(|_| !matches!(value, ScriptValue::None));
    let is_expr = info.is_none() && node.is_none();
    let expr = if is_expr { Some(expr_at(p, at, value)?) } else { None };
    let done = with_blocks("a fragment", None, |blocks| match expr {
        Some(var) if var.is::<Var>() => Ok(Some(var)),
        // Calls in normal form get their struct info.
        Some(expr) => {
            let simple = blocks.normalize(expr.clone())?;
            Ok(Some(if blocks.is_empty() { simple } else { expr }))
        }
        None => Ok(None),
    });
    let expr = p.checked_call(at, done)?;
    let info = info.map(|info| info.resolve(None)).transpose();
    let info = p.checked(at, info)?;
    let done = with_function("a fragment", |function| {
        function.output = expr;
        if let Some(fragment) = &mut function.fragment {
            fragment.value = info.map(Into::into).or(node);
        }
    });
    p.checked(at, done)
}
