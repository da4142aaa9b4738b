//! One variable per thread axis of a kernel.

use tvmscript_arith::Analyzer;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{DataType, Map, Object, ObjectLike, PtrMap, Ref, Span, Str, Value, substitute};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var, ops};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Visits, edit};
use crate::Result;
use tvmscript_pass::{PassError, pass};

pass! {
    /// Binds each thread axis of a kernel once, by loops around the whole kernel, and replaces all variables that are
    /// bound to the axis by the one of the loop.
    ///
    /// The loop has the span of the first loop or attribute that binds the axis.
    ///
    /// Unlike in TVM, the nameless variable of the loop's thread has the type of the loop variable, as in a loop that is
    /// parsed.
    ///
    /// Upstream: `src/tir/transforms/unify_thread_binding.cc`.
    pub UnifyThreadBinding = "tir.UnifyThreadBinding" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Unifier::default())
    }
}

#[derive(Default)]
struct Unifier {
    /// Statements that may still be visited.
    visits: Visits,
    /// Axes of the current kernel, in the order in which they were found.
    axes: Vec<Axis>,
    /// Number of axes that have a loop already.
    launched: usize,
    /// Replacements of thread variables.
    values: PtrMap<Object>,
    /// Depth of bindings to `blockIdx`, or of the outermost binding.
    depth: usize,
}

struct Axis {
    tag: Str,
    var: Ref<Var>,
    dom: Ref<Range>,
    span: Span,
}

impl Unifier {
    /// Rewrites a statement that binds a thread axis, given the index of its body.
    fn bind(&mut self, stmt: &StmtRef, var: &Ref<Var>, tag: &Str, dom: Ref<Range>) -> Result<StmtRef> {
        let depth = self.depth;
        let is_kernel = depth == 0;
        if is_kernel {
            self.axes.clear();
            self.launched = 0;
        }
        if is_kernel || tag.starts_with("blockIdx.") {
            self.depth += 1;
        }
        let new = self.axis(tag, dom)?;
        let value = ops::cast(var.dtype, new.upcast())?;
        self.values.insert(var.object().clone(), value.into_object());
        let new = rewrite::children(self, stmt);
        self.depth = depth;
        let new = new?;
        let body = match new.kind() {
            StmtKind::For(s) => s.body.clone(),
            StmtKind::AttrStmt(s) => s.body.clone(),
            _ => new,
        };
        Ok(if is_kernel { self.launch(body) } else { body })
    }

    /// The variable of a thread axis.
    fn axis(&mut self, tag: &Str, dom: Ref<Range>) -> Result<Ref<Var>> {
        let Some(known) = self.axes.iter().find(|axis| axis.tag == *tag) else {
            let var = Var::new(tag.clone(), dom.extent.dtype());
            self.axes.push(Axis { tag: tag.clone(), var: var.clone(), dom, span: Span::current() });
            return Ok(var);
        };
        let mut analyzer = Analyzer::new();
        let is_same = analyzer.can_prove_equal(&dom.min, &known.dom.min)
            && analyzer.can_prove_equal(&dom.extent, &known.dom.extent);
        match is_same {
            true => Ok(known.var.clone()),
            false => {
                Err(PassError::unsupported(format!("loops that are bound to `{tag}` differ in their range")))
            }
        }
    }

    /// Loops for the axes around the body of a kernel.
    fn launch(&mut self, body: StmtRef) -> StmtRef {
        let axes = self.axes.iter().skip(self.launched).rev();
        let new = axes.fold(body, |body, axis| {
            let _span = self.visits.scope(axis.span);
            let thread = IterVar {
                dom: None,
                var: Var::new("", axis.var.dtype),
                iter_type: IterType::ThreadIndex,
                thread_tag: axis.tag.clone(),
            };
            let new = For {
                span: Span::current(),
                loop_var: axis.var.clone(),
                min: axis.dom.min.clone(),
                extent: axis.dom.extent.clone(),
                kind: ForKind::ThreadBinding,
                body,
                thread_binding: Some(Ref::new(thread)),
                annotations: Map::default(),
                step: None,
            };
            Ref::new(new).upcast()
        });
        self.launched = self.axes.len();
        new
    }
}

/// A statement with annotations: those of a loop are replaced, other statements get a loop of extent 1.
fn annotate(stmt: StmtRef, dtype: DataType, annotations: &Map<Str, Value>) -> Result<StmtRef> {
    if annotations.is_empty() {
        return Ok(stmt);
    }
    if stmt.is::<For>() {
        return Ok(edit::<For>(&stmt, |s| s.annotations = annotations.clone()));
    }
    let unit = For {
        span: Span::current(),
        loop_var: Var::new("var", dtype),
        min: IntImm::try_new(dtype, 0)?,
        extent: IntImm::try_new(dtype, 1)?,
        kind: ForKind::Serial,
        body: stmt,
        thread_binding: None,
        annotations: annotations.clone(),
        step: None,
    };
    Ok(Ref::new(unit).upcast())
}

impl Rewriter for Unifier {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::AttrStmt(s) => {
                let Some(axis) = s.launched_thread() else { return rewrite::children(self, stmt) };
                let zero = IntImm::try_new(s.value.dtype(), 0)?;
                let dom = Range::from_min_extent(zero, s.value.clone());
                self.bind(stmt, &axis.var, &axis.thread_tag, dom)
            }
            StmtKind::For(s) if s.kind == ForKind::ThreadBinding => {
                let Some(thread) = &s.thread_binding else { return rewrite::children(self, stmt) };
                let dom = Range::from_min_extent(s.min.clone(), s.extent.clone());
                let new = self.bind(stmt, &s.loop_var, &thread.thread_tag, dom)?;
                annotate(new, s.loop_var.dtype, &s.annotations)
            }
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if self.values.is_empty() { Ok(expr.clone()) } else { Ok(substitute(expr.clone(), &self.values)?) }
    }
}
