//! Schedules: recorded ones of TVM, from JSON and from text, and refusals at their lines.

use serde_json::Value;
use tvmscript::ir::IRModule;
use tvmscript::ir_core::Dialect;
use tvmscript::pass::{PassContext, Sequential};
use tvmscript::prim::{IntImm, ops};
use tvmscript::schedule::{
    Argument, Parameter, Place, Primitive, Results, Schedule, ScheduleDialect as _, ScheduleError,
    TensorIntrinsics, TraceError, TracedBuild, graph_nodes,
};
use tvmscript::tir::BufferStore;
use tvmscript::{
    DiagnosticOptions, Object, ParseOptions, PrinterConfig, Ref, parse, post_order_visit, print, registry,
    registry_builder, render_diagnostics, structural_equal,
};

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

/// A primitive of another dialect: doubles the extent of a loop whose stores all have a constant index.
static REPEAT: Primitive = Primitive {
    name: "repeat",
    kind: "ToyRepeat",
    doc: "Runs a loop twice as long; its body may not store at an index that changes.",
    is_pure: false,
    parameters: &[Parameter { name: "loop", place: Place::Input, default: None }],
    results: Results::None,
    apply: |schedule, arguments| {
        let item = schedule.loop_item(&arguments[0])?;
        let found = schedule.state().loop_of(item)?.clone();
        let mut at_fault = None;
        post_order_visit(found.body.object(), |node| {
            let store = node.as_node::<BufferStore>();
            if store.is_some_and(|store| store.indices.iter().any(|index| !index.is::<IntImm>())) {
                at_fault.get_or_insert(node.clone());
            }
        });
        if let Some(store) = at_fault {
            return Err(
                ScheduleError::new("StoreMovesError", "the store is not always to one place").at(store)
            );
        }
        let mut longer = found.clone();
        longer.make_mut().extent = ops::mul(found.extent.clone(), IntImm::int32(2))?;
        schedule.state_mut().replace(item, longer.upcast(), &[])?;
        Ok(Vec::new())
    },
};

#[test]
fn p74_17_a_primitive_of_another_dialect_applies_in_both_forms_and_refuses_at_any_node() {
    let dialect = Dialect::new("toy_schedule").schedule_primitive(&REPEAT);
    let registry = registry_builder().with(dialect).build().expect("the dialects go together");
    let constant = MODULE.replace("B[vi, vj] =", "B[0, 0] =");
    let trace = "j = sch.get_loops(\"B\")[1]\nsch.repeat(j)\n";
    let mut schedule = Schedule::new(module(&constant)).expect("a schedule").with_primitives_of(&registry);
    schedule.apply_text("repeat.py", trace, &registry).expect("it applies");
    let text = print(schedule.module().object(), &registry, &PrinterConfig::default()).expect("text");
    assert!(text.contains("T.grid(64, 128)"), "{text}");
    let json = schedule.trace().json(&schedule);
    let mut again = Schedule::new(module(&constant)).expect("a schedule").with_primitives_of(&registry);
    again.apply_json(&json).expect("it applies");
    assert!(structural_equal(schedule.module().object(), again.module().object()));
    assert!(Schedule::new(module(&constant)).expect("a schedule").apply_json(&json).is_err(), "not of TIR");

    let mut refused = Schedule::new(module(MODULE)).expect("a schedule").with_primitives_of(&registry);
    refused.apply_text("repeat.py", trace, &registry).expect_err("the store moves");
    let [refusal] = refused.refusals() else { panic!("one refusal") };
    let sources = [("repeat.py", trace)];
    let options = DiagnosticOptions { sources: &sources, ..DiagnosticOptions::default() };
    let shown = render_diagnostics(refusal.module.object(), &registry, &[refusal.diagnostic()], &options);
    let shown = shown.expect("text");
    // The store alone is underlined, and the call of the trace.
    let lines: Vec<&str> = shown.lines().collect();
    let store = lines.iter().position(|line| line.contains("B[vi, vj] = ")).expect("the line of the store");
    assert!(lines[store + 1].contains("───"), "{shown}");
    assert!(shown.contains("StoreMovesError") && shown.contains("sch.repeat(j)"), "{shown}");
    assert!(!shown.contains("T.grid"), "{shown}");

    let twice = registry_builder()
        .with(Dialect::new("one").schedule_primitive(&REPEAT))
        .with(Dialect::new("two").schedule_primitive(&REPEAT));
    let clash = twice.build().expect_err("a clash").to_string();
    assert!(clash.contains("the schedule primitive `repeat`"), "{clash}");
}

