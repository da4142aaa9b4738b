//! Calls.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult};
use tvmscript_ir::print::{data, data_dict};
use tvmscript_ir::{Attrs, DictAttrs, GlobalVar, VDevice};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{FieldRef, Node, Object, PathId, Ref, Value, field};
use tvmscript_prim::{IntImm, Op};

use super::scalar::narrow;
use super::state::RelaxDocsifier;
use super::struct_info::{each, vdevice_doc};
use crate::node::attrs::{CallTIRInplaceAttrs, CallTIRWithGradAttrs, HintOnDeviceAttrs};
use crate::node::{
    Call, DTensorStructInfo, Expr, ExternFunc, StringImm, StructInfo, Tuple, TupleStructInfo, Var,
};
use crate::op::{CallForm, DestinationForm, Operator, operator};

type Keywords<'a> = SmallVec<[(&'a str, ExprDoc); 8]>;

/// Prints a call in the form that its operator declares, or in the plain form if the node does not fit.
pub(crate) fn call(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let operator = node.op_name().and_then(operator);
    let special = match operator.map(|operator| (operator, operator.form)) {
        Some((operator, CallForm::DestinationPassing(form))) => {
            destination_passing(operator, form, node, path, d)?
        }
        Some((operator, CallForm::SpreadArguments)) => spread_arguments(operator, node, path, d)?,
        Some((operator, CallForm::Format(position))) => format_at(position, operator, node, path, d)?,
        Some((operator, CallForm::DeviceHint)) => device_hint(operator, node, path, d)?,
        Some((_, CallForm::Plain | CallForm::Callee | CallForm::Reordered(_))) | None => None,
    };
    match special {
        Some(doc) => Ok(doc),
        None => plain(operator, node, path, d),
    }
}

/// A callee operand; an external function prints as its name.
fn callee_arg(expr: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match expr.as_node::<ExternFunc>() {
        Some(function) => {
            let name = d.docs.str(function.global_symbol.as_str());
            Ok(d.at(name, path))
        }
        None => d.expr(expr, path),
    }
}

/// `R.name` for the called operator.
fn operator_doc(name: &str, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    let callee = d.r(name);
    d.at_field(callee, path, field!(Call, op))
}

fn plain(
    operator: Option<&Operator>,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let Call { span: _, struct_info_: _, op, args, attrs, sinfo_args } = &**node;
    let at = d.field(path, field!(Call, op));
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
    let at = d.field(path, field!(Call, args));
    let form = operator.map_or(CallForm::Plain, |operator| operator.form);
    for i in 0..args.len() {
        let index = match form {
            CallForm::Reordered(order) if order.len() == args.len() => order.get(i).copied().unwrap_or(i),
            _ => i,
        };
        let Some(arg) = args.get(index) else { continue };
        let at = d.item(at, index);
        docs.push(if i == 0 && form == CallForm::Callee {
            callee_arg(arg, at, d)?
        } else {
            d.expr(arg, at)?
        });
    }
    let mut kwargs = Keywords::new();
    let at = d.field(path, field!(Call, attrs));
    if let Some(attrs) = attrs {
        if external.is_some() {
            let key = d.docs.str(attrs.object().info().key());
            kwargs.push(("attrs_type_key", d.at(key, at)));
        }
        d.keyword_value(|d| match attrs.as_node::<DictAttrs>() {
            Some(dict) => entries(dict, at, &mut kwargs, d),
            None => fields(operator, attrs, at, &mut kwargs, d),
        })?;
    }
    if !sinfo_args.is_empty() {
        let at = d.field(path, field!(Call, sinfo_args));
        let infos = d.keyword_value(|d| each(sinfo_args, at, d))?;
        let infos = d.docs.tuple(&infos);
        kwargs.push((d.r_keyword("sinfo_args"), d.at(infos, at)));
    }
    Ok(d.docs.call(callee, &docs, &kwargs))
}

/// The entries of a dictionary of attributes as keyword arguments, sorted.
fn entries<'a>(
    dict: &'a DictAttrs,
    path: PathId,
    kwargs: &mut Keywords<'a>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let mut entries: Vec<_> = dict.dict.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    let at = d.field(path, "__dict__");
    for (key, value) in entries {
        let at = d.entry(at, &Value::from(key.clone()));
        kwargs.push((key.as_str(), data(value, at, d)?));
    }
    Ok(())
}

