//! Names of variables, and declarations of free ones.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{ExprDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{Object, PathId, Ref, Str, Visitor, Walk, any_node, field};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimType, TensorMapType, Var, size_var_type};

use super::attr;
use super::state::TirDocsifier;
use crate::node::{Buffer, IterVar};

/// Names a variable in the innermost frame, or returns its name.
///
/// # Errors
/// If the variable is defined twice.
pub fn define(variable: &Ref<Var>, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let hint = pointer_hint(variable, d);
    d.define(variable.object(), &hint)
}

/// The name hint of a variable. The parser gives a pointer the name of the last buffer that is declared over it, and keeps its
/// own name.
///
/// A pointer under one buffer prints by the buffer's name without its number, as TVM prints it first: with the full name, the
/// pointer would take the buffer's and the buffer a new one, so the text would change with every round trip. Under several
/// buffers, of which another one may be the last in the text, it prints by its own name.
fn pointer_hint<'h>(variable: &'h Ref<Var>, d: &mut Docsifier<'_>) -> Cow<'h, str> {
    let written = variable.name.written_or("v");
    if !variable.dtype.is_handle() {
        return written.into();
    }
    let has_own = variable.name.written() != variable.name.text();
    let may_share = has_own || without_number(written).is_some();
    if !may_share || d.is_defined(variable.object()) {
        return written.into();
    }
    let BufferNames(pointers) = d.region_fact(BufferNames::new);
    let Some(names) = pointers.get(&variable.object().address()) else { return written.into() };
    let mut all = names.iter();
    let buffer = match (all.next(), all.next()) {
        (Some(only), None) if has_own => only.as_str(),
        _ if !has_own && names.contains(written) => written,
        _ => return written.into(),
    };
    let mut base = buffer;
    while let Some(shorter) = without_number(base) {
        base = shorter;
        if base == written {
            return written.into();
        }
    }
    without_number(buffer).unwrap_or(buffer).to_owned().into()
}

/// `A` for `A_1`.
fn without_number(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('_')?;
    let is_numbered = !base.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_numbered.then_some(base)
}

/// Names of the buffers over each pointer, by address.
struct BufferNames(HashMap<usize, HashSet<Str>>);

impl BufferNames {
    fn new(root: &Object) -> BufferNames {
        let mut pointers: HashMap<usize, HashSet<Str>> = HashMap::new();
        let _ = Visitor::new().pre_order(root, |node| {
            if let Some(buffer) = node.as_node::<Buffer>() {
                let names = pointers.entry(buffer.data.object().address()).or_default();
                names.insert(buffer.name.get());
            }
            Walk::Advance
        });
        BufferNames(pointers)
    }
}

/// Tests whether an expression contains a node for which `is_var` holds. Literals, the common case, are not walked.
pub(crate) fn mentions(e: &Expr, is_var: impl FnMut(&Object) -> bool) -> bool {
    !e.is::<IntImm>() && any_node(e, is_var)
}

/// The variable's name; a free variable is declared first.
pub(crate) fn var(node: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(doc) = d.defined_doc(node.object())? {
        return Ok(doc);
    }
    let is_nameless = |thread: &Ref<IterVar>| thread.thread_tag.as_str().is_empty();
    let may_be_ill_formed = d.syntax().may_be_ill_formed;
    if let Some(thread) =
        attr::launched_with(node, d).filter(|thread| !(may_be_ill_formed && is_nameless(thread)))
    {
        attr::env_thread(&thread, path, None, d)?;
        return define(node, d);
    }
    let hint = node.name.written();
    d.declare_free(node.object(), hint, |d| {
        let name = define(node, d)?;
        let name = d.at(name, path);
        let value = creation(node, path, d)?;
        let stmt = d.docs.bind(name, value);
        d.docs.set_role(stmt, StmtRole::DefineName);
        d.push_stmt(stmt);
        Ok(())
    })?;
    define(node, d)
}

/// [`var`] for `tir.SizeVar`, which shares its struct.
pub(crate) fn size_var(object: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match object.downcast_ref::<Var>() {
        Some(node) => var(node, path, d),
        None => unreachable!("`tir.SizeVar` holds a `Var`"),
    }
}

/// Returns `true` for a `tir.SizeVar`.
pub(crate) fn is_size_var(node: &Ref<Var>) -> bool {
    std::ptr::eq(node.object().info(), size_var_type())
}

/// Creates a variable: `T.int32()`, `T.handle("float32", "shared")`
///
/// # Errors
/// Those of the type.
pub fn creation(node: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Var { span: _, dtype, name: _, type_annotation } = &**node;
    let mut kwargs: SmallVec<[(&str, ExprDoc); 1]> = SmallVec::new();
    if is_size_var(node) {
        kwargs.push(("is_size_var", d.docs.bool(true)));
    }
    let at = d.field(path, field!(Var, type_annotation));
    let mut args: SmallVec<[ExprDoc; 2]> = SmallVec::new();
    let callee = match type_annotation.as_node::<PointerType>() {
        Some(pointer) => {
            let element = d.field(at, field!(PointerType, element_type));
            if let Some(prim) = pointer.element_type.as_node::<PrimType>() {
                let dtype = d.dtype(prim.dtype);
                args.push(d.at_field(dtype, element, field!(PrimType, dtype)));
            } else if pointer.element_type.is::<TensorMapType>() {
                args.push(d.docs.str("tensormap"));
            } else {
                args.push(d.expr(&pointer.element_type, element)?);
            }
            // A tensor map has no scope argument: the form with one argument implies the global scope.
            let is_global_map =
                pointer.element_type.is::<TensorMapType>() && pointer.storage_scope == "global";
            if !pointer.storage_scope.is_empty() && !is_global_map {
                let scope = d.docs.str(pointer.storage_scope.as_str());
                args.push(d.at_field(scope, at, field!(PointerType, storage_scope)));
            }
            d.t("handle")
        }
        None => d.t_dtype(*dtype),
    };
    let call = d.docs.call(callee, &args, &kwargs);
    let call = d.at_field(call, path, field!(PrimType, dtype));
    Ok(d.at(call, at))
}

/// `T.iter_var(i, T.Range(0, 8), "DataPar", "")`
pub(crate) fn iter_var(node: &Ref<IterVar>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let IterVar { dom, var, iter_type, thread_tag } = &**node;
    let var = d.part(var, path, field!(IterVar, var))?;
    let at = d.field(path, field!(IterVar, dom));
    let dom = match dom {
        Some(dom) => d.expr(dom, at)?,
        None => d.docs.none(),
    };
    let kind = d.docs.str(iter_type.name());
    let kind = d.at_field(kind, path, field!(IterVar, iter_type));
    let tag = d.docs.str(thread_tag.as_str());
    let tag = d.at_field(tag, path, field!(IterVar, thread_tag));
    Ok(d.call_t("iter_var", &[var, dom, kind, tag]))
}
