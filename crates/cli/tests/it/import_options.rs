//! Options and messages of `import`.

use crate::common::{file, path, run, run_with};
use crate::onnx_models::*;

/// An operand of a stub's consumer needs a type.
#[test]
fn results_of_stubs_need_types_of_the_model() {
    let graph = Graph {
        nodes: vec![node("Fancy", &["x"], &["f"]), node("Relu", &["f"], &["y"])],
        inputs: vec![value("x", FLOAT, &["3"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let error = refused(&graph.model(), &["--stub-unsupported"]);
    assert!(error.contains("help: the model states no type for a value that is an `R.Object`"), "{error}");
}

/// Names of a model neither end a line of a message nor reach the terminal as they are.
#[test]
fn names_stay_on_their_line() {
    let name = "layer\nerror: forged\u{1b}[2J";
    let graph = |op: &str| Graph {
        nodes: vec![with(node(op, &["x"], &["y"]), &[named(name)])],
        inputs: vec![value("x", FLOAT, &["3"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let error = refused(&graph("Fancy").model(), &[]);
    assert!(error.contains("`layer\\nerror: forged\\x1b[2J`"), "{error}");
    let summary = import(&graph("Relu").model(), &["--summary"]).stdout;
    assert!(summary.contains("\nlayer\\nerror: forged\\x1b[2J  nn.relu"), "{summary}");
}

/// `--params` holds the weights in either form, and completes the text that leaves them out.
#[test]
fn files_of_parameters_hold_all_weights() {
    let weights: Vec<u8> = (0..32u8).flat_map(|value| f32::from(value).to_le_bytes()).collect();
    let graph = Graph {
        nodes: vec![node("MatMul", &["x", "w"], &["y"])],
        inputs: vec![value("x", FLOAT, &["2", "4"])],
        outputs: vec!["y"],
        constants: vec![tensor("w", FLOAT, &[4, 8], &weights)],
        ..Graph::default()
    };
    let params = path("weights.safetensors");
    let params = params.to_str().expect("an ASCII path");
    let kept = import(&graph.model(), &["--keep-params", "--params", params]).stdout;
    assert!(kept.contains("w: R.Tensor((4, 8), dtype=\"float32\")"), "{kept}");
    assert!(std::fs::read(params).expect("a file").ends_with(&weights));
    let whole = import(&graph.model(), &[]).stdout;
    let partial = file("partial.py", import(&graph.model(), &["--params", params]).stdout);
    let left_out = std::fs::read_to_string(&partial).expect("a file");
    assert!(left_out.contains("R.elided_const(") && !left_out.contains("31.0"), "{left_out}");
    let header = br#"{"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[9,5]}}"#;
    let huge = file("huge.safetensors", [&(header.len() as u64).to_le_bytes()[..], header].concat());
    let refused = run(&["print", "--constants", &huge, &partial]);
    assert!(refused.stderr.contains("the tensor `w`"), "{}", refused.stderr);
    let completed = run(&["print", "--profile", "tvm-0.27", "--constants", params, &partial]);
    assert_eq!(completed.stdout, whole, "{}", completed.stderr);
    let bytes = std::fs::read(params).expect("a file");
    std::fs::write(params, bytes.split_last().expect("bytes").1).expect("a file");
    let damaged = run(&["print", "--constants", params, &partial]);
    assert!(
        damaged.stderr.contains("no file of safetensors that can be read: the tensor `w`"),
        "{}",
        damaged.stderr
    );
}

/// A pipe takes bytes only in order, and is no file to replace.
#[cfg(unix)]
#[test]
fn a_pipe_takes_the_parameters() {
    let graph = Graph {
        nodes: vec![node("Add", &["x", "w"], &["y"])],
        inputs: vec![value("x", FLOAT, &["2"])],
        outputs: vec!["y"],
        constants: vec![tensor("w", FLOAT, &[2], b"elements")],
        ..Graph::default()
    };
    let pipe = path("pipe.safetensors");
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("`mkfifo` runs");
    assert!(made.success());
    let received = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).expect("a pipe")
    });
    let ran = import(&graph.model(), &["--params", pipe.to_str().expect("an ASCII path")]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(received.join().expect("bytes").ends_with(b"elements"));
}

/// A stated shape has the rank of the input; one unknown length shares its variable with none.
#[test]
fn stated_shapes_fit_the_rank() {
    let graph = |dims: &[&str]| Graph {
        nodes: vec![node("Relu", &["x"], &["y"])],
        inputs: vec![value("x", FLOAT, dims)],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let error = refused(&graph(&["n", "6"]).model(), &["--shape", "x=2"]);
    assert!(error.contains("the input `x` is given a shape of rank 1, and its rank is 2"), "{error}");
    let error = refused(&graph(&["n", "6"]).model(), &["--shape", "z=2,6"]);
    assert!(error.contains("the input `z` is given a shape, and the model has 1 inputs: `x`"), "{error}");
    assert_eq!(import(&graph(&["", "6"]).model(), &[]).stderr, "");
    let shared = import(&graph(&["", "", "6"]).model(), &[]).stderr;
    assert!(shared.contains("the unknown dimensions of `x` share one variable"), "{shared}");
    assert_eq!(import(&graph(&["", "", "6"]).model(), &["--shape", "x=2,3,6"]).stderr, "");
}

#[test]
fn a_model_may_come_by_standard_input() {
    let graph = Graph {
        nodes: vec![node("Relu", &["x"], &["y"])],
        inputs: vec![value("x", FLOAT, &["3"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let ran = run_with(&["import", "-", "--input-format", "onnx"], &graph.model());
    assert!(ran.stdout.contains("R.nn.relu(x)"), "{}", ran.stderr);
    let unknown = run_with(&["import", "-"], &graph.model());
    assert!(
        unknown.stderr.contains("help: `import --input-format FORMAT` states the format"),
        "{}",
        unknown.stderr
    );
}

/// Content of another kind than the name says is named.
#[test]
fn content_of_another_kind_is_named() {
    let refusal = |name: &str, content: &[u8]| run(&["import", &file(name, content)]).stderr;
    let pointer = refusal("lfs.onnx", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n");
    assert!(
        pointer.contains("it looks like a pointer of Git LFS; `git lfs pull` fetches the model"),
        "{pointer}"
    );
    let page = refusal("page.pb", b"<html><body>Not found</body></html>");
    assert!(page.contains("it looks like text"), "{page}");
    let graph = Graph { outputs: vec!["x"], inputs: vec![value("x", FLOAT, &["3"])], ..Graph::default() };
    let onnx = refusal("graph.tflite", &graph.model());
    assert!(onnx.contains("it looks like an ONNX model"), "{onnx}");
}
