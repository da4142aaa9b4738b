//! `explore`: graphs of models and calls, schedules, and other formats.

use serde_json::Value;

use crate::common::{file, folder, page_lines, path, run};

const FUNCTIONS: &str = r#"
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def scale(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func
    def shift(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
"#;

const TRACE: &str = r#"
b = sch.get_block("B", func_name="scale")
i, j = sch.get_loops(b)
j0, j1 = sch.split(j, factors=[None, 16])
sch.vectorize(j1)
"#;

/// The data of a page.
fn page(args: &[&str]) -> Value {
    let ran = run(&[&["explore"], args, &["--format", "json"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no list `{key}`"))
}

fn text<'v>(page: &'v Value, index: &Value) -> &'v str {
    page["texts"][index.as_u64().expect("an index") as usize].as_str().expect("a text")
}

/// Returns `true` if a line of a version has an origin.
fn has_line(page: &Value, version: &Value, origin: u64) -> bool {
    page_lines(page, list(version, "parts")).iter().any(|(_, origins)| origins.contains(&origin))
}

fn convnet() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/models/convnet.onnx").to_owned()
}

#[test]
fn p92_27_each_layer_of_a_model_is_a_node_that_lights_its_lines() {
    let page = page(&[&convnet(), "--passes", "relax.LegalizeOps"]);
    let graph = &page["graphs"][0];
    assert_eq!((&graph["kind"], &graph["name"]), (&Value::from("model"), &Value::from("main")));
    let nodes = list(graph, "nodes");
    let names: Vec<&str> = nodes.iter().map(|node| node["name"].as_str().expect("a name")).collect();
    let layers = "image stem/conv stem/norm stem/relu stem/pool block/conv block/norm block/sum block/relu head/pool \
                  head/flatten head/linear head/softmax";
    assert_eq!(names, layers.split_whitespace().collect::<Vec<_>>());
    for node in nodes {
        let layer = list(node, "origins").iter().find(|origin| {
            let origin = &page["origins"][origin.as_u64().expect("an index") as usize];
            origin["kind"] == "layer" && origin["name"] == node["name"]
        });
        let layer = layer.and_then(Value::as_u64).unwrap_or_else(|| panic!("{node}"));
        for version in list(&page["runs"][0], "versions") {
            assert!(has_line(&page, version, layer), "{} in {}", node["name"], version["name"]);
        }
    }
    assert_eq!(nodes[11]["op"], "permute_dims, matmul, add", "several calls of a layer are one node");
    assert_eq!((&nodes[0]["mark"], &nodes[12]["mark"]), (&Value::from("input"), &Value::from("output")));
    assert_eq!(nodes[1]["function"], "conv2d", "the function that the layer became");
    let edges: Vec<(u64, u64)> = list(graph, "edges")
        .iter()
        .map(|edge| (edge["from"].as_u64().expect("a node"), edge["to"].as_u64().expect("a node")))
        .collect();
    let mut expected: Vec<(u64, u64)> = (0..12).map(|node| (node, node + 1)).collect();
    expected.insert(7, (4, 7));
    assert_eq!(edges.len(), expected.len());
    assert!(expected.iter().all(|edge| edges.contains(edge)), "{edges:?}");
    assert_eq!(list(graph, "edges")[0]["label"], "1×3×16×16 float32");
    let calls = &page["graphs"][1];
    let kinds = (&calls["kind"], &calls["nodes"][0]["op"], &calls["nodes"][1]["op"]);
    assert_eq!(kinds, (&Value::from("calls"), &Value::from("relax"), &Value::from("tir")));
}

#[test]
fn p92_29_a_node_of_the_call_graph_has_the_record_of_its_schedule() {
    folder(&[]);
    let (module, trace) = (file("module.py", FUNCTIONS), file("trace.py", TRACE));
    let record = path("record").display().to_string();
    assert_eq!(run(&["schedule", &module, "--trace", &trace, "--record", &record]).status, 0);
    for page in [page(&[&record]), page(&[&module, "--trace", &trace])] {
        let graph = &page["graphs"][0];
        assert_eq!(graph["kind"], "calls");
        let nodes: Vec<(&Value, &Value)> =
            list(graph, "nodes").iter().map(|node| (&node["function"], &node["schedule"])).collect();
        let expected = [("scale".into(), 0.into()), ("shift".into(), Value::Null)];
        assert_eq!(nodes, expected.iter().map(|(name, schedule)| (name, schedule)).collect::<Vec<_>>());
        let schedules = list(&page, "schedules");
        assert_eq!((schedules.len(), &schedules[0]["function"]), (1, &Value::from("scale")));
        let records = list(&schedules[0], "records");
        let primitives: Vec<&Value> = records.iter().map(|record| &record["primitive"]).collect();
        assert_eq!(primitives, ["vanilla", "split", "vectorize"]);
        assert_eq!(records[2]["call"], "sch.vectorize(loop=l4)");
        let [left, right] = [&records[1], &records[2]];
        let (left_tree, right_tree) = (text(&page, &left["tree"]), text(&page, &right["tree"]));
        assert_eq!(
            right_tree,
            "block root\n  for i in range(64)\n    for j_0 in range(4)\n      for j_1 in vectorized(16)\n        \
             block B(vi: S, vj: S) reads A writes B"
        );
        assert_eq!(left_tree, right_tree.replace("vectorized(16)", "range(16)"));
        let hunks = serde_json::json!([{"kind": "edited", "before": [4, 1], "after": [4, 1], "note": null}]);
        assert_eq!(right["treeHunks"], hunks);
        assert!(text(&page, &right["text"]).contains("T.vectorized(16)"));
        assert!(!list(right, "hunks").is_empty() && list(&records[0], "hunks").is_empty());
    }
    // The steps of a record are the passes of the page.
    let page = page(&[&record]);
    let versions = list(&page["runs"][0], "versions");
    let names: Vec<&Value> = versions.iter().map(|version| &version["name"]).collect();
    assert_eq!(names, ["record", "split", "vectorize"]);
    let head = list(&page["graphs"][0]["nodes"][0], "origins")[1].as_u64().expect("an origin");
    assert!(
        versions.iter().all(|version| has_line(&page, version, head)),
        "a node lights the head of its function"
    );
}

#[test]
fn p92_29_the_pass_schedule_leaves_the_records_of_its_functions() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules");
    let (model, traces) = (format!("{root}/quantized.py"), format!("{root}/quantized_schedules.py"));
    let page = page(&[&model, "--passes", "schedule", "--schedules", &traces]);
    let schedules = list(&page, "schedules");
    assert!(schedules.iter().all(|schedule| list(schedule, "records").len() > 1) && schedules.len() > 1);
    for graph in list(&page, "graphs") {
        let scheduled = list(graph, "nodes").iter().filter(|node| node["schedule"].is_u64());
        assert!(scheduled.count() >= schedules.len(), "{}", graph["name"]);
    }
}

#[test]
fn p92_27_a_folder_with_a_saved_model_in_text_is_a_model() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/models/tensorflow/saved_model");
    assert_eq!(page(&[folder])["graphs"][0]["kind"], "model");
}

