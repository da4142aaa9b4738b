//! The body of a loop with the loop variable as a vector.
//!
//! Upstream counterpart: `Vectorizer`, `src/tir/transforms/vectorize_loop.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::{
    Array, DataType, Object, ObjectLike, PtrMap, PtrSet, Ref, Str, any_node, post_order_mutate, ptr_map,
    substitute, with_stack,
};
use tvmscript_prim::*;
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Same, Visits, array, changed, edit, expr_children, rebuild, visit};
use super::vectorize_loop::serial;
use crate::Result;
use tvmscript_pass::PassError;

/// Operators that apply to vectors lane by lane.
const VECTORIZABLE: &[&str] = &[
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "call_llvm_pure_intrin",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "exp10",
    "exp2",
    "fabs",
    "floor",
    "fma",
    "likely",
    "log",
    "log10",
    "log2",
    "popcount",
    "pow",
    "q_multiply_shift",
    "q_multiply_shift_per_axis",
    "round",
    "shift_left",
    "shift_right",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "texture2d_load",
    "texture2d_store",
    "trunc",
];

/// Rewrites the body of one loop.
pub(super) struct Vectorizer {
    /// Statements that may still be visited.
    visits: Visits,
    var: Ref<Var>,
    /// The extent of the loop.
    lanes: Expr,
    /// The loop variable as a vector.
    ramp: Expr,
    /// Variables of bindings whose values became vectors.
    bindings: PtrMap<Ref<Var>>,
    /// Variables of the enclosing binding statements among them.
    open: PtrSet,
    /// A serial loop uses one of these variables, which have no scalar value there.
    needs_scalar: bool,
    /// Results for shared nodes of the current statement.
    memo: Memo<Expr>,
    /// The current statement has no vector form.
    scalarizes: bool,
}

fn lanes_of(e: &Expr) -> i64 {
    e.dtype().lane_count().into()
}

/// Broadcasts a scalar, or a broadcast, to a number of lanes.
fn broadcast(e: Expr, lanes: i64) -> Result<Expr> {
    if lanes_of(&e) == lanes {
        return Ok(e);
    }
    let value = match e.as_node::<Broadcast>() {
        Some(old) if lanes % lanes_of(&e).max(1) == 0 => old.value.clone(),
        _ => e,
    };
    let lanes = IntImm::try_new(DataType::INT32, lanes)?;
    Ok(Broadcast::try_new(value, &lanes)?)
}

fn unsupported<T>(what: &str) -> Result<T> {
    Err(PassError::unsupported(format!("{what} in a vectorized loop")))
}

impl Vectorizer {
    /// Creates a rewriter for the body of a loop from zero to a constant.
    pub(super) fn new(s: &For, visits: Visits) -> Result<Vectorizer> {
        let (zero, one) = (IntImm::try_new(s.loop_var.dtype, 0)?, IntImm::try_new(s.loop_var.dtype, 1)?);
        Ok(Vectorizer {
            visits: visits.renewed(),
            var: s.loop_var.clone(),
            lanes: s.extent.clone(),
            ramp: Ramp::try_new(zero, one, &s.extent)?,
            bindings: PtrMap::default(),
            open: PtrSet::default(),
            needs_scalar: false,
            memo: Memo::default(),
            scalarizes: false,
        })
    }

    /// The statement in a serial loop.
    fn scalarize(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        self.needs_scalar =
            self.needs_scalar || !self.open.is_empty() && any_node(stmt, |node| self.open.contains(node));
        let var = Var::new(Str::new(format!("{}.s", self.var.name.get())), self.var.dtype);
        let body = substitute(stmt.clone(), &ptr_map([(&self.var, var.object().clone())]))?;
        serial(var, self.lanes.clone(), body)
    }

    fn all(&mut self, items: &Array<Expr>) -> Result<Array<Expr>> {
        array(items, |e| self.expr(e))
    }

