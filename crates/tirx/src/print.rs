//! Printers that several releases share.

use tvmscript_docsifier::doc::{ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult};
use tvmscript_ir::print::data;
use tvmscript_ir_core::{PathId, Ref, Value};
use tvmscript_tir::op::Operator;
use tvmscript_tir::print::parts::{TirDocsifier as _, items};

use crate::node::{AnnotatedCall, AssertStmt};

/// `assert condition, ("RuntimeError", ["message"])`
pub(crate) fn assert_stmt(
    node: &Ref<AssertStmt>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let AssertStmt { span: _, condition, error_kind, message_parts } = &**node;
    let condition = d.part(condition, path, "condition")?;
    let kind = d.docs.str(error_kind.value.as_str());
    let kind = d.at_field(kind, path, "error_kind");
    let at = d.field(path, "message_parts");
    let mut parts = Vec::with_capacity(message_parts.len());
    for (i, part) in message_parts.iter().enumerate() {
        let at = d.item(at, i);
        let text = d.docs.str(part.value.as_str());
        parts.push(d.at(text, at));
    }
    let parts = d.docs.list(&parts);
    let message = d.docs.tuple(&[kind, parts]);
    Ok(d.docs.assert(condition, Some(message)))
}

/// A call with annotations, and further keyword arguments behind them.
pub(crate) fn annotated(
    node: &Ref<AnnotatedCall>,
    operator: Option<&Operator>,
    further: &[(&str, ExprDoc)],
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let AnnotatedCall { span: _, dtype: _, op: _, args, annotations } = &**node;
    let Some(operator) = operator else {
        let key = node.object().info().key();
        return Err(DocsifyError::Unwritable {
            key,
            reason: "it calls an operator without a name".to_owned(),
        }
        .into());
    };
    let at = d.field(path, "args");
    let docs = items(args, at, d)?;
    let at = d.field(path, "annotations");
    let mut kwargs = Vec::with_capacity(annotations.len());
    for (key, value) in annotations.iter() {
        let at = d.entry(at, &Value::from(key.clone()));
        let doc = match value {
            Value::DType(dtype) => d.dtype(*dtype),
            other => data(other, at, d)?,
        };
        kwargs.push((key.as_str(), doc));
    }
    kwargs.extend(further);
    Ok(d.call_t_with(operator.text, &docs, &kwargs))
}
