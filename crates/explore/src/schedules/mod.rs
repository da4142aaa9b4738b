//! Schedules of a page: the text and the tree of a function after each primitive, with the differences.
//!
//! [`Step`]s come from a schedule that keeps a record ([`Step::of`]), or from a folder with one ([`read`]). A function is shown
//! if a step changes it; its records are the steps that do.

mod folder;
mod tree;

use tvmscript_docsifier::{DocsifyError, PrinterConfig, print};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Registry};
use tvmscript_tir::PrimFunc;

pub use folder::{RecordError, is_record, read};
pub use tree::tree;

use crate::page::{Change, Hunk, Schedule, ScheduleRecord, Store};

/// A module after a primitive.
#[derive(Debug, Clone)]
pub struct Step {
    /// Name of the primitive; that of the first step is `vanilla`.
    pub primitive: String,
    /// The call in the trace; empty for the first step.
    pub call: String,
    /// The module.
    pub module: Ref<IRModule>,
}

impl Step {
    /// The steps of a schedule; none if it keeps no record.
    pub fn of(schedule: &tvmscript_schedule::Schedule) -> Vec<Step> {
        let step = |(record, call): (&tvmscript_schedule::Record, Option<String>)| Step {
            primitive: record.primitive.to_owned(),
            call: call.unwrap_or_default(),
            module: record.after.clone(),
        };
        schedule.recorded_calls().into_iter().map(step).collect()
    }
}

/// The schedules of the functions that the steps change; without changes, that of the first function of TIR.
///
/// # Errors
/// If a function has no text.
pub fn schedules(
    steps: &[Step],
    store: &mut Store,
    registry: &Registry,
    config: &PrinterConfig,
) -> Result<Vec<Schedule>, Box<DocsifyError>> {
    let Some(first) = steps.first() else { return Ok(Vec::new()) };
    let mut schedules = Vec::new();
    for (var, _) in first.module.functions.iter() {
        let name = var.name_hint.as_str();
        let mut schedule = Schedule { function: name.to_owned(), records: Vec::new() };
        let mut last: Option<Printed> = None;
        for step in steps {
            let function = step
                .module
                .function(name)
                .and_then(|(_, function)| function.object().downcast_ref::<PrimFunc>());
            let Some(function) = function else { continue };
            if last.as_ref().is_some_and(|last| last.function.ptr_eq(function)) {
                continue;
            }
            let text = print(function.object(), registry, config)?;
            if last.as_ref().is_some_and(|last| last.text == text) {
                continue;
            }
            let printed = Printed { function: function.clone(), text, tree: tree(function, registry) };
            schedule.records.push(record(step, &printed, last.as_ref(), store));
            last = Some(printed);
        }
        if !schedule.records.is_empty() {
            schedules.push(schedule);
        }
    }
    if schedules.iter().any(|schedule| schedule.records.len() > 1) {
        schedules.retain(|schedule| schedule.records.len() > 1);
    } else {
        schedules.truncate(1);
    }
    Ok(schedules)
}

/// A function with its texts.
struct Printed {
    function: Ref<PrimFunc>,
    text: String,
    tree: String,
}

fn record(step: &Step, printed: &Printed, last: Option<&Printed>, store: &mut Store) -> ScheduleRecord {
    let hunks_of =
        |part: fn(&Printed) -> &str| last.map_or_else(Vec::new, |last| hunks(part(last), part(printed)));
    ScheduleRecord {
        primitive: step.primitive.clone(),
        call: step.call.clone(),
        text: store.text(&printed.text),
        tree: store.text(&printed.tree),
        hunks: hunks_of(|printed| &printed.text),
        tree_hunks: hunks_of(|printed| &printed.tree),
    }
}

/// The lines that differ between two texts.
fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.trim_end().lines().collect(), after.trim_end().lines().collect());
    let line = |index: usize, length: usize| {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        [number(index + usize::from(length > 0)), number(length)]
    };
    let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let hunk = |operation: similar::DiffOp| {
        let (tag, old, new) = operation.as_tag_tuple();
        let kind = match tag {
            similar::DiffTag::Equal => return None,
            similar::DiffTag::Insert => Change::Added,
            similar::DiffTag::Delete => Change::Removed,
            similar::DiffTag::Replace => Change::Edited,
        };
        Some(Hunk { kind, before: line(old.start, old.len()), after: line(new.start, new.len()), note: None })
    };
    operations.into_iter().filter_map(hunk).collect()
}