    /// Rewrites expressions and broadcasts them to the most lanes of any.
    fn same_lanes(&mut self, items: &Array<Expr>) -> Result<(Array<Expr>, i64)> {
        let new = self.all(items)?;
        let lanes = new.iter().map(lanes_of).max().unwrap_or(0);
        Ok((array(&new, |e| broadcast(e.clone(), lanes))?, lanes))
    }

    fn visit_expr(&mut self, e: &Expr) -> Result<Expr> {
        if let Some(sum) = e.as_node::<Add>() {
            return self.sum(e, &sum.a, &sum.b, ops::add);
        }
        if let Some(difference) = e.as_node::<Sub>() {
            return self.sum(e, &difference.a, &difference.b, ops::sub);
        }
        match e.kind() {
            ExprKind::Var(_) if e.ptr_eq(self.var.upcast_ref()) => Ok(self.ramp.clone()),
            ExprKind::Var(_) => {
                Ok(self.bindings.get(e.object()).map_or_else(|| e.clone(), |var| var.clone().upcast()))
            }
            ExprKind::Mul(product) => self.product(e, product),
            ExprKind::Div(x) => self.binary(e, &x.a, &x.b, Div::try_new),
            ExprKind::Mod(x) => self.binary(e, &x.a, &x.b, Mod::try_new),
            ExprKind::FloorDiv(x) => self.binary(e, &x.a, &x.b, FloorDiv::try_new),
            ExprKind::FloorMod(x) => self.binary(e, &x.a, &x.b, FloorMod::try_new),
            ExprKind::Min(x) => self.binary(e, &x.a, &x.b, Min::try_new),
            ExprKind::Max(x) => self.binary(e, &x.a, &x.b, Max::try_new),
            ExprKind::EQ(x) => self.binary(e, &x.a, &x.b, EQ::try_new),
            ExprKind::NE(x) => self.binary(e, &x.a, &x.b, NE::try_new),
            ExprKind::LT(x) => self.binary(e, &x.a, &x.b, LT::try_new),
            ExprKind::LE(x) => self.binary(e, &x.a, &x.b, LE::try_new),
            ExprKind::GT(x) => self.binary(e, &x.a, &x.b, GT::try_new),
            ExprKind::GE(x) => self.binary(e, &x.a, &x.b, GE::try_new),
            ExprKind::And(x) => self.binary(e, &x.a, &x.b, And::try_new),
            ExprKind::Or(x) => self.binary(e, &x.a, &x.b, Or::try_new),
            ExprKind::Not(not) => {
                let a = self.expr(&not.a)?;
                Ok(if a.is_same(&not.a) { e.clone() } else { ops::not(a)? })
            }
            ExprKind::Ramp(ramp) => self.nested_ramp(e, ramp),
            ExprKind::Broadcast(old) => {
                let value = self.expr(&old.value)?;
                self.scalarizes |= !value.dtype().is_scalar();
                Ok(e.clone())
            }
            ExprKind::Select(select) => self.select(e, select),
            ExprKind::Cast(cast) => {
                let value = self.expr(&cast.value)?;
                if value.is_same(&cast.value) {
                    return Ok(e.clone());
                }
                Ok(Cast::try_new(cast.dtype.with_lanes(value.dtype().lanes), value)?)
            }
            ExprKind::Let(binding) => {
                let value = self.expr(&binding.value)?;
                let var = self.define(&binding.var, &binding.value, &value);
                let body = self.expr(&binding.body)?;
                if value.is_same(&binding.value) && body.is_same(&binding.body) {
                    return Ok(e.clone());
                }
                Ok(Let::try_new(var, value, body)?)
            }
            ExprKind::Call(call) => self.call(e, call),
            ExprKind::Shuffle(_) => match expr_children(e, |child| self.expr(child))?.is_same(e) {
                true => Ok(e.clone()),
                false => unsupported("a shuffle"),
            },
            ExprKind::IntImm(_) | ExprKind::FloatImm(_) | ExprKind::StringImm(_) => Ok(e.clone()),
            ExprKind::Other(_) => match e.as_node::<BufferLoad>() {
                Some(load) => {
                    let indices = self.all(&load.indices)?;
                    if indices.is_same(&load.indices) {
                        return Ok(e.clone());
                    }
                    BufferLoad::try_new(load.buffer.clone(), indices, load.predicate.clone())
                        .map_err(|error| PassError::unsupported(error.to_string()))
                }
                None => unsupported(e.object().info().display_key()),
            },
            ExprKind::Add(_) | ExprKind::Sub(_) => Ok(e.clone()),
        }
    }

