//! The record of a schedule: each primitive that changed the module, with the module before and after it.
//!
//! Modules are immutable, so that a record keeps what a primitive changed and shares the rest.

use std::fmt::Write as _;

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

    /// The names of the primitives in the record.
    pub fn primitive_record(&self) -> impl Iterator<Item = &'static str> {
        self.schedule_record().iter().map(|record| record.primitive)
    }

    /// The record as a table: number, primitive and call.
    pub fn record_table(&self) -> String {
        let records = self.schedule_record();
        let lines = self.trace().lines(self);
        let width = records.iter().map(|record| record.primitive.len()).max().unwrap_or(0).max(9);
        let mut text = format!("{:>3}  {:width$}  call\n", "#", "primitive");
        for (index, record) in records.iter().enumerate() {
            let call = record.instruction.and_then(|at| lines.get(at)).map_or("", String::as_str);
            let line = format!("{index:>3}  {:width$}  {call}", record.primitive);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// Reads a table that [`Schedule::record_table`] wrote: the primitives and their calls.
pub fn read_table(text: &str) -> Vec<(String, String)> {
    let rows = text.lines().skip(1).filter_map(|line| {
        let (number, rest) = line.trim_start().split_once("  ")?;
        number.parse::<usize>().ok()?;
        let (primitive, call) = rest.split_once("  ").unwrap_or((rest, ""));
        Some((primitive.to_owned(), call.trim_start().to_owned()))
    });
    rows.collect()
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
