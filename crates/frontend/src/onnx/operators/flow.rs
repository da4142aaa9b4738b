//! Constants, identities and conditionals.

use tvmscript_ir_core::Span;
use tvmscript_relax::{Expr, If, SeqExpr};

use super::super::importer::one_of;
use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;

rows! {
    "Constant" { 13: constant } => "a constant";
    "Identity" { 1: |cx| Ok(cx.input(0)?.into()) } => "the operand";
    "If" { 1: if_ } => "`if`";
}

fn constant(cx: &mut Node<'_, '_>) -> Converted {
    match cx.constant_attribute("value")? {
        Some(constant) => Ok(cx.named(constant).into()),
        None => Err("only `value` is supported".into()),
    }
}

fn if_(cx: &mut Node<'_, '_>) -> Converted {
    let cond = cx.input(0)?;
    let (yes, no) = (cx.subgraph("then_branch")?, cx.subgraph("else_branch")?);
    // Nodes of branches have names of their own.
    let span = Span::current();
    let (yes, no) = (cx.importer.subgraph(yes), cx.importer.subgraph(no));
    if yes.len() != no.len() {
        return Err(Reason(format!("the branches have {} and {} results", yes.len(), no.len())));
    }
    let true_branch = branch(cx, one_of(yes))?;
    let false_branch = branch(cx, one_of(no))?;
    let node = tvmscript_ir_core::Ref::new(If { span, struct_info_: None, cond, true_branch, false_branch });
    // TVM binds conditionals at once, unlike calls.
    let node: Expr = node.upcast();
    Ok(Output::One(cx.emit(node)?))
}

/// A branch with a value, which is bound inside it.
fn branch(cx: &mut Node<'_, '_>, value: Expr) -> Result<tvmscript_ir_core::Ref<SeqExpr>, Reason> {
    cx.graph().blocks().begin_branch();
    Ok(cx.graph().end_branch(value)?)
}
