//! Caches of tensors: stages that copy, and readers that read the copies.

use hashbrown::HashMap;
use tvmscript_ir_core::mutate::{Descend, Mutator, mutate};
use tvmscript_ir_core::{Array, Map, Object, PtrMap, Ref, Str, tree_size};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::{IterVar, ProducerLoad};

use crate::error::{Result, TeError};
use crate::schedule::{Schedule, State};
use crate::stage::{Stage, StageId, name};
use crate::tensor::{Operation, OperationKind, Tensor, compute, load, replace_vars};

/// Maximum number of nodes in the expressions of a stage with inlined computations.
const MAX_NODES: u64 = 1 << 20;

/// Replacements of tensors, by their identity.
pub(crate) type Replacements = HashMap<(usize, i64), Ref<Tensor>>;

/// Expressions with loads from other tensors, except from those that stay.
fn with_tensors(body: &Array<Expr>, map: &Replacements, stay: Option<&Replacements>) -> Result<Array<Expr>> {
    struct Replace<'m>(&'m Replacements, Option<&'m Replacements>);
    impl Mutator for Replace<'_> {
        fn enter(&mut self, node: &Object) -> Descend {
            let Some(tensor) = node.downcast_ref::<Tensor>() else { return Descend::Into };
            let key = tensor.key();
            match self.0.get(&key) {
                Some(new) if self.1.is_none_or(|stay| !stay.contains_key(&key)) => {
                    Descend::Replace(new.object().clone())
                }
                _ => Descend::Keep,
            }
        }
    }
    Ok(mutate(body.clone(), &mut Replace(map, stay))?)
}

impl State {
    /// Replaces tensors in all bodies; stages whose bodies change get operations of their own, which their readers read.
    pub(crate) fn replace_tensors(&mut self, mut map: Replacements, only: Option<&[StageId]>) -> Result<()> {
        let first = map.clone();
        for id in self.order.clone() {
            let op = self.stage(id)?.op.clone();
            let Some(body) = op.body() else { continue };
            let reads_copy = only.is_none_or(|only| only.contains(&id));
            let new = with_tensors(body, &map, (!reads_copy).then_some(&first))?;
            if new.ptr_eq(body) {
                continue;
            }
            let new = op.with_body(new);
            for (old, new) in op.outputs().into_iter().zip(new.outputs()) {
                map.insert(old.key(), new);
            }
            self.set_op(id, new)?;
        }
        Ok(())
    }
}

fn indices(vars: &[Ref<Var>]) -> Array<Expr> {
    vars.iter().map(|var| var.clone().upcast()).collect()
}

impl Schedule {
    /// Adds a stage that copies a tensor to a storage scope, for the given readers. Leaves the record of the `set_scope` of
    /// the new stage.
    ///
    /// # Errors
    /// If the schedule does not have the tensor or a reader.
    pub fn cache_read(
        &mut self,
        tensor: &Ref<Tensor>,
        scope: &str,
        readers: &[StageId],
    ) -> Result<Ref<Tensor>> {
        let source = self.stage_of_tensor(tensor)?;
        self.together(|schedule| {
            let made = schedule.step(|state| {
                let op = state.stage(source)?.op.clone();
                // The tensor as other caches have changed it.
                let current = op.output(usize::try_from(tensor.value_index).unwrap_or_default());
                let names: Vec<String> = (0..current.shape.len()).map(|at| format!("ax{at}")).collect();
                let cache_name = format!("{}.{scope}", op.name);
                let copy = compute(&current.shape, &names, cache_name, |vars| {
                    Ok::<_, TeError>(vec![load(&current, indices(vars))?])
                })?;
                let cached = copy.output(0);
                let map = Replacements::from_iter([(current.key(), cached.clone())]);
                state.replace_tensors(map, Some(readers))?;
                let at = state.position(source) + 1;
                Ok((cached, state.insert(at, Stage::new(copy))))
            });
            let (cached, stage) = made?;
            schedule.set_scope(stage, scope)?;
            Ok(cached)
        })
    }

