//! Primitives that change the loops of one stage, and the place of its computation.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_prim::Expr;
use tvmscript_tir::{IterType, IterVar};

use crate::error::{Result, TeError};
use crate::schedule::{RecordArgument as Argument, Schedule, State};
use crate::stage::{Attach, Factor, Relation, StageId, derived, name};

/// The roles that `split`, `fuse` and `reorder` take.
fn check_kind(primitive: &'static str, iter: &Ref<IterVar>, allowed: &[IterType]) -> Result<()> {
    if allowed.contains(&iter.iter_type) {
        return Ok(());
    }
    let expected = match allowed.contains(&IterType::Ordered) {
        true => "`DataPar`, `CommReduce` or `Ordered`",
        false => "`DataPar`, `CommReduce` or `ThreadIndex`",
    };
    Err(TeError::Kind { primitive, axis: name(iter), found: iter.iter_type.name(), expected })
}

const DIVISIBLE: &[IterType] = &[IterType::DataPar, IterType::CommReduce, IterType::Ordered];
const MOVABLE: &[IterType] = &[IterType::DataPar, IterType::CommReduce, IterType::ThreadIndex];

type Pair = (Ref<IterVar>, Ref<IterVar>);

fn split(state: &mut State, stage: StageId, parent: &Ref<IterVar>, factor: Factor) -> Result<Pair> {
    check_kind("split", parent, DIVISIBLE)?;
    let stage = state.stage_mut(stage)?;
    let at = stage.leaf(parent)?;
    let part =
        |suffix: &str| derived(format!("{}.{suffix}", name(parent)), parent.var.dtype, parent.iter_type);
    let (outer, inner) = (part("outer")?, part("inner")?);
    let relation =
        Relation::Split { parent: parent.clone(), outer: outer.clone(), inner: inner.clone(), factor };
    stage.relations.push(relation);
    stage.replace(at, 1, &[outer.clone(), inner.clone()]);
    Ok((outer, inner))
}

fn fuse(
    state: &mut State,
    stage: StageId,
    outer: &Ref<IterVar>,
    inner: &Ref<IterVar>,
) -> Result<Ref<IterVar>> {
    check_kind("fuse", outer, DIVISIBLE)?;
    check_kind("fuse", inner, DIVISIBLE)?;
    let stage = state.stage_mut(stage)?;
    let (first, second) = (stage.leaf(outer)?, stage.leaf(inner)?);
    let (outer, inner) = if second + 1 == first { (inner, outer) } else { (outer, inner) };
    if first.abs_diff(second) != 1 {
        return Err(TeError::NotConsecutive { outer: name(outer), inner: name(inner) });
    }
    let kind =
        if outer.iter_type as i64 > inner.iter_type as i64 { outer.iter_type } else { inner.iter_type };
    let bits = outer.var.dtype.bits.max(inner.var.dtype.bits);
    let dtype = if outer.var.dtype.bits == bits { outer.var.dtype } else { inner.var.dtype };
    let fused = derived(format!("{}.{}.fused", name(outer), name(inner)), dtype, kind)?;
    let relation = Relation::Fuse { outer: outer.clone(), inner: inner.clone(), fused: fused.clone() };
    stage.relations.push(relation);
    stage.replace(first.min(second), 2, std::slice::from_ref(&fused));
    Ok(fused)
}

fn reorder(state: &mut State, stage: StageId, order: &[Ref<IterVar>]) -> Result<()> {
    let stage = state.stage_mut(stage)?;
    let mut places = Vec::with_capacity(order.len());
    let mut seen = hashbrown::HashSet::new();
    for iter in order {
        check_kind("reorder", iter, MOVABLE)?;
        let at = stage.leaf(iter)?;
        if !seen.insert(at) {
            return Err(TeError::Twice { axis: name(iter) });
        }
        places.push(at);
    }
    places.sort_unstable();
    for (at, iter) in places.into_iter().zip(order) {
        if let Some(leaf) = stage.leaf_iters.get_mut(at) {
            *leaf = iter.clone();
        }
    }
    Ok(())
}

impl Schedule {
    /// Splits a loop into one of the given inner extent and the loop around it.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage.
    pub fn split(&mut self, stage: StageId, parent: &Ref<IterVar>, factor: impl Into<Expr>) -> Result<Pair> {
        let factor = factor.into();
        let arguments = vec![Argument::Iter(parent.clone()), Argument::Expr(factor.clone())];
        let factor = Factor::Inner(factor);
        self.primitive("split", stage, arguments, |state| split(state, stage, parent, factor))
    }