    fn binary(
        &mut self,
        e: &Expr,
        a: &Expr,
        b: &Expr,
        make: impl FnOnce(Expr, Expr) -> std::result::Result<Expr, PrimError>,
    ) -> Result<Expr> {
        let (new_a, new_b) = (self.expr(a)?, self.expr(b)?);
        if new_a.is_same(a) && new_b.is_same(b) {
            return Ok(e.clone());
        }
        let lanes = lanes_of(&new_a).max(lanes_of(&new_b));
        Ok(make(broadcast(new_a, lanes)?, broadcast(new_b, lanes)?)?)
    }

    /// A sum or a difference; of a ramp and a scalar it is a ramp.
    fn sum(
        &mut self,
        e: &Expr,
        a: &Expr,
        b: &Expr,
        make: fn(Expr, Expr) -> std::result::Result<Expr, PrimError>,
    ) -> Result<Expr> {
        let (new_a, new_b) = (self.expr(a)?, self.expr(b)?);
        if new_a.is_same(a) && new_b.is_same(b) {
            return Ok(e.clone());
        }
        if let (true, Some(ramp)) = (new_a.dtype().is_scalar(), new_b.as_node::<Ramp>()) {
            let zero = ops::make_zero(ramp.stride.dtype())?;
            let (base, stride) = (make(new_a, ramp.base.clone())?, make(zero, ramp.stride.clone())?);
            return Ok(Ramp::try_new(base, stride, &ramp.lanes)?);
        }
        if let (true, Some(ramp)) = (new_b.dtype().is_scalar(), new_a.as_node::<Ramp>()) {
            return Ok(Ramp::try_new(make(ramp.base.clone(), new_b)?, ramp.stride.clone(), &ramp.lanes)?);
        }
        let lanes = lanes_of(&new_a).max(lanes_of(&new_b));
        Ok(make(broadcast(new_a, lanes)?, broadcast(new_b, lanes)?)?)
    }

    /// A product; of a ramp and a positive scalar it is a ramp.
    fn product(&mut self, e: &Expr, product: &Mul) -> Result<Expr> {
        let (a, b) = (self.expr(&product.a)?, self.expr(&product.b)?);
        if a.is_same(&product.a) && b.is_same(&product.b) {
            return Ok(e.clone());
        }
        let mut analyzer = Analyzer::new();
        for (ramp, scale) in [(&a, &b), (&b, &a)] {
            if let (Some(ramp), true) = (ramp.as_node::<Ramp>(), scale.dtype().is_scalar())
                && analyzer.can_prove(&scale.clone().greater(IntImm::try_new(scale.dtype(), 0)?))
            {
                let base = ops::mul(ramp.base.clone(), scale.clone())?;
                let stride = ops::mul(ramp.stride.clone(), scale.clone())?;
                return Ok(Ramp::try_new(base, stride, &ramp.lanes)?);
            }
        }
        let lanes = lanes_of(&a).max(lanes_of(&b));
        Ok(Mul::try_new(broadcast(a, lanes)?, broadcast(b, lanes)?)?)
    }

