//! Printers of the operations.

use tvmscript_docsifier::doc::{ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult, Frame};
use tvmscript_ir_core::{PathId, Ref, Value, structural_equal};
use tvmscript_tir::BufferRegion;
use tvmscript_tir::print::parts::{TirDocsifier as _, define_variable};

use super::{LambdaExpr, PREFIX, SCOPES, TilePrimitiveCall};

/// `T.warp.copy(A[0:16, 0:16], B[0:16, 0:16], workspace={"w": C}, dispatch="tma", cta_group=2)`
pub(in super::super) fn call(
    node: &Ref<TilePrimitiveCall>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let TilePrimitiveCall { span: _, op, args, workspace, config, dispatch, scope } = &**node;
    let name = op.name.as_str().strip_prefix(PREFIX);
    let namespace = SCOPES.iter().find(|(_, kind)| *kind == scope.kind);
    let (Some(name), Some((namespace, _))) = (name, namespace) else {
        let (key, reason) = (node.object().info().key(), "it has no function".to_owned());
        return Err(DocsifyError::Unwritable { key, reason }.into());
    };
    let mut shown: Vec<&Value> = args.items().iter().collect();
    while shown.last().is_some_and(|value| matches!(value, Value::None)) {
        shown.pop();
    }
    if matches!(&shown[..], [dst, src] if is_in_place(dst, src)) {
        shown.pop();
    }
    let at = d.field(path, "args");
    let mut docs = Vec::with_capacity(shown.len());
    for (i, value) in shown.into_iter().enumerate() {
        let at = d.item(at, i);
        docs.push(d.value(value, at)?);
    }
    let mut kwargs = Vec::new();
    if !workspace.is_empty() {
        let at = d.field(path, "workspace");
        kwargs.push(("workspace", d.expr_object(workspace.object(), at)?));
    }
    if let Some(dispatch) = dispatch {
        let doc = d.docs.str(dispatch.as_str());
        kwargs.push(("dispatch", d.at_field(doc, path, "dispatch")));
    }
    let at = d.field(path, "config");
    let mut options: Vec<_> = config.iter().collect();
    options.sort_by_key(|(name, _)| name.as_str());
    for (name, value) in options {
        let at = d.entry(at, &Value::from(name.clone()));
        kwargs.push((name.as_str(), d.value(value, at)?));
    }
    let call = d.call_t_with(&format!("{namespace}.{name}"), &docs, &kwargs);
    Ok(d.docs.expr_stmt(call))
}

/// Tests for one region as destination and source.
fn is_in_place(dst: &Value, src: &Value) -> bool {
    let region = |value: &Value| value.as_object()?.downcast_ref::<BufferRegion>().cloned();
    match (region(dst), region(src)) {
        (Some(dst), Some(src)) => {
            dst.buffer.ptr_eq(&src.buffer) && structural_equal(dst.object(), src.object())
        }
        _ => false,
    }
}

/// `lambda i, j: i < j`
pub(in super::super) fn lambda(
    node: &Ref<LambdaExpr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let LambdaExpr { vars, pred } = &**node;
    // A lambda contains no statements, so nothing is declared in it.
    let (doc, _) = d.with_frame(Frame::new(None, ()), |d| {
        let names = vars.iter().map(|var| define_variable(var, d)).collect::<DocsifyResult<Vec<_>>>()?;
        // The reader calls the lambda, so its body follows Python's rules.
        let value = d.as_python(|d| d.part(pred, path, "pred"))?;
        Ok(d.docs.lambda(&names, value)?)
    })?;
    Ok(doc)
}