    /// Splits a loop into one of the given outer extent and the loop in it.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage.
    pub fn split_by_nparts(
        &mut self,
        stage: StageId,
        parent: &Ref<IterVar>,
        nparts: impl Into<Expr>,
    ) -> Result<Pair> {
        let nparts = nparts.into();
        let arguments = vec![Argument::Iter(parent.clone()), Argument::Expr(nparts.clone())];
        let factor = Factor::Outer(nparts);
        self.primitive("split_by_nparts", stage, arguments, |state| split(state, stage, parent, factor))
    }

    /// Fuses neighbouring loops, which leaves a record for each but the first. Without loops, a computation without axes
    /// gets a loop of one iteration.
    ///
    /// # Errors
    /// If the variables are not neighbouring loops of the stage.
    pub fn fuse(&mut self, stage: StageId, iters: &[Ref<IterVar>]) -> Result<Ref<IterVar>> {
        let Some((first, rest)) = iters.split_first() else { return self.singleton(stage) };
        self.together(|schedule| {
            let mut fused = first.clone();
            for next in rest {
                let arguments = vec![Argument::Iter(fused.clone()), Argument::Iter(next.clone())];
                fused =
                    schedule.primitive("fuse", stage, arguments, |state| fuse(state, stage, &fused, next))?;
            }
            Ok(fused)
        })
    }

    fn singleton(&mut self, stage: StageId) -> Result<Ref<IterVar>> {
        self.primitive("fuse", stage, Vec::new(), |state| {
            let stage = state.stage_mut(stage)?;
            if !stage.leaf_iters.is_empty() {
                return Err(TeError::Scheduled { stage: stage.op.name.clone(), primitive: "fuse" });
            }
            let iter =
                derived("singleton".to_owned(), tvmscript_ir_core::DataType::INT32, IterType::DataPar)?;
            stage.relations.push(Relation::Singleton { iter: iter.clone() });
            stage.replace(0, 0, std::slice::from_ref(&iter));
            Ok(iter)
        })
    }

    /// Puts loops into the given order, in the places that they have together.
    ///
    /// # Errors
    /// If a variable is not a loop of the stage, or given twice.
    pub fn reorder(&mut self, stage: StageId, order: &[Ref<IterVar>]) -> Result<()> {
        let arguments = order.iter().cloned().map(Argument::Iter).collect();
        self.primitive("reorder", stage, arguments, |state| reorder(state, stage, order))
    }

    /// Splits two loops and puts the outer parts outside: `x.outer, y.outer, x.inner, y.inner`. Leaves a record for each of
    /// the three primitives.
    ///
    /// # Errors
    /// If a variable is not a loop of the stage.
    pub fn tile(
        &mut self,
        stage: StageId,
        (x, y): (&Ref<IterVar>, &Ref<IterVar>),
        (x_factor, y_factor): (Expr, Expr),
    ) -> Result<[Ref<IterVar>; 4]> {
        self.together(|schedule| {
            let (x_outer, x_inner) = schedule.split(stage, x, x_factor)?;
            let (y_outer, y_inner) = schedule.split(stage, y, y_factor)?;
            let order = [x_outer, y_outer, x_inner, y_inner];
            schedule.reorder(stage, &order)?;
            Ok(order)
        })
    }

    fn mark(
        &mut self,
        primitive: &'static str,
        stage: StageId,
        iter: &Ref<IterVar>,
        kind: IterType,
    ) -> Result<()> {
        self.primitive(primitive, stage, vec![Argument::Iter(iter.clone())], |state| {
            let stage = state.stage_mut(stage)?;
            stage.leaf(iter)?;
            if kind == IterType::Vectorized && !matches!(iter.iter_type, IterType::DataPar | IterType::Opaque)
            {
                let (axis, found) = (name(iter), iter.iter_type.name());
                return Err(TeError::Kind { primitive, axis, found, expected: "`DataPar` or `Opaque`" });
            }
            stage.marks_mut(iter).kind = Some(kind);
            Ok(())
        })
    }

    /// Vectorizes a loop.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage, or the loop reduces.
    pub fn vectorize(&mut self, stage: StageId, iter: &Ref<IterVar>) -> Result<()> {
        self.mark("vectorize", stage, iter, IterType::Vectorized)
    }

    /// Runs the iterations of a loop in parallel.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage.
    pub fn parallel(&mut self, stage: StageId, iter: &Ref<IterVar>) -> Result<()> {
        self.mark("parallel", stage, iter, IterType::Parallelized)
    }

