//! Struct info.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir::VDevice;
use tvmscript_ir::print::ModuleFrame;
use tvmscript_ir_core::{Array, Object, PathId, Ref, field};
use tvmscript_prim as prim;

use super::scalar::{dimension, typed};
use super::state::RelaxDocsifier;
use crate::node::{
    FuncStructInfo, ObjectStructInfo, PrimStructInfo, ShapeExpr, ShapeStructInfo, StructInfo,
    TensorStructInfo, TupleStructInfo,
};

/// `R.Object`
pub(crate) fn object(
    node: &Ref<ObjectStructInfo>,
    _: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    Ok(bare("Object", node.object(), d))
}

/// A struct info without arguments: `R.Object`.
fn bare(name: &str, node: &Object, d: &mut Docsifier<'_>) -> ExprDoc {
    let callee = d.info_name(name);
    match d.is_host_code() {
        true => d.docs.call_args(callee, &[]),
        false => d.made_by(callee, node),
    }
}

/// `R.Prim("int64")`, `R.Prim(value=n)`
pub(crate) fn prim(
    node: &Ref<PrimStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let PrimStructInfo { span: _, value, dtype } = &**node;
    if d.syntax().has_bare_scalars {
        let callee = d.prefixed("tir", &dtype.to_string());
        return Ok(d.at_field(callee, path, field!(PrimStructInfo, dtype)));
    }
    let callee = d.info_name("Prim");
    match value {
        Some(value) => {
            let at = d.field(path, field!(PrimStructInfo, value));
            let value = d.keyword_value(|d| match value.is::<prim::IntImm>() {
                true => typed(value, at, d),
                false => dimension(value, at, d),
            })?;
            Ok(d.docs.call(callee, &[], &[("value", value)]))
        }
        None => {
            let dtype = d.dtype(*dtype);
            let dtype = d.at_field(dtype, path, field!(PrimStructInfo, dtype));
            Ok(d.docs.call_args(callee, &[dtype]))
        }
    }
}

/// Prints several dimensions.
pub(crate) fn dimensions(
    values: &Array<prim::Expr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<SmallVec<[ExprDoc; 4]>> {
    values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let at = d.item(path, i);
            dimension(value, at, d)
        })
        .collect()
}

/// `R.Shape([n, 3])`, `R.Shape(ndim=2)`
pub(crate) fn shape(
    node: &Ref<ShapeStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let ShapeStructInfo { span: _, values, ndim } = &**node;
    let callee = d.info_name("Shape");
    match values {
        Some(values) => {
            let at = d.field(path, field!(ShapeStructInfo, values));
            let values = dimensions(values, at, d)?;
            let list = d.docs.list(&values);
            let list = d.at(list, at);
            // The values imply the rank.
            let list = d.at_field(list, path, field!(ShapeStructInfo, ndim));
            Ok(d.docs.call_args(callee, &[list]))
        }
        None => {
            let ndim = d.docs.int(*ndim);
            let ndim = d.at_field(ndim, path, field!(ShapeStructInfo, ndim));
            Ok(d.docs.call(callee, &[], &[("ndim", ndim)]))
        }
    }
}

/// The shape of a tensor: a tuple of dimensions, or a variable.
pub(crate) fn tensor_shape(shape: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match shape.as_node::<ShapeExpr>() {
        Some(shape) => {
            let at = d.field(path, field!(ShapeExpr, values));
            let values = dimensions(&shape.values, at, d)?;
            let tuple = d.docs.tuple(&values);
            let tuple = d.at(tuple, at);
            Ok(d.at(tuple, path))
        }
        None => d.expr_object(shape, path),
    }
}

/// `R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global")`
pub(crate) fn tensor(
    node: &Ref<TensorStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let TensorStructInfo { span: _, shape, dtype, vdevice, ndim } = &**node;
    let mut args: SmallVec<[ExprDoc; 1]> = SmallVec::new();
    let mut kwargs: SmallVec<[(&str, ExprDoc); 3]> = SmallVec::new();
    if let Some(shape) = shape {
        let at = d.field(path, field!(TensorStructInfo, shape));
        let doc = tensor_shape(shape.object(), at, d)?;
        // The shape implies the rank.
        args.push(d.at_field(doc, path, field!(TensorStructInfo, ndim)));
    }
    // The class has a type by default.
    if !dtype.is_void() || d.is_host_code() {
        let dtype = match dtype.is_void() {
            true => d.docs.str(""),
            false => d.dtype(*dtype),
        };
        kwargs.push(("dtype", d.at_field(dtype, path, field!(TensorStructInfo, dtype))));
    }
    if shape.is_none() && *ndim != -1 {
        let ndim = d.docs.int(*ndim);
        kwargs.push(("ndim", d.at_field(ndim, path, field!(TensorStructInfo, ndim))));
    }
    if let Some(device) = vdevice {
        let at = d.field(path, field!(TensorStructInfo, vdevice));
        kwargs.extend(vdevice_doc(device, at, d)?.map(|device| ("vdevice", device)));
    }
    if args.is_empty() && kwargs.is_empty() {
        return Ok(bare("Tensor", node.object(), d));
    }
    let callee = d.info_name("Tensor");
    Ok(d.docs.call(callee, &args, &kwargs))
}