/// Attributes whose integers the script functions convert, to `int64` or for `exclusive` to `bool`. Other attributes
/// keep the type; a plain integer becomes as narrow as it fits.
const CONVERTED: [&str; 7] =
    ["strides", "padding", "output_padding", "dilation", "indices_or_sections", "exclusive", "pool_size"];

/// The fields of attributes as keyword arguments.
fn fields(
    operator: Option<&Operator>,
    attrs: &Ref<Attrs>,
    path: PathId,
    kwargs: &mut Keywords<'_>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let object = attrs.object();
    let absent = d.syntax().without_attributes;
    for (i, field) in object.info().fields().iter().enumerate() {
        if absent.contains(&(object.info().key(), field.name)) && is_empty(object.field(i)) {
            continue;
        }
        let at = d.field(path, field.name);
        let keeps_type = operator.and_then(|operator| operator.typed_attribute) == Some(field.name);
        let doc = match object.field(i) {
            FieldRef::Node(node) if CONVERTED.contains(&field.name) && !keeps_type => {
                d.expr_object(node, at)?
            }
            FieldRef::Node(node) => match own_device(operator, node, at, d)? {
                Some(doc) => doc,
                None => attribute_node(node, at, d)?,
            },
            FieldRef::DType(dtype) if dtype.is_void() && d.syntax().has_absent_dtypes => d.docs.none(),
            scalar => d.value(&scalar.to_value(), at)?,
        };
        kwargs.push((field.name, doc));
    }
    Ok(())
}

/// Returns `true` for an absent value or an empty list.
fn is_empty(field: FieldRef<'_>) -> bool {
    match field {
        FieldRef::None => true,
        FieldRef::Node(node) => node.downcast_ref::<ArrayNode>().is_some_and(|list| list.items().is_empty()),
        _ => false,
    }
}

/// `"cuda:0:global"` for a device, which only functions of operators accept: `R.call_packed` takes attributes as they are.
fn own_device(
    operator: Option<&Operator>,
    node: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    match (operator, node.downcast_ref::<VDevice>()) {
        (Some(_), Some(device)) => vdevice_doc(device, path, d),
        _ => Ok(None),
    }
}

/// The value of an attribute that keeps the types of its integers.
fn attribute(value: &Value, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match value {
        Value::Node(node) => attribute_node(node, path, d),
        scalar => d.value(scalar, path),
    }
}

