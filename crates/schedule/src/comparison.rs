//! Comparison of a block with the description of an intrinsic.
//!
//! Upstream counterpart: `TensorizeComparator` of `src/tir/schedule/ir_comparator.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Array, Map, Object, PtrMap, Ref, Str, Value, structural_equal, with_stack};
use tvmscript_prim::{Expr, ExprKind, ExprView as _, PrimExpr, PrimExprExt as _, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferRegion, For, StmtKind, StmtRef, StmtView as _,
};

use crate::error::{Result, ScheduleError};

/// Corresponding parts of a block and of a description.
#[derive(Default)]
pub(crate) struct Comparison {
    /// Buffers of the block by those of the description.
    pub(crate) buffers: PtrMap<Ref<Buffer>>,
    /// The first indices of the regions of the block's buffers.
    pub(crate) bases: PtrMap<Vec<Expr>>,
    /// Variables of the description by those of the block.
    variables: PtrMap<Object>,
    /// Knows the variables of the block in terms of those of the description.
    analyzer: Analyzer,
    /// Knows the domains of the block's iterators.
    domains: Analyzer,
    is_inside: bool,
}

fn mismatch(statement: impl Into<Object>, why: &str) -> ScheduleError {
    let message = format!("the statement is not what the intrinsic computes: {why}");
    ScheduleError::new("TensorIntrinMismatchError", message).at(statement)
}

impl Comparison {
    /// Compares a block with the block that is a description.
    ///
    /// # Errors
    /// `TensorIntrinMismatchError`.
    pub(crate) fn of(block: &BlockRealize, description: &BlockRealize) -> Result<Comparison> {
        let mut comparison = Comparison::default();
        if !comparison.expr(&block.predicate, &description.predicate) {
            return Err(ScheduleError::plain("the block has a predicate, and the intrinsic has none"));
        }
        comparison.block(&block.block, &description.block)?;
        Ok(comparison)
    }

    fn block(&mut self, block: &Ref<Block>, other: &Ref<Block>) -> Result<()> {
        for axis in block.iter_vars.iter() {
            if let Some(dom) = &axis.dom {
                self.domains.bind_range(&axis.var, &dom.min, &dom.extent);
            }
        }
        if self.is_inside {
            let is_same = block.iter_vars.len() == other.iter_vars.len()
                && block.iter_vars.iter().zip(other.iter_vars.iter()).all(|(axis, other)| {
                    self.define(&axis.var, &other.var) && axis.iter_type == other.iter_type
                });
            if !is_same {
                return Err(mismatch(block.clone(), "the iterators of a block differ"));
            }
            let is_same = block.alloc_buffers.len() == other.alloc_buffers.len()
                && block.alloc_buffers.iter().zip(other.alloc_buffers.iter()).all(|(a, b)| self.buffer(a, b));
            if !is_same {
                return Err(mismatch(block.clone(), "the buffers that a block allocates differ"));
            }
        }
        for (regions, others, what) in
            [(&block.writes, &other.writes, "writes"), (&block.reads, &other.reads, "reads")]
        {
            if regions.len() != others.len() {
                let (found, expected) = (regions.len(), others.len());
                let why = format!("the block {what} {found} regions, and the intrinsic {expected}");
                return Err(mismatch(block.clone(), &why));
            }
            for (region, other) in regions.iter().zip(others.iter()) {
                if !self.region(region, other)? {
                    let name = region.buffer.name.text();
                    let why = format!("the region of `{name}` that the block {what} differs");
                    return Err(mismatch(block.clone(), &why));
                }
            }
        }
        self.is_inside = true;
        match self.stmt(&block.body, &other.body)? {
            true => Ok(()),
            false => Err(mismatch(block.clone(), "the statements differ")),
        }
    }

