//! Printers of flat statements.

use tvmscript_docsifier::doc::StmtDoc;
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyResult};
use tvmscript_ir_core::{Dialect, PathId, Ref};
use tvmscript_prim::{PrimExprExt as _, StringImm, Var};
use tvmscript_tir::print::parts::{
    Inline, TirDocsifier as _, annotations_kwarg, declaration, define_buffer, define_variable,
};

use crate::node::{AllocBuffer, AssertStmt, Bind, DeclBuffer};

/// Registers the printers.
pub(super) fn register(dialect: Dialect) -> Dialect {
    dialect
        .on::<Bind>()
        .docsify(bind)
        .on::<AllocBuffer>()
        .docsify(alloc_buffer)
        .on::<DeclBuffer>()
        .docsify(decl_buffer)
        .on::<AssertStmt>()
        .docsify(crate::print::assert_stmt)
        .finish()
}

/// `v: T.int32 = value`; for a variable that is declared or bound before, `T.bind(value, var=v)`, or `v = value` for a
/// pointer
fn bind(node: &Ref<Bind>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Bind { span: _, var, value: bound } = &**node;
    let value = d.part(bound, path, "value")?;
    let at = d.field(path, "var");
    if d.is_defined(var.object()) {
        let name = d.expr(var, at)?;
        // The assignment of a variable would name it anew, that of a text make a new variable.
        let is_pointer = var.dtype.is_handle() && bound.dtype().is_handle();
        if is_pointer && !bound.is::<Var>() && !bound.is::<StringImm>() {
            return Ok(d.docs.assign(name, Some(value), None)?);
        }
        let call = d.call_t_with("bind", &[value], &[("var", name)]);
        return Ok(d.docs.expr_stmt(call));
    }
    let annotation = match var.dtype.is_void() {
        // The type prints as `None`, which is no annotation of a variable.
        true => d.t("void"),
        false => d.part(&var.type_annotation, at, "type_annotation")?,
    };
    let name = define_variable(var, d)?;
    let name = d.at(name, at);
    Ok(d.docs.assign(name, Some(value), Some(annotation))?)
}

/// `B = T.alloc_buffer((16,), scope="shared")`
fn alloc_buffer(node: &Ref<AllocBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let AllocBuffer { span: _, buffer, annotations } = &**node;
    let at = d.field(path, "buffer");
    let kwargs = annotations_kwarg(annotations, path, d)?;
    let value = declaration(buffer, "alloc_buffer", (&[], kwargs.as_slice()), at, Inline::DataPointer, d)?;
    let name = define_buffer(buffer, d)?;
    Ok(d.docs.bind(name, value))
}

/// `B = T.decl_buffer((16,), data=A.data)`
fn decl_buffer(node: &Ref<DeclBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let DeclBuffer { span: _, buffer, data: _ } = &**node;
    let at = d.field(path, "buffer");
    let value = declaration(buffer, "decl_buffer", (&[], &[]), at, Inline::Nothing, d)?;
    let name = define_buffer(buffer, d)?;
    Ok(d.docs.bind(name, value))
}
