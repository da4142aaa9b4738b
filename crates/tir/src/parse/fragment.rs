//! Fragments: statements in no function, or an expression, a buffer, a region or a type alone, behind the declarations of
//! what they do not define, as the printer writes any node by itself.

use tvmscript_irbuilder::{FromScript, IntoScript, ScriptValue};
use tvmscript_prim::{TupleType, Var};
use tvmscript_python_syntax::ast::{Constant, Expr, ExprId, Stmt, StmtId};
use tvmscript_script_parser::{Parser, Result};

use super::statements::effect;
use crate::build::args::ExprArg;
use crate::build::types::TypeArg;
use crate::build::{function, loops};
use crate::node;

/// Reads statements that stand by themselves.
pub(super) fn read(p: &mut Parser<'_>, body: &[StmtId]) -> Result<()> {
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

/// An expression at the end: the fragment itself where nothing stands before it, else a statement.
fn value(p: &mut Parser<'_>, id: StmtId, at: ExprId) -> Result<()> {
    let value = p.eval(at)?;
    let is_statement = match &value {
        ScriptValue::Frame(_) | ScriptValue::Ellipsis => true,
        ScriptValue::Node(object) => object.is::<node::Stmt>(),
        // A call that gives nothing has added a statement, or done nothing.
        ScriptValue::None => !matches!(p.expr(at), Expr::Constant(Constant::None)),
        _ => false,
    };
    if is_statement || !function::is_fragment_empty() {
        return effect(p, id, at, value);
    }
    let object = match value {
        ScriptValue::None => TupleType::void().into(),
        // A new variable is a type: those that the fragment declares have names.
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
