//! Rewriting of statements in program order.
//!
//! A [`Rewriter`] overrides the statements that it changes and calls [`children`] for the rest. Unlike
//! [`mutate`](tvmscript_ir_core::mutate()) it visits a statement each time it occurs, so that the result may depend on the
//! context. Nodes that are made while a statement is rewritten have the span of the statement; a changed copy keeps the
//! span of its original. Nothing recurses on the native stack without the guard.
//!
//! An error without a place is about the innermost statement.
//!
//! ```
//! use tvmscript_ir::IRModule;
//! use tvmscript_pass::{PassError, pass};
//! use tvmscript_passes::tir::rewrite::{self, Rewriter, Visits};
//! use tvmscript_tir::node::{PrimFunc, StmtKind, StmtRef, StmtView as _};
//!
//! /// Refuses `while` loops.
//! #[derive(Default)]
//! struct Bounded {
//!     visits: Visits,
//! }
//!
//! impl Rewriter for Bounded {
//!     fn visits(&mut self) -> &mut Visits {
//!         &mut self.visits
//!     }
//!
//!     fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef, PassError> {
//!         match stmt.kind() {
//!             StmtKind::While(_) => Err(PassError::unsupported("a loop without bounds")),
//!             _ => rewrite::children(self, stmt),
//!         }
//!     }
//! }
//!
//! pass! {
//!     /// Fails for `while` loops.
//!     pub NoWhile = "doc.NoWhile" for PrimFunc in IRModule |function, context| {
//!         rewrite::body(function, context, &mut Bounded::default())
//!     }
//! }
//! ```
//!
//! Upstream counterpart: `StmtMutator`, `src/tir/ir/stmt_functor.cc`.

use tvmscript_ir_core::{
    Array, Class, FieldRef, Node, Object, ObjectLike, PtrMap, Ref, Span, SubclassOf, Value, Visitor, Walk,
    substitute, with_stack,
};
use tvmscript_prim::{Expr, IntImm, PrimExpr, Range, Var, ops};
use tvmscript_si_builder::SIBuilder;
use tvmscript_tir::node::*;

use tvmscript_pass::{PassContext, PassError};

use crate::Result;

/// A rewrite of statements and of the expressions in them.
pub trait Rewriter: Sized {
    /// The state of the walk, a field of the rewriter. [`body`] renews it.
    fn visits(&mut self) -> &mut Visits;

    /// Rewrites a statement; by default only its parts.
    ///
    /// # Errors
    /// An error ends the rewrite.
    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        children(self, stmt)
    }

    /// Rewrites an expression of a statement; by default keeps it.
    ///
    /// # Errors
    /// An error ends the rewrite.
    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        Ok(expr.clone())
    }
}

/// Maximum number of statements that a rewrite of one function visits. Shared statements count each time they occur.
const MAX_VISITS: u32 = 1 << 20;

/// The state of a rewrite: the number of statements that it may still visit, and if it fills spans. The number starts at
/// 1,048,576, which bounds the time for statements that share parts.
#[derive(Debug, Clone, Copy)]
pub struct Visits {
    left: u32,
    fills_spans: bool,
}

impl Default for Visits {
    fn default() -> Self {
        Visits::new(true)
    }
}

impl Visits {
    /// The state at the start.
    pub fn new(fills_spans: bool) -> Visits {
        Visits { left: MAX_VISITS, fills_spans }
    }

    /// The state at the start of a further walk.
    pub(super) fn renewed(self) -> Visits {
        Visits::new(self.fills_spans)
    }

    /// Gives the nodes that are made from now on a span, if it is known and spans are to be filled.
    pub fn scope(self, span: Span) -> SpanScope {
        let span = if self.fills_spans && span.is_known() { span } else { Span::current() };
        SpanScope(Span::set_current(span))
    }

    /// A statement that stands for the one around it, too: its spans, followed by those of the other.
    pub fn absorb(self, stmt: StmtRef, outer: Span) -> StmtRef {
        let span = stmt.span();
        if !self.fills_spans || span == outer || span.part_count() >= MAX_SPANS {
            return stmt;
        }
        stmt.with_span(SIBuilder::from_spans([span, outer]).create_span())
    }
}

/// Restores [`Span::current`] when dropped.
#[derive(Debug)]
#[must_use = "the span is that of new nodes until this is dropped"]
pub struct SpanScope(Span);

impl Drop for SpanScope {
    fn drop(&mut self) {
        Span::set_current(self.0);
    }
}

