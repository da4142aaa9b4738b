//! `schedule`: refusals at their places, and records.

use tvmscript::te::Table;

use crate::common::{file, folder, run};

const MATMUL: &str = "\
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 128), \"float32\"), B: T.Buffer((128, 128), \"float32\"), C: T.Buffer((128, 128), \"float32\")):
    for i, j, k in T.grid(128, 128, 128):
        with T.block(\"C\"):
            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
";

/// A module with a copy.
const COPY: &str = "\
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16, 4), \"float32\"), B: T.Buffer((16, 4), \"float32\")):
        for i, j in T.grid(16, 4):
            with T.block(\"copy\"):
                vi, vj = T.axis.remap(\"SS\", [i, j])
                B[vi, vj] = A[vi, vj]
";

/// The registration of an intrinsic that copies four elements.
const COPY_4: &str = "\
from tvm.script import tir as T
from tvm.tir import TensorIntrin


def make(width):
    @T.prim_func
    def desc(a: T.handle, b: T.handle) -> None:
        A = T.match_buffer(a, (width,), \"float32\", offset_factor=1)
        B = T.match_buffer(b, (width,), \"float32\", offset_factor=1)
        with T.block(\"root\"):
            T.reads(A[0:width])
            T.writes(B[0:width])
            for i in range(width):
                with T.block(\"copy\"):
                    v = T.axis.remap(\"S\", [i])
                    B[v] = A[v]

    @T.prim_func
    def impl(a: T.handle, b: T.handle) -> None:
        A = T.match_buffer(a, (width,), \"float32\", offset_factor=1)
        B = T.match_buffer(b, (width,), \"float32\", offset_factor=1)
        with T.block(\"root\"):
            T.reads(A[0:width])
            T.writes(B[0:width])
            T.evaluate(T.call_extern(\"int32\", \"copy\", B.access_ptr(\"w\"), A.access_ptr(\"r\")))

    return desc, impl

TensorIntrin.register(\"copy_4\", *make(4))
";

/// Two refused primitives, and three that apply.
const TRACE: &str = "\
i, j, k = sch.get_loops(sch.get_block(\"C\"))
i0, i1 = sch.split(i, factors=[None, 32])
sch.vectorize(k)
j0, j1 = sch.split(j, factors=[0, 32])
sch.reorder(i0, j0)
sch.reorder(k, i1)
sch.unroll(i1)
";

#[test]
fn p74_17_a_refusal_underlines_the_nodes_in_the_module_and_the_call_in_the_trace() {
    let (module, trace) = (file("mm.py", MATMUL), file("trace.py", TRACE));
    let ran = run(&["schedule", &module, "--trace", &trace]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    let shown = &ran.stderr;
    assert!(shown.contains("[E1401] Error: `vectorize` does not apply: WrongBlockIterTypeError:"), "{shown}");
    for line in ["with T.block(\"C\"):", "the block `C`", "sch.vectorize(k)", "the call in the trace"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    // The block is that of the module after the split, and where it comes from is shown, too.
    assert!(shown.contains("─[ the module:") && shown.contains("mm.py:6:"), "{shown}");
    assert!(shown.contains("NonPositiveFactorError") && shown.contains("trace.py:4:"), "{shown}");
}

#[test]
fn intrinsics_that_a_python_file_registers_are_known_to_the_trace() {
    let trace = "i, j = sch.get_loops(sch.get_block(\"copy\"))\nsch.tensorize(j, \"copy_4\")\n";
    let trace = file("trace.py", trace);
    let (module, intrinsics) = (file("copy.py", COPY), file("copy_4.py", COPY_4));
    let both = file("both.py", format!("{COPY_4}\n{COPY}"));
    // Beside the module, whose functions are scheduled and not those of intrinsics.
    let ran = run(&["schedule", &both, "--trace", &trace]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("T.call_extern(\"int32\", \"copy\", "), "{}", ran.stdout);
    // In a file of their own.
    let apart = run(&["schedule", &module, "--trace", &trace, "--intrins", &intrinsics]);
    assert_eq!((apart.status, apart.stdout), (0, ran.stdout));
    let unknown = run(&["schedule", &module, "--trace", &trace]);
    assert!(unknown.stderr.contains("no tensor intrinsic is named `copy_4`"), "{}", unknown.stderr);
    let twice = COPY_4.replace("*make(4))", "*make(4))\nTensorIntrin.register(\"copy_4\", *make(4))");
    let twice = run(&["schedule", &module, "--trace", &trace, "--intrins", &file("twice.py", twice)]);
    assert_eq!(twice.status, 1);
    assert!(twice.stderr.contains("the intrinsic `copy_4` is registered already"), "{}", twice.stderr);
}

#[test]
fn refused_primitives_and_those_that_need_them_are_left_out_on_request() {
    let (module, trace) = (file("mm.py", MATMUL), file("trace.py", TRACE));
    let ran = run(&["schedule", &module, "--trace", &trace, "--keep-going", "--print", "trace"]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.stderr.matches("[E1401]").count(), 2, "{}", ran.stderr);
    let primitives = ["sch.split(", "sch.reorder(l3, l5)", "sch.unroll("];
    assert!(primitives.iter().all(|call| ran.stdout.contains(call)), "{}", ran.stdout);
    assert!(
        !ran.stdout.contains("vectorize") && ran.stdout.matches("reorder").count() == 1,
        "{}",
        ran.stdout
    );
    // The same by JSON.
    let json = run(&["schedule", &module, "--trace", &trace, "--keep-going", "--print", "trace-json"]).stdout;
    let text = run(&["schedule", &module, "--trace-json", &file("trace.json", json), "--print", "trace"]);
    assert_eq!((text.status, text.stdout), (0, ran.stdout), "{}", text.stderr);
}

#[test]
fn p92_22_p92_23_a_record_has_one_entry_for_each_primitive_that_changes_the_module() {
    let records = folder(&[]).join("record");
    let (module, trace) = (file("mm.py", MATMUL), file("trace.py", TRACE));
    let dir = records.display().to_string();
    let ran = run(&["schedule", &module, "--trace", &trace, "--keep-going", "--record", &dir]);
    let read = |name: &str| std::fs::read_to_string(records.join(name)).expect("a file of the record");
    let index: serde_json::Value = serde_json::from_str(&read("index.json")).expect("JSON");
    let entries = index["records"].as_array().expect("records");
    let primitives: Vec<&str> =
        entries.iter().map(|entry| entry["primitive"].as_str().expect("a name")).collect();
    assert_eq!(primitives, ["vanilla", "split", "reorder", "unroll"], "refused ones leave none");
    // Each text is a module, the first the input, the last the result.
    assert_eq!(
        run(&["equal", &format!("{dir}/000_vanilla.json"), &format!("{dir}/000_vanilla.py")]).status,
        0
    );
    assert_eq!(read("003_unroll.py"), ran.stdout);
    assert!(read("003_unroll.diff").contains("+") && read("001_split.diff").contains("i_0"), "{index}");
}

#[test]
fn p92_26_a_record_is_a_table_that_reads_back_and_a_trace_that_applies() {
    let (module, trace) = (
        file("mm.py", MATMUL),
        file(
            "trace.py",
            TRACE.replace(
                "sch.vectorize(k)\nj0, j1 = sch.split(j, factors=[0, 32])\nsch.reorder(i0, j0)\n",
                "",
            ),
        ),
    );
    let table = run(&["schedule", &module, "--trace", &trace, "--print", "record"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    let rows = Table::parse(&table.stdout).expect("a table").rows;
    let names: Vec<&str> = rows.iter().map(|row| row.primitive.as_str()).collect();
    assert_eq!(names, ["vanilla", "split", "reorder", "unroll"], "{}", table.stdout);
    let printed = run(&["schedule", &module, "--trace", &trace, "--print", "trace"]).stdout;
    assert!(
        rows.iter().flat_map(|row| &row.arguments).all(|call| printed.contains(call.as_str())),
        "{printed}"
    );
    let again = run(&["schedule", &module, "--trace", &file("printed.py", printed)]);
    assert_eq!(again.stdout, run(&["schedule", &module, "--trace", &trace]).stdout);
}

#[test]
fn p92_24_the_schedule_of_a_node_of_the_graph_is_reached_after_the_build() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules");
    let (model, traces) = (format!("{root}/quantized.py"), format!("{root}/quantized_schedules.py"));
    let build = ["--passes", "schedule", "--schedules", &traces];
    let optimized = run(&[&["opt", &model][..], &build].concat());
    assert_eq!(optimized.status, 0, "{}", optimized.stderr);
    assert!(optimized.stdout.contains("T.parallel(4)"), "{}", optimized.stdout);
    let node = |node: &str| run(&[&["trace", &model, "--schedule", "--node", node][..], &build].concat());
    let convolution = node("16");
    assert_eq!(convolution.status, 0, "{}", convolution.stderr);
    let rows = Table::parse(&convolution.stdout).expect("a table").rows;
    let names: Vec<&str> = rows.iter().map(|row| row.primitive.as_str()).collect();
    assert_eq!(names, ["vanilla", "split", "reorder", "compute_at", "parallel"], "{}", convolution.stdout);
    assert!(node("15").stdout.contains("`pad`\nno schedule"), "a function without a trace");
    assert!(node("17").stdout.contains("node 17: `add`"), "the last of 18 calls");
    assert_eq!(node("18").status, 1);
    // A pass without traces, and traces without the pass.
    assert_eq!(run(&["opt", &model, "--passes", "schedule"]).status, 2);
    assert_eq!(run(&["opt", &model, "--schedules", &traces]).status, 2);
    // A refused primitive is an error of the pass.
    let wrong = file("wrong.py", "def add(sch):\n    sch.vectorize(sch.get_loops(\"add\")[9])\n");
    assert_eq!(run(&["opt", &model, "--passes", "schedule", "--schedules", &wrong]).status, 1);
}

#[test]
fn a_trace_is_a_program_of_rust() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules");
    let (module, trace) = (format!("{root}/matmul.py"), format!("{root}/matmul_trace.py"));
    let ran = run(&["schedule", &module, "--trace", &trace, "--emit", "rust"]);
    // A test over the library compiles and runs it.
    assert_eq!(ran.stdout, include_str!("../../../../tests/schedules/matmul.rs"), "{}", ran.stderr);
}

#[test]
fn a_database_has_the_fastest_schedule_of_each_function() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules/database");
    let module = format!("{root}/module.py");
    let ran = run(&["schedule", &module, "--database", root]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    // The tile of 16 has the lowest mean; 32 failed, and 4 was not run.
    assert!(ran.stdout.contains("for j, i_1, k in T.grid(64, 16, 64):"), "{}", ran.stdout);
    assert!(ran.stdout.contains("for i_0 in T.parallel(4):"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no record of the function `other`"), "{}", ran.stderr);
    let missing = run(&["schedule", &module, "--database", "missing"]);
    assert!(missing.status != 0 && missing.stderr.contains("database_workload.json"), "{}", missing.stderr);
}
