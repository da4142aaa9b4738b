//! Printers of the release.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyResult};
use tvmscript_ir_core::{Dialect, PathId, Ref};
use tvmscript_prim::Op;
use tvmscript_tir::op::Operator;
use tvmscript_tir::print::parts::{TirDocsifier as _, annotations_kwarg, items};

use crate::node::AnnotatedCall;

/// Registers the printers.
pub(super) fn register(dialect: Dialect) -> Dialect {
    dialect.on::<AnnotatedCall>().docsify(annotated_call).finish()
}

/// `T.tma_copy(a, b, barrier=c)`; `T.Call("handle", "tl.tma_copy", [a], annotations={"barrier": c})` if the function would
/// build another call.
fn annotated_call(node: &Ref<AnnotatedCall>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let AnnotatedCall { span: _, dtype, op, args, annotations } = &**node;
    let operator = super::OPERATORS.of_callee(op);
    let is_made = |operator: &&Operator| operator.is_annotated && operator.fits(*dtype, args);
    let (None, Some(op)) = (operator.filter(is_made), op.as_node::<Op>()) else {
        return crate::print::annotated(node, operator, &[], path, d);
    };
    let dtype = d.dtype(*dtype);
    let dtype = d.at_field(dtype, path, "dtype");
    let op = d.docs.str(op.name.as_str());
    let op = d.at_field(op, path, "op");
    let at = d.field(path, "args");
    let args = items(args, at, d)?;
    let args = d.docs.list(&args);
    let kwargs = annotations_kwarg(annotations, path, d)?;
    Ok(d.call_t_with("Call", &[dtype, op, args], kwargs.as_slice()))
}
