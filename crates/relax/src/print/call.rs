//! Calls: what is called, the arguments, the attributes by name, struct info.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyError, Result};
use tvmscript_ir::GlobalVar;
use tvmscript_ir::print::{data, data_dict};
use tvmscript_ir::{Attrs, DictAttrs};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{FieldRef, Node, Object, PathId, Ref, Value};
use tvmscript_prim::IntImm;
use tvmscript_prim::Op;

use super::scalar::narrow;
use super::state::RelaxDocsifier;
use super::struct_info::{each, vdevice_doc};
use crate::node::attrs::{
    CallTIRInplaceAttrs, CallTIRWithGradAttrs, HintOnDeviceAttrs, ToVDeviceAttrs, decides_type,
};
use crate::node::{
    Call, DTensorStructInfo, Expr, ExternFunc, StringImm, StructInfo, Tuple, TupleStructInfo, Var,
};

type Keywords<'a> = SmallVec<[(&'a str, ExprDoc); 8]>;

/// A call.
pub(crate) fn call(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    if let Some(op) = node.op.as_node::<Op>() {
        let name = op.name.as_str();
        let special = match name {
            "relax.call_tir"
            | "relax.call_tir_inplace"
            | "relax.call_tir_with_grad"
            | "relax.call_dps_packed"
            | "relax.dist.call_tir_local_view" => destination_passing(name, node, path, d)?,
            "relax.call_py_func" => python(node, path, d)?,
            "relax.assert_op" => format_at(1, "assert_op", node, path, d)?,
            "relax.print" => format_at(0, "print", node, path, d)?,
            "relax.hint_on_device" => hint_on_device(node, path, d)?,
            "relax.to_vdevice" => to_vdevice(node, path, d)?,
            _ => None,
        };
        if let Some(doc) = special {
            return Ok(doc);
        }
    }
    plain(node, path, d)
}

/// A callee among arguments: an external function stands as its name, where the function of scripts reads a name as one.
fn callee_arg(expr: &Expr, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    match expr.as_node::<ExternFunc>() {
        Some(function) => {
            let name = d.docs.str(function.global_symbol.as_str());
            Ok(d.at(name, path))
        }
        None => d.expr(expr, path),
    }
}

fn plain(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let Call { span: _, struct_info_: _, op, args, attrs, sinfo_args } = &**node;
    let at = d.field(path, "op");
    let mut docs: SmallVec<[ExprDoc; 6]> = SmallVec::new();
    let external = op.as_node::<ExternFunc>();
    let callee = if let Some(function) = external {
        let name = d.docs.str(function.global_symbol.as_str());
        docs.push(d.at(name, at));
        d.r("call_packed")
    } else if let Some(op) = op.as_node::<Op>() {
        let name = op.name.as_str();
        let callee = match name.strip_prefix("relax.") {
            Some(name) => d.r(name),
            None => d.docs.id(name),
        };
        d.at(callee, at)
    } else if op.is::<Var>() || op.is::<GlobalVar>() {
        d.expr(op, at)?
    } else {
        let reason = format!("`{}` cannot be called", op.object().info().key());
        return Err(DocsifyError::Unwritable { key: node.object().info().key(), reason }.into());
    };
    let at = d.field(path, "args");
    let is_callee = matches!(
        node.op_name(),
        Some("relax.call_pure_packed" | "relax.call_inplace_packed" | "relax.call_builtin_with_ctx")
    );
    for i in 0..args.len() {
        let i = written_order(node).map_or(i, |order| order[i]);
        let at = d.item(at, i);
        docs.push(if i == 0 && is_callee { callee_arg(&args[i], at, d)? } else { d.expr(&args[i], at)? });
    }
    let mut kwargs = Keywords::new();
    let at = d.field(path, "attrs");
    if let Some(attrs) = attrs {
        if external.is_some() {
            let key = d.docs.str(attrs.object().info().key());
            kwargs.push(("attrs_type_key", d.at(key, at)));
        }
        match attrs.as_node::<DictAttrs>() {
            Some(dict) => entries(dict, at, &mut kwargs, d)?,
            None => fields(node.op_name(), attrs, at, &mut kwargs, d)?,
        }
    }
    if !sinfo_args.is_empty() {
        let at = d.field(path, "sinfo_args");
        let infos = each(sinfo_args, at, d)?;
        let infos = d.docs.tuple(&infos);
        kwargs.push(("sinfo_args", d.at(infos, at)));
    }
    Ok(d.docs.call(callee, &docs, &kwargs))
}

/// The operands in the order of the parameters of the function of scripts, where that is another one.
fn written_order(node: &Call) -> Option<&'static [usize]> {
    match (node.op_name(), node.args.len()) {
        // The function takes start and greatest length of the queries, then of the keys.
        (Some("relax.nn.attention_var_len"), 7) => Some(&[0, 1, 2, 3, 5, 4, 6]),
        _ => None,
    }
}