    /// Computes a tensor in a storage scope by a stage of its own, which the stage of the tensor copies. Leaves the record of
    /// the `set_scope` of the new stage.
    ///
    /// # Errors
    /// If the tensor is a placeholder or one of several results, or its stage is scheduled already.
    pub fn cache_write(&mut self, tensor: &Ref<Tensor>, scope: &str) -> Result<Ref<Tensor>> {
        let stage = self.stage_of_tensor(tensor)?;
        self.together(|schedule| {
            let made = schedule.step(|state| {
                let old = state.stage(stage)?;
                let op = old.op.clone();
                let OperationKind::Compute { axis, reduce_axis: _, body } = &op.kind else {
                    return Err(TeError::Placeholder { stage: op.name.clone(), done: "cached for writing" });
                };
                if !old.relations.is_empty() || body.len() != 1 {
                    return Err(TeError::Scheduled { stage: op.name.clone(), primitive: "cache_write" });
                }
                let renewed = axis.iter().map(|axis| {
                    let var = Var::new(format!("{}.c", name(axis)), axis.var.dtype);
                    Ok(IterVar::try_new(axis.dom.clone(), var, axis.iter_type, axis.thread_tag.clone())?)
                });
                let own = renewed.collect::<Result<Vec<_>>>()?;
                let vars = axis
                    .iter()
                    .zip(&own)
                    .map(|(old, new)| (old.var.object().clone(), new.var.object().clone()));
                let vars: PtrMap<Object> = vars.collect();
                let values =
                    body.iter().map(|value| replace_vars(value, &vars)).collect::<Result<Vec<_>>>()?;
                let cache_name: Str = format!("{}.{scope}", op.name).into();
                let cache = Operation::compute(cache_name, op.tag.clone(), op.attrs.clone(), own, values)?;
                let cached = cache.output(0);
                let vars: Vec<Ref<Var>> = axis.iter().map(|axis| axis.var.clone()).collect();
                let copied = vec![load(&cached, indices(&vars))?];
                let copy =
                    Operation::compute(op.name.clone(), "".into(), Map::default(), axis.clone(), copied)?;
                let map = Replacements::from_iter([(op.output(0).key(), copy.output(0))]);
                state.set_op(stage, copy.clone())?;
                let new = Stage::new(copy);
                let old = state.stage_mut(stage)?;
                (old.all_iters, old.leaf_iters) = (new.all_iters, new.leaf_iters);
                state.replace_tensors(map, None)?;
                let at = state.position(stage);
                Ok((cached, state.insert(at, Stage::new(cache))))
            });
            let (cached, stage) = made?;
            schedule.set_scope(stage, scope)?;
            Ok(cached)
        })
    }
}

/// A computation put into the expressions that read it.
pub(crate) fn inlined(body: &Array<Expr>, tensor: &Ref<Tensor>, op: &Operation) -> Result<Array<Expr>> {
    let OperationKind::Compute { axis, body: values, .. } = &op.kind else { return Ok(body.clone()) };
    let Some(value) = values.first() else { return Ok(body.clone()) };
    let new: Array<Expr> = tvmscript_ir_core::try_post_order_mutate(body.clone(), |node| {
        let Some(load) = node.downcast_ref::<ProducerLoad>() else { return Ok(None) };
        if load.producer.downcast_ref::<Tensor>().is_none_or(|read| read.key() != tensor.key()) {
            return Ok(None);
        }
        let vars = axis.iter().zip(load.indices.iter());
        let vars: PtrMap<Object> =
            vars.map(|(axis, index)| (axis.var.object().clone(), index.object().clone())).collect();
        Ok::<_, TeError>(Some(replace_vars(value, &vars)?.into()))
    })?;
    // Each load gets a copy of its own, so that a chain of inlined computations may double at each.
    match tree_size(new.object()).nodes > MAX_NODES {
        true => Err(TeError::TooLarge { name: op.name.clone() }),
        false => Ok(new),
    }
}