#[test]
fn wrong_traces_and_records_are_errors() {
    folder(&[]);
    let (module, trace) = (file("module.py", FUNCTIONS), file("trace.py", "sch.vectorize(nothing)\n"));
    let out = path("page.html").display().to_string();
    let ran = run(&["explore", &module, "--trace", &trace, "-o", &out]);
    assert!(ran.status == 1 && ran.stderr.contains("trace.py"), "{}", ran.stderr);
    assert!(!path("page.html").exists(), "a run that fails leaves no file");
    let missing = run(&["explore", &module, "--trace", "missing.py", "-o", &out]);
    assert!(missing.status == 2 && missing.stderr.contains("missing.py"), "{}", missing.stderr);
    let dir = path("record");
    std::fs::create_dir_all(&dir).expect("a folder");
    let index = r#"{"schedule_record": 1, "records": [{"primitive": "vanilla", "file": "../../module.py"}]}"#;
    for (index, message) in [(index, "a record has no file"), (&index.replace("../../", ""), "module.json")] {
        std::fs::write(dir.join("index.json"), index).expect("a file");
        let ran = run(&["explore", &dir.display().to_string(), "-o", &out]);
        assert!(ran.status == 1 && ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn p92_36_other_viewers_read_graphs_and_times() {
    let of = |args: &[&str]| {
        let ran = run(&[&["explore", &convnet()], args].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let graphs: Value = serde_json::from_str(&of(&["--format", "model-explorer"])).expect("JSON");
    assert_eq!(graphs["label"], "convnet.onnx");
    let nodes = list(&graphs["graphs"][0], "nodes");
    assert_eq!((&nodes[1]["namespace"], &nodes[1]["label"]), (&Value::from("stem"), &Value::from("conv")));
    let ids: Vec<&Value> = nodes.iter().map(|node| &node["id"]).collect();
    let sources =
        || nodes.iter().flat_map(|node| list(node, "incomingEdges")).map(|edge| &edge["sourceNodeId"]);
    assert!(sources().count() == 13 && sources().all(|source| ids.contains(&source)));
    let trace: Value = serde_json::from_str(&of(&[
        "--passes",
        "relax.FoldConstant,relax.LegalizeOps",
        "--timing",
        "--format",
        "trace",
    ]))
    .expect("JSON");
    let events = list(&trace, "traceEvents").iter().filter(|event| event["ph"] == "X");
    let names: Vec<&Value> = events.map(|event| &event["name"]).collect();
    assert_eq!(names, ["relax.FoldConstant", "relax.LegalizeOps"]);
    let picture = of(&["--format", "svg"]);
    assert!(
        picture.starts_with("<svg ")
            && picture.ends_with("</svg>\n")
            && picture.contains(">stem/conv</text>")
    );
    assert_eq!(picture, of(&["--format", "svg"]));
}

#[test]
fn p92_27_a_layer_does_not_light_the_headers_of_functions_that_read_its_shape() {
    let page = page(&[&convnet(), "--passes", "relax.LegalizeOps"]);
    let layer = list(&page, "origins")
        .iter()
        .position(|origin| origin["kind"] == "layer" && origin["name"] == "stem/conv")
        .expect("a layer") as u64;
    let last = list(&page["runs"][0], "versions").last().expect("a version");
    let lines = page_lines(&page, list(last, "parts"));
    let lit = lines.iter().filter(|(line, origins)| line.contains("def ") && origins.contains(&layer));
    let headers: Vec<&str> = lit.map(|(line, _)| line.trim().split('(').next().unwrap_or_default()).collect();
    assert_eq!(headers, ["def conv2d"]);
}

const EXPRESSIONS: &str = r#"from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
D = te.compute((64, 64), lambda i, j: C[i, j] + 1.0, name="D")
s = te.create_schedule(D.op)
io, ii = s[D].split(D.op.axis[0], factor=16)
s[C].compute_at(s[D], io)
s[D].parallel(io)
"#;

#[test]
fn p92_29_a_schedule_of_tensor_expressions_has_its_stages_and_its_record() {
    folder(&[]);
    let name = file("gemm.py", EXPRESSIONS);
    let page = page(&[&name]);
    let versions = list(&page["runs"][0], "versions");
    let names: Vec<&str> = versions.iter().map(|version| version["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["gemm.py", "split", "compute_at", "parallel"]);
    let last = page_lines(&page, list(&versions[3], "parts"));
    let shown: Vec<String> = last
        .iter()
        .map(|(line, origins)| {
            let places = origins.iter().map(|origin| &page["origins"][*origin as usize]["line"]);
            format!("{:?} {line}", places.filter_map(Value::as_u64).collect::<Vec<_>>())
        })
        .collect();
    let expected = "\
[2] stage A: [64, 64] float32
[3] stage B: [64, 64] float32
[5, 9] stage C: [64, 64] float32, at i_outer of D
[5]   for i in range(?)
[5]   for j in range(?)
[5]   for k in reduce(?)
[6] stage D: [64, 64] float32
[6]   [C[i, j] + T.float32(1.0)]
[6, 8, 10]   i_outer, i_inner = split(i)
[6, 8, 10]   for i_outer in parallel(4)
[6, 8]   for i_inner in range(16)
[6]   for j in range(64)";
    let shown: Vec<&str> =
        shown.iter().map(String::as_str).filter(|line| !line.contains("T.reduce(")).collect();
    assert_eq!(shown.join("\n"), expected);
    let schedule = &page["schedules"][0];
    let records = list(schedule, "records");
    assert_eq!((records.len(), &records[2]["call"]), (4, &Value::from("s[C].compute_at(D, i.outer)")));
    let tree = "\
stage A: [64, 64] float32
stage B: [64, 64] float32
stage D: [64, 64] float32
  for i_outer in parallel(4)
    stage C: [64, 64] float32, at i_outer of D
      for i in range(?)
        for j in range(?)
          for k in reduce(?)
    for i_inner in range(16)
      for j in range(64)";
    assert_eq!(text(&page, &records[3]["tree"]), tree);
    let nodes = list(&page["graphs"][0], "nodes");
    let marks: Vec<String> = nodes.iter().map(|node| format!("{} {}", node["name"], node["mark"])).collect();
    assert_eq!(marks, [r#""A" "input""#, r#""B" "input""#, r#""C" null"#, r#""D" "output""#]);
    assert!(nodes.iter().all(|node| node["schedule"] == 0));
    let refused = run(&["explore", &name, "--passes", "tir.Simplify"]);
    assert!(refused.stderr.contains("this is a schedule of tensor expressions"), "{}", refused.stderr);
}
