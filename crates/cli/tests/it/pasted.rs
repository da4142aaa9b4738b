//! Files as people have them: pasted text, notebooks, Markdown, sources of TileLang, fragments, folders.

use serde_json::{Value, json};

use crate::common::{file, folder, run};

const SCALE: &str = "# from tvm.script import tir as T

@T.prim_func
def scale(A: T.Buffer((8,), \"float32\")):
    for i in range(8):
        A[i] = A[i] * T.float32(2.0)
";

#[test]
fn pasted_text_is_read_with_a_note() {
    let indented: String = SCALE.lines().map(|line| format!("    {line}\n")).collect();
    let log = format!("[10:00:01] INFO pipeline.py:50: lowering\n{SCALE}[10:00:02] INFO done\n");
    let colours = SCALE.replace("@T", "\u{1b}[38;5;129m@T\u{1b}[39m");
    let prompt: String = SCALE.lines().map(|line| format!("... {line}\n")).collect();
    for (name, text, note) in [
        ("indented.py", indented, "indentation"),
        ("log.txt", log, "log lines"),
        ("colours.py", colours, "colours"),
        ("prompt.txt", prompt.replacen("...", ">>>", 1), "prompts"),
    ] {
        let path = file(name, text);
        let ran = run(&["print", &path]);
        assert_eq!((ran.status, ran.stdout.as_str()), (0, SCALE), "{name}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("[E0817] Note: read without") && ran.stderr.contains(note),
            "{}",
            ran.stderr
        );
        assert_eq!(run(&["check", "--strict", &path]).status, 1, "{name}");
    }
    let path = file("plain.py", SCALE);
    let ran = run(&["check", "--strict", &path]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
}

#[test]
fn pasted_text_is_not_written() {
    let text = format!("[10:00:01] INFO lowering\n{SCALE}");
    let path = file("log.py", &text);
    let ran = run(&["upgrade", "--write", &path]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("pasted text is not written"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), text);
    let ran = run(&["upgrade", &path]);
    assert!(ran.status == 0 && ran.stdout.contains("tirx as T"), "{}", ran.stderr);
}

#[test]
fn notebooks_and_markdown() {
    let printed = SCALE.replace("scale", "printed");
    let notebook = json!({"nbformat": 4, "cells": [
        {"cell_type": "code", "source": format!("%matplotlib inline\n{SCALE}"),
         "outputs": [{"output_type": "stream", "text": printed}]}]});
    let path = file("book.ipynb", notebook.to_string());
    assert_eq!(run(&["print", &path]).stdout, SCALE);
    assert_eq!(run(&["print", "--outputs", &path]).stdout, printed);
    let path = file("page.md", format!("# Title\n\n```python\n{SCALE}```\n\n```sh\nls\n```\n"));
    assert_eq!(run(&["print", &path]).stdout, SCALE);
}

#[test]
fn sources_of_tilelang_are_named_and_counted() {
    let source = "import tilelang\nimport tilelang.language as T\n\n@tilelang.jit\ndef build(n):\n    @T.prim_func\n    \
        def main(A: T.Tensor((n,), \"float32\")):\n        with T.Kernel(4, threads=32) as bx:\n            T.copy(A[bx], A[bx])\n    \
        return main\n";
    let (tile, plain) = (file("tile.py", source), file("plain.py", SCALE));
    let ran = run(&["check", &tile]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("source of TileLang") && ran.stderr.contains("get_tir"), "{}", ran.stderr);
    let ran = run(&["check", "--format", "json", &tile, &plain]);
    let kinds: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object")["kind"].clone())
        .collect();
    assert_eq!(kinds, [json!("tilelang-source"), json!("scripts")]);
}

#[test]
fn fragments_name_the_flag() {
    for (name, text, flag) in [
        ("loop.py", "for i in T.grid(16):\n    C[i] = A[i]\n", "--fragment tir"),
        ("block.py", "with T.block(\"tile\"):\n    T.reads()\n", "--fragment tir"),
        ("relax.py", "gv = R.add(x, y)\n", "--fragment relax"),
    ] {
        let ran = run(&["check", &file(name, text)]);
        assert!(ran.status == 1 && ran.stderr.contains(flag), "{name}: {}", ran.stderr);
        assert!(!ran.stderr.contains("Builder::"), "{}", ran.stderr);
    }
}

#[test]
fn folders_are_their_python_files() {
    let root = folder(&[("a/k.py", SCALE), ("b.py", SCALE), ("c.txt", "text"), ("empty/d.txt", "text")]);
    let root = root.to_str().expect("an ASCII path");
    let ran = run(&["check", "--format", "json", root]);
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 2), "{}{}", ran.stdout, ran.stderr);
    let ran = run(&["check", &format!("{root}/empty")]);
    assert!(ran.status == 2 && ran.stderr.contains("no `.py` file"), "{}", ran.stderr);
}

#[test]
fn wrong_arguments_are_named() {
    let path = file("k.py", SCALE);
    for (args, status, message) in [
        (&["opt", "--passes", "Simplify"][..], 2, "did you mean `tir.Simplify`?"),
        (&["opt", "--passes", "tir.simplify"], 2, "did you mean `tir.Simplify`?"),
        (&["opt", "--passes", "tir.LowerInitBlok"], 2, "did you mean `tir.LowerInitBlock`?"),
        (&["run", "--arg", "nosuch=3"], 2, "has no parameter or variable `nosuch`"),
        (&["upgrade", "--to", "0.27"], 0, ""),
        (&["equal", "missing.py"], 2, "missing.py"),
        (&["diff", "missing.py"], 2, "missing.py"),
        (&["hash", "missing.py"], 2, "missing.py"),
    ] {
        let ran = run(&[args, &[&path]].concat());
        assert_eq!(ran.status, status, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn json_that_is_no_graph_is_named() {
    let ran = run(&["check", &file("other.json", "{\"a\": 1}")]);
    assert!(ran.status == 1 && ran.stderr.contains("neither the JSON form"), "{}", ran.stderr);
    let ran = run(&["from-json", &file("open.json", "{")]);
    assert!(ran.status == 1 && ran.stderr.contains(":1:2: the text ends here"), "{}", ran.stderr);
}

#[test]
fn legacy_graphs_are_read() {
    let graph = "{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, \
        {\"type_key\": \"tir.Add\", \"attrs\": {\"a\": \"2\", \"b\": \"3\", \"dtype\": \"int32\", \"span\": \"0\"}}, \
        {\"type_key\": \"IntImm\", \"attrs\": {\"dtype\": \"int32\", \"span\": \"0\", \"value\": \"1\"}}, \
        {\"type_key\": \"tir.Var\", \"attrs\": {\"dtype\": \"int32\", \"name\": \"4\", \"type_annotation\": \"5\"}}, \
        {\"type_key\": \"runtime.String\", \"repr_str\": \"k\"}, \
        {\"type_key\": \"PrimType\", \"attrs\": {\"dtype\": \"int32\"}}], \
        \"b64ndarrays\": [], \"attrs\": {\"tvm_version\": \"0.18.dev0\"}}";
    let ran = run(&["from-json", &file("add.json", graph)]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "1 + k\n"), "{}", ran.stderr);
    let unknown = graph.replace("\"tir.Add\"", "\"relay.Add\"");
    let ran = run(&["from-json", &file("unknown.json", unknown)]);
    assert!(ran.status == 1 && ran.stderr.contains("relay.Add"), "{}", ran.stderr);
    let cyclic = graph.replace("\"a\": \"2\"", "\"a\": \"1\"");
    assert_eq!(run(&["from-json", &file("cyclic.json", cyclic)]).status, 1);
}

#[test]
fn earlier_names_of_types_are_renewed() {
    let old = SCALE.replace("float32", "e4m3_float8");
    let path = file("old.py", old);
    let ran = run(&["check", &path]);
    assert!(ran.status == 1 && ran.stderr.contains("float8_e4m3fn"), "{}", ran.stderr);
    let ran = run(&["upgrade", &path]);
    assert!(ran.status == 0 && ran.stdout.contains("\"float8_e4m3fn\""), "{}", ran.stderr);
}