/// The entries of a dictionary of attributes as keywords, in order.
fn entries<'a>(
    dict: &'a DictAttrs,
    path: PathId,
    kwargs: &mut Keywords<'a>,
    d: &mut Docsifier<'_>,
) -> Result<()> {
    let mut entries: Vec<_> = dict.dict.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    let at = d.field(path, "__dict__");
    for (key, value) in entries {
        let at = d.entry(at, &Value::from(key.clone()));
        kwargs.push((key.as_str(), data(value, at, d)?));
    }
    Ok(())
}

/// All fields of attributes, as keywords.
fn fields(
    op: Option<&str>,
    attrs: &Ref<Attrs>,
    path: PathId,
    kwargs: &mut Keywords<'_>,
    d: &mut Docsifier<'_>,
) -> Result<()> {
    let object = attrs.object();
    for (i, field) in object.info().fields().iter().enumerate() {
        let at = d.field(path, field.name);
        let doc = match object.field(i) {
            FieldRef::Node(node) if decides_type(op, field.name) => d.expr_object(node, at)?,
            FieldRef::Node(node) => attribute_node(node, at, d)?,
            scalar => d.value(&scalar.to_value(), at)?,
        };
        kwargs.push((field.name, doc));
    }
    Ok(())
}

/// The value of an attribute whose integers keep the types that are said.
fn attribute(value: &Value, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    match value {
        Value::Node(node) => attribute_node(node, path, d),
        scalar => d.value(scalar, path),
    }
}

fn attribute_node(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    if let Some(integer) = node.downcast_ref::<IntImm>() {
        return narrow(integer, path, d);
    }
    let Some(array) = node.as_node::<ArrayNode>() else { return d.expr_object(node, path) };
    let mut docs: SmallVec<[ExprDoc; 8]> = SmallVec::new();
    for (i, item) in array.items().iter().enumerate() {
        let at = d.item(path, i);
        docs.push(attribute(item, at, d)?);
    }
    let list = d.docs.list(&docs);
    Ok(d.at(list, path))
}

fn attrs_of<T: Node>(node: &Call) -> Option<&T> {
    node.attrs.as_ref().and_then(|attrs| attrs.as_node::<T>())
}