fn attribute_node(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
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

/// `R.call_tir(f, (x,), out_sinfo=R.Tensor((3,), dtype="float32"))`
fn destination_passing(
    operator: &Operator,
    form: DestinationForm,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let ([callee, args, scalars @ ..], [info]) =
        (&node.args.iter().cloned().collect::<SmallVec<[Expr; 3]>>()[..], &stated(node)[..])
    else {
        return Ok(None);
    };
    if scalars.len() > usize::from(form.has_scalars) {
        return Ok(None);
    }
    let at = d.field(path, field!(Call, args));
    let at_callee = d.item(at, 0);
    let callee = match form.names_callee {
        true => callee_arg(callee, at_callee, d)?,
        false => d.expr(callee, at_callee)?,
    };
    let at_args = d.item(at, 1);
    let positional = [callee, d.expr(args, at_args)?];
    let mut kwargs = Keywords::new();
    let at_info = d.field(path, field!(Call, sinfo_args));
    let at_info = d.item(at_info, 0);
    kwargs.push((d.r_keyword("out_sinfo"), d.keyword_value(|d| results(info, at_info, d))?));
    let at_attrs = d.field(path, field!(Call, attrs));
    if let Some(attrs) = attrs_of::<CallTIRInplaceAttrs>(node) {
        let at = d.field(at_attrs, field!(CallTIRInplaceAttrs, inplace_indices));
        kwargs.push(("inplace_indices", attribute_node(attrs.inplace_indices.object(), at, d)?));
    }
    if let Some(attrs) = attrs_of::<CallTIRWithGradAttrs>(node) {
        let grad = d.docs.str(attrs.te_grad_name.as_str());
        kwargs.push(("te_grad_name", d.at_field(grad, at_attrs, field!(CallTIRWithGradAttrs, te_grad_name))));
        if !attrs.te_grad_kwargs.is_empty() {
            let at = d.field(at_attrs, field!(CallTIRWithGradAttrs, te_grad_kwargs));
            kwargs.push(("te_grad_kwargs", d.keyword_value(|d| data_dict(&attrs.te_grad_kwargs, at, d))?));
        }
    }
    if let [vars] = scalars {
        let at = d.item(at, 2);
        kwargs.push(("tir_vars", d.keyword_value(|d| d.expr(vars, at))?));
    }
    let fields = info.as_node::<TupleStructInfo>().map(|tuple| &tuple.fields);
    let is_distributed = info.is::<DTensorStructInfo>()
        || fields.is_some_and(|fields| fields.iter().any(|field| field.is::<DTensorStructInfo>()));
    let text = form.distributed_text.filter(|_| is_distributed).unwrap_or(operator.text);
    let callee = operator_doc(text, path, d);
    Ok(Some(d.docs.call(callee, &positional, &kwargs)))
}

fn stated(node: &Call) -> SmallVec<[Ref<StructInfo>; 1]> {
    node.sinfo_args.iter().cloned().collect()
}

/// The stated results: one value, or a list. A tuple of one field stays a tuple, since a list of one is parsed as its
/// item.
fn results(info: &Ref<StructInfo>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match info.as_node::<TupleStructInfo>() {
        Some(tuple) if tuple.fields.len() != 1 => {
            let at_fields = d.field(path, field!(TupleStructInfo, fields));
            let fields = each(&tuple.fields, at_fields, d)?;
            let list = d.docs.list(&fields);
            Ok(d.at(list, path))
        }
        _ => d.expr(info, path),
    }
}

/// `R.call_py_func("f", x, out_sinfo=R.Tensor((3,), dtype="float32"))`
fn spread_arguments(
    operator: &Operator,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let (2, [info], None) = (node.args.len(), &stated(node)[..], &node.attrs) else { return Ok(None) };
    let name = node.args.first().and_then(|name| name.as_node::<StringImm>());
    let args = node.args.get(1).and_then(|args| args.as_node::<Tuple>());
    let (Some(name), Some(args)) = (name, args) else { return Ok(None) };
    let at = d.field(path, field!(Call, args));
    let at_name = d.item(at, 0);
    let mut docs: SmallVec<[ExprDoc; 6]> = SmallVec::new();
    let text = d.docs.str(name.value.as_str());
    docs.push(d.at_field(text, at_name, field!(StringImm, value)));
    let at = d.item(at, 1);
    let at = d.field(at, field!(Tuple, fields));
    docs.extend(super::expr::each(&args.fields, at, d)?);
    let at = d.field(path, field!(Call, sinfo_args));
    let at = d.item(at, 0);
    let info = d.keyword_value(|d| results(info, at, d))?;
    let callee = operator_doc(operator.text, path, d);
    let keyword = d.r_keyword("out_sinfo");
    Ok(Some(d.docs.call(callee, &docs, &[(keyword, info)])))
}

/// `R.print(a, b, format=R.str(".."))`: the operand at `position` is the format.
fn format_at(
    position: usize,
    operator: &Operator,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    if node.args.len() <= position {
        return Ok(None);
    }
    let at = d.field(path, field!(Call, args));
    let mut docs = super::expr::each(&node.args, at, d)?;
    let format = docs.remove(position);
    let callee = operator_doc(operator.text, path, d);
    Ok(Some(d.docs.call(callee, &docs, &[("format", format)])))
}

/// `R.hint_on_device(x, R.device(device_type=2, index=0), "global")`
fn device_hint(
    operator: &Operator,
    node: &Ref<Call>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let (Some(attrs), Some(data)) = (attrs_of::<HintOnDeviceAttrs>(node), node.args.only()) else {
        return Ok(None);
    };
    let HintOnDeviceAttrs { device_type, index, memory_scope } = attrs;
    let at = d.field(path, field!(Call, args));
    let at = d.item(at, 0);
    let data = d.expr(data, at)?;
    let at = d.field(path, field!(Call, attrs));
    let kind = d.docs.int(*device_type);
    let kind = d.at_field(kind, at, field!(HintOnDeviceAttrs, device_type));
    let index = d.docs.int(*index);
    let index = d.at_field(index, at, field!(HintOnDeviceAttrs, index));
    let device = d.r("device");
    let device = d.docs.call(device, &[], &[("device_type", kind), ("index", index)]);
    let scope = d.docs.str(memory_scope.as_str());
    let scope = d.at_field(scope, at, field!(HintOnDeviceAttrs, memory_scope));
    let callee = operator_doc(operator.text, path, d);
    Ok(Some(d.docs.call_args(callee, &[data, device, scope])))
}
