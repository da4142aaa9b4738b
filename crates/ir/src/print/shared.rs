//! Variables and function references that several functions of a module share: declared before the module, because the
//! text of each function alone would define its own.

use hashbrown::HashSet;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{Object, PathId, Ref};
use tvmscript_prim::{PointerType, PrimType, Type, Var, size_var_type};

use super::name::made_reference;
use super::small::tvm_name;
use crate::node::{BaseFunc, GlobalVar, has_parameter};

/// Declares the shared nodes of a module in the frame of the script. If functions share a parameter, none: no text says so.
pub(super) fn declare<'f>(
    mut functions: impl Iterator<Item = &'f Ref<BaseFunc>>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let shared = d.shared_nodes();
    let addresses: HashSet<usize> = shared.iter().map(Object::address).collect();
    let has_shared_parameter =
        |function: &Ref<BaseFunc>| has_parameter(function, |param| addresses.contains(&param.address()));
    if shared.is_empty() || functions.any(has_shared_parameter) {
        return Ok(());
    }
    for node in shared {
        let (value, hint) = if let Some(var) = node.as_node::<Var>() {
            let Some(value) = variable(&node, var, d) else { continue };
            (value, var.name.written_or("v").to_owned())
        } else if let Some(var) = node.downcast_ref::<GlobalVar>() {
            (made_reference(var, PathId::ROOT, d)?, var.name_hint.as_str().to_owned())
        } else {
            continue;
        };
        d.in_frame(0, |d| -> DocsifyResult<()> {
            let name = d.define(&node, &hint)?;
            let stmt = d.docs.bind(name, value);
            d.push_stmt(stmt);
            Ok(())
        })?;
    }
    Ok(())
}

/// `T.Var("i", "int32")`, `T.Var("p", tvm.ir.PointerType(tvm.ir.PrimType("float32"), "shared"))`
fn variable(node: &Object, var: &Var, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let name = d.docs.str(var.name.written_or("v"));
    let of = type_argument(&var.type_annotation, d)?;
    let class = if std::ptr::eq(node.info(), size_var_type()) { "SizeVar" } else { "Var" };
    let callee = d.prefixed("tir", class);
    Some(d.docs.call_args(callee, &[name, of]))
}

fn type_argument(of: &Ref<Type>, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if let Some(scalar) = of.as_node::<PrimType>() {
        return Some(d.docs.str(&*scalar.dtype.to_string()));
    }
    let pointer = of.as_node::<PointerType>()?;
    let element = pointer.element_type.as_node::<PrimType>()?.dtype;
    let element = d.docs.str(&*element.to_string());
    let element = ir_class("PrimType", &[element], d);
    let scope = d.docs.str(pointer.storage_scope.as_str());
    Some(ir_class("PointerType", &[element, scope], d))
}

/// `tvm.ir.Name(..)`
fn ir_class(name: &str, args: &[ExprDoc], d: &mut Docsifier<'_>) -> ExprDoc {
    let callee = tvm_name(&["ir", name], d);
    d.docs.call_args(callee, args)
}
