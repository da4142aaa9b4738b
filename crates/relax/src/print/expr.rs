//! Expressions other than calls.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir::print::{call_as_written, data_dict};
use tvmscript_ir_core::{Array, Object, PathId, Ref, field};

use super::scalar::typed;
use super::state::RelaxDocsifier;
use super::struct_info::dimensions;
use crate::node::{
    Constant, DTensorStructInfo, DataTypeImm, Expr, ExternFunc, PrimValue, ScalarUse, ShapeExpr, StringImm,
    Tuple, TupleGetItem, UnknownCall, Var, dataflow_var_type,
};

/// `R.prim_value(1)`
pub(crate) fn prim_value(
    node: &Ref<PrimValue>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let PrimValue { span: _, struct_info_: _, value } = &**node;
    let at = d.field(path, field!(PrimValue, value));
    let value = typed(value, at, d)?;
    if d.syntax().has_bare_scalars {
        return Ok(value);
    }
    Ok(d.r_call("prim_value", &[value]))
}

/// The variable.
pub(crate) fn scalar_use(
    node: &Ref<ScalarUse>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let ScalarUse { span: _, dtype: _, var } = &**node;
    let at = d.field(path, field!(ScalarUse, var));
    d.expr(var, at)
}

/// `R.str("text")`
pub(crate) fn string(node: &Ref<StringImm>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let StringImm { span: _, struct_info_: _, value } = &**node;
    let value = d.docs.str(value.as_str());
    let value = d.at_field(value, path, field!(StringImm, value));
    Ok(d.r_call("str", &[value]))
}

/// `R.dtype("float32")`
pub(crate) fn data_type(
    node: &Ref<DataTypeImm>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let DataTypeImm { span: _, struct_info_: _, value } = **node;
    let value = d.dtype(value);
    let value = d.at_field(value, path, field!(DataTypeImm, value));
    Ok(d.r_call("dtype", &[value]))
}