    /// Unrolls a loop.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage.
    pub fn unroll(&mut self, stage: StageId, iter: &Ref<IterVar>) -> Result<()> {
        self.mark("unroll", stage, iter, IterType::Unrolled)
    }

    /// Marks a loop for passes. The pragmas `unroll` and `vectorize` are those primitives.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage.
    pub fn pragma(&mut self, stage: StageId, iter: &Ref<IterVar>, key: Str, value: Expr) -> Result<()> {
        match key.as_str() {
            "unroll" => self.unroll(stage, iter),
            "vectorize" => self.vectorize(stage, iter),
            _ => {
                let (text, expr) = (Argument::Text(key.clone()), Argument::Expr(value.clone()));
                self.primitive("pragma", stage, vec![Argument::Iter(iter.clone()), text, expr], |state| {
                    let stage = state.stage_mut(stage)?;
                    stage.leaf(iter)?;
                    stage.marks_mut(iter).pragmas.push((key, value));
                    Ok(())
                })
            }
        }
    }

    /// Binds a loop to a thread.
    ///
    /// # Errors
    /// If the variable is not a loop of the stage, or `thread` is not a thread.
    pub fn bind(&mut self, stage: StageId, iter: &Ref<IterVar>, thread: &Ref<IterVar>) -> Result<()> {
        let arguments = vec![Argument::Iter(iter.clone()), Argument::Thread(thread.clone())];
        self.primitive("bind", stage, arguments, |state| {
            let kind = |axis, expected| {
                let (found, axis) = (Ref::<IterVar>::clone(axis), name(axis));
                TeError::Kind { primitive: "bind", axis, found: found.iter_type.name(), expected }
            };
            if !matches!(iter.iter_type, IterType::DataPar | IterType::CommReduce) {
                return Err(kind(iter, "`DataPar` or `CommReduce`"));
            }
            if thread.iter_type != IterType::ThreadIndex {
                return Err(kind(thread, "a thread of `te.thread_axis`"));
            }
            let stage = state.stage_mut(stage)?;
            stage.leaf(iter)?;
            stage.marks_mut(iter).thread = Some(thread.clone());
            Ok(())
        })
    }

    /// Sets the storage scope of the results of a stage.
    ///
    /// # Errors
    /// If there is no such stage.
    pub fn set_scope(&mut self, stage: StageId, scope: impl Into<Str>) -> Result<()> {
        let scope = scope.into();
        self.primitive("set_scope", stage, vec![Argument::Text(scope.clone())], |state| {
            state.stage_mut(stage)?.scope = scope;
            Ok(())
        })
    }

    /// Computes a stage inside a loop of another one.
    ///
    /// # Errors
    /// If the variable is not a loop of `parent`, or `parent` is computed before the stage.
    pub fn compute_at(&mut self, stage: StageId, parent: StageId, iter: &Ref<IterVar>) -> Result<()> {
        let name = self.stage(parent).map_or_else(|| "".into(), |parent| parent.op.name.clone());
        self.attach("compute_at", stage, vec![Argument::At(name, iter.clone())], |state| {
            state.stage(parent)?.leaf(iter)?;
            if state.position(parent) <= state.position(stage) {
                let name = |id| state.stage(id).map(|stage| stage.op.name.clone());
                return Err(TeError::AttachOrder { stage: name(stage)?, parent: name(parent)? });
            }
            Ok(Attach::At(parent, iter.clone()))
        })
    }

    /// Computes a stage in the expressions of its readers.
    ///
    /// # Errors
    /// If the stage is a placeholder.
    pub fn compute_inline(&mut self, stage: StageId) -> Result<()> {
        self.attach("compute_inline", stage, Vec::new(), |_| Ok(Attach::Inline))
    }

    /// Computes a stage outside of the loops of others.
    ///
    /// # Errors
    /// If the stage is a placeholder.
    pub fn compute_root(&mut self, stage: StageId) -> Result<()> {
        self.attach("compute_root", stage, Vec::new(), |_| Ok(Attach::Root))
    }

    fn attach(
        &mut self,
        primitive: &'static str,
        stage: StageId,
        arguments: Vec<Argument>,
        place: impl FnOnce(&State) -> Result<Attach>,
    ) -> Result<()> {
        self.primitive(primitive, stage, arguments, |state| {
            let attach = place(state)?;
            let stage = state.stage_mut(stage)?;
            if stage.op.body().is_none() {
                return Err(TeError::Placeholder { stage: stage.op.name.clone(), done: "moved" });
            }
            stage.attach = attach;
            Ok(())
        })
    }
}
