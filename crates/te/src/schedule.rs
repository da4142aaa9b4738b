//! Schedules of computations, and the record of their primitives.

use std::sync::Arc;

use hashbrown::HashMap;
use tvmscript_ir_core::{Ref, Span, Str};
use tvmscript_prim::Expr;
use tvmscript_tir::IterVar;

use crate::error::{Result, TeError};
use crate::stage::{Stage, StageId};
use crate::tensor::{Operation, Tensor, post_order};

/// A schedule: stages in the order of their computation.
///
/// A primitive changes one stage, or fails and changes nothing. With [`Schedule::keep_record`], the schedule after each
/// primitive is kept; stages that a primitive leaves alone are shared between the records.
#[derive(Debug, Clone)]
pub struct Schedule {
    state: State,
    /// `None`: no record is kept.
    record: Option<Vec<Record>>,
}

/// A primitive and the schedule after it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record {
    /// Name of the primitive; `vanilla` for the schedule before all of them.
    pub primitive: &'static str,
    /// Name of the stage that it changed; none for `vanilla`.
    pub stage: Option<Str>,
    /// Its arguments, in order.
    pub arguments: Vec<RecordArgument>,
    /// Position of the call in the program that made it.
    pub span: Span,
    /// The schedule, which keeps no record.
    pub schedule: Schedule,
}

/// An argument of a recorded primitive.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RecordArgument {
    /// An iteration variable of the stage.
    Iter(Ref<IterVar>),
    /// A stage, with an iteration variable of it.
    At(Str, Ref<IterVar>),
    /// An expression.
    Expr(Expr),
    /// Text: a scope, or the key of a pragma.
    Text(Str),
    /// A thread.
    Thread(Ref<IterVar>),
}

#[derive(Debug, Clone)]
pub(crate) struct State {
    /// By number.
    pub(crate) stages: Vec<Arc<Stage>>,
    /// In the order of computation.
    pub(crate) order: Vec<StageId>,
    /// The operations that the program knows or caches have made.
    pub(crate) by_op: Arc<HashMap<usize, (Operation, StageId)>>,
    pub(crate) outputs: Vec<Operation>,
}

impl Schedule {
    /// The plain schedule of some operations and those that they read.
    pub fn new(outputs: &[Operation]) -> Schedule {
        let ops = post_order(outputs);
        let by_op =
            ops.iter().enumerate().map(|(at, op)| (op.address(), (op.clone(), StageId(at)))).collect();
        let state = State {
            order: (0..ops.len()).map(StageId).collect(),
            stages: ops.into_iter().map(|op| Arc::new(Stage::new(op))).collect(),
            by_op: Arc::new(by_op),
            outputs: outputs.to_vec(),
        };
        Schedule { state, record: None }
    }

    /// Keeps a record from now on, as TVM does with the option `te.keep_schedule_record`. The first entry is the schedule
    /// as it is, `vanilla`.
    #[must_use]
    pub fn keep_record(self) -> Schedule {
        let first = Record {
            primitive: "vanilla",
            stage: None,
            arguments: Vec::new(),
            span: Span::default(),
            schedule: self.snapshot(),
        };
        Schedule { record: Some(vec![first]), ..self }
    }

    /// The record; empty if none is kept.
    pub fn record(&self) -> &[Record] {
        self.record.as_deref().unwrap_or_default()
    }

    /// The stages in the order of computation.
    pub fn stages(&self) -> impl Iterator<Item = (StageId, &Stage)> {
        self.state.order.iter().filter_map(|id| Some((*id, self.state.stages.get(id.0)?.as_ref())))
    }

    /// A stage.
    pub fn stage(&self, id: StageId) -> Option<&Stage> {
        self.state.stages.get(id.0).map(Arc::as_ref)
    }

    /// The operations that the schedule computes for others.
    pub fn outputs(&self) -> &[Operation] {
        &self.state.outputs
    }

