//! `@R.macro`: the body of a macro where it is called.

use tvmscript_irbuilder::ScriptValue;
use tvmscript_irbuilder::record::record_syntax_as;
use tvmscript_python_syntax::ast::Stmt;
use tvmscript_script_parser::{EvalErrorKind, EvalResult, Expansion, ParseErrorKind, Parser};

use super::signature::expr_at;
use crate::blocks::is_leaf_or_tuple;
use crate::build::with_blocks;

/// Visits the body, whose bindings become those of the caller. The value is what its `return`, the last statement,
/// returns.
pub(super) fn expand(p: &mut Parser<'_>, expansion: &Expansion) -> EvalResult<ScriptValue> {
    let body = expansion.body();
    let last = body.len().saturating_sub(1);
    for index in 0..body.len() {
        let Some(id) = p.item(body, index) else { break };
        let Stmt::Return(stmt) = p.stmt(id) else {
            p.visit(id)?;
            continue;
        };
        if index != last {
            let kind =
                EvalErrorKind::UnsupportedExpression { what: "a statement behind the `return` of a macro" };
            return Err(p.error(id, kind));
        }
        let Some(at) = stmt.value else { break };
        let value = p.eval(at)?;
        let expr = expr_at(p, at, &value)?;
        let bound = with_blocks("a macro", Some(p.span(at)), |blocks| {
            let value = blocks.normalize(expr)?;
            if is_leaf_or_tuple(&value) {
                return Ok(value);
            }
            let var = blocks.emit(value.clone(), None)?;
            record_syntax_as("R.emit", || vec![value.into()], || var.clone().into());
            Ok(var.upcast())
        });
        return Ok(p.checked_call(at, bound)?.into());
    }
    let kind = ParseErrorKind::expected("`return` with a value at the end of the macro", "none");
    Err(p.error(expansion.def.name_place, kind))
}
