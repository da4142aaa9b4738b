//! Functions without statements that have no effect.

use tvmscript_arith::{Analyzer, DomMap, IntSet, effect, eval_set};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Array, Object, Ref, any_node, post_order_mutate};
use tvmscript_prim::intrinsic::IF_THEN_ELSE;
use tvmscript_prim::{Call, Compare, Effect, Expr, IntImm, PrimExprExt, Select, ops};
use tvmscript_tir::node::*;

use super::context::{self, WithAnalyzer, nothing};
use super::rewrite::{self, Rewriter, Visits, any_part, edit, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Removes statements without effect: empty loops and branches, stores of the value that is already there, and
    /// bindings and buffers that nothing uses.
    ///
    /// Expressions that may have an effect stay, as `T.evaluate`.
    ///
    /// Upstream: `src/tir/transforms/remove_no_op.cc`, without `use_dataflow_analysis`.
    pub RemoveNoOp = "tir.RemoveNoOp" for PrimFunc in IRModule |function, context| {
        rewrite::body(function, context, &mut Remover { visits: Visits::default(), analyzer: Analyzer::new(), loops: Vec::new() })
    }
}

struct Remover {
    /// Statements that may still be visited.
    visits: Visits,
    analyzer: Analyzer,
    /// The loops around the current statement.
    loops: Vec<Ref<For>>,
}

/// Returns `true` for `Evaluate` of an integer literal.
fn is_no_op(stmt: &StmtRef) -> bool {
    stmt.as_node::<Evaluate>().is_some_and(|evaluate| evaluate.value.is::<IntImm>())
}

fn has_effect(e: &Expr) -> bool {
    effect(e) > Effect::Read
}

/// The effects of evaluating expressions.
fn effects<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> StmtRef {
    let exprs = exprs.into_iter().filter(|e| has_effect(e));
    flatten(exprs.map(|e| Evaluate::new(e.clone())).collect(), true)
}

impl WithAnalyzer for Remover {
    fn analyzer(&mut self) -> &mut Analyzer {
        &mut self.analyzer
    }
}

impl Remover {
    fn all_equal(&mut self, a: &Array<Expr>, b: &Array<Expr>) -> bool {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.analyzer.can_prove_equal(a, b))
    }

    /// Returns `false` if the stored value is not the one that the buffer holds: no bounds are known of a number that is not
    /// an integer, so it must contain a load of the buffer.
    fn may_store_same_value(&self, store: &BufferStore) -> bool {
        let dtype = store.value.dtype();
        let loads = |node: &Object| {
            node.as_node::<BufferLoad>().is_some_and(|load| load.buffer.ptr_eq(&store.buffer))
        };
        !dtype.is_any_float() || any_part(&store.value, loads)
    }

    /// Returns `true` if the stored value is the one that the buffer holds.
    fn stores_same_value(&mut self, store: &BufferStore) -> bool {
        if self.may_store_same_value(store)
            && let Ok(load) =
                BufferLoad::try_new(store.buffer.clone(), store.indices.clone(), store.predicate.clone())
            && let Ok(difference) = ops::sub(store.value.clone(), load)
            && let Ok(zero) = ops::make_zero(difference.dtype())
            && let Ok(is_zero) = ops::eq(difference, zero)
            && ops::is_one(&self.analyzer.simplify(&is_zero))
        {
            return true;
        }
        let Some(load) = store.value.as_node::<BufferLoad>() else { return false };
        let (a, b) = (&load.buffer, &store.buffer);
        a.data.ptr_eq(&b.data)
            && self.analyzer.can_prove_equal(&a.elem_offset, &b.elem_offset)
            && self.all_equal(&a.shape, &b.shape)
            && self.all_equal(&a.strides, &b.strides)
            && self.all_equal(&load.indices, &store.indices)
    }

    /// Returns `true` if a loop is proven to have no iterations.
    fn never_runs(&mut self, s: &For) -> bool {
        if let Some(extent) = ops::int_value(&s.extent) {
            return extent <= 0;
        }
        let mut domains = DomMap::new();
        for s in &self.loops {
            domains.insert(&s.loop_var, IntSet::from_range(&s.min, &s.extent));
        }
        let most = eval_set(&s.extent, &domains).max().cloned();
        most.is_some_and(|most| self.analyzer.can_prove(&most.less_equal(0)))
    }

    /// The body of a wait for a negative number of groups, which is not a wait.
    fn body_of_void_wait<'a>(&mut self, attr: &'a AttrStmt) -> Option<&'a StmtRef> {
        let inner = attr.body.as_node::<AttrStmt>().filter(|_| attr.attr_key == "async_wait_queue_scope")?;
        self.analyzer.can_prove(&inner.value.clone().less(0)).then_some(&inner.body)
    }
}

