//! Blocks.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame};
use tvmscript_ir::print::data_dict;
use tvmscript_ir_core::{Array, DataType, Object, PathId, Ref, any_node, field, structural_equal};
use tvmscript_prim::ops::is_zero;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var, ops};

use super::alloc::deep_equal;
use super::buffer;
use super::buffer_decl::{self, Inline};
use super::expr::items;
use super::state::TirDocsifier;
use super::stmt::{block as nested, body};
use super::types::is_true;
use super::var;
use crate::extent;
use crate::node::{Block, BlockRealize, Buffer, IterType, IterVar};

/// `with T.block("name"):`
pub(crate) fn realize(
    node: &Ref<BlockRealize>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let at = d.field(path, field!(BlockRealize, block));
    let stmt = print(&node.block, at, Some((node, path)), d)?;
    d.annotate(node.block.object(), stmt, at);
    Ok(stmt)
}

/// `with T.block("name", no_realize=True):`
pub(crate) fn block(node: &Ref<Block>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    print(node, path, None, d)
}

type Realize<'a> = Option<(&'a Ref<BlockRealize>, PathId)>;

fn print(
    node: &Ref<Block>,
    path: PathId,
    realize: Realize<'_>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let frame = Frame::new(Some(scope(node, realize).clone()), ());
    let ((), stmts) = d.with_frame(frame, |d| inside(node, path, realize, d))?;
    let name = d.docs.str(node.name_hint.as_str());
    let name = d.at_field(name, path, field!(Block, name_hint));
    let callee = d.t("block");
    let context = match realize {
        Some(_) => d.docs.call_args(callee, &[name]),
        None => {
            let yes = d.docs.bool(true);
            d.docs.call(callee, &[name], &[("no_realize", yes)])
        }
    };
    Ok(d.docs.scope(None, context, &stmts))
}

/// The node whose uses of variables are those of the block's scope: the block, and in a program that is not well-formed
/// also the predicate, which prints in it.
fn scope<'a>(node: &'a Ref<Block>, realize: Realize<'a>) -> &'a Object {
    let is_own = |part: &Object| node.iter_vars.iter().any(|iter| iter.var.object().ptr_eq(part));
    match realize {
        Some((realize, _)) if !is_true(&realize.predicate) && any_node(&realize.predicate, is_own) => {
            realize.object()
        }
        _ => node.object(),
    }
}

/// Adds the statement `T.name(args)`, mapped to `path`.
fn call_stmt(name: &str, args: &[ExprDoc], path: PathId, d: &mut Docsifier<'_>) {
    let callee = d.t(name);
    let call = d.docs.call_args(callee, args);
    let call = d.at(call, path);
    let stmt = d.docs.expr_stmt(call);
    d.push_stmt(stmt);
}

fn inside(node: &Ref<Block>, path: PathId, realize: Realize<'_>, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let Block {
        span: _,
        iter_vars: _,
        reads,
        writes,
        name_hint: _,
        alloc_buffers,
        match_buffers,
        annotations,
        init,
        body: inner,
    } = &**node;
    axes(node, path, realize, d)?;
    if let Some((realize, path)) = realize
        && !is_true(&realize.predicate)
    {
        let at = d.field(path, field!(BlockRealize, predicate));
        let predicate = d.expr(&realize.predicate, at)?;
        call_stmt("where", &[predicate], at, d);
    }
    for (name, regions) in [("reads", reads), ("writes", writes)] {
        let at = d.field(path, name);
        let docs = items(regions, at, d)?;
        call_stmt(name, &docs, at, d);
    }
    if !annotations.is_empty() {
        let at = d.field(path, field!(Block, annotations));
        let annotations = data_dict(annotations, at, d)?;
        call_stmt("block_attr", &[annotations], at, d);
    }
    let at = d.field(path, field!(Block, alloc_buffers));
    allocations(alloc_buffers, at, d)?;
    let at = d.field(path, field!(Block, match_buffers));
    for (i, region) in match_buffers.iter().enumerate() {
        let at = d.item(at, i);
        let doc = d.doc(region.object(), at)?;
        d.push_doc(doc);
    }
    if let Some(init) = init {
        let at = d.field(path, field!(Block, init));
        let stmts = nested(init.object(), init, at, d)?;
        let context = d.call_t("init", &[]);
        let stmt = d.docs.scope(None, context, &stmts);
        d.at_stmt(stmt, at);
        d.push_stmt(stmt);
    }
    let at = d.field(path, field!(Block, body));
    body(inner, at, d)
}

