//! Schedules of a page: the text and the tree of a function after each primitive, with the differences.
//!
//! [`Step`]s come from a schedule that keeps a record ([`Step::of`]), or from a folder with one ([`read`]). A function is shown
//! if a step changes it; its records are the steps that do.

mod folder;
mod tree;

use tvmscript_docsifier::{DocsifyError, PrinterConfig, print_mapped};
use tvmscript_ir::{DictAttrs, GLOBAL_SYMBOL, IRModule, global_symbol};
use tvmscript_ir_core::{Ref, Registry};
use tvmscript_tir::PrimFunc;

pub use folder::{RecordError, read};
pub use tree::tree;

use crate::comparison::{Ir, Text, hunks};
use crate::page::{Schedule, ScheduleRecord, Store};

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
    // The first function of TIR, which is shown if no step changes any.
    let mut unchanged: Option<(String, &Step, Printed)> = None;
    for (var, _) in first.module.functions.iter() {
        let name = var.name_hint.as_str();
        let mut records = Vec::new();
        let mut last: Option<(&Step, Printed)> = None;
        for step in steps {
            let function = step
                .module
                .function(name)
                .and_then(|(_, function)| function.object().downcast_ref::<PrimFunc>());
            let Some(function) = function else { continue };
            if last.as_ref().is_some_and(|(_, last)| last.function.ptr_eq(function)) {
                continue;
            }
            let mapped = print_mapped(named(function, name).object(), registry, config)?;
            if last.as_ref().is_some_and(|(_, last)| last.text == mapped.text()) {
                continue;
            }
            let printed = Printed {
                function: function.clone(),
                text: mapped.text().to_owned(),
                ir: Ir::of_mapped(&mapped),
                tree: tree(function, registry).trim_end().to_owned(),
            };
            if let Some((before, last)) = &last {
                if records.is_empty() {
                    records.push(record(before, last, None, store));
                }
                records.push(record(step, &printed, Some(last), store));
            }
            last = Some((step, printed));
        }
        match last {
            _ if !records.is_empty() => schedules.push(Schedule { function: name.to_owned(), records }),
            Some((step, printed)) if unchanged.is_none() => {
                unchanged = Some((name.to_owned(), step, printed))
            }
            _ => {}
        }
    }
    if let (true, Some((function, step, printed))) = (schedules.is_empty(), unchanged) {
        schedules.push(Schedule { function, records: vec![record(step, &printed, None, store)] });
    }
    Ok(schedules)
}

/// The function with its name in the module, which the text of a private function alone does not have.
fn named(function: &Ref<PrimFunc>, name: &str) -> Ref<PrimFunc> {
    if global_symbol(&function.attrs).is_some() {
        return function.clone();
    }
    let mut function = function.clone();
    let entries = function.attrs.dict.iter().map(|(key, value)| (key.clone(), value.clone()));
    let symbol = (GLOBAL_SYMBOL.into(), name.into());
    let attrs = DictAttrs::new(entries.chain([symbol]).collect::<Vec<_>>());
    function.make_mut().attrs = attrs;
    function
}

/// A function with its texts.
struct Printed {
    function: Ref<PrimFunc>,
    text: String,
    ir: Ir,
    tree: String,
}

impl Printed {
    fn shown(&self) -> Text<'_> {
        Text { text: &self.text, ir: Some(&self.ir) }
    }
}

fn record(step: &Step, printed: &Printed, last: Option<&Printed>, store: &mut Store) -> ScheduleRecord {
    ScheduleRecord {
        primitive: step.primitive.clone(),
        call: step.call.clone(),
        text: store.text(&printed.text),
        tree: store.text(&printed.tree),
        hunks: last.map_or_else(Vec::new, |last| hunks(&last.shown(), &printed.shown())),
        tree_hunks: last
            .map_or_else(Vec::new, |last| hunks(&Text::plain(&last.tree), &Text::plain(&printed.tree))),
    }
}
