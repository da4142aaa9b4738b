//! Functions.

use hashbrown::HashSet;
use tvmscript_docsifier::doc::{FunctionParts, StmtDoc, StmtList, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, script};
use tvmscript_ir::DictAttrs;
use tvmscript_ir::print::{ModuleFrame, data_dict, function_name, function_name_doc};
use tvmscript_ir::{GLOBAL_SYMBOL, global_symbol};
use tvmscript_ir_core::{Map, Object, PathId, Ref, Str, Value, field, structural_equal};

use super::binding::{Ending, annotation, define, is_void, sequence};
use super::state::{RelaxDocsifier, RelaxFrame};
use super::stated;
use crate::node::{FuncStructInfo, Function};

/// `@R.function`, `def name(params) -> result:`
pub(crate) fn function(node: &Ref<Function>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtList> {
    let function = d.with_token("relax", |d| definition(node, path, d))?;
    script(d, function)
}

fn definition(node: &Ref<Function>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Function { span: _, struct_info_, attrs, params, body, ret_struct_info, is_pure } = &**node;
    let name = function_name(&node.attrs, d);
    // The enclosing frames: that of the fragment, and that of the module.
    let around = if d.frame_data::<ModuleFrame>().is_some() { 2 } else { 1 };
    let is_top_level = d.frame_count() <= around;
    let bound = d.frame_data_mut::<RelaxFrame>().and_then(|frame| frame.bound_type.take());
    let (stated, own_vars) = match &bound {
        Some(bound) => (stated::of_bound(bound, node), stated::own_variables(bound, node)),
        None => (stated::of_member(node, d), HashSet::new()),
    };
    // The parser assumes the empty tuple for a recursive function without a return annotation.
    let omits_result =
        bound.is_some_and(|bound| gives_nothing(&bound)) && !is_void(Some(ret_struct_info.object()));
    let data = RelaxFrame {
        is_function: true,
        signature_vars: Some(HashSet::new()),
        own_vars,
        ..RelaxFrame::default()
    };
    let ((args, result), stmts) =
        d.with_frame(Frame::new(Some(node.object().clone()), data).isolated(), |d| {
            // The result is first: its variables are declared before those of the parameters.
            let inferred = struct_info_.as_ref().and_then(|info| info.as_node::<FuncStructInfo>());
            let result = match (stated, inferred) {
                (Some(stated), _) => {
                    let at = d.field(path, field!(Function, ret_struct_info));
                    d.expr(&stated, at)?
                }
                (None, Some(info)) => {
                    // If both are equal, the text maps to the field that structural equality compares.
                    let is_declared = d.tracks_paths_at(path)
                        && structural_equal(info.ret.object(), ret_struct_info.object());
                    let at = match is_declared {
                        true => d.field(path, field!(Function, ret_struct_info)),
                        false => {
                            let at = d.field(path, field!(Function, struct_info_));
                            d.field(at, field!(FuncStructInfo, ret))
                        }
                    };
                    d.expr(&info.ret, at)?
                }
                (None, None) => {
                    let at = d.field(path, field!(Function, ret_struct_info));
                    d.expr(ret_struct_info, at)?
                }
            };
            let at = d.field(path, field!(Function, params));
            let mut args = Vec::with_capacity(params.len());
            for (i, param) in params.iter().enumerate() {
                let at = d.item(at, i);
                let name = define(param, d)?;
                let name = d.at(name, at);
                let annotation = annotation(param, at, None, d)?;
                let stmt = d.docs.assign(name, None, annotation)?;
                d.docs.set_role(stmt, StmtRole::DeclareParam);
                args.push(stmt);
            }
            if let Some(frame) = d.frame_data_mut::<RelaxFrame>() {
                frame.signature_vars = None;
            }
            attributes(attrs, global_symbol(&node.attrs), &name, is_top_level, path, d)?;
            let at = d.field(path, field!(Function, body));
            let stmts = sequence(body, at, Ending::Return, d)?;
            d.frame_mut().stmts.extend(stmts);
            Ok((args, result))
        })?;
    let mut decorator = d.r("function");
    let mut kwargs = Vec::new();
    if !is_pure {
        let no = d.docs.bool(false);
        kwargs.push(("pure", d.at_field(no, path, field!(Function, is_pure))));
    }
    if is_top_level && node.attrs.dict.get_str(GLOBAL_SYMBOL).is_none() {
        kwargs.push(("private", d.docs.bool(true)));
    }
    if !kwargs.is_empty() {
        decorator = d.docs.call(decorator, &[], &kwargs);
    }
    let name = function_name_doc(&name, path, d);
    let parts = FunctionParts {
        name,
        args: &args,
        decorators: &[decorator],
        return_type: (!omits_result).then_some(result),
        body: &stmts,
    };
    Ok(d.docs.function(parts)?)
}

/// Returns `true` for the type of a function that returns the empty tuple.
fn gives_nothing(info: &Object) -> bool {
    info.as_node::<FuncStructInfo>().is_some_and(|info| is_void(Some(info.ret.object())))
}

/// `R.func_attr({...})`; omits the symbol of a top-level function if it is the printed name.
fn attributes(
    attrs: &Ref<DictAttrs>,
    symbol: Option<&str>,
    name: &str,
    is_top_level: bool,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let shown = match is_top_level && symbol == Some(name) {
        true => {
            let rest = attrs.dict.iter().filter(|(key, _)| key.as_str() != GLOBAL_SYMBOL);
            Map::<Str, Value>::new(rest.map(|(key, value)| (key.clone(), value.clone())))
        }
        false => attrs.dict.clone(),
    };
    if shown.is_empty() {
        return Ok(());
    }
    let at = d.field(path, field!(Function, attrs));
    let dict = d.field(at, "__dict__");
    let attrs = data_dict(&shown, dict, d)?;
    let call = d.r_call("func_attr", &[attrs]);
    let call = d.at(call, at);
    let stmt = d.docs.expr_stmt(call);
    d.push_stmt(stmt);
    Ok(())
}