    /// The stage of an operation, also of one that a cache has replaced.
    ///
    /// # Errors
    /// If the schedule does not have the operation.
    pub fn stage_of(&self, op: &Operation) -> Result<StageId> {
        let found = self.state.by_op.get(&op.address()).map(|(_, id)| *id);
        found.ok_or_else(|| TeError::NoStage { name: op.name.clone() })
    }

    /// The stage that computes a tensor.
    ///
    /// # Errors
    /// If the schedule does not compute it.
    pub fn stage_of_tensor(&self, tensor: &Ref<Tensor>) -> Result<StageId> {
        match tensor.op() {
            Some(op) => self.stage_of(op),
            None => Err(TeError::NoStage { name: tensor.name.clone() }),
        }
    }

    /// Runs a primitive: the hook that all of them share. The schedule changes and is recorded if the primitive succeeds.
    pub(crate) fn primitive<R>(
        &mut self,
        name: &'static str,
        stage: StageId,
        arguments: Vec<RecordArgument>,
        run: impl FnOnce(&mut State) -> Result<R>,
    ) -> Result<R> {
        let mut state = self.state.clone();
        let result = run(&mut state)?;
        self.state = state;
        let schedule = self.record.is_some().then(|| self.snapshot());
        if let (Some(record), Some(schedule)) = (&mut self.record, schedule) {
            let stage = schedule.stage(stage).map(|stage| stage.op.name.clone());
            record.push(Record { primitive: name, stage, arguments, span: Span::current(), schedule });
        }
        Ok(result)
    }

    /// Runs several primitives. If one fails, the schedule and the record are as before all of them.
    pub(crate) fn together<R>(&mut self, run: impl FnOnce(&mut Schedule) -> Result<R>) -> Result<R> {
        let (state, count) = (self.state.clone(), self.record().len());
        let result = run(self);
        if result.is_err() {
            self.state = state;
            if let Some(record) = &mut self.record {
                record.truncate(count);
            }
        }
        result
    }

    /// Like [`Schedule::primitive`], without a record.
    pub(crate) fn step<R>(&mut self, run: impl FnOnce(&mut State) -> Result<R>) -> Result<R> {
        let mut state = self.state.clone();
        let result = run(&mut state)?;
        self.state = state;
        Ok(result)
    }

    pub(crate) fn without_record(self) -> Schedule {
        Schedule { record: None, ..self }
    }

    fn snapshot(&self) -> Schedule {
        Schedule { state: self.state.clone(), record: None }
    }
}

impl State {
    pub(crate) fn stage(&self, id: StageId) -> Result<&Stage> {
        self.stages.get(id.0).map(Arc::as_ref).ok_or_else(|| TeError::NoStage { name: "".into() })
    }

    pub(crate) fn stage_mut(&mut self, id: StageId) -> Result<&mut Stage> {
        match self.stages.get_mut(id.0) {
            Some(stage) => Ok(Arc::make_mut(stage)),
            None => Err(TeError::NoStage { name: "".into() }),
        }
    }

    /// Position in the order of computation.
    pub(crate) fn position(&self, id: StageId) -> usize {
        self.order.iter().position(|own| *own == id).unwrap_or(self.order.len())
    }

    /// Adds a stage at a position.
    pub(crate) fn insert(&mut self, at: usize, stage: Stage) -> StageId {
        let id = StageId(self.stages.len());
        Arc::make_mut(&mut self.by_op).insert(stage.op.address(), (stage.op.clone(), id));
        self.stages.push(Arc::new(stage));
        self.order.insert(at.min(self.order.len()), id);
        id
    }

    /// Gives a stage another operation with the same axes.
    pub(crate) fn set_op(&mut self, id: StageId, op: Operation) -> Result<()> {
        Arc::make_mut(&mut self.by_op).insert(op.address(), (op.clone(), id));
        let stage = self.stage_mut(id)?;
        let old = std::mem::replace(&mut stage.op, op.clone());
        for output in &mut self.outputs {
            if *output == old {
                *output = op.clone();
            }
        }
        Ok(())
    }
}