/// Rewrites the body of a function.
///
/// # Errors
/// Fails with the error of the rewriter.
pub fn body<R>(
    mut function: Ref<PrimFunc>,
    context: &PassContext<'_, R>,
    rewriter: &mut impl Rewriter,
) -> Result<Ref<PrimFunc>> {
    let visits = Visits::new(context.fills_spans()?);
    *rewriter.visits() = visits;
    let _span = visits.scope(function.span());
    let new = visit(rewriter, &function.body)?;
    if !new.ptr_eq(&function.body) {
        function.make_mut().body = new;
    }
    Ok(function)
}

/// Rewrites a statement.
///
/// # Errors
/// Fails with the error of the rewriter.
pub fn visit(rewriter: &mut impl Rewriter, stmt: &StmtRef) -> Result<StmtRef> {
    let visits = rewriter.visits();
    let Some(left) = visits.left.checked_sub(1) else {
        return Err(PassError::unsupported(format!("the function has more than {MAX_VISITS} statements")));
    };
    visits.left = left;
    let visits = *visits;
    with_stack(|| {
        let _span = visits.scope(stmt.span());
        rewriter.stmt(stmt).map_err(|error| error.at(stmt))
    })
}

/// Maximum number of spans of a statement that stands for others.
const MAX_SPANS: usize = 16;

/// Identity of fields.
pub trait Same {
    /// Returns `true` if both are the same nodes.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T: ?Sized> Same for Ref<T> {
    fn is_same(&self, other: &Self) -> bool {
        self.ptr_eq(other)
    }
}

impl<T> Same for Array<T> {
    fn is_same(&self, other: &Self) -> bool {
        self.ptr_eq(other)
    }
}

