//! Functions.

use hashbrown::{HashMap, HashSet};
use tvmscript_docsifier::doc::{ExprDoc, FunctionParts, StmtDoc, StmtList, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, script};
use tvmscript_ir::print::{data_dict, function_name, function_name_doc};
use tvmscript_ir::{GLOBAL_SYMBOL, global_symbol};
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Object, PathId, Ref, Str, Value, any_node, field};
use tvmscript_prim::{TupleType, Var};

use super::block::allocations;
use super::buffer;
use super::buffer_decl::{self, Inline};
use super::state::TirDocsifier;
use super::stmt::body;
use super::types::is_true;
use super::var;
use crate::node::{Block, BlockRealize, Buffer, DEFAULT_ALIGNMENT, PrimFunc};

/// `@T.prim_func`, `def name(params):`
pub(crate) fn prim_func(
    node: &Ref<PrimFunc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtList> {
    let function = d.tir().syntax.print.function;
    let function = d.with_region(node.object(), |d| d.with_token("tir", |d| function(node, path, d)))?;
    script(d, function)
}

pub(super) fn function(node: &Ref<PrimFunc>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    function_with(node, path, FunctionHead { data: (), flags: &[], completes_blocks: true }, d)
}

/// The head of a function in a release whose decorator shows attributes.
#[derive(Debug, Clone, Copy)]
pub struct FunctionHead<'f, F> {
    /// Data of the function's frame.
    pub data: F,
    /// Arguments of the decorator that are `True`, with the attributes that they stand for.
    pub flags: &'f [(&'static str, &'static str)],
    /// The reader adds the root block.
    pub completes_blocks: bool,
}

/// Prints a function whose buffers are matched to handles.
///
/// # Errors
/// Those of its parts.
pub fn function_with<F: 'static>(
    node: &Ref<PrimFunc>,
    path: PathId,
    head: FunctionHead<'_, F>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let FunctionHead { data, flags, completes_blocks } = head;
    let PrimFunc { span: _, struct_info_: _, attrs: _, params: _, ret_type, buffer_map: _, body: inner } =
        &**node;
    let name = function_name(&node.attrs, d);
    let in_head: Vec<&str> = flags.iter().map(|(_, key)| *key).collect();
    let frame = Frame::new(Some(node.object().clone()), data);
    let ((args, ret_type), stmts) = d.with_frame(frame, |d| {
        let (args, inlined) = params(node, path, d)?;
        attributes(node, (&name, &in_head), path, d)?;
        matched_buffers(node, &inlined, path, d)?;
        match implicit_root(node).filter(|_| d.config().syntax_sugar && completes_blocks) {
            Some(root) => root_body(root, path, d)?,
            None => {
                let at = d.field(path, field!(PrimFunc, body));
                body(inner, at, d)?;
            }
        }
        let is_void = ret_type.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty());
        let ret_type =
            if is_void { None } else { Some(d.part(ret_type, path, field!(PrimFunc, ret_type))?) };
        Ok((args, ret_type))
    })?;
    let mut decorator = d.t("prim_func");
    let is_private = !node.attrs.dict.iter().any(|(key, _)| key.as_str() == GLOBAL_SYMBOL);
    let yes = d.docs.bool(true);
    let arguments = is_private.then_some("private").into_iter().chain(flags.iter().map(|(name, _)| *name));
    let arguments: Vec<(&str, ExprDoc)> = arguments.map(|name| (name, yes)).collect();
    if !arguments.is_empty() {
        decorator = d.docs.call(decorator, &[], &arguments);
    }
    let name = function_name_doc(&name, path, d);
    let parts =
        FunctionParts { name, args: &args, decorators: &[decorator], return_type: ret_type, body: &stmts };
    Ok(d.docs.function(parts)?)
}

