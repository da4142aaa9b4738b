//! Scalars in Relax functions: variables, literals, dimensions; and names of functions and modules.

use hashbrown::HashSet;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{DataType, Object, PathId, Ref, any_node, field};
use tvmscript_prim::{Expr, FloatImm, IntImm, Var, size_var_type};

use super::state::{RelaxDocsifier, RelaxFrame};

/// A variable by name; `n = T.int64()` declares it in the outermost function.
pub(crate) fn var(node: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    scalar_var(node.object(), node, path, d)
}

/// Like [`var`], for the subtype of non-negative variables.
pub(crate) fn size_var(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match node.as_node::<Var>() {
        Some(var) => scalar_var(node, var, path, d),
        None => unreachable!("the type's payload is a variable"),
    }
}

fn scalar_var(object: &Object, node: &Var, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(name) = d.defined_doc(object)? {
        return Ok(name);
    }
    if !node.dtype.is_scalar() {
        let reason = format!("expected a scalar variable, found type `{}`", node.dtype);
        return Err(DocsifyError::Unwritable { key: object.info().key(), reason }.into());
    }
    let hint = node.name.text_or("v");
    let is_signature = d.frame_data::<RelaxFrame>().is_some_and(|frame| frame.signature_vars.is_some());
    if is_signature && node.dtype == DataType::INT64 && d.syntax().has_type_variables {
        return type_variable(object, hint, path, d);
    }
    let inner = d.owning_frame(object).or_else(|| d.declaring_frame());
    // In a fragment, a function declares the variables that only it uses.
    let head = d.fragment_frame().filter(|_| {
        let function = inner.and_then(|i| d.frames().rev().nth(i)?.object.clone());
        !function.is_some_and(|function| d.is_around_all_uses(&function, object))
    });
    let Some(frame) = head.or(inner) else {
        return Err(DocsifyError::Undeclared { name: hint.to_owned() }.into());
    };
    record_owner(object, frame, d);
    d.in_frame(frame, |d| {
        if let Some(vars) = d.frame_data_mut::<RelaxFrame>().and_then(|f| f.signature_vars.as_mut()) {
            vars.insert(object.address());
        }
        let name = d.define(object, hint)?;
        let callee = d.prefixed("tir", &node.dtype.to_string());
        let is_size_var = std::ptr::eq(object.info(), size_var_type());
        let value = if is_size_var {
            let yes = d.docs.bool(true);
            d.docs.call(callee, &[], &[("is_size_var", yes)])
        } else {
            d.docs.call_args(callee, &[])
        };
        let stmt = d.docs.bind(name, value);
        d.at(name, path);
        d.push_stmt(stmt);
        Ok(name)
    })
}

/// Records that the function of a frame defines the variable, which other functions of the module may share.
fn record_owner(object: &Object, frame: usize, d: &mut Docsifier<'_>) {
    let owner = d.frames().rev().nth(frame).and_then(|frame| frame.object.clone());
    if let Some(owner) = owner {
        d.record_definition(object, Some(&owner));
    }
}

/// A type variable, `n = TypeVar("n")` before the script; functions of a module share the names.
fn type_variable(object: &Object, hint: &str, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Some(frame) = d.owning_frame(object).or_else(|| d.declaring_frame()) else {
        return Err(DocsifyError::Undeclared { name: hint.to_owned() }.into());
    };
    record_owner(object, frame, d);
    d.in_frame(frame, |d| {
        let name = d.define(object, hint)?;
        d.at(name, path);
        let text = tvmscript_docsifier::expr_text(d, name)?;
        tvmscript_ir::print::type_variable(&text, d);
        Ok(name)
    })
}