    /// A ramp whose base or stride became a vector.
    fn nested_ramp(&mut self, e: &Expr, ramp: &Ramp) -> Result<Expr> {
        let (base, stride) = (self.expr(&ramp.base)?, self.expr(&ramp.stride)?);
        if base.is_same(&ramp.base) && stride.is_same(&ramp.stride) {
            return Ok(e.clone());
        }
        let Some(inner) = ops::int_value(&ramp.lanes) else { return unsupported("a scalable vector") };
        if let (Some(outer), true) = (base.as_node::<Ramp>(), stride.dtype().is_scalar())
            && let Some(count) = ops::int_value(&outer.lanes)
        {
            let step = ops::mul(stride.clone(), ops::make_const(stride.dtype(), inner)?)?;
            let whole = ops::mul(stride.clone(), ops::make_const(stride.dtype(), count)?)?;
            let mut analyzer = Analyzer::new();
            // TVM compares with the lanes of the outer vector; both agree for vectors of one length.
            if analyzer.can_prove_equal(&outer.stride, &whole)
                && analyzer.can_prove_equal(&outer.stride, &step)
            {
                let lanes = IntImm::try_new(DataType::INT32, inner.saturating_mul(count))?;
                return Ok(Ramp::try_new(outer.base.clone(), stride, &lanes)?);
            }
        }
        let lanes = lanes_of(&base).max(lanes_of(&stride));
        let (base, stride) = (broadcast(base, lanes)?, broadcast(stride, lanes)?);
        let element = |vector: &Expr, lane: i64| -> Result<Expr> {
            let index = IntImm::try_new(DataType::INT32, lane)?;
            Ok(Shuffle::try_new(Array::new([vector.clone()]), Array::new([index]))?)
        };
        let row = |lane: i64| -> Result<Expr> {
            Ok(Ramp::try_new(element(&base, lane)?, element(&stride, lane)?, &ramp.lanes)?)
        };
        let rows: Array<Expr> = (0..lanes).map(row).collect::<Result<Vec<_>>>()?.into_iter().collect();
        let index = |lane: i64| IntImm::try_new(DataType::INT32, lane);
        let indices =
            (0..lanes.saturating_mul(inner)).map(index).collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(Shuffle::try_new(rows, Array::new(indices))?)
    }

    fn select(&mut self, e: &Expr, select: &Select) -> Result<Expr> {
        let condition = self.expr(&select.condition)?;
        let (on_true, on_false) = (self.expr(&select.true_value)?, self.expr(&select.false_value)?);
        if condition.is_same(&select.condition)
            && on_true.is_same(&select.true_value)
            && on_false.is_same(&select.false_value)
        {
            return Ok(e.clone());
        }
        let lanes = lanes_of(&condition).max(lanes_of(&on_true)).max(lanes_of(&on_false));
        let [condition, on_true, on_false] = [condition, on_true, on_false].map(|e| broadcast(e, lanes));
        Ok(Select::try_new(condition?, on_true?, on_false?)?)
    }

    fn call(&mut self, e: &Expr, call: &Call) -> Result<Expr> {
        let with = |dtype, args: Array<Expr>| Call::with_callee(dtype, call.op.clone(), args);
        let name = call.op_name().and_then(|name| name.strip_prefix("tir.")).unwrap_or_default();
        match (name, call.args.first()) {
            ("if_then_else", Some(condition)) => {
                let condition = self.expr(condition)?;
                if !condition.dtype().is_scalar() {
                    self.scalarizes = true;
                    return Ok(e.clone());
                }
                let values: Array<Expr> = call.args.iter().skip(1).cloned().collect();
                let is_same_condition = call.args.first().is_some_and(|old| old.is_same(&condition));
                if self.all(&values)?.is_same(&values) && is_same_condition {
                    return Ok(e.clone());
                }
                let (values, lanes) = self.same_lanes(&values)?;
                let args = std::iter::once(condition).chain(values.iter().cloned()).collect();
                Ok(with(call.dtype.with_lanes(lanes as i16), args))
            }
            ("reinterpret", Some(old)) => {
                let value = self.expr(old)?;
                if value.is_same(old) {
                    return Ok(e.clone());
                }
                let (from, to) = (value.dtype(), call.dtype);
                let bits = i64::from(from.bits) * i64::from(from.lane_count());
                let lanes = i16::try_from(bits / i64::from(to.bits.max(1))).unwrap_or(i16::MAX);
                Ok(with(to.with_lanes(lanes), Array::new([value])))
            }
            _ if VECTORIZABLE.contains(&name) => {
                // The first argument names the intrinsic.
                let fixed = usize::from(name == "call_llvm_pure_intrin");
                let rest: Array<Expr> = call.args.iter().skip(fixed).cloned().collect();
                let (new, lanes) = self.same_lanes(&rest)?;
                if new.is_same(&rest) {
                    return Ok(e.clone());
                }
                let args = call.args.iter().take(fixed).chain(new.iter()).cloned().collect();
                Ok(with(call.dtype.with_lanes(lanes as i16), args))
            }
            _ => {
                let args = self.all(&call.args)?;
                let has_vectors = args.iter().zip(call.args.iter()).any(|(new, _)| !new.dtype().is_scalar());
                if has_vectors {
                    self.scalarizes = true;
                    return Ok(e.clone());
                }
                Ok(if args.is_same(&call.args) { e.clone() } else { with(call.dtype, args) })
            }
        }
    }

