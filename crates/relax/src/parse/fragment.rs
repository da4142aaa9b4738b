//! Fragments: bindings and an expression in no function, as the printer writes a block, a sequence or an expression by itself.
//!
//! Text does not say everything of a fragment: variables of dataflow blocks read as plain ones, one binding as a block of one;
//! and names of the module's functions and devices have no meaning without it.

use tvmscript_irbuilder::ScriptValue;
use tvmscript_script_parser::ast::{ExprId, StmtId};
use tvmscript_script_parser::{Parser, Result};

use super::signature::expr_at;
use crate::build::args::AnyExprArg;
use crate::build::function::try_func_ret_value;
use crate::build::{FunctionFrame, with_function};
use crate::node::Call;

/// Reads statements that stand by themselves.
pub(super) fn read(p: &mut Parser<'_>, body: &[StmtId]) -> Result<()> {
    let Some(last) = body.last() else { return Ok(()) };
    let frame = ScriptValue::frame(FunctionFrame::fragment());
    p.in_frame(&frame, *last, |p, _| p.visit_fragment(body, value))
}

/// The value of a sequence, which is no call: a call at the end of bindings is one of them. An expression without bindings
/// before it stays as it is.
fn value(p: &mut Parser<'_>, id: StmtId, at: ExprId) -> Result<()> {
    let value = p.eval(at)?;
    let expr = expr_at(p, at, &value)?;
    drop(value);
    let is_alone = with_function("a fragment", |function| {
        let is_alone = function.blocks.is_empty();
        if is_alone {
            function.output = Some(expr.clone());
        }
        is_alone
    });
    if p.checked(at, is_alone)? {
        return Ok(());
    }
    if expr.is::<Call>() {
        drop(expr);
        return p.visit(id);
    }
    let done = try_func_ret_value(AnyExprArg(expr));
    p.checked_call(at, done)
}