/// `"cuda:0:global"`: target kind, index among the module's devices of that kind, memory scope. `None` without a
/// target. A device that the module does not list is printed as `I.vdevice({"kind": "cuda"}, 0, "global")`; outside a module
/// it is declared first: `vdevice = I.vdevice(..)`.
pub(crate) fn vdevice_doc(
    device: &Ref<VDevice>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let Some(module) = d.frame_data::<ModuleFrame>() else {
        return declared_vdevice(device, path, d).map(Some);
    };
    let Some(kind) = device.target.as_ref().map(|target| &target.kind.name) else { return Ok(None) };
    let devices = module.global_infos.get_str("vdevice");
    let (mut index, mut is_listed) = (0, false);
    for other in devices.into_iter().flat_map(Array::iter) {
        let Some(other) = other.downcast_ref::<VDevice>() else { continue };
        if other.ptr_eq(device) {
            is_listed = true;
            break;
        }
        if other.target.as_ref().is_some_and(|target| target.kind.name == *kind) {
            index += 1;
        }
    }
    if !is_listed {
        return d.expr(device, path).map(Some);
    }
    let name = d.docs.str(&*format!("{kind}:{index}:{}", device.memory_scope));
    Ok(Some(d.at(name, path)))
}

/// A device by name, declared in the outermost frame.
fn declared_vdevice(device: &Ref<VDevice>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(name) = d.defined_doc(device.object())? {
        return Ok(name);
    }
    let value = d.expr(device, path)?;
    let Some(head) = d.frames().rev().position(|frame| frame.declares_free) else { return Ok(value) };
    d.in_frame(head, |d| {
        let name = d.define(device.object(), "vdevice")?;
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
        Ok(name)
    })
}

/// Prints several struct infos.
pub(crate) fn each(
    infos: &Array<Ref<StructInfo>>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<SmallVec<[ExprDoc; 4]>> {
    infos
        .iter()
        .enumerate()
        .map(|(i, info)| {
            let at = d.item(path, i);
            d.expr(info, at)
        })
        .collect()
}

/// `R.Tuple(a, b)`
pub(crate) fn tuple(
    node: &Ref<TupleStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let TupleStructInfo { span: _, fields } = &**node;
    if fields.is_empty() && !d.is_host_code() {
        return Ok(bare("Tuple", node.object(), d));
    }
    let callee = d.info_name("Tuple");
    let at = d.field(path, field!(TupleStructInfo, fields));
    let fields = each(fields, at, d)?;
    match d.is_host_code() {
        true => {
            let fields = d.docs.list(&fields);
            Ok(d.docs.call_args(callee, &[fields]))
        }
        false => Ok(d.docs.call_args(callee, &fields)),
    }
}

/// `R.Callable((a, b), r, True)`, `R.Callable`
pub(crate) fn func(
    node: &Ref<FuncStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let FuncStructInfo { span: _, params, ret, derive_func, purity } = &**node;
    let result = d.expr_field(ret, path, field!(FuncStructInfo, ret))?;
    let is_pure = d.docs.bool(*purity);
    let is_pure = d.at_field(is_pure, path, field!(FuncStructInfo, purity));
    let Some(params) = params else {
        let callee = d.r("Callable");
        let mut kwargs: SmallVec<[(&str, ExprDoc); 3]> = SmallVec::new();
        if !ret.is::<ObjectStructInfo>() {
            kwargs.push(("ret", result));
        }
        if *purity {
            kwargs.push(("purity", is_pure));
        }
        // In a function, the binding of the variable implies it.
        if let Some(function) = derive_func.as_ref().filter(|_| d.fragment_frame().is_some()) {
            let name = d.docs.str(function.name.as_str());
            kwargs.push(("derive_func", d.at_field(name, path, field!(FuncStructInfo, derive_func))));
        }
        return Ok(match kwargs.is_empty() {
            true => d.made_by(callee, node.object()),
            false => d.docs.call(callee, &[], &kwargs),
        });
    };
    let at = d.field(path, field!(FuncStructInfo, params));
    let params = each(params, at, d)?;
    let (callee, params) = match d.is_host_code() {
        true => (d.info_name("Func"), d.docs.list(&params)),
        false => (d.r("Callable"), d.docs.tuple(&params)),
    };
    Ok(d.docs.call_args(callee, &[params, result, is_pure]))
}