/// `3`, `True`; or `T.int64(3)` where literals state their types.
pub(crate) fn int_imm(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let IntImm { span: _, dtype, value } = **node;
    let literal = if dtype.is_bool() { d.docs.bool(value != 0) } else { d.docs.int(value) };
    let literal = d.at_field(literal, path, field!(IntImm, value));
    if !d.is_typed() {
        return Ok(literal);
    }
    let callee = d.prefixed("tir", &dtype.to_string());
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `T.float32(1.5)`, always typed: options of other dialects have no effect here.
pub(crate) fn float_imm(node: &Ref<FloatImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let FloatImm { span: _, dtype, value } = **node;
    let literal = d.docs.float(value);
    let literal = d.at_field(literal, path, field!(FloatImm, value));
    let callee = d.prefixed("tir", &dtype.to_string());
    Ok(d.docs.call_args(callee, &[literal]))
}

/// A literal that is not part of a larger expression, typed unless the parser infers the type.
pub(crate) fn typed(value: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match value.as_node::<IntImm>() {
        Some(literal) if literal.dtype != DataType::INT64 => d.typed(|d| d.expr(value, path)),
        _ => d.expr(value, path),
    }
}

/// A scalar where the parser makes a plain integer `int32`.
pub(crate) fn plain(value: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match value.as_node::<IntImm>() {
        Some(literal) if literal.dtype != DataType::INT32 => d.typed(|d| d.expr(value, path)),
        _ => d.expr(value, path),
    }
}

/// An integer attribute: the parser makes a plain integer as narrow as it fits.
pub(crate) fn narrow(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let found = if i32::try_from(node.value).is_ok() { DataType::INT32 } else { DataType::INT64 };
    match node.dtype == found {
        true => d.expr(node, path),
        false => d.typed(|d| d.expr(node, path)),
    }
}

/// A dimension or another scalar in struct info. In a signature it is quoted if it uses a variable of the signature,
/// which is declared only in the body.
pub(crate) fn dimension(value: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let is_compound = !value.is::<IntImm>() && !value.is::<Var>();
    let doc = match is_compound && may_be_quoted(value, d) {
        true => d.as_python(|d| d.expr(value, path))?,
        false => d.expr(value, path)?,
    };
    if d.syntax().has_type_variables {
        let is_signature = d.frame_data::<RelaxFrame>().is_some_and(|frame| frame.signature_vars.is_some());
        let is_quoted = is_compound && is_signature && any_node(value, |node| node.is::<Var>());
        return Ok(if is_quoted { d.docs.quoted(doc) } else { doc });
    }
    let is_quoted = signature_vars(d).is_some_and(|vars| {
        !value.is::<IntImm>() && any_node(value, |node| node.is::<Var>() && vars.contains(&node.address()))
    });
    Ok(if is_quoted { d.docs.quoted(doc) } else { doc })
}

/// The variables that the signature being printed declares.
fn signature_vars<'d>(d: &'d Docsifier<'_>) -> Option<&'d HashSet<usize>> {
    d.frames().rev().find_map(|frame| frame.data.downcast_ref::<RelaxFrame>()?.signature_vars.as_ref())
}

/// Returns `true` if an expression will be quoted: it uses a variable that the signature declares or is going to.
fn may_be_quoted(value: &Expr, d: &mut Docsifier<'_>) -> bool {
    let any_variable = d.syntax().has_type_variables;
    signature_vars(d).is_some_and(|vars| {
        let is_own = |node: &Object| any_variable || vars.contains(&node.address()) || !d.is_defined(node);
        any_node(value, |node| node.is::<Var>() && is_own(node))
    })
}

/// The module by its alias, declared at its first use in a function: `cls = Module`.
pub(crate) fn module(node: &Ref<IRModule>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Some(name) = d.defined_doc(node.object())? else {
        return Err(DocsifyError::Undeclared { name: "Module".to_owned() }.into());
    };
    let config = d.config();
    let frame = if d.syntax().has_nested_aliases { d.innermost_function() } else { d.declaring_frame() };
    let Some(frame) = frame.filter(|_| !config.module_alias.is_empty()) else {
        return Ok(name);
    };
    let alias = d.docs.id(config.module_alias.as_str());
    d.in_frame(frame, |d| {
        let is_new = d
            .frame_data_mut::<RelaxFrame>()
            .is_some_and(|f| !std::mem::replace(&mut f.has_module_alias, true));
        if is_new {
            let stmt = d.docs.bind(alias, name);
            d.push_stmt(stmt);
        }
    });
    Ok(alias)
}
