//! Pictures of schedules in the language of Graphviz: the schedule tree, the relations of iteration variables, the dataflow.
//!
//! [`Model`] describes the stages of any schedule. [`Picture::dot`] writes the text that TVM's TEDD writes for it. A
//! picture compared with an earlier model marks what differs.
//!
//! Upstream counterpart: `python/tvm/contrib/tedd.py` of TVM 0.19.

mod cells;
mod dataflow;
mod graph;
mod iter_vars;
mod model;
mod of_te;
mod of_tir;
mod tree;

pub use graph::Graph;
pub use model::{Iter, Model, ModelRelation, ModelStage};

pub use of_te::text;

use cells::Dot;

/// Kinds of iteration variables with their colours, in TVM's order.
pub const KINDS: &[(&str, &str)] = &[
    ("kDataPar", "#FFFFFF"),
    ("kThreadIndex", "#2980B9"),
    ("kCommReduce", "#FAD7A0"),
    ("kOrdered", "#D35400"),
    ("kOpaque", "#ABB2B9"),
    ("kUnrolled", "#D2B4DE"),
    ("kVectorized", "#AED6F1"),
    ("kParallelized", "#F5B7B1"),
    ("kTensorized", "#A9DFBF"),
];

/// A picture of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Stages with their loops, and the loops that they are computed in.
    ScheduleTree,
    /// Iteration variables, and the splits and fusions that made them.
    IterVarRelationship,
    /// Stages and the tensors between them.
    Dataflow,
}

impl Picture {
    /// All pictures.
    pub const ALL: &[Picture] = &[Picture::ScheduleTree, Picture::IterVarRelationship, Picture::Dataflow];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Picture::ScheduleTree => "schedule-tree",
            Picture::IterVarRelationship => "itervar-relationship",
            Picture::Dataflow => "dataflow",
        }
    }

    /// The text of the picture.
    pub fn dot(self, model: &Model) -> String {
        let mut dot = Dot::new(self.title());
        dot.line(&format!("graph [rankdir={}]", self.direction()));
        if self != Picture::Dataflow {
            dot.legend();
        }
        self.draw(model, &mut dot);
        dot.finish()
    }

    /// Two pictures in one, left the former and right the latter. Stages that differ have a frame.
    pub fn compare(self, former: &Model, latter: &Model) -> String {
        let mut dot = Dot::new(self.title());
        dot.line(&format!("graph [rankdir={}]", self.direction()));
        if self != Picture::Dataflow {
            dot.legend();
        }
        for (model, other, prefix, label) in
            [(former, latter, "a_", "before"), (latter, former, "b_", "after")]
        {
            dot.open(&format!("subgraph cluster_{label} {{"));
            dot.line(&format!("label={label}"));
            dot.prefix = prefix;
            dot.changed = changed(model, other);
            self.draw(model, &mut dot);
            dot.close();
        }
        dot.finish()
    }

    fn draw(self, model: &Model, dot: &mut Dot) {
        match self {
            Picture::ScheduleTree => tree::draw(model, dot),
            Picture::IterVarRelationship => iter_vars::draw(model, dot),
            Picture::Dataflow => dataflow::draw(model, dot),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Picture::ScheduleTree => "Schedule Tree",
            Picture::IterVarRelationship => "IterVar Relationship Graph",
            Picture::Dataflow => "Dataflow Graph",
        }
    }

    fn direction(self) -> &'static str {
        match self {
            Picture::ScheduleTree => "BT",
            Picture::IterVarRelationship => "TB",
            Picture::Dataflow => "LR",
        }
    }
}

/// Tests for each stage whether the other model lacks it or has another one of its name.
fn changed(model: &Model, other: &Model) -> Vec<bool> {
    let named = |model: &Model, at: usize| model.stages.get(at).map(|stage| stage.name.clone());
    let differs = |stage: &ModelStage| {
        let Some(twin) = other.stages.iter().find(|twin| twin.name == stage.name) else { return true };
        let attach = |model: &Model, stage: &ModelStage| {
            stage.attach.map(|(parent, iter)| {
                let iter_name = model
                    .stages
                    .get(parent)
                    .and_then(|stage| stage.iters.get(iter))
                    .map(|iter| iter.name.clone());
                (named(model, parent), iter_name)
            })
        };
        let inputs = |model: &Model, stage: &ModelStage| -> Vec<_> {
            stage.inputs.iter().map(|(from, index)| (named(model, *from), *index)).collect()
        };
        attach(model, stage) != attach(other, twin)
            || inputs(model, stage) != inputs(other, twin)
            || ModelStage { attach: None, inputs: Vec::new(), ..stage.clone() }
                != ModelStage { attach: None, inputs: Vec::new(), ..twin.clone() }
    };
    model.stages.iter().map(differs).collect()
}