#[test]
fn p92_24_a_build_keeps_the_record_of_each_node() {
    let model = module(include_str!("../../schedules/quantized.py"));
    let build = TracedBuild::new("schedules.py", include_str!("../../schedules/quantized_schedules.py"));
    let passes = Sequential::new("build").then(build.clone());
    let module = PassContext::new().run(&passes, model.clone()).expect("the build");
    let nodes = graph_nodes(&module);
    assert_eq!(nodes.len(), 18);
    assert_eq!((nodes[16].function.as_str(), nodes[17].function.as_str()), ("conv2d_cast", "add"));
    let schedule = build.node_schedule(&module, 16).expect("a schedule");
    let records = schedule.schedule_record();
    let moved = records.iter().find(|record| record.primitive == "compute_at").expect("compute_at");
    // The convolution moves under the outer loop of the cast.
    let text =
        |module: &Ref<IRModule>| print(module.object(), registry(), &PrinterConfig::default()).expect("text");
    let depth = |text: &str| {
        let line = text.lines().find(|line| line.contains("T.block(\"conv2d\")")).expect("the block");
        line.len() - line.trim_start().len()
    };
    let (before, after) = (text(&moved.before), text(&moved.after));
    assert!(depth(&after) > depth(&before), "{before}{after}");
    let is_below_loop = |text: &str| text.find(" y_0") < text.find("\"conv2d\"");
    assert!(!is_below_loop(&before) && is_below_loop(&after), "{before}{after}");
    // The result of the last record is in the module.
    let last = records.last().expect("a record").after.functions.iter().next().expect("a function").1.clone();
    assert!(module.functions.iter().any(|(_, function)| function.ptr_eq(&last)));
    assert!(build.node_schedule(&module, 15).is_none() && build.node_schedule(&module, 18).is_none());
}

#[test]
fn p92_31_a_record_keeps_what_changed_and_is_off_unless_asked_for() {
    let blocks: String = (0..100)
        .map(|at| {
            format!(
                "        for i in range(8):\n            with T.block(\"b{at}\"):\n                \
                 v = T.axis.spatial(8, i)\n                A[v] = A[v] + {at}.0\n"
            )
        })
        .collect();
    let text = format!(
        "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((8,), \"float32\")):\n{blocks}"
    );
    let count = |modules: &mut dyn Iterator<Item = &Ref<IRModule>>| {
        let mut found = std::collections::HashSet::new();
        for module in modules {
            post_order_visit(module.object(), |node| _ = found.insert(node.address()));
        }
        found.len()
    };
    let mut schedule = Schedule::new(module(&text)).expect("a schedule");
    let loops: Vec<_> = (0..100)
        .map(|at| {
            let block = schedule.get_block(&format!("b{at}"), None).expect("a block");
            schedule.get_loops(block).expect("loops")[0]
        })
        .collect();
    schedule.unroll(loops[0]).expect("it applies");
    assert!(schedule.schedule_record().is_empty(), "off by default");
    schedule.keep_schedule_record();
    for round in 0..10 {
        for found in &loops {
            schedule.annotate(*found, "round", Argument::Int(round)).expect("it applies");
            schedule.unannotate(*found, "round").expect("it applies");
        }
    }
    let records = schedule.schedule_record();
    assert_eq!(records.len(), 2001);
    let alone = count(&mut std::iter::once(&records[0].after));
    let together = count(&mut records.iter().map(|record| &record.after));
    // Of the thousands of nodes of a module, a step makes the loop, its annotations and what is around it anew.
    assert!(
        together < alone + records.len() * 20,
        "{alone} nodes in one module, {together} in {}",
        records.len()
    );
}

/// The program that the command prints for a trace.
#[rustfmt::skip]
#[path = "../../schedules/matmul.rs"]
mod matmul;

#[test]
fn the_program_of_a_trace_makes_the_same_module() {
    let function = read(include_str!("../../schedules/matmul.py"));
    let name = tvmscript::ir::GlobalVar::new("main");
    let function = function.downcast_ref::<tvmscript::ir::BaseFunc>().expect("a function").clone();
    let attrs = tvmscript::ir::DictAttrs::new([]);
    let module = IRModule::new([(name, function)], attrs, tvmscript::ir_core::Map::default());
    let mut by_trace = Schedule::new(module.clone()).expect("a schedule");
    let trace = include_str!("../../schedules/matmul_trace.py");
    by_trace.apply_text("trace.py", trace, registry()).expect("it applies");
    let mut by_program = Schedule::new(module).expect("a schedule");
    matmul::apply(&mut by_program).expect("it applies");
    assert!(structural_equal(by_trace.module().object(), by_program.module().object()));
    assert_eq!(
        by_trace.trace().rust(&by_trace).expect("a program"),
        include_str!("../../schedules/matmul.rs")
    );
}