    /// The variable of a binding whose value was rewritten.
    fn define(&mut self, var: &Ref<Var>, old: &Expr, new: &Expr) -> Ref<Var> {
        let new_var = match lanes_of(new) == lanes_of(old) {
            true => var.clone(),
            false => {
                let _span = self.visits.scope(var.span());
                Var::new(var.name.get(), new.dtype())
            }
        };
        self.bindings.insert(var.object().clone(), new_var.clone());
        new_var
    }

    fn store(&mut self, stmt: &StmtRef, s: &BufferStore) -> Result<StmtRef> {
        let (indices, value) = (self.all(&s.indices)?, self.expr(&s.value)?);
        if self.scalarizes || (indices.is_same(&s.indices) && value.is_same(&s.value)) {
            return Ok(stmt.clone());
        }
        let Some((last, outer)) =
            indices.iter().rev().collect::<Vec<_>>().split_first().map(|(l, o)| (*l, o.to_vec()))
        else {
            return unsupported("a store to a buffer without dimensions");
        };
        let outer_lanes: i64 = i64::from(s.buffer.dtype.lane_count())
            * outer.iter().map(|index| lanes_of(index)).product::<i64>();
        let total = (outer_lanes * lanes_of(last)).max(lanes_of(&value));
        let last = broadcast(last.clone(), total / outer_lanes.max(1))?;
        let indices: Array<Expr> = outer.into_iter().rev().cloned().chain([last]).collect();
        let value = broadcast(value, total)?;
        Ok(edit::<BufferStore>(stmt, |s| (s.indices, s.value) = (indices, value)))
    }

    fn allocate(&mut self, stmt: &StmtRef, s: &Allocate) -> Result<StmtRef> {
        let (condition, extents) = (self.expr(&s.condition)?, self.all(&s.extents)?);
        let parts = std::iter::once(&condition).chain(extents.iter());
        if parts.into_iter().any(|e| !e.dtype().is_scalar()) {
            return self.scalarize(stmt);
        }
        let mut extents: Vec<Expr> = extents.iter().cloned().collect();
        if let Some(last) = extents.last_mut() {
            *last = ops::mul(last.clone(), self.lanes.clone())?;
        }
        let body = self.separate(&s.body, &s.buffer_var)?;
        let body = visit(self, &body)?;
        Ok(edit::<Allocate>(stmt, |s| {
            (s.condition, s.extents, s.body) = (condition, Array::new(extents), body)
        }))
    }