/// Adds `B = T.alloc_buffer((16,))` for each buffer.
pub(crate) fn allocations(
    buffers: &Array<Ref<Buffer>>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let word = d.successor("alloc_buffer");
    for (i, allocated) in buffers.iter().enumerate() {
        let at = d.item(path, i);
        let known = d.is_defined(allocated.object());
        let name = buffer::define(allocated, d)?;
        // Between passes a buffer may be used before its allocation, which then repeats the declaration.
        if known && !d.syntax().may_be_ill_formed {
            let name = d.at(name, at);
            let stmt = buffer::known_buffer(word, &[], name, d);
            d.push_stmt(stmt);
            continue;
        }
        let value = buffer_decl::declaration(allocated, word, (&[], &[]), at, Inline::DataPointer, d)?;
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
    }
    Ok(())
}

/// Axes that are loop variables, with their positions and bindings.
type Run<'a> = SmallVec<[(usize, &'a Ref<IterVar>, &'a Expr); 4]>;

/// Prints the axes; runs of two or more axes that are loop variables print as one `T.axis.remap`.
fn axes(node: &Ref<Block>, path: PathId, realize: Realize<'_>, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let at = d.field(path, field!(Block, iter_vars));
    let mut run = Run::new();
    for (i, axis) in node.iter_vars.iter().enumerate() {
        let binding = realize.and_then(|(realize, _)| realize.iter_values.get(i));
        if let Some(binding) = binding.filter(|binding| is_loop(axis, binding, d)) {
            run.push((i, axis, binding));
            continue;
        }
        flush(&mut run, at, realize, d)?;
        single(axis, i, at, realize, d)?;
    }
    flush(&mut run, at, realize, d)
}

/// Returns `true` if the axis is bound to the variable of an enclosing loop and has its domain.
fn is_loop(axis: &IterVar, binding: &Expr, d: &mut Docsifier<'_>) -> bool {
    let may_join = d.config().syntax_sugar && d.may_define(axis.var.object());
    if !may_join || !matches!(axis.iter_type, IterType::DataPar | IterType::CommReduce) {
        return false;
    }
    let Some(variable) = binding.downcast_ref::<Var>() else { return false };
    let (Some(node), Some(dom)) = (d.tir().loop_of(variable.object().address()), &axis.dom) else {
        return false;
    };
    axis.var.dtype == node.loop_var.dtype
        && deep_equal(&node.min, &dom.min)
        && deep_equal(&node.extent, &dom.extent)
}

fn flush(run: &mut Run<'_>, path: PathId, realize: Realize<'_>, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let run = std::mem::take(run);
    match &*run {
        [] => Ok(()),
        [(i, axis, _)] => single(axis, *i, path, realize, d),
        run => remap(run, path, realize, d),
    }
}

/// `vi, vk = T.axis.remap("SR", [i, k])`
fn remap(
    run: &[(usize, &Ref<IterVar>, &Expr)],
    path: PathId,
    realize: Realize<'_>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let Some((_, realize_path)) = realize else { return Ok(()) };
    let values_path = d.field(realize_path, field!(BlockRealize, iter_values));
    let mut names: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    let mut bindings: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    let mut kinds = String::with_capacity(run.len());
    for &(i, axis, binding) in run {
        let name = var::define(&axis.var, d)?;
        let at = d.item(path, i);
        let name = d.at_field(name, at, field!(IterVar, var));
        names.push(d.at(name, at));
        let at = d.item(values_path, i);
        bindings.push(d.expr(binding, at)?);
        kinds.push(if axis.iter_type == IterType::DataPar { 'S' } else { 'R' });
    }
    let mut kinds = d.docs.str(&*kinds);
    for &(i, ..) in run {
        let at = d.item(path, i);
        kinds = d.at_field(kinds, at, field!(IterVar, iter_type));
    }
    let bindings = d.docs.list(&bindings);
    let axis = d.t("axis");
    let callee = d.docs.attr(axis, "remap");
    let value = d.docs.call_args(callee, &[kinds, bindings]);
    let names = d.docs.tuple(&names);
    let stmt = d.docs.bind(names, value);
    d.push_stmt(stmt);
    Ok(())
}

