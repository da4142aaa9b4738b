//! `for` loops.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame};
use tvmscript_ir_core::{Object, PathId, Ref, Value, field};
use tvmscript_prim::ops::is_zero;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range};

use super::alloc::annotations_kwarg;
use super::expr::end;
use super::state::TirDocsifier;
use super::stmt::body;
use super::var;
use crate::extent;
use crate::node::{For, ForKind, IterVar};

/// The function of a plain loop, which has no prefix.
pub(crate) const RANGE: &str = "range";

/// `for i, j in T.grid(16, 16):`, `for i in range(16):`, `for i in T.parallel(16):`
pub(crate) fn for_loop(node: &Ref<For>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let at = d.field(path, field!(For, loop_var));
    d.declare_outside(node.object(), node.loop_var.object(), at)?;
    let grid = if d.config().syntax_sugar && d.tir().syntax.print.short_loops {
        grid_of(node, d)
    } else {
        Vec::new()
    };
    let grid: &[&Ref<For>] = if grid.len() > 1 { &grid } else { &[node] };
    let entered: SmallVec<[usize; 4]> =
        grid.iter().filter(|l| d.tir().enter_loop(l)).map(|l| l.loop_var.object().address()).collect();
    let result = match grid {
        // Between passes, a loop outside of loops over its variable reads as one over the variable of its name.
        [_] => single(node, path, !entered.is_empty() && d.syntax().may_be_ill_formed, d),
        loops => grid_loop(node, loops, path, d),
    };
    entered.into_iter().for_each(|variable| d.tir().leave_loop(variable));
    result
}

/// The directly nested loops from here that print as one `T.grid`: serial, from 0, without a step, with variables of
/// their own and extents that use none of them.
fn grid_of<'n>(first: &'n Ref<For>, d: &mut Docsifier<'_>) -> Vec<&'n Ref<For>> {
    let mut grid = Vec::new();
    let mut next = Some(first);
    while let Some(node) = next {
        let plain = node.kind == ForKind::Serial
            && is_zero(&node.min)
            && node.annotations.is_empty()
            && node.step.is_none();
        if !plain
            || !d.may_define_in(node.object(), node.loop_var.object())
            || uses_variable_of(&node.extent, &grid)
        {
            break;
        }
        grid.push(node);
        next = node.body.downcast_ref::<For>();
    }
    grid
}

fn uses_variable_of(e: &Expr, loops: &[&Ref<For>]) -> bool {
    let is_loop_variable = |node: &Object| loops.iter().any(|l| l.loop_var.object().ptr_eq(node));
    !loops.is_empty() && var::mentions(e, is_loop_variable)
}

fn grid_loop(
    node: &Ref<For>,
    loops: &[&Ref<For>],
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let frame = Frame::new(Some(node.object().clone()), ());
    let callee = d.t("grid");
    let ((names, extents), stmts) = d.with_frame(frame, |d| {
        let mut names: SmallVec<[ExprDoc; 4]> = SmallVec::new();
        let mut extents: SmallVec<[ExprDoc; 4]> = SmallVec::new();
        let mut at = path;
        let mut inner = &node.body;
        for l in loops {
            let name = var::define(&l.loop_var, d)?;
            let var = d.field(at, field!(For, loop_var));
            names.push(d.at(name, var));
            let extent = d.field(at, field!(For, extent));
            extents.push(d.expr(&l.extent, extent)?);
            d.at_field(callee, at, field!(For, kind));
            at = d.field(at, field!(For, body));
            inner = &l.body;
        }
        body(inner, at, d)?;
        Ok((names, extents))
    })?;
    let names = d.docs.tuple(&names);
    let call = d.docs.call_args(callee, &extents);
    Ok(d.docs.for_(names, call, &stmts))
}

/// One loop. `by_name`: the reader finds a variable that already has a name by it.
fn single(node: &Ref<For>, path: PathId, by_name: bool, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let frame = Frame::new(Some(node.object().clone()), ());
    let ((name, call), stmts) = d.with_frame(frame, |d| {
        let known = !by_name && d.is_defined(node.loop_var.object());
        let name = var::define(&node.loop_var, d)?;
        let at = d.field(path, field!(For, loop_var));
        let name = d.at(name, at);
        let call = iterable(node, path, known.then_some(name), d)?;
        let at = d.field(path, field!(For, body));
        body(&node.body, at, d)?;
        Ok((name, call))
    })?;
    Ok(d.docs.for_(name, call, &stmts))
}

