//! Functions. Symbolic dimensions are type parameters of a function, or names that the functions of a module share.

use tvmscript_docsifier::doc::{ExprDoc, FunctionParts, StmtDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, expr_text};
use tvmscript_ir::print::{ModuleFrame, function_name, function_name_doc};
use tvmscript_ir::{GLOBAL_SYMBOL, global_symbol};
use tvmscript_ir_core::{DataType, Object, PathId, Ref, Value, Visitor, Walk};
use tvmscript_prim::{TupleType, Var};
use tvmscript_tir::PrimFunc;
use tvmscript_tir::print::body;
use tvmscript_tir::print::parts::{TirDocsifier as _, attributes, define_buffer, define_variable};

use super::print::{prim_type, tensor};

/// `@T.function`, `def name[n](A: T.Tensor((n,), T.float32)):`
pub(super) fn function(node: &Ref<PrimFunc>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let PrimFunc { span: _, struct_info_: _, attrs, params: _, ret_type, buffer_map: _, body: inner } =
        &**node;
    let name = function_name(attrs, d);
    if d.frame_data::<ModuleFrame>().is_some() {
        shared_dimensions(d)?;
    }
    let frame = Frame::new(Some(node.object().clone()), ()).with_unique_names();
    let ((args, type_params, ret_type), stmts) = d.with_frame(frame, |d| {
        let (args, type_params) = params(node, path, d)?;
        let is_renamed = global_symbol(attrs).is_some_and(|symbol| symbol != name);
        if is_renamed {
            // The name comes first, in a line of its own.
            let others: Vec<&str> =
                attrs.dict.iter().map(|(key, _)| key.as_str()).filter(|key| *key != GLOBAL_SYMBOL).collect();
            attributes(node, (&name, &others), path, d)?;
        }
        attributes(node, (&name, &[GLOBAL_SYMBOL]), path, d)?;
        let at = d.field(path, "body");
        body(inner, at, d)?;
        let is_void = ret_type.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty());
        let ret_type = if is_void { None } else { Some(d.part(ret_type, path, "ret_type")?) };
        Ok((args, type_params, ret_type))
    })?;
    if !args.is_empty() || ret_type.is_some() {
        d.add_first_line("from __future__ import annotations");
    }
    let mut decorator = d.t("function");
    if global_symbol(attrs).is_none() {
        let yes = d.docs.bool(true);
        decorator = d.docs.call(decorator, &[], &[("private", yes)]);
    }
    let name = match &type_params[..] {
        [] => function_name_doc(&name, path, d),
        names => {
            let text = format!("{name}[{}]", names.join(", "));
            function_name_doc(&text, path, d)
        }
    };
    let parts =
        FunctionParts { name, args: &args, decorators: &[decorator], return_type: ret_type, body: &stmts };
    Ok(d.docs.function(parts)?)
}

/// The parameters, and the names of the type parameters that their shapes define.
fn params(
    node: &Ref<PrimFunc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<(Vec<StmtDoc>, Vec<String>)> {
    let mut type_params = Vec::new();
    let mut args = Vec::with_capacity(node.params.len());
    let map_path = d.field(path, "buffer_map");
    let params_path = d.field(path, "params");
    for param in node.params.iter() {
        let Some(buffer) = node.buffer_map.get(&Value::from(param.clone())) else { continue };
        for extent in buffer.shape.iter() {
            dimensions(node, extent.object(), &mut type_params, d)?;
        }
    }
    for (i, param) in node.params.iter().enumerate() {
        let at = d.item(params_path, i);
        let key = Value::from(param.clone());
        let (name, annotation): (ExprDoc, ExprDoc) = match node.buffer_map.get(&key) {
            Some(buffer) => {
                let map_at = d.entry(map_path, &key);
                let annotation = tensor(buffer, map_at, d)?;
                crate::tvm_0_27::print::define_data(buffer, map_at, d)?;
                let name = define_buffer(buffer, d)?;
                (d.at(name, at), annotation)
            }
            None => {
                let type_at = d.field(at, "type_annotation");
                let annotation = d.expr(&param.type_annotation, type_at)?;
                let name = define_variable(param, d)?;
                (d.at(name, at), d.at_field(annotation, at, "dtype"))
            }
        };
        let stmt = d.docs.assign(name, None, Some(annotation))?;
        d.docs.set_role(stmt, StmtRole::DeclareParam);
        args.push(stmt);
    }
    Ok((args, type_params))
}

/// The variables of a dimension.
fn variables(extent: &Object) -> Vec<Ref<Var>> {
    let mut variables: Vec<Ref<Var>> = Vec::new();
    let _ = Visitor::new().pre_order(extent, |object| {
        if let Some(variable) = object.downcast_ref::<Var>() {
            variables.push(variable.clone());
        }
        Walk::Advance
    });
    variables
}

/// Defines the variables of a dimension that are not parameters.
fn dimensions(
    node: &PrimFunc,
    extent: &Object,
    type_params: &mut Vec<String>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    for variable in variables(extent) {
        let is_param = node.params.iter().any(|param| param.ptr_eq(&variable));
        if is_param || d.is_defined(variable.object()) {
            continue;
        }
        let name = define_variable(&variable, d)?;
        let mut text = expr_text(d, name)?.to_string();
        if variable.dtype != DataType::INT32 {
            let bound = prim_type(variable.dtype, d);
            text = format!("{text}: {}", expr_text(d, bound)?);
        }
        type_params.push(text);
    }
    Ok(())
}

/// Declares the dimensions of a module's functions before the first of them: their names hold in all.
fn shared_dimensions(d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let root = d.root().clone();
    let mut shared: Vec<Ref<Var>> = Vec::new();
    let _ = Visitor::new().pre_order(&root, |object| {
        let Some(function) = object.as_node::<PrimFunc>() else { return Walk::Advance };
        for (_, buffer) in function.buffer_map.iter() {
            let found = buffer.shape.iter().flat_map(|extent| variables(extent.object()));
            shared.extend(found.filter(|found| !function.params.iter().any(|param| param.ptr_eq(found))));
        }
        Walk::Skip
    });
    let frame = d.frame_count().saturating_sub(1);
    for variable in shared {
        if !d.is_defined(variable.object()) {
            share(&variable, frame, d)?;
        }
    }
    Ok(())
}

/// `n = T.dynamic("n", dtype="int32")` before the script, with the name taken in the frame of this number.
fn share(variable: &Ref<Var>, frame: usize, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let name = d.in_frame(frame, |d| define_variable(variable, d))?;
    let text = expr_text(d, name)?;
    let dtype = variable.dtype;
    d.add_preamble(&text, None, |d| {
        let own = d.docs.str(variable.name.text_or(&text));
        let dtype = d.dtype(dtype);
        let value = d.call_t_with("dynamic", &[own], &[("dtype", dtype)]);
        let target = d.docs.id(text.as_str());
        d.docs.bind(target, value)
    });
    // The lines stand in the order in which the functions use the names.
    d.close_preamble_group();
    Ok(())
}