/// `vi = T.axis.spatial(16, i)`, or `T.axis.iter_var(T.iter_var(..), i)` for an axis without a short form
fn single(
    axis: &Ref<IterVar>,
    index: usize,
    path: PathId,
    realize: Realize<'_>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let at = d.item(path, index);
    let dom_path = d.field(at, field!(IterVar, dom));
    let short = match (&axis.dom, short_form(axis)) {
        (Some(dom), Some(short)) if d.may_define(axis.var.object()) => Some((dom, short)),
        _ => None,
    };
    let mut args: SmallVec<[ExprDoc; 2]> = SmallVec::new();
    args.push(match short {
        Some((dom, _)) => domain(dom, dom_path, d)?,
        None => d.expr(axis, at)?,
    });
    if let Some((realize, path)) = realize
        && let Some(binding) = realize.iter_values.get(index)
    {
        let at = d.field(path, field!(BlockRealize, iter_values));
        let at = d.item(at, index);
        args.push(d.expr(binding, at)?);
    }
    let callee = d.t("axis");
    let stmt = match short {
        Some((_, Short { kind, dtype })) => {
            let callee = d.docs.attr(callee, kind);
            let callee = d.at_field(callee, at, field!(IterVar, iter_type));
            let var = d.field(at, field!(IterVar, var));
            let dtype = dtype.map(|dtype| {
                let doc = d.dtype(dtype);
                ("dtype", d.at_field(doc, var, field!(Var, dtype)))
            });
            let value = d.docs.call(callee, &args, dtype.as_slice());
            let value = d.at(value, at);
            let name = var::define(&axis.var, d)?;
            let name = d.at(name, var);
            d.docs.bind(name, value)
        }
        None => {
            let callee = d.docs.attr(callee, "iter_var");
            let call = d.docs.call_args(callee, &args);
            let call = d.at(call, at);
            d.docs.expr_stmt(call)
        }
    };
    d.push_stmt(stmt);
    Ok(())
}

/// The short form of an axis: the function, and the type of the variable unless the parser infers it.
struct Short {
    kind: &'static str,
    dtype: Option<DataType>,
}

/// The short form that parses back to the axis, if there is one.
fn short_form(axis: &IterVar) -> Option<Short> {
    let kind = match axis.iter_type {
        IterType::DataPar => "spatial",
        IterType::CommReduce => "reduce",
        IterType::Ordered => "scan",
        IterType::Opaque => "opaque",
        _ => return None,
    };
    let dom = axis.dom.as_ref()?;
    // The parser creates a variable as wide as the domain and the declared type, `int32` by default.
    let found = axis.var.dtype;
    let reads_as = |told: DataType| {
        let bits = dom.min.dtype().bits.max(dom.extent.dtype().bits).max(told.bits);
        DataType { bits, ..told }
    };
    let told = [DataType::INT32, found].into_iter().find(|told| reads_as(*told) == found)?;
    let dtype = (told != DataType::INT32).then_some(told);
    axis.thread_tag.is_empty().then_some(Short { kind, dtype })
}

/// `16`, `(8, 16)`, or `T.Range(0, 16)` if the short forms would not parse back to the range
fn domain(dom: &Ref<Range>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Range { min, extent, span: _ } = &**dom;
    if is_zero(min) && min.dtype() == extent.dtype() {
        let doc = d.part(extent, path, field!(Range, extent))?;
        return Ok(d.at(doc, path));
    }
    let end = extent::sum(min, extent);
    // The parser simplifies the difference of the ends only if that makes it a constant.
    let reads_back = || {
        let length = extent::length(min, end.clone()).ok().filter(|length| length.is::<IntImm>());
        let length = length.or_else(|| ops::sub(end.clone(), min.clone()).ok());
        length.is_some_and(|length| structural_equal(length.object(), extent.object()))
    };
    if is_zero(min) || min.dtype() != extent.dtype() || !reads_back() {
        let callee = d.t("Range");
        let call = tvmscript_ir::print::range_call(dom, callee, path, d)?;
        return Ok(d.at(call, path));
    }
    let min = d.part(min, path, field!(Range, min))?;
    let at = d.field(path, field!(Range, extent));
    let end = super::expr::end(&end, extent, at, d)?;
    let tuple = d.docs.tuple(&[min, end]);
    Ok(d.at(tuple, path))
}
