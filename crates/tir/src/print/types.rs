//! Types, ranges and targets.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir::Target;
use tvmscript_ir_core::{PathId, Ref, field};
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{Expr, PointerType, PrimExprExt, PrimType, Range, TupleType};

use super::state::TirDocsifier;

/// `T.float32`
pub(crate) fn prim_type(node: &Ref<PrimType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let PrimType { span: _, dtype } = **node;
    // The bare name would be parsed as the type without values.
    if dtype.is_void() && d.is_root(node.object()) && d.config().verbose_expr {
        return Ok(d.metadata(node.object()));
    }
    if d.is_host_code() {
        let dtype = d.dtype(dtype);
        let types = d.docs.id("tvm");
        let types = d.docs.attr(types, "ir");
        let class = d.docs.attr(types, "PrimType");
        return Ok(d.docs.call_args(class, &[dtype]));
    }
    let prim_type = d.tir().syntax.print.prim_type;
    let name = prim_type(dtype, d);
    Ok(d.at_field(name, path, field!(PrimType, dtype)))
}

/// `T.handle("float32", "shared")`
pub(crate) fn pointer_type(
    node: &Ref<PointerType>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let PointerType { span: _, element_type, storage_scope } = &**node;
    let at = d.field(path, field!(PointerType, element_type));
    let pointer = d.tir().syntax.print.pointer;
    let is_typed = d.tir().syntax.print.typed_calls;
    let element = match element_type.as_node::<PrimType>() {
        Some(prim) if !is_typed => {
            let dtype = d.dtype(prim.dtype);
            d.at_field(dtype, at, field!(PrimType, dtype))
        }
        _ => d.expr(element_type, at)?,
    };
    let callee = d.t(pointer);
    if storage_scope.is_empty() || is_typed && storage_scope == "global" {
        return Ok(d.docs.call_args(callee, &[element]));
    }
    let scope = d.docs.str(storage_scope.as_str());
    let scope = d.at_field(scope, path, field!(PointerType, storage_scope));
    Ok(d.docs.call_args(callee, &[element, scope]))
}

/// `None`, `T.Tuple(a, b)`
pub(crate) fn tuple_type(
    node: &Ref<TupleType>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let TupleType { span: _, fields } = &**node;
    if fields.is_empty() {
        return Ok(d.docs.none());
    }
    let at = d.field(path, field!(TupleType, fields));
    let docs = super::expr::items(fields, at, d)?;
    Ok(d.call_t("Tuple", &docs))
}

/// `T.Range(0, 16)`
pub(crate) fn range(node: &Ref<Range>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let callee = d.t("Range");
    tvmscript_ir::print::range_call(node, callee, path, d)
}

/// `T.target({"kind": "llvm"})`
pub(crate) fn target(node: &Ref<Target>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let config = tvmscript_ir::print::target_config(node, path, d)?;
    Ok(d.call_t("target", &[config]))
}

/// Returns `true` for the literal `true`.
pub(crate) fn is_true(e: &Expr) -> bool {
    is_one(e) && e.dtype().is_bool()
}
