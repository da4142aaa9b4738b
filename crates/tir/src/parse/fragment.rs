//! Fragments: statements outside of a function, or a single expression, buffer, region or type, after declarations of
//! their free variables. The printer writes any node on its own in this form.

use tvmscript_irbuilder::{FromScript, IntoScript, ScriptValue};
use tvmscript_prim::{TupleType, Var};
use tvmscript_python_syntax::ast::{Constant, Expr, ExprId, Stmt, StmtId};
use tvmscript_script_parser::{EvalResult, Parser};

use super::statements::effect;
use crate::build::args::ExprArg;
use crate::build::types::TypeArg;
use crate::build::{function, loops};
use crate::node;

/// Parses a fragment.
pub(super) fn read(p: &mut Parser<'_>, body: &[StmtId]) -> EvalResult<()> {
    let Some(last) = body.last() else { return Ok(()) };
    let frame = function::open_fragment().into_script();
    p.in_frame(&frame, *last, |p, _| {
        p.with_scope(|p| {
            p.define_builtin("range", ScriptValue::Function(&loops::RANGE));
            p.visit_fragment(body, |p, id| match p.stmt(id) {
                Stmt::Expr(stmt) => value(p, id, stmt.value),
                _ => p.visit(id),
            })
        })
    })
}

/// Handles a final expression: the fragment itself if it is empty so far, otherwise a statement.
fn value(p: &mut Parser<'_>, id: StmtId, at: ExprId) -> EvalResult<()> {
    let value = p.eval(at)?;
    let is_statement = match &value {
        ScriptValue::Frame(_) | ScriptValue::Ellipsis => true,
        ScriptValue::Node(object) => object.is::<node::Stmt>(),
        // A call without a result has added a statement or done nothing.
        ScriptValue::None => !matches!(p.expr(at), Expr::Constant(Constant::None)),
        _ => false,
    };
    if is_statement || !function::is_fragment_empty() {
        return effect(p, id, at, value);
    }
    let object = match value {
        ScriptValue::None => TupleType::void().into(),
        // A nameless variable is a type: the variables that a fragment declares have names.
        ScriptValue::Node(object) if object.as_node::<Var>().is_none_or(|v| !v.name.get().is_empty()) => {
            object
        }
        ScriptValue::Node(_) | ScriptValue::Function(_) | ScriptValue::Host(_) => {
            let ty = TypeArg::from_script(value);
            p.checked(at, ty)?.0.into()
        }
        ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Dict(_) => {
            let node = value.to_field().and_then(|field| field.as_object().cloned());
            let found = value.type_name();
            p.checked(at, node.ok_or_else(|| tvmscript_irbuilder::BuildError::expected("nodes", found)))?
        }
        literal => {
            let expr = ExprArg::convert(literal);
            p.checked(at, expr)?.into()
        }
    };
    function::set_fragment(object);
    Ok(())
}
