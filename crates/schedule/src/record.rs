//! The record of a schedule: each primitive that changed the module, with the module before and after it.
//!
//! Modules are immutable, so that a record keeps what a primitive changed and shares the rest.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Span};

use crate::primitive::Primitive;
use crate::schedule::Schedule;

/// The name of the first record: the module before the first primitive.
pub const VANILLA: &str = "vanilla";

/// One step of a record.
#[derive(Debug, Clone)]
pub struct Record {
    /// The name of the primitive; [`VANILLA`] of the first record.
    pub primitive: &'static str,
    /// The index of its instruction in the trace; `None` of the first record.
    pub instruction: Option<usize>,
    /// The call in the text that was applied, if there is one.
    pub span: Span,
    /// The module before.
    pub before: Ref<IRModule>,
    /// The module after.
    pub after: Ref<IRModule>,
}

impl Schedule {
    /// Begins a record, which is off unless this is called. Its first entry is the module as it is now.
    pub fn keep_schedule_record(&mut self) {
        let module = self.module();
        let first = Record {
            primitive: VANILLA,
            instruction: None,
            span: Span::UNKNOWN,
            before: module.clone(),
            after: module,
        };
        self.record.get_or_insert_with(|| vec![first]);
    }

    /// The record, in order; empty if none is kept.
    pub fn schedule_record(&self) -> &[Record] {
        self.record.as_deref().unwrap_or_default()
    }

    /// The record, each entry with its call in the text of the trace; the first one has none.
    pub fn recorded_calls(&self) -> Vec<(&Record, Option<String>)> {
        let mut lines = self.trace().lines(self);
        let mut call = |record: &Record| lines.get_mut(record.instruction?).map(std::mem::take);
        self.schedule_record().iter().map(|record| (record, call(record))).collect()
    }

    /// The names of the primitives in the record.
    pub fn primitive_record(&self) -> impl Iterator<Item = &'static str> {
        self.schedule_record().iter().map(|record| record.primitive)
    }
}

/// The scope of one primitive: at its end the record has what it changed, however the scope ends.
pub(crate) struct Recorder<'s> {
    pub(crate) schedule: &'s mut Schedule,
    primitive: &'static Primitive,
    before: Option<Ref<IRModule>>,
    span: Span,
}

impl<'s> Recorder<'s> {
    pub(crate) fn enter(schedule: &'s mut Schedule, primitive: &'static Primitive) -> Recorder<'s> {
        let before = schedule.record.as_ref().map(|_| schedule.module());
        Recorder { schedule, primitive, before, span: Span::current() }
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        let Some(before) = self.before.take() else { return };
        let after = self.schedule.module();
        let (old, new) = (before.functions.iter(), after.functions.iter());
        if old.zip(new).all(|((_, old), (_, new))| old.ptr_eq(new)) {
            return;
        }
        let instruction = self.schedule.trace().instructions().len().checked_sub(1);
        let Recorder { primitive, span, .. } = *self;
        if let Some(record) = &mut self.schedule.record {
            record.push(Record { primitive: primitive.name, instruction, span, before, after });
        }
    }
}
