//! `opt`, and pictures of dumps.

use crate::common::{file, path, run};

const SCRIPT: &str = "\
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer(4)):
    for i in T.unroll(2):
        A[i] = T.float32(1.0)
";

#[test]
fn opt_explains_its_passes_and_refuses_unknown_ones() {
    let list = run(&["opt", "--list-passes"]);
    assert_eq!(list.status, 0);
    assert!(list.stdout.contains("  ir.enable_si_builder=true\n"), "{}", list.stdout);
    let script = file("a.py", SCRIPT);
    let ran = run(&["opt", &script, "--passes", "tir.Nothing"]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.stderr, "error: unknown pass `tir.Nothing`; `opt --list-passes` lists them\n");
    let ran = run(&["opt", &script, "--opt", "ir.enable_si_builder=maybe"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("is true or false, not \"maybe\""), "{}", ran.stderr);
    assert_eq!(run(&["opt"]).status, 2);
}

#[test]
fn opt_without_passes_prints_the_script() {
    let script = file("a.py", SCRIPT);
    let report = path("report.json");
    let report = report.to_str().expect("an ASCII path");
    let ran = run(&["opt", &script, "--verify", "--timing", "--min-sources", "1", "--report", report]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, run(&["print", &script]).stdout);
    assert_eq!(std::fs::read_to_string(report).expect("a report"), "[]\n");
}

const NEWER_MODEL: &str = r#"
from tvm.script import ir as I, relax as R, tirx as T
from typing import TypeVar

n = TypeVar("n")

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n + 1", 3), "float32"), s: R.Shape([n])) -> R.Tensor(("n + 1",), "int64"):
        with R.dataflow():
            a: R.Tensor((n + 1, 3), "float32") = R.nn.relu(x)
            b: R.Tensor((n + 1,), "int64") = R.argmax(a, axis=1)
            R.output(b)
        return b
"#;

/// Functions have the attributes and statements of the program's release, and scalars are arguments there.
#[test]
fn functions_of_operators_are_of_the_release_of_the_program() {
    let script = file("newer.py", NEWER_MODEL);
    let ran = run(&["opt", &script, "--passes", "relax.LegalizeOps"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("@T.prim_func(private=True, s_tir=True)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\"tirx.noalias\": True"), "{}", ran.stdout);
    assert!(ran.stdout.contains("R.call_tir(cls.relu, (x, n), out_ty="), "{}", ran.stdout);
    let loops = run(&["opt", &script, "--passes", "default"]);
    assert_eq!(loops.status, 0, "{}", loops.stderr);
    assert!(!loops.stdout.contains("T.sblock("), "{}", loops.stdout);
}

const BOXES: &str = r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(boxes: R.Tensor((2, 5, 6), dtype="float32"), scores: R.Tensor((1, 2, 5), dtype="float32"), limit: R.Tensor((), dtype="float32"), image: R.Tensor((1, 2, 3, 4, 5), dtype="float32"), regions: R.Tensor((3, 5), dtype="float32"), lengths: R.Tensor((2,), dtype="int32"), offsets: R.Tensor((1, 20), dtype="float32"), anchors: R.Tensor((1, 5, 4), dtype="float32")):
        with R.dataflow():
            valid = R.vision.get_valid_counts(boxes, score_threshold=0.25)
            count = valid[0]
            kept = valid[1]
            indices = valid[2]
            hard = R.vision.non_max_suppression(kept, count, indices, max_output_size=3)
            soft = R.vision.non_max_suppression(kept, count, indices, id_index=-1, top_k=4, soft_nms_sigma=0.5, score_threshold=0.125)
            data = R.vision.non_max_suppression(kept, count, indices, return_indices=False, invalid_to_bottom=True)
            corners = R.strided_slice(boxes, (0, 2), (0, 2), (1, 6), (1, 1), assume_inbound=False)
            classes = R.vision.all_class_non_max_suppression(corners, scores, R.const(2, "int64"), R.const(0.5, "float32"), limit)
            middle = R.median(scores, axis=[2])
            wide = R.image.resize3d(image, R.shape([6, 8, 8]), method="linear", rounding_method="")
            size = R.size(image)
            flat = R.reshape(image, R.shape([2, 3, 4, 5]))
            pooled = R.vision.roi_pool(flat, regions, pooled_size=[2, 3], spatial_scale=0.5)
            back = R.reverse_sequence(flat, lengths, seq_axis=2, batch_axis=0)
            decoded = R.vision.multibox_transform_loc(scores, offsets, anchors, clip=True, keep_background=False)
            R.output(hard, soft, data, classes, middle, wide, size, pooled, back, decoded)
        return (hard, soft, data, classes, middle, wide, size, pooled, back, decoded)
"#;

/// The text of 0.27 in which operators are functions; it has these parts.
fn legalized(name: &str, script: &str, parts: &[&str]) -> String {
    let ran = run(&["opt", &file(name, script), "--profile", "tvm-0.27", "--passes", "relax.LegalizeOps"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for part in parts {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    ran.stdout
}

/// What TVM 0.27 alone has: statements with local memory, calls of the runtime library, and rows whose number a run knows.
#[test]
fn operators_on_boxes_become_statements_that_read_back() {
    let text = legalized(
        "boxes.py",
        BOXES,
        &[
            "= T.alloc_local((T.int64(1),), \"int32\")",
            "T.call_packed(\"tvm.contrib.sort.argsort_nms\", ",
            "limit: T.Buffer((), \"float32\", elem_offset=elem_offset",
            "R.call_tir(cls.dynamic_strided_slice, ",
        ],
    );
    let left = ["R.vision.", "R.median(", "R.image.", "R.size(", "R.reverse_sequence("];
    assert!(!left.iter().any(|part| text.contains(part)), "{text}");
    let again = run(&["print", &file("legal_boxes.py", &text)]);
    assert_eq!((again.status, again.stdout), (0, text), "{}", again.stderr);
}

/// Schedules may work on functions that TVM writes in Python, and not on those that its C++ library makes.
#[test]
fn functions_of_headers_have_the_marks_of_tvm() {
    let text = r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=2)):
        with R.dataflow():
            rank = R.inspect.tensor_ndim(x)
            offset = R.inspect.tensor_byte_offset(x)
            R.output(rank, offset)
        return (rank, offset)
"#;
    legalized(
        "headers.py",
        text,
        &[
            "@T.prim_func(private=True)\n    def _get_tensor_ndim(dlpack_handle: T.handle) -> T.int32:\n",
            "@T.prim_func(private=True, s_tir=True)\n    def _get_tensor_byte_offset(dlpack_handle: T.handle) -> T.int64:\n",
            "T.func_attr({\"tirx.is_host_func\": True, \"tirx.is_scheduled\": True})",
            "rank: T.int32 = cls._get_tensor_ndim(x)",
        ],
    );
}

#[test]
fn b07_a_picture_needs_no_graphviz() {
    let script = file("a.py", SCRIPT);
    let ran = run(&["dump", "--format", "svg", "--kinds", "stmt,expr", &script]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let dot = run(&["dump", "--format", "dot", "--kinds", "stmt,expr", &script]).stdout;
    assert!(ran.stdout.starts_with("<svg width="), "{}", ran.stdout);
    assert!(ran.stdout.trim_end().ends_with("</svg>"));
    assert_eq!(ran.stdout.matches("<rect").count(), dot.matches("[label=").count());
    assert!(ran.stdout.contains("tir.BufferStore"));
    let many: String = (0..4000).map(|i| format!("    A[0] = T.float32({i})\n")).collect();
    let long = file("long.py", format!("{}{many}", SCRIPT));
    let ran = run(&["dump", "--format", "svg", &long]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.starts_with("error: a picture has at most 10000 nodes, not "), "{}", ran.stderr);
}

#[test]
fn b09_a_relax_function_is_drawn() {
    let text = "from tvm.script import relax as R\n\n@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    y = R.exp(x)\n    return y\n";
    let function = file("relax.py", text);
    let kinds = "relax.expr.Function,relax.expr.VarBinding,relax.expr.Call,relax.expr.Var";
    let dot = run(&["dump", "--format", "dot", "--kinds", kinds, &function]);
    assert_eq!(dot.status, 0, "{}", dot.stderr);
    assert!(dot.stdout.contains("[label=\"relax.expr.Call\\nR.exp(x)\"];"), "{}", dot.stdout);
    let svg = run(&["dump", "--format", "svg", "--kinds", kinds, &function]);
    assert_eq!(svg.status, 0, "{}", svg.stderr);
    assert_eq!(svg.stdout.matches("<rect").count(), dot.stdout.matches("[label=").count());
    assert!(svg.stdout.contains("R.exp(x)"), "{}", svg.stdout);
}

#[test]
fn p92_17_an_option_of_the_pass_context_switches_the_builder() {
    let script = file("a.py", SCRIPT);
    let coverage = |switch: &str| {
        let option = format!("ir.enable_si_builder={switch}");
        let ran =
            run(&["opt", &script, "--passes", "tir.UnrollLoop", "--opt", &option, "--min-sources", "1"]);
        (ran.status, ran.stderr)
    };
    assert_eq!(coverage("true").0, 0, "{}", coverage("true").1);
    let (status, stderr) = coverage("false");
    assert_eq!(status, 1);
    assert!(stderr.contains("nodes have a source"), "{stderr}");
}

#[test]
fn run_prints_the_arguments_after_the_run() {
    let text = "\
from tvm.script import tir as T

@T.prim_func
def f(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,), \"int32\")
    for i in range(n):
        A[i] = i * 3
";
    let script = file("a.py", text);
    let ran = run(&["run", "--arg", "n=4", &script]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "f\n  a: int32[4] = [0, 3, 6, 9]\n  n = 4\n"),
        "{}",
        ran.stderr
    );
    let ran = run(&["run", "--arg", "n=2", "--format", "json", &script]);
    assert_eq!(
        ran.stdout,
        "{\"function\":\"f\",\"arguments\":[{\"name\":\"a\",\"dtype\":\"int32\",\"shape\":[2],\"values\":[0,3]},\
         {\"name\":\"n\",\"value\":2}],\"result\":null}\n"
    );
    let wrong = file("b.py", text.replace("A[i]", "A[i + 1]"));
    let ran = run(&["run", &wrong]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.stderr.contains("in `f`: index 8 is out of bounds") && ran.stderr.contains("b.py:7:"),
        "{}",
        ran.stderr
    );
    assert_eq!(run(&["run", "--function", "g", &script]).status, 1);
}

const UNROLLED: &str = "\
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), \"int32\")):
    for i in T.unroll(2):
        A[i] = i * 2 + 0
";

#[test]
fn p92_30_trace_shows_node_passes_and_source_lines() {
    let script = file("kernel.py", UNROLLED);
    let passes = ["--passes", "tir.UnrollLoop,tir.Simplify"];
    let numbered = run(&[&["trace", &script][..], &passes].concat());
    assert!(numbered.stdout.contains("    6      A[1] = 2\n"), "{}{}", numbered.stdout, numbered.stderr);
    let ran = run(&[&["trace", &script, "--at", "6:12"][..], &passes].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "ir.IntImm at <root>.body.seq[1].value, line 6, column 12",
            "  text:   2",
            "  pass:   made by tir.Simplify"
        ]
    );
    assert!(lines[3].ends_with("kernel.py:6:16"), "{}", ran.stdout);
    assert_eq!(lines[4].trim(), "A[i] = i * 2 + 0");
    let nowhere = run(&[&["trace", &script, "--at", "99:1"][..], &passes].concat());
    assert_eq!(nowhere.status, 1);
    assert!(nowhere.stderr.starts_with("error: no node at this place"), "{}", nowhere.stderr);
}

#[test]
fn p92_30_trace_lists_what_came_from_a_line() {
    let script = file("kernel.py", UNROLLED);
    let ran =
        run(&["trace", &script, "--from", "kernel.py:6", "--passes", "tir.UnrollLoop", "--format", "json"]);
    let nodes: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let paths: Vec<&str> =
        nodes.as_array().expect("an array").iter().filter_map(|node| node["path"].as_str()).collect();
    assert_eq!(paths, ["<root>.body.seq[0]", "<root>.body.seq[1]"], "{}", ran.stdout);
    assert!(nodes[1]["passes"][0]["pass"] == "tir.UnrollLoop", "{}", ran.stdout);
    assert!(
        nodes[0]["sources"][0]["source"].as_str().is_some_and(|source| source.ends_with("kernel.py:6:9"))
    );
    let nothing = run(&["trace", &script, "--from", "other.py"]);
    let message = "error: nothing came from this source; the sources of the text are `";
    assert!(nothing.status == 1 && nothing.stderr.starts_with(message), "{}", nothing.stderr);
    assert!(nothing.stderr.ends_with("kernel.py`\n"), "{}", nothing.stderr);
}

/// Allocations of the newest release have numbers in their annotations, which the text has without a type.
#[test]
fn allocations_made_by_passes_read_back() {
    let script = file(
        "kernel.py",
        "from tvm.script import ir as I, tirx as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n    \
         def f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")):\n        C = \
         T.sblock_alloc_buffer((16,))\n        for i in range(16):\n            with T.sblock(\"c\"):\n                \
         C[i] = A[i]\n        for i in range(16):\n            with T.sblock(\"b\"):\n                B[i] = C[i]\n",
    );
    let passes = "tir.LowerInitBlock,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock";
    let ran = run(&["opt", &script, "--passes", passes, "--verify"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\"buffer_data_alignment\": 64"), "{}", ran.stdout);
}

#[test]
fn changes_are_shown_as_a_difference() {
    let script = file("kernel.py", UNROLLED);
    let ran =
        run(&["opt", &script, "--passes", "tir.Simplify,tir.UnrollLoop,tir.Simplify", "--print-changed"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("--- before tir.UnrollLoop\n+++ after tir.UnrollLoop\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("-        for i in T.unroll(2):\n"), "{}", ran.stderr);
}

const UNBOUNDED: &str = "\
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((16,), \"float32\"), n: T.int32):
    for k in range(4):
        for i in T.vectorized(n):
            A[i] = T.float32(1)
";

#[test]
fn p74_32_errors_of_passes_underline_the_loop() {
    let script = file("kernel.py", UNBOUNDED);
    let ran = run(&["opt", &script, "--passes", "tir.Simplify,tir.VectorizeLoop"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    let message = "the vectorized loop over `i` does not run from 0 to a positive constant";
    assert!(ran.stderr.contains(&format!("[E1101] Error: {message}")), "{}", ran.stderr);
    assert!(ran.stderr.contains("kernel.py:6:18"), "{}", ran.stderr);
    assert!(ran.stderr.contains("for i in T.vectorized(n):"), "{}", ran.stderr);
    assert!(ran.stderr.contains("in the pass `tir.VectorizeLoop`"), "{}", ran.stderr);
}

#[test]
fn p74_32_errors_of_passes_are_json() {
    let script = file("kernel.py", UNBOUNDED);
    let ran = run(&["opt", &script, "--passes", "tir.VectorizeLoop", "--error-format", "json"]);
    assert_eq!(ran.status, 1);
    let line: serde_json::Value = serde_json::from_str(&ran.stderr).expect("JSON");
    let error = &line["errors"][0];
    assert_eq!((&line["ok"], &error["code"]), (&false.into(), &"E1101".into()), "{line}");
    assert_eq!((&error["start"]["line"], &error["start"]["column"]), (&6.into(), &18.into()), "{line}");
    assert_eq!(error["notes"][0], "in the pass `tir.VectorizeLoop`", "{line}");
}

#[test]
fn p74_32_errors_of_passes_over_json_underline_the_printed_loop() {
    let script = file("kernel.py", UNBOUNDED);
    let tree = file("kernel.json", run(&["json", &script]).stdout);
    let ran = run(&["opt", &tree, "--passes", "tir.VectorizeLoop"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("[E1101] Error: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("for i in T.vectorized(n):"), "{}", ran.stderr);
    let ran = run(&["opt", &tree, "--passes", "tir.VectorizeLoop", "--error-format", "json"]);
    let line: serde_json::Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert!(line["errors"][0]["path"].as_str().is_some_and(|path| path.ends_with(".body.body")), "{line}");
}