    fn stmt(&mut self, stmt: &StmtRef, other: &StmtRef) -> Result<bool> {
        with_stack(|| match (stmt.kind(), other.kind()) {
            (StmtKind::For(found), StmtKind::For(other)) => {
                self.loops(found, other)?;
                Ok(true)
            }
            (StmtKind::SeqStmt(sequence), StmtKind::SeqStmt(other)) => {
                if sequence.seq.len() != other.seq.len() {
                    return Ok(false);
                }
                for (stmt, other) in sequence.seq.iter().zip(other.seq.iter()) {
                    if !self.stmt(stmt, other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (StmtKind::BufferStore(store), StmtKind::BufferStore(other)) => Ok(self
                .access((&store.buffer, &store.indices), (&other.buffer, &other.indices))
                && self.expr(&store.value, &other.value)),
            (StmtKind::BlockRealize(realize), StmtKind::BlockRealize(other)) => {
                if !self.exprs(&realize.iter_values, &other.iter_values)
                    || !self.expr(&realize.predicate, &other.predicate)
                {
                    return Ok(false);
                }
                self.block(&realize.block, &other.block)?;
                Ok(true)
            }
            (StmtKind::For(_), _) => {
                Err(mismatch(stmt.object().clone(), "a loop is where the intrinsic has another statement"))
            }
            _ => Ok(false),
        })
    }

    fn loops(&mut self, found: &For, other: &For) -> Result<()> {
        let is_same = self.define(&found.loop_var, &other.loop_var)
            && self.expr(&found.min, &other.min)
            && self.expr(&found.extent, &other.extent)
            && found.thread_binding.is_none()
            && other.thread_binding.is_none()
            && found.kind == other.kind
            && self.annotations(&found.annotations, &other.annotations);
        if is_same && self.stmt(&found.body, &other.body)? {
            return Ok(());
        }
        let why = format!("the loop over `{}` differs", found.loop_var.name.text());
        Err(mismatch(Ref::new(found.clone()), &why))
    }

    fn annotations(&mut self, own: &Map<Str, Value>, other: &Map<Str, Value>) -> bool {
        own.len() == other.len()
            && own.iter().all(|(key, value)| {
                let found = other.iter().find(|(known, _)| *known == key).map(|(_, value)| value);
                let alone = |value: &Value| Ref::new(ArrayNode::new([value.clone()].into_iter().collect()));
                found.is_some_and(|found| structural_equal(alone(value).object(), alone(found).object()))
            })
    }

    /// Lets a variable of the description stand for one of the block.
    fn define(&mut self, var: &Ref<Var>, other: &Ref<Var>) -> bool {
        if let Some(known) = self.variables.get(var.object()) {
            return known.ptr_eq(other.object());
        }
        self.variables.insert(var.object().clone(), other.object().clone());
        if var.dtype.is_int()
            && let Ok(value) = ops::cast(var.dtype, other.clone().upcast())
        {
            self.analyzer.bind(var, &value);
        }
        true
    }

    fn buffer(&mut self, buffer: &Ref<Buffer>, other: &Ref<Buffer>) -> bool {
        if let Some(known) = self.buffers.get(other.object()) {
            return known.ptr_eq(buffer);
        }
        let is_same = self.define(&buffer.data, &other.data)
            && buffer.dtype == other.dtype
            && buffer.scope() == other.scope();
        if is_same {
            self.buffers.insert(other.object().clone(), buffer.clone());
        }
        is_same
    }

    fn region(&mut self, region: &BufferRegion, other: &BufferRegion) -> Result<bool> {
        if !self.buffer(&region.buffer, &other.buffer) {
            return Ok(false);
        }
        let Some(offset) = region.region.len().checked_sub(other.region.len()) else { return Ok(false) };
        if !region.region.iter().take(offset).all(|range| ops::is_one(&range.extent)) {
            return Ok(false);
        }
        let begins: Vec<Expr> = region.region.iter().map(|range| range.min.clone()).collect();
        let known = self.bases.get(region.buffer.object()).cloned();
        if known.is_none() && self.is_inside {
            let name = region.buffer.name.text();
            let message = format!("the region of `{name}` is not known around the loops of the block");
            return Err(ScheduleError::plain(message));
        }
        let base = known.clone().unwrap_or_else(|| begins.clone());
        for ((begin, base), range) in begins.iter().zip(&base).take(offset).zip(region.region.iter()) {
            if known.is_some() && !self.domains.can_prove_equal(base, &range.min) {
                return Ok(false);
            }
            debug_assert!(begin.ptr_eq(&range.min));
        }
        let inner = region.region.iter().zip(&base).skip(offset);
        for ((range, base), other) in inner.zip(other.region.iter()) {
            if !self.equal(&range.extent, &other.extent) {
                return Ok(false);
            }
            if known.is_some() {
                let difference = self.domains.simplify(&ops::sub(range.min.clone(), base.clone())?);
                if !self.equal(&difference, &other.min) {
                    return Ok(false);
                }
            }
        }
        if known.is_none() {
            self.bases.insert(region.buffer.object().clone(), begins);
        }
        Ok(true)
    }

    /// Proves that expressions are equal, which may be of different integer types.
    fn equal(&mut self, e: &Expr, other: &Expr) -> bool {
        match ops::cast(e.dtype(), other.clone()) {
            Ok(other) => self.analyzer.can_prove_equal(e, &other),
            Err(_) => false,
        }
    }

    fn access(
        &mut self,
        (buffer, indices): (&Ref<Buffer>, &Array<Expr>),
        (other, others): (&Ref<Buffer>, &Array<Expr>),
    ) -> bool {
        if !self.buffer(buffer, other) {
            return false;
        }
        let (Some(offset), Some(base)) =
            (indices.len().checked_sub(others.len()), self.bases.get(buffer.object()).cloned())
        else {
            return false;
        };
        indices.iter().zip(base).skip(offset).zip(others.iter()).all(|((index, base), other)| {
            ops::sub(index.clone(), base).is_ok_and(|difference| self.equal(&difference, other))
        })
    }

    fn exprs(&mut self, exprs: &Array<Expr>, others: &Array<Expr>) -> bool {
        exprs.len() == others.len() && exprs.iter().zip(others.iter()).all(|(e, other)| self.expr(e, other))
    }

    fn expr(&mut self, e: &Expr, other: &Expr) -> bool {
        if e.ptr_eq(other) {
            return true;
        }
        if e.dtype().code != other.dtype().code {
            return false;
        }
        with_stack(|| match (e.kind(), other.kind()) {
            (ExprKind::IntImm(a), ExprKind::IntImm(b)) => a.value == b.value,
            (ExprKind::FloatImm(a), ExprKind::FloatImm(b)) => a.value == b.value,
            (ExprKind::Cast(a), ExprKind::Cast(b)) => self.expr(&a.value, &b.value),
            (ExprKind::Var(_), ExprKind::Var(_)) => {
                self.variables.get(e.object()).is_some_and(|known| known.ptr_eq(other.object()))
            }
            (ExprKind::Call(a), ExprKind::Call(b)) => a.op.ptr_eq(&b.op) && self.exprs(&a.args, &b.args),
            (ExprKind::Select(a), ExprKind::Select(b)) => {
                self.expr(&a.condition, &b.condition)
                    && self.expr(&a.true_value, &b.true_value)
                    && self.expr(&a.false_value, &b.false_value)
            }
            _ => match (e.as_node::<BufferLoad>(), other.as_node::<BufferLoad>()) {
                (Some(a), Some(b)) => self.access((&a.buffer, &a.indices), (&b.buffer, &b.indices)),
                (None, None) => self.operands(e, other),
                _ => false,
            },
        })
    }

    fn operands(&mut self, e: &Expr, other: &Expr) -> bool {
        if !std::ptr::eq(e.object().info(), other.object().info()) {
            return false;
        }
        match (operands(e), operands(other)) {
            (Some((a, b)), Some((c, d))) => self.expr(a, c) && self.expr(b, d),
            _ => false,
        }
    }
}

/// The operands of a binary operator.
fn operands(e: &Ref<PrimExpr>) -> Option<(&Expr, &Expr)> {
    Some(match e.kind() {
        ExprKind::Add(n) => (&n.a, &n.b),
        ExprKind::Sub(n) => (&n.a, &n.b),
        ExprKind::Mul(n) => (&n.a, &n.b),
        ExprKind::Div(n) => (&n.a, &n.b),
        ExprKind::Mod(n) => (&n.a, &n.b),
        ExprKind::FloorDiv(n) => (&n.a, &n.b),
        ExprKind::FloorMod(n) => (&n.a, &n.b),
        ExprKind::Min(n) => (&n.a, &n.b),
        ExprKind::Max(n) => (&n.a, &n.b),
        ExprKind::EQ(n) => (&n.a, &n.b),
        ExprKind::NE(n) => (&n.a, &n.b),
        ExprKind::LT(n) => (&n.a, &n.b),
        ExprKind::LE(n) => (&n.a, &n.b),
        ExprKind::GT(n) => (&n.a, &n.b),
        ExprKind::GE(n) => (&n.a, &n.b),
        ExprKind::And(n) => (&n.a, &n.b),
        ExprKind::Or(n) => (&n.a, &n.b),
        _ => return None,
    })
}
