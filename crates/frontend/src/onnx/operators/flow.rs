//! Identities and conditionals.

use tvmscript_ir_core::Span;
use tvmscript_relax::{Expr, If};

use super::super::importer::one_of;
use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;
use crate::ops::field;

rows! {
    "Identity" { 1: |cx| Ok(cx.optional(0).map_or(Output::Empty, Output::Whole)) } => "the operand";
    "If" { 1: if_ } => "`if`";
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
    let true_branch = cx.graph().branch(one_of(yes))?;
    let false_branch = cx.graph().branch(one_of(no))?;
    let node = tvmscript_ir_core::Ref::new(If { span, struct_info_: None, cond, true_branch, false_branch });
    // TVM binds conditionals at once, unlike calls, and then all their results.
    let node: Expr = node.upcast();
    let value = cx.emit(node)?;
    match cx.output_count() {
        1 => Ok(Output::Whole(value)),
        count => {
            let results = (0..count).map(|index| cx.emit(field(&value, index)));
            Ok(results.collect::<Result<Vec<_>, _>>()?.into())
        }
    }
}
