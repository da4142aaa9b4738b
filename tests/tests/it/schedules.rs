//! Schedules: recorded ones of TVM, from JSON and from text, and refusals at their lines.

use serde_json::Value;
use tvmscript::ir::IRModule;
use tvmscript::schedule::{Schedule, TensorIntrinsics, TraceError};
use tvmscript::{Object, ParseOptions, Ref, parse, registry, structural_equal};

fn read(text: &str) -> Object {
    let parsed = parse("module.py", text, registry(), &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.scripts.into_iter().next().expect("a script").node
}

fn module(text: &str) -> Ref<IRModule> {
    read(text).downcast_ref::<IRModule>().expect("a module").clone()
}

fn cases() -> Vec<Value> {
    let lines = include_str!("../../vectors/schedule.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().unwrap_or_default()
}

/// A trace with the graphs of index maps in place of their text, without what TVM says about itself.
fn without_metadata(trace: &Value) -> Value {
    match trace {
        Value::Array(items) => items.iter().map(without_metadata).collect(),
        Value::String(text) if text.starts_with('{') => {
            let mut graph: Value = serde_json::from_str(text).expect("a graph");
            graph.as_object_mut().expect("an object").remove("metadata");
            graph
        }
        other => other.clone(),
    }
}

#[test]
fn recorded_traces_give_the_modules_of_tvm() {
    let cases = cases();
    assert!(cases.len() > 50);
    for case in &cases {
        let id = text(case, "id");
        let mut from_json = Schedule::new(module(text(case, "before"))).expect("a schedule");
        if case["intrins"].is_object() {
            let intrinsics = case["intrins"].to_string();
            from_json.intrinsics_mut().read_json(&intrinsics, registry()).expect("intrinsics");
        }
        let mut from_text = from_json.clone();
        let by_json = from_json.apply_json(&case["trace_json"]);
        let by_text = from_text.apply_text("trace.py", text(case, "trace"), registry());
        if case["ok"] == Value::Bool(true) {
            by_json.unwrap_or_else(|error| panic!("{id}: {error}"));
            by_text.unwrap_or_else(|errors| panic!("{id}: {errors:?}"));
            let after = read(text(case, "after"));
            assert!(structural_equal(&after, from_json.module().object()), "{id}");
            assert!(structural_equal(&after, from_text.module().object()), "{id}");
            let own = from_json.trace().json(&from_json);
            assert_eq!(without_metadata(&own), without_metadata(&case["trace_json"]), "{id}");
            assert_eq!(from_text.trace().text(&from_text), text(case, "trace"), "{id}");
            continue;
        }
        let Err(TraceError::Refused { error, .. }) = by_json else { panic!("{id}: not refused") };
        let errors = by_text.expect_err("the text is refused, too");
        if let Some(class) = case["error"]["class"].as_str() {
            assert_eq!(error.class, Some(class), "{id}: {error}");
            assert!(errors[0].to_string().contains(class), "{id}: {errors:?}");
        }
    }
}

const MODULE: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + 1.0
"#;

#[test]
fn each_intrinsic_of_tvm_is_a_pair_of_functions_with_the_same_parameters() {
    let intrinsics = TensorIntrinsics::default();
    let mut count = 0;
    for name in TensorIntrinsics::names_of_tvm() {
        let found = intrinsics.get(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.description.params.len(), found.implementation.params.len(), "{name}");
        count += 1;
    }
    assert_eq!(count, 108);
}

#[test]
fn a_refused_primitive_is_an_error_at_its_line_and_changes_nothing() {
    let mut schedule = Schedule::new(module(MODULE)).expect("a schedule");
    let trace = "def tile(s):\n    i, j = s.get_loops(\"B\")\n    for factor in [8, 0]:\n        s.split(j, factors=[None, factor])\n        j = s.get_loops(\"B\")[-1]\n";
    let errors = schedule.apply_text("tile.py", trace, registry()).expect_err("a factor of zero");
    let reports = tvmscript::diagnostics::reports(&errors, trace);
    assert_eq!((reports.len(), reports[0].start.line), (1, 4), "{errors:?}");
    assert!(reports[0].message.contains("NonPositiveFactorError"), "{errors:?}");
    // The first split is done.
    let text = schedule.trace().text(&schedule);
    assert_eq!(text.matches("sch.split").count(), 1, "{text}");
    let wrong = schedule.apply_text("wrong.py", "sch.spilt(sch.get_loops(\"B\")[0], [2, 32])\n", registry());
    assert!(wrong.expect_err("no such primitive")[0].to_string().contains("spilt"));
}

#[test]
fn a_simplified_trace_has_no_unused_finders() {
    let mut schedule = Schedule::new(module(MODULE)).expect("a schedule");
    let block = schedule.get_block("B", None).expect("a block");
    schedule.get_consumers(block).expect("consumers");
    let loops = schedule.get_loops(block).expect("loops");
    schedule.get_loops(block).expect("loops");
    let fused = schedule.fuse(loops).expect("fuses");
    schedule.parallel(fused).expect("parallel");
    let kinds: Vec<&str> =
        schedule.trace().simplified().instructions().iter().map(|done| done.primitive.name).collect();
    assert_eq!(kinds, ["get_block", "get_loops", "fuse", "parallel"]);
}
