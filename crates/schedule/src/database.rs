//! Databases of tuning records, as MetaSchedule stores them in JSON.
//!
//! A workload is a module with the function `main`; a record has a trace and the seconds of its runs. A function matches a
//! workload that is structurally equal to it, apart from the attributes that tuning sets. Hashes are those of this crate:
//! TVM's in the file depend on its release, so they are not compared.

use hashbrown::HashMap;
use serde_json::Value;
use tvmscript_ir::{DictAttrs, GlobalVar, IRModule};
use tvmscript_ir_core::json::base64;
use tvmscript_ir_core::{Map, Object, Ref, Str, structural_equal, structural_hash};
use tvmscript_tir::PrimFunc;

use crate::error::{Result, ScheduleError};
use crate::schedule::Schedule;
use crate::trace::TraceError;

/// The function of a workload.
const MAIN: &str = "main";
/// The attributes that tuning sets.
const SET_BY_TUNING: [&str; 2] = ["global_symbol", "tir.noalias"];
/// The seconds of a run that failed.
const FAILED: f64 = 1e10;

/// Tuning records by the functions that they are for.
#[derive(Debug, Clone, Default)]
pub struct Database {
    workloads: Vec<Workload>,
    /// Workloads by the structural hash of their function.
    by_hash: HashMap<u64, Vec<usize>>,
}

#[derive(Debug, Clone)]
struct Workload {
    function: Ref<PrimFunc>,
    /// The record with the lowest mean run time.
    best: Option<TuningRecord>,
}

/// A schedule that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningRecord {
    /// The trace as JSON, over a module with the function `main`.
    pub trace: Value,
    /// The mean of the run times.
    pub mean_seconds: f64,
}

/// A module with the schedules of a database.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The module.
    pub module: Ref<IRModule>,
    /// The functions of TIR without a record, which stay.
    pub unknown: Vec<Str>,
}

impl Database {
    /// Reads the files `database_workload.json` and `database_tuning_record.json`, with one entry per line. `load` reads the
    /// JSON of a module.
    ///
    /// # Errors
    /// If a line has another form.
    pub fn read(
        workloads: &str,
        records: &str,
        load: impl Fn(&str) -> std::result::Result<Object, String>,
    ) -> Result<Database> {
        let mut database = Database::default();
        for (number, line) in lines(workloads) {
            let wrong =
                |cause: String| ScheduleError::plain(format!("line {number} of the workloads: {cause}"));
            let function = workload(line, &load).map_err(wrong)?;
            let hash = structural_hash(function.object());
            database.by_hash.entry(hash).or_default().push(database.workloads.len());
            database.workloads.push(Workload { function, best: None });
        }
        for (number, line) in lines(records) {
            let wrong = |cause: &str| ScheduleError::plain(format!("line {number} of the records: {cause}"));
            let value: Value = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
            let index = value.get(0).and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
            let (Some(index), Some(trace)) = (index, value.pointer("/1/0")) else {
                return Err(wrong("expected `[workload, [trace, run times, target, arguments]]`"));
            };
            let workload = database.workloads.get_mut(index);
            let workload = workload.ok_or_else(|| wrong(&format!("there is no workload {index}")))?;
            let Some(mean_seconds) = value.pointer("/1/1").and_then(mean) else { continue };
            if workload.best.as_ref().is_none_or(|best| mean_seconds < best.mean_seconds) {
                workload.best = Some(TuningRecord { trace: trace.clone(), mean_seconds });
            }
        }
        Ok(database)
    }

    /// The record of a function with the lowest mean run time.
    pub fn best(&self, function: &Ref<PrimFunc>) -> Option<&TuningRecord> {
        let function = plain(function);
        let same = self.by_hash.get(&structural_hash(function.object()))?;
        let mut workloads = same.iter().filter_map(|at| self.workloads.get(*at));
        let is_equal = |workload: &&Workload| structural_equal(workload.function.object(), function.object());
        workloads.find(is_equal)?.best.as_ref()
    }