impl Rewriter for Remover {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::LetStmt(_) => {
                let new = context::children(self, stmt)?;
                let Some(s) = new.as_node::<LetStmt>() else { return Ok(new) };
                if is_no_op(&s.body) {
                    return Ok(effects([&s.value]));
                }
                if any_node(&s.body, |node| node.ptr_eq(s.var.object())) {
                    return Ok(new);
                }
                Ok(if has_effect(&s.value) {
                    flatten(vec![effects([&s.value]), s.body.clone()], true)
                } else {
                    self.visits.absorb(s.body.clone(), s.span)
                })
            }
            StmtKind::AttrStmt(s) => {
                if s.attr_key == "pragma_debug_skip_region" {
                    return Ok(nothing());
                }
                if let Some(body) = self.body_of_void_wait(s) {
                    return context::children(self, body);
                }
                let new = context::children(self, stmt)?;
                Ok(match new.as_node::<AttrStmt>() {
                    Some(s) if is_no_op(&s.body) => effects([&s.value]),
                    _ => new,
                })
            }
            StmtKind::IfThenElse(_) => {
                let new = context::children(self, stmt)?;
                let Some(s) = new.as_node::<IfThenElse>() else { return Ok(new) };
                Ok(match (is_no_op(&s.then_case), s.else_case.as_ref().is_none_or(is_no_op)) {
                    (true, true) => effects([&s.condition]),
                    (false, true) if s.else_case.is_some() => {
                        edit::<IfThenElse>(&new, |s| s.else_case = None)
                    }
                    (true, false) => {
                        let negation = ops::not(s.condition.clone())?;
                        edit::<IfThenElse>(&new, |s| {
                            s.condition = negation;
                            s.then_case = s.else_case.take().unwrap_or_else(nothing);
                        })
                    }
                    _ => new,
                })
            }
            StmtKind::For(s) => {
                if self.never_runs(s) {
                    return Ok(nothing());
                }
                self.loops.extend(stmt.downcast_ref::<For>().cloned());
                let new = context::children(self, stmt);
                self.loops.pop();
                let new = new?;
                Ok(match new.as_node::<For>() {
                    Some(s) if ops::is_zero(&s.extent) => nothing(),
                    Some(s) if is_no_op(&s.body) => effects([&s.min, &s.extent]),
                    _ => new,
                })
            }
            StmtKind::Allocate(_) => {
                let new = rewrite::children(self, stmt)?;
                Ok(match new.as_node::<Allocate>() {
                    Some(s) if is_no_op(&s.body) => effects(s.extents.iter()),
                    _ => new,
                })
            }
            StmtKind::Evaluate(s) => Ok(if has_effect(&s.value) { stmt.clone() } else { nothing() }),
            StmtKind::BufferStore(s) => {
                if !self.stores_same_value(s) {
                    return Ok(stmt.clone());
                }
                visit(self, &effects(std::iter::once(&s.value).chain(s.indices.iter())))
            }
            StmtKind::DeclBuffer(_) => {
                let new = context::children(self, stmt)?;
                Ok(match new.as_node::<DeclBuffer>() {
                    Some(s) if !accesses(&s.body, s.buffer.object()) => {
                        self.visits.absorb(s.body.clone(), s.span)
                    }
                    _ => new,
                })
            }
            _ => context::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if !any_node(expr, |node| choice(node).is_some()) {
            return Ok(expr.clone());
        }
        Ok(post_order_mutate(expr.clone(), |node| {
            let (condition, on_true, on_false) = choice(node)?;
            let picked = if ops::int_value(condition)? == 0 { on_false } else { on_true };
            Some(picked.object().clone())
        })?)
    }
}

/// The condition and the values of a selection or a conditional.
fn choice(node: &Object) -> Option<(&Expr, &Expr, &Expr)> {
    if let Some(select) = node.as_node::<Select>() {
        return Some((&select.condition, &select.true_value, &select.false_value));
    }
    let call = node.as_node::<Call>().filter(|call| IF_THEN_ELSE.is_called_by(call))?;
    Some((call.args.get(0)?, call.args.get(1)?, call.args.get(2)?))
}

/// Returns `true` if a load or a store below a statement accesses the buffer.
fn accesses(body: &StmtRef, buffer: &Object) -> bool {
    any_node(body, |node| {
        let load = node.as_node::<BufferLoad>().map(|load| &load.buffer);
        let accessed = load.or_else(|| node.as_node::<BufferStore>().map(|store| &store.buffer));
        accessed.is_some_and(|accessed| accessed.object().ptr_eq(buffer))
    })
}