/// `R.call_tir(f, (x,), out_sinfo=R.Tensor((3,), dtype="float32"))` and its family. None where the node has another form.
fn destination_passing(
    name: &str,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> Result<Option<ExprDoc>> {
    let (2 | 3, 1) = (node.args.len(), node.sinfo_args.len()) else { return Ok(None) };
    let at = d.field(path, "args");
    let first = d.item(at, 0);
    let callee = match name {
        "relax.call_dps_packed" => callee_arg(&node.args[0], first, d)?,
        _ => d.expr(&node.args[0], first)?,
    };
    let second = d.item(at, 1);
    let args = [callee, d.expr(&node.args[1], second)?];
    let mut kwargs = Keywords::new();
    let at_info = d.field(path, "sinfo_args");
    let at_info = d.item(at_info, 0);
    let info = &node.sinfo_args[0];
    let is_distributed = info.is::<DTensorStructInfo>()
        || info
            .as_node::<TupleStructInfo>()
            .is_some_and(|tuple| tuple.fields.iter().any(|field| field.is::<DTensorStructInfo>()));
    kwargs.push(("out_sinfo", results(info, at_info, d)?));
    let at_attrs = d.field(path, "attrs");
    if name == "relax.call_tir_inplace" {
        let indices = attrs_of::<CallTIRInplaceAttrs>(node);
        let at = d.field(at_attrs, "inplace_indices");
        let list = match indices {
            Some(attrs) => attribute_node(attrs.inplace_indices.object(), at, d)?,
            None => d.docs.list(&[]),
        };
        kwargs.push(("inplace_indices", list));
    }
    if let Some(attrs) = attrs_of::<CallTIRWithGradAttrs>(node) {
        let grad = d.docs.str(attrs.te_grad_name.as_str());
        kwargs.push(("te_grad_name", d.at_field(grad, at_attrs, "te_grad_name")));
        if !attrs.te_grad_kwargs.is_empty() {
            let at = d.field(at_attrs, "te_grad_kwargs");
            let given = data_dict(&attrs.te_grad_kwargs, at, d)?;
            kwargs.push(("te_grad_kwargs", given));
        }
    }
    let keeps_vars = !matches!(name, "relax.call_tir_with_grad" | "relax.call_dps_packed");
    if let Some(vars) = node.args.get(2) {
        if !keeps_vars {
            return Ok(None);
        }
        let third = d.item(at, 2);
        kwargs.push(("tir_vars", d.expr(vars, third)?));
    }
    let callee = if is_distributed && matches!(name, "relax.call_tir" | "relax.call_tir_inplace") {
        d.r("dist.call_tir")
    } else {
        d.r(name.strip_prefix("relax.").unwrap_or(name))
    };
    let callee = d.at_field(callee, path, "op");
    Ok(Some(d.docs.call(callee, &args, &kwargs)))
}

/// What a call makes: one value, or a list of several. A tuple of one stands as a tuple: a list of one is read as its item.
fn results(info: &Ref<StructInfo>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    match info.as_node::<TupleStructInfo>() {
        Some(tuple) if tuple.fields.len() != 1 => {
            let at_fields = d.field(path, "fields");
            let fields = each(&tuple.fields, at_fields, d)?;
            let list = d.docs.list(&fields);
            Ok(d.at(list, path))
        }
        _ => d.expr(info, path),
    }
}

/// `R.call_py_func("f", x, out_sinfo=R.Tensor((3,), dtype="float32"))`. None where the node has another form.
fn python(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> Result<Option<ExprDoc>> {
    let (2, 1, None) = (node.args.len(), node.sinfo_args.len(), &node.attrs) else { return Ok(None) };
    let (Some(name), Some(args)) = (node.args[0].as_node::<StringImm>(), node.args[1].as_node::<Tuple>())
    else {
        return Ok(None);
    };
    let at = d.field(path, "args");
    let at_name = d.item(at, 0);
    let mut docs: SmallVec<[ExprDoc; 6]> = SmallVec::new();
    let text = d.docs.str(name.value.as_str());
    docs.push(d.at_field(text, at_name, "value"));
    let at = d.item(at, 1);
    let at = d.field(at, "fields");
    docs.extend(super::expr::each(&args.fields, at, d)?);
    let at = d.field(path, "sinfo_args");
    let at = d.item(at, 0);
    let info = results(&node.sinfo_args[0], at, d)?;
    let callee = d.r("call_py_func");
    let callee = d.at_field(callee, path, "op");
    Ok(Some(d.docs.call(callee, &docs, &[("out_sinfo", info)])))
}

/// `R.print(a, b, format=R.str("..")))`: the argument at `index` is the format.
fn format_at(
    index: usize,
    name: &str,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> Result<Option<ExprDoc>> {
    if node.args.len() <= index {
        return Ok(None);
    }
    let at = d.field(path, "args");
    let mut docs = super::expr::each(&node.args, at, d)?;
    let format = docs.remove(index);
    let callee = d.r(name);
    let callee = d.at_field(callee, path, "op");
    Ok(Some(d.docs.call(callee, &docs, &[("format", format)])))
}

/// `R.hint_on_device(x, R.device(device_type=2, index=0), "global")`
fn hint_on_device(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> Result<Option<ExprDoc>> {
    let (Some(attrs), [_]) = (attrs_of::<HintOnDeviceAttrs>(node), node.args.values()) else {
        return Ok(None);
    };
    let HintOnDeviceAttrs { device_type, index, memory_scope } = attrs;
    let at = d.field(path, "args");
    let at = d.item(at, 0);
    let data = callee_arg(&node.args[0], at, d)?;
    let at = d.field(path, "attrs");
    let kind = d.docs.int(*device_type);
    let kind = d.at_field(kind, at, "device_type");
    let index = d.docs.int(*index);
    let index = d.at_field(index, at, "index");
    let device = d.r("device");
    let device = d.docs.call(device, &[], &[("device_type", kind), ("index", index)]);
    let scope = d.docs.str(memory_scope.as_str());
    let scope = d.at_field(scope, at, "memory_scope");
    let callee = d.r("hint_on_device");
    let callee = d.at_field(callee, path, "op");
    Ok(Some(d.docs.call_args(callee, &[data, device, scope])))
}

/// `R.to_vdevice(x, dst_vdevice="cuda:0:global")`
fn to_vdevice(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> Result<Option<ExprDoc>> {
    let (Some(attrs), [_]) = (attrs_of::<ToVDeviceAttrs>(node), node.args.values()) else { return Ok(None) };
    let at = d.field(path, "attrs");
    let at = d.field(at, "dst_vdevice");
    let Some(device) = vdevice_doc(&attrs.dst_vdevice, at, d)? else { return Ok(None) };
    let at = d.field(path, "args");
    let at = d.item(at, 0);
    let data = callee_arg(&node.args[0], at, d)?;
    let callee = d.r("to_vdevice");
    let callee = d.at_field(callee, path, "op");
    Ok(Some(d.docs.call(callee, &[data], &[("dst_vdevice", device)])))
}