/// `unroll=4` for a loop whose only annotation asks for it, in releases that have the argument.
fn unroll_kwarg(node: &For, path: PathId, d: &mut Docsifier<'_>) -> Option<(&'static str, ExprDoc)> {
    let entry = node.annotations.iter().next().filter(|_| node.annotations.len() == 1);
    let has_keyword = d.tir().syntax.print.unroll_keyword;
    let (key, value) = entry.filter(|_| has_keyword(node.kind))?;
    let literal = match value {
        Value::Bool(flag) => Some(i64::from(*flag)),
        Value::Int(value) => Some(*value),
        Value::Node(node) => node.as_node::<IntImm>().map(|literal| literal.value),
        _ => None,
    };
    let is_flag = match value {
        Value::Bool(_) => true,
        Value::Node(node) => node.as_node::<IntImm>().is_some_and(|literal| literal.dtype.is_bool()),
        _ => false,
    };
    let doc = match (key.as_str(), literal?, is_flag) {
        ("disable_unroll", 1, true) => d.docs.bool(false),
        ("pragma_unroll", 1, true) => d.docs.bool(true),
        ("pragma_unroll", factor, false) if factor > 0 => d.docs.int(factor),
        _ => return None,
    };
    let at = d.field(path, field!(For, annotations));
    Some(("unroll", d.at(doc, at)))
}

/// The expression after `in`; a loop over a variable that already has a name gets `var=`.
fn iterable(
    node: &Ref<For>,
    path: PathId,
    known: Option<ExprDoc>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let For { span: _, loop_var: _, min, extent, kind, body: _, thread_binding, annotations, step } = &**node;
    let mut args: SmallVec<[ExprDoc; 3]> = SmallVec::new();
    let mut kwargs: SmallVec<[(&str, ExprDoc); 3]> = SmallVec::new();
    let is_positive = |step: &Expr| step.as_node::<IntImm>().is_some_and(|literal| literal.value > 0);
    let forms = &d.tir().syntax.print;
    let is_range = *kind == ForKind::Serial
        && annotations.is_empty()
        && known.is_none()
        && (step.as_ref().is_none_or(is_positive) || forms.any_steps);
    let from_zero = is_zero(min) && min.dtype() == extent.dtype() && step.is_none();
    let stop = match (from_zero && (forms.plain_extents || forms.loop_ends), forms.loop_ends) {
        (true, _) => Some(extent.clone()),
        (false, true) => extent::stop_as_written(min, extent),
        (false, false) => extent::stop_of(min, extent),
    };
    match stop {
        Some(stop) => {
            if !from_zero || !(is_range || forms.short_loops) {
                args.push(d.part(min, path, field!(For, min))?);
            }
            let at = d.field(path, field!(For, extent));
            args.push(end(&stop, extent, at, d)?);
        }
        // Unlike other loops, `T.grid` does not simplify its extents.
        None if from_zero && is_range => {
            let extent = d.part(extent, path, field!(For, extent))?;
            let callee = d.t("grid");
            let callee = d.at_field(callee, path, field!(For, kind));
            return Ok(d.docs.call_args(callee, &[extent]));
        }
        None => {
            let range = Range::from_min_extent(min.clone(), extent.clone());
            // The ends of the range are fields of the loop.
            args.push(super::types::range(&range, path, d)?);
        }
    }
    if let (ForKind::ThreadBinding, Some(thread)) = (kind, thread_binding) {
        let tag = d.docs.str(thread.thread_tag.as_str());
        let at = d.field(path, field!(For, thread_binding));
        let tag = d.at_field(tag, at, field!(IterVar, thread_tag));
        kwargs.push(("thread", d.at(tag, at)));
    }
    kwargs.extend(match unroll_kwarg(node, path, d) {
        Some(unroll) => Some(unroll),
        None => annotations_kwarg(annotations, path, d)?,
    });
    // TVM omits a step of 1 and thereby loses it.
    if let Some(step) = step {
        let at = d.field(path, field!(For, step));
        if is_range {
            args.push(d.expr(step, at)?);
        } else {
            kwargs.push(("step", d.keyword_value(|d| d.expr(step, at))?));
        }
    }
    kwargs.extend(known.map(|name| ("var", name)));
    let callee = match kind {
        ForKind::Serial if is_range => d.word(RANGE),
        ForKind::Serial => d.t("serial"),
        ForKind::Parallel => d.t("parallel"),
        ForKind::Vectorized => d.t("vectorized"),
        ForKind::Unrolled => d.t("unroll"),
        ForKind::ThreadBinding => d.t("thread_binding"),
    };
    let callee = d.at_field(callee, path, field!(For, kind));
    Ok(d.docs.call(callee, &args, &kwargs))
}