/// Prints several expressions.
pub(crate) fn each(
    exprs: &Array<Expr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<SmallVec<[ExprDoc; 4]>> {
    exprs
        .iter()
        .enumerate()
        .map(|(i, expr)| {
            let at = d.item(path, i);
            d.expr(expr, at)
        })
        .collect()
}

/// `(a, b)`, `R.tuple()`
pub(crate) fn tuple(node: &Ref<Tuple>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Tuple { span: _, struct_info_: _, fields } = &**node;
    if fields.is_empty() {
        return Ok(d.r_call("tuple", &[]));
    }
    let at = d.field(path, field!(Tuple, fields));
    let fields = each(fields, at, d)?;
    // In data, a Python tuple parses as an array; in host code, not every function takes one for an expression.
    if d.is_host_code() || d.is_data(node.object()) {
        return Ok(d.r_call("tuple", &fields));
    }
    Ok(d.docs.tuple(&fields))
}

/// `t[0]`; `R.TupleGetItem(R.tuple(a, b), 0)`, since Python takes the element of a tuple that is written out.
pub(crate) fn tuple_get_item(
    node: &Ref<TupleGetItem>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let TupleGetItem { span: _, struct_info_: _, tuple_value, index } = &**node;
    let written_out = tuple_value.as_node::<Tuple>().filter(|_| !d.is_data(tuple_value.object()));
    let tuple = match written_out {
        Some(tuple) => {
            let at = d.field(path, field!(TupleGetItem, tuple_value));
            let fields = each(&tuple.fields, d.field(at, field!(Tuple, fields)), d)?;
            let tuple = d.r_call("tuple", &fields);
            d.at(tuple, at)
        }
        None => d.expr_field(tuple_value, path, field!(TupleGetItem, tuple_value))?,
    };
    let index = d.docs.int(*index);
    let index = d.at_field(index, path, field!(TupleGetItem, index));
    if written_out.is_some() {
        return Ok(d.r_call("TupleGetItem", &[tuple, index]));
    }
    Ok(d.docs.index(tuple, &[index]))
}

/// `R.shape([n, 3])`
pub(crate) fn shape(node: &Ref<ShapeExpr>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let ShapeExpr { span: _, struct_info_: _, values } = &**node;
    let at = d.field(path, field!(ShapeExpr, values));
    let values = dimensions(values, at, d)?;
    let list = d.docs.list(&values);
    Ok(d.r_call("shape", &[list]))
}

/// `R.const(1.0, "float32")`. Other tensors are in the metadata if that is printed; otherwise they are nested lists, or
/// bytes, since references to omitted metadata cannot be parsed.
pub(crate) fn constant(node: &Ref<Constant>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Constant { span: _, struct_info_, data } = &**node;
    let shows_meta = d.config().show_meta;
    let elided = tvmscript_ir::print::elided(data, "relax", d);
    let mut value = None;
    if elided.is_none() {
        value = super::constant::scalar(data, d);
        if value.is_none() && !shows_meta {
            value = super::constant::nested(data, d);
        }
    }
    let is_plain = value.is_some();
    let mut value = elided.or(value);
    if value.is_none() && !shows_meta {
        value = super::constant::raw(data, d);
    }
    let Some(value) = value else { return Ok(d.metadata(node.object())) };
    let value = d.at_field(value, path, field!(Constant, data));
    if let Some(info) = struct_info_.as_ref().filter(|info| info.is::<DTensorStructInfo>()) {
        let at = d.field(path, field!(Constant, struct_info_));
        let info = d.expr_object(info, at)?;
        return Ok(d.r_call("dist.const", &[value, info]));
    }
    if !is_plain {
        return Ok(value);
    }
    let dtype = d.dtype(data.dtype);
    let dtype = d.at_field(dtype, path, field!(Constant, data));
    Ok(d.r_call("const", &[value, dtype]))
}

/// `R.name(a, key=b)`, as it was written.
pub(crate) fn unknown_call(
    node: &Ref<UnknownCall>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let UnknownCall { span: _, struct_info_: _, name, args, keywords, is_bare: _ } = &**node;
    let at = d.field(path, field!(UnknownCall, args));
    call_as_written("relax", name.as_str(), args, keywords, at, d)
}

/// `R.ExternFunc("name")`, `R.ExternFunc("name", attrs={..})`
pub(crate) fn extern_func(
    node: &Ref<ExternFunc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let ExternFunc { span: _, struct_info_: _, attrs, global_symbol } = &**node;
    let name = d.docs.str(global_symbol.as_str());
    let name = d.at_field(name, path, field!(ExternFunc, global_symbol));
    if attrs.dict.is_empty() {
        return Ok(d.r_call("ExternFunc", &[name]));
    }
    let at = d.field(path, field!(ExternFunc, attrs));
    let dict = d.field(at, "__dict__");
    let attrs = d.keyword_value(|d| data_dict(&attrs.dict, dict, d))?;
    let attrs = d.at(attrs, at);
    let function = d.r("ExternFunc");
    Ok(d.docs.call(function, &[name], &[("attrs", attrs)]))
}

/// A variable by name.
pub(crate) fn var(node: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    any_var(node.object(), path, d)
}

/// A variable by name; `x: R.Tensor((n, 3))` declares a free one.
pub(crate) fn any_var(object: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(name) = d.defined_doc(object)? {
        return Ok(name);
    }
    let Some(node) = object.as_node::<Var>() else { unreachable!("the type's payload is a variable") };
    let annotation = match &node.struct_info_ {
        Some(info) => {
            let at = d.field(path, field!(Var, struct_info_));
            d.expr_object(info, at)?
        }
        None => d.r("Object"),
    };
    let is_dataflow = std::ptr::eq(object.info(), dataflow_var_type());
    let annotation = match is_dataflow && d.fragment_frame().is_some() {
        true => super::binding::of_dataflow(annotation, d),
        false => annotation,
    };
    let declare = |d: &mut Docsifier<'_>| -> DocsifyResult<()> {
        let name = d.define(object, hint(node))?;
        let stmt = d.docs.assign(name, None, Some(annotation))?;
        d.push_stmt(stmt);
        Ok(())
    };
    match d.fragment_frame() {
        Some(head) => d.in_frame(head, declare)?,
        // The function is ill-formed; the declaration shows where.
        None => declare(d)?,
    }
    match d.defined_doc(object)? {
        Some(name) => Ok(name),
        None => unreachable!("the variable was just declared"),
    }
}

pub(crate) fn hint(node: &Var) -> &str {
    node.vid.name_hint.text_or("v")
}