    /// Applies the best record of each function of a module. `configure` sets up the schedule of one function.
    ///
    /// # Errors
    /// If a trace does not apply, with the name of the function.
    pub fn apply(
        &self,
        module: &Ref<IRModule>,
        configure: impl Fn(Schedule) -> Schedule,
    ) -> std::result::Result<Tuned, (Str, TraceError)> {
        let mut functions = Vec::with_capacity(module.functions.len());
        let mut unknown = Vec::new();
        for (var, function) in module.functions.iter() {
            let mut result = function.clone();
            if let Some(found) = function.downcast_ref::<PrimFunc>() {
                match self.best(found) {
                    Some(record) => {
                        let tuned = tuned(found, record, &configure);
                        result = tuned.map_err(|error| (var.name_hint.clone(), error))?.upcast();
                    }
                    None => unknown.push(var.name_hint.clone()),
                }
            }
            functions.push((var.clone(), result));
        }
        let mut module = module.clone();
        if unknown.len() < functions.len() {
            module.make_mut().functions = Map::new(functions);
        }
        Ok(Tuned { module, unknown })
    }
}

/// The lines with their numbers, without empty ones.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// The function of `[hash, module]`. The module is JSON in base64, after its length in eight bytes.
fn workload(
    line: &str,
    load: impl Fn(&str) -> std::result::Result<Object, String>,
) -> std::result::Result<Ref<PrimFunc>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = value.get(1).and_then(Value::as_str).ok_or("expected `[hash, module in base64]`")?;
    let bytes = base64::decode(text).ok_or("the module is not in base64")?;
    let json = bytes.get(8..).ok_or("the module has no length")?;
    let node = load(std::str::from_utf8(json).map_err(|error| error.to_string())?)?;
    let module = node.downcast_ref::<IRModule>().ok_or("expected a module")?;
    let main = module.functions.iter().find(|(var, _)| var.name_hint.as_str() == MAIN);
    let function = main.and_then(|(_, function)| function.downcast_ref::<PrimFunc>());
    Ok(plain(function.ok_or("expected a module with the function `main` of TIR")?))
}

/// The mean of run times, if there was a run that did not fail.
fn mean(seconds: &Value) -> Option<f64> {
    let seconds: Vec<f64> = seconds.as_array()?.iter().filter_map(Value::as_f64).collect();
    let succeeded = seconds.iter().any(|seconds| *seconds < FAILED);
    succeeded.then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
}

/// A function without the attributes that tuning sets.
fn plain(function: &Ref<PrimFunc>) -> Ref<PrimFunc> {
    let mut function = function.clone();
    let entries = function.attrs.dict.iter().filter(|(key, _)| !SET_BY_TUNING.contains(&key.as_str()));
    let attrs = DictAttrs::new(entries.map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>());
    function.make_mut().attrs = attrs;
    function
}

/// A function after the trace of a record, with the attributes that it had.
fn tuned(
    function: &Ref<PrimFunc>,
    record: &TuningRecord,
    configure: impl Fn(Schedule) -> Schedule,
) -> std::result::Result<Ref<PrimFunc>, TraceError> {
    let form = |error: ScheduleError| TraceError::Form(error.to_string());
    let alone = [(GlobalVar::new(MAIN), function.clone().upcast())];
    let module = IRModule::new(alone, DictAttrs::new([]), Map::default());
    let mut schedule = configure(Schedule::new(module).map_err(form)?);
    schedule.apply_json(&record.trace)?;
    let result = schedule.module();
    let main = result.functions.iter().find(|(var, _)| var.name_hint.as_str() == MAIN);
    let main = main.and_then(|(_, function)| function.downcast_ref::<PrimFunc>()).cloned();
    main.ok_or_else(|| form(ScheduleError::plain("the function `main` is gone after the trace")))
}