/// The parameters, and the addresses of the buffers that are declared by them. A buffer replaces its handle if the
/// handle has no other use and the annotation describes the buffer completely.
fn params(
    node: &Ref<PrimFunc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<(Vec<StmtDoc>, HashSet<usize>)> {
    let mut args = Vec::with_capacity(node.params.len());
    let mut inlined = HashSet::new();
    let at = d.field(path, field!(PrimFunc, params));
    let map_path = d.field(path, field!(PrimFunc, buffer_map));
    let used = if d.config().syntax_sugar { uses_of_handles(node) } else { HashSet::new() };
    let data_uses = data_uses(node);
    for (i, param) in node.params.iter().enumerate() {
        let at = d.item(at, i);
        let buffer = node.buffer_map.get(&Value::Node(param.object().clone()));
        let annotated = match buffer {
            Some(buffer)
                if d.config().syntax_sugar
                    && !used.contains(&param.object().address())
                    && is_simple(buffer)
                    && matches!((d.tir().syntax.print.layout)(buffer, map_path, d), Ok(None))
                    && data_uses.get(&buffer.data.object().address()) == Some(&1) =>
            {
                inlined.insert(buffer.object().address());
                let map_at = d.entry(map_path, &Value::Node(param.object().clone()));
                let name = buffer::define(buffer, d)?;
                // The handle has no other text.
                let name = d.at(name, at);
                (name, buffer_decl::annotation(buffer, map_at, d)?)
            }
            _ => {
                let annotation = match var::is_size_var(param) {
                    true => var::creation(param, at, d)?,
                    false => {
                        let at = d.field(at, field!(Var, type_annotation));
                        d.expr(&param.type_annotation, at)?
                    }
                };
                let name = var::define(param, d)?;
                (d.at(name, at), d.at_field(annotation, at, field!(Buffer, dtype)))
            }
        };
        let stmt = d.docs.assign(annotated.0, None, Some(annotated.1))?;
        d.docs.set_role(stmt, StmtRole::DeclareParam);
        args.push(stmt);
    }
    Ok((args, inlined))
}

/// The handles with uses other than one parameter and one key of the buffer map.
fn uses_of_handles(node: &PrimFunc) -> HashSet<usize> {
    let mut declared = HashSet::new();
    let mut used = HashSet::new();
    let mut sure = true;
    for param in node.params.iter().filter(|p| p.dtype.is_handle()) {
        if !declared.insert(param.object().address()) {
            used.insert(param.object().address());
        }
        // The parameter list and the buffer map each hold one reference; without a third one there is no other use.
        sure &= param.object().handle_count() <= 2;
    }
    if declared.is_empty() || sure {
        return used;
    }
    let mut see = |root: &Object| {
        let _ = Visitor::new().pre_order(root, |object| {
            if object.is::<Var>() && declared.contains(&object.address()) {
                used.insert(object.address());
            }
            Walk::Advance
        });
    };
    see(node.body.object());
    for (_, buffer) in node.buffer_map.iter() {
        see(buffer.object());
    }
    used
}

/// The number of mapped buffers that use each data pointer.
fn data_uses(node: &PrimFunc) -> HashMap<usize, usize> {
    let mut uses = HashMap::new();
    for (_, buffer) in node.buffer_map.iter() {
        *uses.entry(buffer.data.object().address()).or_insert(0) += 1;
    }
    uses
}

/// Returns `true` if shape and type describe the buffer completely.
fn is_simple(buffer: &Buffer) -> bool {
    buffer.is_compact()
        && buffer.data_alignment == DEFAULT_ALIGNMENT
        && buffer.scope() == "global"
        && buffer_decl::has_default_offset(buffer)
        && buffer_decl::has_default_pointer(buffer)
        && !buffer.shape.iter().any(|extent| var::mentions(extent, |node| node.is::<Var>()))
}

/// `T.func_attr({...})`, without the attributes that the head shows; the global symbol is omitted if it equals the
/// printed name.
///
/// # Errors
/// If an attribute cannot be written.
pub fn attributes(
    node: &PrimFunc,
    (name, in_head): (&str, &[&str]),
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let attrs = &node.attrs.dict;
    let is_named = global_symbol(&node.attrs).is_some_and(|symbol| symbol == name);
    let is_shown = |key: &str| !(is_named && key == GLOBAL_SYMBOL || in_head.contains(&key));
    let shown = match attrs.iter().all(|(key, _)| is_shown(key)) {
        true => attrs.clone(),
        false => {
            let rest = attrs.iter().filter(|(key, _)| is_shown(key));
            tvmscript_ir_core::Map::<Str, Value>::new(rest.map(|(k, v)| (k.clone(), v.clone())))
        }
    };
    if shown.is_empty() {
        return Ok(());
    }
    let at = d.field(path, field!(PrimFunc, attrs));
    let dict = d.field(at, "__dict__");
    let attrs = data_dict(&shown, dict, d)?;
    let call = d.call_t("func_attr", &[attrs]);
    let call = d.at(call, at);
    let stmt = d.docs.expr_stmt(call);
    d.push_stmt(stmt);
    Ok(())
}

/// `A = T.match_buffer(a, (m, n))` for buffers that are not declared by a parameter.
fn matched_buffers(
    node: &PrimFunc,
    inlined: &HashSet<usize>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let map_path = d.field(path, field!(PrimFunc, buffer_map));
    for param in node.params.iter() {
        let key = Value::Node(param.object().clone());
        let Some(buffer) = node.buffer_map.get(&key) else { continue };
        if inlined.contains(&buffer.object().address()) {
            continue;
        }
        let param: ExprDoc = var::define(param, d)?;
        let at = d.entry(map_path, &key);
        let known = d.is_defined(buffer.object());
        let name = buffer::define(buffer, d)?;
        if known {
            let name = d.at(name, at);
            let stmt = buffer::known_buffer("match_buffer", &[param], name, d);
            d.push_stmt(stmt);
            continue;
        }
        let value =
            buffer_decl::declaration(buffer, "match_buffer", (&[param], &[]), at, Inline::DataAndParts, d)?;
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
    }
    Ok(())
}

/// The root block, if the parser would recreate it.
pub fn implicit_root(node: &PrimFunc) -> Option<&Ref<Block>> {
    let realize = node.body.as_node::<BlockRealize>()?;
    let root = &realize.block;
    let bare = realize.iter_values.is_empty()
        && root.iter_vars.is_empty()
        && is_true(&realize.predicate)
        && root.annotations.is_empty()
        && root.match_buffers.is_empty()
        && root.reads.is_empty()
        && root.writes.is_empty()
        && root.init.is_none();
    let made_again = || match root.body.as_node::<BlockRealize>() {
        Some(inner) => !inner.block.iter_vars.is_empty(),
        None => any_node(&root.body, |node| node.is::<BlockRealize>()),
    };
    (bare && (!root.alloc_buffers.is_empty() || made_again())).then_some(root)
}

/// Prints the contents of the root block as the function's body.
///
/// # Errors
/// Those of the statements.
pub fn root_body(root: &Ref<Block>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let word = d.successor("block");
    let comment = d.docs.comment(&format!("with T.{word}(\"root\"):"));
    d.push_stmt(comment);
    let at = d.field(path, field!(Block, body));
    let at = d.field(at, field!(BlockRealize, block));
    let buffers = d.field(at, field!(Block, alloc_buffers));
    allocations(&root.alloc_buffers, buffers, d)?;
    let at = d.field(at, field!(Block, body));
    body(&root.body, at, d)
}
