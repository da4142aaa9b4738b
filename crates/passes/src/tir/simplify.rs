//! Simplification of statements and their expressions.

use std::cell::OnceCell;

use tvmscript_arith::{Analyzer, effect};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Object, PtrMap, PtrSet, pre_order_visit, structural_equal};
use tvmscript_prim::{Compare, Effect, Expr, FloatImm, IntImm, PrimExprExt, Var, ops};
use tvmscript_tir::node::*;

use super::context::{self, WithAnalyzer, nothing, under};
use super::rewrite::{self, Rewriter, Same, Visits, rebuild, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Simplifies expressions with the facts in scope, and removes branches and bindings that become trivial.
    ///
    /// New parts of an expression have the span of the expression. The rest of a conditional or a binding has its
    /// spans, too.
    ///
    /// Upstream: `src/tir/transforms/simplify.cc`.
    pub Simplify = "tir.Simplify" for PrimFunc in IRModule |function, context| {
        let mut simplify = Simplifier {
            visits: Visits::default(),
            analyzer: Analyzer::new(),
            kept: Kept { body: function.body.clone(), variables: OnceCell::new() },
            values: PtrMap::default(),
        };
        context::mark_shapes(&mut simplify.analyzer, &function);
        rewrite::body(function, context, &mut simplify)
    }
}

struct Simplifier {
    /// Statements that may still be visited.
    visits: Visits,
    analyzer: Analyzer,
    /// Variables that buffers refer to, which simplification does not replace.
    kept: Kept,
    /// Values of bound variables that stay bound.
    values: PtrMap<Object>,
}

/// The variables in the layout of accessed buffers of a function, found when a binding first asks for them.
struct Kept {
    body: StmtRef,
    variables: OnceCell<PtrSet>,
}

impl Kept {
    fn contains(&self, var: &Object) -> bool {
        self.variables.get_or_init(|| variables_of_buffers(&self.body)).contains(var)
    }
}

/// The variables in the layout of accessed buffers.
fn variables_of_buffers(body: &StmtRef) -> PtrSet {
    let mut found = PtrSet::default();
    pre_order_visit(body, |node| {
        let load = node.as_node::<BufferLoad>().map(|load| &load.buffer);
        if let Some(buffer) = load.or_else(|| node.as_node::<BufferStore>().map(|store| &store.buffer)) {
            pre_order_visit(buffer, |node| {
                if node.is::<Var>() {
                    found.insert(node.clone());
                }
                true
            });
        }
        true
    });
    found
}

/// Returns `true` if the uses of a variable are replaced by its value.
fn is_inlined(value: &Expr) -> bool {
    value.is::<IntImm>()
        || value.is::<FloatImm>()
        || value.is::<Var>()
        || (value.dtype().is_int() && effect(value) <= Effect::Pure)
}

impl Simplifier {
    /// The value of a condition, if it can be proven.
    fn proven(&mut self, condition: &Expr) -> Result<Option<bool>> {
        let condition = rewrite::replaced(condition, &self.values)?;
        Ok(ops::int_value(&self.analyzer.simplify(&condition)).map(|value| value != 0))
    }
}

impl WithAnalyzer for Simplifier {
    fn analyzer(&mut self) -> &mut Analyzer {
        &mut self.analyzer
    }
}

impl Rewriter for Simplifier {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let _span = self.visits.scope(expr.span());
        Ok(self.analyzer.simplify(expr))
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            // The analyzer knows constant bounds from the range.
            StmtKind::For(s) if s.min.is::<IntImm>() && s.extent.is::<IntImm>() => {
                context::children(self, stmt)
            }
            StmtKind::For(s) => {
                self.analyzer.bind_range(&s.loop_var, &s.min, &s.extent);
                let var: Expr = s.loop_var.clone().upcast();
                let end = ops::add(s.min.clone(), s.extent.clone())?;
                let bounds = [var.clone().greater_equal(s.min.clone()), var.less(end)];
                under(self, &bounds, |this| context::children(this, stmt))
            }
            StmtKind::LetStmt(s) => {
                let value = self.expr(&s.value)?;
                let is_inlined = is_inlined(&s.value);
                if is_inlined {
                    self.analyzer.bind(&s.var, &value);
                } else if effect(&s.value) <= Effect::Pure {
                    self.values.insert(s.var.object().clone(), value.object().clone());
                }
                let body = visit(self, &s.body)?;
                if is_inlined && !self.kept.contains(s.var.object()) {
                    return Ok(self.visits.absorb(body, s.span));
                }
                Ok(rebuild!(stmt: LetStmt = s { value: value, body: body }))
            }
            StmtKind::IfThenElse(s) => match (self.proven(&s.condition)?, &s.else_case) {
                (Some(true), _) => {
                    let then_case = visit(self, &s.then_case)?;
                    Ok(self.visits.absorb(then_case, s.span))
                }
                (Some(false), Some(stmt)) => {
                    let else_case = visit(self, stmt)?;
                    Ok(self.visits.absorb(else_case, s.span))
                }
                (Some(false), None) => Ok(nothing()),
                (None, _) => context::children(self, stmt),
            },
            StmtKind::BufferStore(_) => {
                let new = context::children(self, stmt)?;
                let is_copy = new.as_node::<BufferStore>().is_some_and(stores_what_it_loads);
                Ok(if is_copy { nothing() } else { new })
            }
            _ => context::children(self, stmt),
        }
    }
}

/// Returns `true` for `A[i] = A[i]`.
fn stores_what_it_loads(store: &BufferStore) -> bool {
    let Some(load) = store.value.as_node::<BufferLoad>() else { return false };
    let (a, b) = (&load.buffer, &store.buffer);
    a.data.ptr_eq(&b.data)
        && structural_equal(load.indices.object(), store.indices.object())
        && structural_equal(a.elem_offset.object(), b.elem_offset.object())
        && structural_equal(a.shape.object(), b.shape.object())
        && structural_equal(a.strides.object(), b.strides.object())
}
