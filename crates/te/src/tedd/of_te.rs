//! Schedules of tensor expressions as pictures show them.

use hashbrown::HashMap;
use tvmscript_docsifier::{PrinterConfig, exceeds_unfolded_size, print};
use tvmscript_ir_core::{Array, Object, PtrMap, Ref, Registry};
use tvmscript_prim::{Range, ops};
use tvmscript_tir::IterVar;

use super::model::{Iter, Model, ModelRelation, ModelStage};
use crate::domains;
use crate::schedule::Schedule;
use crate::stage::{Attach, Relation, Stage, StageId};

impl Model {
    /// The stages of a schedule of tensor expressions.
    pub fn of_te(schedule: &Schedule, registry: &Registry) -> Model {
        let positions: HashMap<StageId, usize> =
            schedule.stages().enumerate().map(|(at, (id, _))| (id, at)).collect();
        let stages = schedule.stages().map(|(_, stage)| model_stage(schedule, stage, &positions, registry));
        Model { stages: stages.collect() }
    }
}

/// The text of a node alone, on one line: without lines that declare its variables.
pub fn text(node: &Object, registry: &Registry) -> String {
    if exceeds_unfolded_size(node) {
        return "...".to_owned();
    }
    let config = PrinterConfig { max_width_columns: None, ..PrinterConfig::default() };
    match print(node, registry, &config) {
        Ok(text) => text.lines().last().unwrap_or_default().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The text of a domain, with its end.
pub(super) fn range_text(range: &Range, registry: &Registry) -> String {
    let end = ops::add(range.min.clone(), range.extent.clone()).unwrap_or_else(|_| range.extent.clone());
    let bounds = Array::new([range.min.clone(), end]);
    let text = text(bounds.object(), registry);
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    format!("T.Range({})", inside.unwrap_or(&text))
}

/// A name as the printer writes it for a variable.
pub(super) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

fn model_stage(
    schedule: &Schedule,
    stage: &Stage,
    positions: &HashMap<StageId, usize>,
    registry: &Registry,
) -> ModelStage {
    let domains = domains::of(stage).unwrap_or_default();
    let index: PtrMap<usize> =
        stage.all_iters.iter().enumerate().map(|(at, iter)| (iter.object().clone(), at)).collect();
    let at = |iter: &Ref<IterVar>| index.get(iter.object()).copied();
    let model_iter = |iter: &Ref<IterVar>| Iter {
        name: identifier(iter.var.name.get().as_str()),
        kind: stage.kind(iter) as usize,
        range: domains.get(iter.object()).map(|range| range_text(range, registry)),
        thread: stage
            .marks(iter)
            .and_then(|marks| marks.thread.as_ref())
            .map(|thread| identifier(&thread.thread_tag)),
        intrinsic: None,
    };
    let relation = |relation: &Relation| match relation {
        Relation::Split { parent, outer, inner, .. } => {
            Some(ModelRelation::Split(at(parent)?, vec![at(outer)?, at(inner)?]))
        }
        Relation::Fuse { outer, inner, fused } => {
            Some(ModelRelation::Fuse(vec![at(outer)?, at(inner)?], at(fused)?))
        }
        Relation::Singleton { iter } => Some(ModelRelation::Singleton(at(iter)?)),
    };
    let attach = || match &stage.attach {
        Attach::At(parent, iter) => {
            let iters = &schedule.stage(*parent)?.all_iters;
            Some((*positions.get(parent)?, iters.iter().position(|own| own.ptr_eq(iter))?))
        }
        Attach::Root | Attach::Inline => None,
    };
    let inputs = stage.op.inputs();
    let input = |tensor: &Ref<crate::Tensor>| {
        let stage = schedule.stage_of_tensor(tensor).ok()?;
        Some((*positions.get(&stage)?, usize::try_from(tensor.value_index).ok()?))
    };
    ModelStage {
        name: stage.op.name.to_string(),
        scope: stage.scope.to_string(),
        body: stage.op.body().map(|body| text(body.object(), registry)),
        iters: stage.all_iters.iter().map(model_iter).collect(),
        leaves: stage.leaf_iters.iter().filter_map(at).collect(),
        relations: stage.relations.iter().filter_map(relation).collect(),
        attach: attach(),
        inputs: inputs.iter().filter_map(input).collect(),
        outputs: stage
            .op
            .outputs()
            .iter()
            .map(|tensor| (text(tensor.shape.object(), registry), tensor.dtype.to_string()))
            .collect(),
    }
}