impl<T: Same> Same for Option<T> {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.is_same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

/// Rewrites the items of an array; returns the same array if none changes.
///
/// # Errors
/// Fails with the error of `f`.
pub fn array<T: Class>(
    items: &Array<Ref<T>>,
    mut f: impl FnMut(&Ref<T>) -> Result<Ref<T>>,
) -> Result<Array<Ref<T>>> {
    let mut changed: Option<Vec<Ref<T>>> = None;
    for (at, old) in items.iter().enumerate() {
        let new = f(old)?;
        match &mut changed {
            Some(changed) => changed.push(new),
            None if new.ptr_eq(old) => {}
            None => changed = Some(items.iter().take(at).cloned().chain([new]).collect()),
        }
    }
    Ok(changed.map_or_else(|| items.clone(), Array::new))
}

/// An expression with variables replaced, by [`substitute`]; single variables and literals need no walk.
///
/// # Errors
/// Fails with the error of the substitution.
pub(super) fn replaced(expr: &Expr, values: &PtrMap<Object>) -> Result<Expr> {
    if values.is_empty() || expr.is::<IntImm>() {
        return Ok(expr.clone());
    }
    if expr.is::<Var>() {
        let value = values.get(expr.object()).and_then(|value| value.downcast_ref::<PrimExpr>());
        return Ok(value.unwrap_or(expr).clone());
    }
    Ok(substitute(expr.clone(), values)?)
}

/// As [`any_node`](tvmscript_ir_core::any_node), without the parts of buffers.
pub(super) fn any_part(root: &impl ObjectLike, mut f: impl FnMut(&Object) -> bool) -> bool {
    let step = |node: &Object| match f(node) {
        true => Walk::Stop,
        false if node.is::<Buffer>() => Walk::Skip,
        false => Walk::Advance,
    };
    Visitor::to_search().pre_order(root.as_object(), step).is_break()
}

/// A copy of a node with changes, and with its span.
pub fn changed<N: Node>(node: &Ref<N>, change: impl FnOnce(&mut N)) -> Ref<N> {
    let mut new = node.clone();
    change(new.make_mut());
    new
}

/// A copy of a statement with changes, and with its span.
pub fn edit<N: Node + SubclassOf<Stmt>>(stmt: &StmtRef, change: impl FnOnce(&mut N)) -> StmtRef {
    match stmt.downcast_ref::<N>() {
        Some(node) => changed(node, change).upcast(),
        None => stmt.clone(),
    }
}

/// Rewrites minimum and extent of a range.
///
/// # Errors
/// Fails with the error of `f`.
pub fn range(range: &Ref<Range>, mut f: impl FnMut(&Expr) -> Result<Expr>) -> Result<Ref<Range>> {
    let (min, extent) = (f(&range.min)?, f(&range.extent)?);
    let is_same = min.ptr_eq(&range.min) && extent.ptr_eq(&range.extent);
    Ok(if is_same { range.clone() } else { changed(range, |new| (new.min, new.extent) = (min, extent)) })
}

/// Rewrites the ranges of a region.
///
/// # Errors
/// Fails with the error of `f`.
pub fn region(
    region: &Ref<BufferRegion>,
    mut f: impl FnMut(&Expr) -> Result<Expr>,
) -> Result<Ref<BufferRegion>> {
    let new = array(&region.region, |range| self::range(range, &mut f))?;
    Ok(if new.ptr_eq(&region.region) { region.clone() } else { changed(region, |r| r.region = new) })
}

/// Replaces fields of a statement by new values, computed in this order. Returns the same statement if none changes.
macro_rules! rebuild {
    ($stmt:ident: $node:ident = $old:ident { $($field:ident: $new:expr),* $(,)? }) => {{
        $(let $field = $new;)*
        if $($field.is_same(&$old.$field))&&* {
            $stmt.clone()
        } else {
            $crate::tir::rewrite::edit::<$node>($stmt, |new| { $(new.$field = $field;)* })
        }
    }};
}
pub(super) use rebuild;

/// Rewrites the parts of a statement in the order in which TVM visits them. Returns the same statement if none changes.
///
/// # Errors
/// Fails with the error of the rewriter.
pub fn children<R: Rewriter>(r: &mut R, stmt: &StmtRef) -> Result<StmtRef> {
    let all = |r: &mut R, exprs: &Array<Expr>| array(exprs, |e| r.expr(e));
    let regions = |r: &mut R, items: &Array<_>| array(items, |item| region(item, |e| r.expr(e)));
    Ok(match stmt.kind() {
        StmtKind::LetStmt(s) => {
            rebuild!(stmt: LetStmt = s { value: r.expr(&s.value)?, body: visit(r, &s.body)? })
        }
        StmtKind::AttrStmt(s) => {
            rebuild!(stmt: AttrStmt = s { value: r.expr(&s.value)?, body: visit(r, &s.body)? })
        }
        StmtKind::AssertStmt(s) => rebuild!(stmt: AssertStmt = s {
            condition: r.expr(&s.condition)?,
            message: r.expr(&s.message)?,
            body: visit(r, &s.body)?,
        }),
        StmtKind::BufferStore(s) => {
            rebuild!(stmt: BufferStore = s { value: r.expr(&s.value)?, indices: all(r, &s.indices)? })
        }
        StmtKind::BufferRealize(s) => rebuild!(stmt: BufferRealize = s {
            bounds: array(&s.bounds, |bound| range(bound, |e| r.expr(e)))?,
            condition: r.expr(&s.condition)?,
            body: visit(r, &s.body)?,
        }),
        StmtKind::Allocate(s) => rebuild!(stmt: Allocate = s {
            extents: all(r, &s.extents)?,
            body: visit(r, &s.body)?,
            condition: r.expr(&s.condition)?,
        }),
        StmtKind::AllocateConst(s) => {
            rebuild!(stmt: AllocateConst = s { extents: all(r, &s.extents)?, body: visit(r, &s.body)? })
        }
        StmtKind::DeclBuffer(s) => rebuild!(stmt: DeclBuffer = s { body: visit(r, &s.body)? }),
        StmtKind::SeqStmt(s) => sequence(stmt, s, array(&s.seq, |stmt| visit(r, stmt))?),
        StmtKind::Evaluate(s) => rebuild!(stmt: Evaluate = s { value: r.expr(&s.value)? }),
        StmtKind::IfThenElse(s) => rebuild!(stmt: IfThenElse = s {
            condition: r.expr(&s.condition)?,
            then_case: visit(r, &s.then_case)?,
            else_case: s.else_case.as_ref().map(|stmt| visit(r, stmt)).transpose()?,
        }),
        StmtKind::For(s) => rebuild!(stmt: For = s {
            min: r.expr(&s.min)?,
            extent: r.expr(&s.extent)?,
            step: s.step.as_ref().map(|step| r.expr(step)).transpose()?,
            body: visit(r, &s.body)?,
        }),
        StmtKind::While(s) => {
            rebuild!(stmt: While = s { condition: r.expr(&s.condition)?, body: visit(r, &s.body)? })
        }
        StmtKind::Block(s) => rebuild!(stmt: Block = s {
            iter_vars: array(&s.iter_vars, |axis| iter_var(r, axis))?,
            reads: regions(r, &s.reads)?,
            writes: regions(r, &s.writes)?,
            match_buffers: array(&s.match_buffers, |matched| {
                let source = region(&matched.source, |e| r.expr(e))?;
                let is_same = source.ptr_eq(&matched.source);
                Ok(if is_same { matched.clone() } else { changed(matched, |m| m.source = source) })
            })?,
            init: s.init.as_ref().map(|init| visit(r, init)).transpose()?,
            body: visit(r, &s.body)?,
        }),
        StmtKind::BlockRealize(s) => rebuild!(stmt: BlockRealize = s {
            iter_values: all(r, &s.iter_values)?,
            predicate: r.expr(&s.predicate)?,
            block: block(r, &s.block)?,
        }),
        StmtKind::Other(_) => other(r, stmt)?,
    })
}

/// Rewrites the parts of a statement of another dialect. Variables that it defines stay.
fn other(r: &mut impl Rewriter, stmt: &StmtRef) -> Result<StmtRef> {
    let new =
        fields(stmt.object(), |old| match (old.downcast_ref::<PrimExpr>(), old.downcast_ref::<Stmt>()) {
            (Some(expr), _) => Ok(Some(r.expr(expr)?.into_object())),
            (_, Some(stmt)) => Ok(Some(visit(r, stmt)?.into_object())),
            _ => match Array::<Expr>::try_ref(old) {
                Some(items) => Ok(Some(array(items, |expr| r.expr(expr))?.into_object())),
                None => Ok(None),
            },
        })?;
    Ok(Ref::try_from_object(new).unwrap_or_else(|_| stmt.clone()))
}

/// Replaces nodes in the fields of a node, except definitions. Returns the same node if none changes.
#[inline]
fn fields(node: &Object, mut f: impl FnMut(&Object) -> Result<Option<Object>>) -> Result<Object> {
    let mut new = node.clone();
    for (index, field) in node.info().fields().iter().enumerate() {
        let FieldRef::Node(old) = node.field(index) else { continue };
        let Some(value) = (if field.def { None } else { f(old)? }) else { continue };
        if !value.ptr_eq(old) {
            new.set_field(index, Value::Node(value))
                .map_err(|error| PassError::unsupported(error.to_string()))?;
        }
    }
    Ok(new)
}

/// A sequence of rewritten statements, without nested sequences and without `Evaluate(0)`; the old sequence if nothing
/// changes.
fn sequence(stmt: &StmtRef, old: &SeqStmt, new: Array<StmtRef>) -> StmtRef {
    let stays =
        |s: &StmtRef| !s.is::<SeqStmt>() && !s.as_node::<Evaluate>().is_some_and(|e| ops::is_zero(&e.value));
    if new.ptr_eq(&old.seq) && new.len() > 1 && new.iter().all(stays) {
        return stmt.clone();
    }
    let flat = flatten(new.iter().cloned().collect(), false);
    let is_same = flat.as_node::<SeqStmt>().is_some_and(|flat| {
        flat.seq.len() == old.seq.len() && flat.seq.iter().zip(old.seq.iter()).all(|(a, b)| a.ptr_eq(b))
    });
    if is_same { stmt.clone() } else { flat }
}

/// Rewrites the block of a block realize.
///
/// # Errors
/// Fails with the error of the rewriter.
pub fn block(r: &mut impl Rewriter, block: &Ref<Block>) -> Result<Ref<Block>> {
    let new = visit(r, block.upcast_ref())?;
    new.downcast::<Block>().map_err(|_| PassError::unsupported("a block must stay a block"))
}

/// Rewrites the domain of an axis.
fn iter_var(r: &mut impl Rewriter, axis: &Ref<IterVar>) -> Result<Ref<IterVar>> {
    let Some(dom) = &axis.dom else { return Ok(axis.clone()) };
    let new = range(dom, |e| r.expr(e))?;
    Ok(if new.ptr_eq(dom) { axis.clone() } else { changed(axis, |axis| axis.dom = Some(new)) })
}

/// Rewrites the expressions in the fields of an expression. Returns the same expression if none changes.
///
/// # Errors
/// Fails with the error of `f`.
pub fn expr_children(expr: &Expr, mut f: impl FnMut(&Expr) -> Result<Expr>) -> Result<Expr> {
    let new = fields(expr.object(), |old| {
        if let Some(child) = old.downcast_ref::<PrimExpr>() {
            return Ok(Some(f(child)?.into_object()));
        }
        match Array::<Expr>::try_ref(old) {
            Some(items) => Ok(Some(array(items, &mut f)?.into_object())),
            None => Ok(None),
        }
    })?;
    Ok(Ref::try_from_object(new).unwrap_or_else(|_| expr.clone()))
}