    /// Gives each lane its own elements of an allocation.
    fn separate(&self, body: &StmtRef, data: &Ref<Var>) -> Result<StmtRef> {
        let mut buffers: PtrMap<Ref<Buffer>> = PtrMap::default();
        let mut wider = |buffer: &Ref<Buffer>| -> Option<Ref<Buffer>> {
            if !buffer.data.ptr_eq(data) {
                return None;
            }
            if let Some(known) = buffers.get(buffer.object()) {
                return Some(known.clone());
            }
            let last = buffer.shape.last()?;
            let last = tvmscript_arith::simplify(&ops::mul(last.clone(), self.lanes.clone()).ok()?);
            let shape: Array<Expr> =
                buffer.shape.iter().take(buffer.shape.len() - 1).cloned().chain([last]).collect();
            let new = changed(buffer, |buffer| (buffer.shape, buffer.strides) = (shape, Array::default()));
            buffers.insert(buffer.object().clone(), new.clone());
            Some(new)
        };
        let of_lane = |indices: &Array<Expr>| -> Option<Array<Expr>> {
            let last = ops::mul(indices.last()?.clone(), self.lanes.clone()).ok()?;
            let last = tvmscript_arith::simplify(&ops::add(last, self.var.clone().upcast()).ok()?);
            Some(indices.iter().take(indices.len() - 1).cloned().chain([last]).collect())
        };
        Ok(post_order_mutate(body.clone(), |node: &Object| {
            let _span = self.visits.scope(node.span());
            if let Some(load) = node.downcast_ref::<BufferLoad>() {
                let (buffer, indices) = (wider(&load.buffer)?, of_lane(&load.indices)?);
                return Some(
                    changed(load, |load| (load.buffer, load.indices) = (buffer, indices)).into_object(),
                );
            }
            if let Some(store) = node.downcast_ref::<BufferStore>() {
                let (buffer, indices) = (wider(&store.buffer)?, of_lane(&store.indices)?);
                return Some(
                    changed(store, |store| (store.buffer, store.indices) = (buffer, indices)).into_object(),
                );
            }
            let decl = node.downcast_ref::<DeclBuffer>()?;
            let buffer = wider(&decl.buffer)?;
            Some(changed(decl, |decl| decl.buffer = buffer).into_object())
        })?)
    }

    fn visit_stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::BufferStore(s) => self.store(stmt, s),
            StmtKind::For(s) => {
                if !ops::is_zero(&s.min) {
                    return unsupported("a loop that does not start at 0");
                }
                let extent = self.expr(&s.extent)?;
                if !extent.dtype().is_scalar() {
                    return self.scalarize(stmt);
                }
                let body = visit(self, &s.body)?;
                Ok(rebuild!(stmt: For = s { extent: extent, body: body }))
            }
            StmtKind::IfThenElse(s) => {
                let condition = self.expr(&s.condition)?;
                if std::mem::take(&mut self.scalarizes) || !condition.dtype().is_scalar() {
                    return self.scalarize(stmt);
                }
                let then_case = visit(self, &s.then_case)?;
                let else_case = s.else_case.as_ref().map(|stmt| visit(self, stmt)).transpose()?;
                Ok(rebuild!(stmt: IfThenElse = s {
                    condition: condition, then_case: then_case, else_case: else_case,
                }))
            }
            StmtKind::While(_) => unsupported("a while loop"),
            StmtKind::LetStmt(s) => {
                let value = self.expr(&s.value)?;
                if self.scalarizes {
                    return Ok(stmt.clone());
                }
                let var = self.define(&s.var, &s.value, &value);
                let is_vector = !var.ptr_eq(&s.var);
                if is_vector {
                    self.open.insert(s.var.object().clone());
                }
                let body = visit(self, &s.body)?;
                if is_vector {
                    self.open.remove(s.var.object());
                    // The outermost binding, so that all variables of the loop are bound in it.
                    if self.open.is_empty() && std::mem::take(&mut self.needs_scalar) {
                        return self.scalarize(stmt);
                    }
                }
                Ok(rebuild!(stmt: LetStmt = s { var: var, value: value, body: body }))
            }
            StmtKind::Allocate(s) => self.allocate(stmt, s),
            _ => rewrite::children(self, stmt),
        }
    }
}

impl Rewriter for Vectorizer {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        self.memo = Memo::default();
        let new = self.visit_stmt(stmt)?;
        self.memo = Memo::default();
        if std::mem::take(&mut self.scalarizes) { self.scalarize(stmt) } else { Ok(new) }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if let Some(known) = self.memo.get(expr.object()) {
            return Ok(known);
        }
        let new = with_stack(|| {
            let _span = self.visits.scope(expr.span());
            self.visit_expr(expr)
        })?;
        self.memo.insert(expr.object(), &new);
        Ok(new)
    }
}
