//! Helpers that run the command on test files.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Result of a run.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command with empty standard input.
pub fn run(args: &[&str]) -> Ran {
    run_with(args, b"")
}

/// Runs the command.
pub fn run_with(args: &[&str], stdin: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tvmscript"))
        .args(args)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // The command may end without reading its input.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let output = child.wait_with_output().expect("the command ends");
    Ran {
        status: output.status.code().expect("no signal"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A path in the folder of the current test.
pub fn path(name: &str) -> PathBuf {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main").replace("::", "_");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Writes a file to the folder of the current test.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    std::fs::write(&path, content).expect("a file");
    path.to_str().expect("an ASCII path").to_owned()
}

/// Makes the folder of the current test anew, with these files; names contain `/` for folders in it.
pub fn folder(files: &[(&str, &str)]) -> PathBuf {
    let root = path("");
    std::fs::remove_dir_all(&root).ok();
    std::fs::create_dir_all(&root).expect("a folder");
    for (name, text) in files {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    root
}

/// TVM's JSON of `T.evaluate(x + VALUE)`.
pub fn evaluate_json(value: i64) -> String {
    format!(
        r#"{{"root_index": 6, "nodes": [
  {{"type": "None"}},
  {{"type": "ffi.String", "data": "x"}},
  {{"type": "ir.PrimType", "data": {{"span": 0, "dtype": "int32"}}}},
  {{"type": "tir.Var", "data": {{"span": 0, "dtype": "int32", "name": 1, "type_annotation": 2}}}},
  {{"type": "ir.IntImm", "data": {{"span": 0, "dtype": "int32", "value": {value}}}}},
  {{"type": "tir.Add", "data": {{"span": 0, "dtype": "int32", "a": 3, "b": 4}}}},
  {{"type": "tir.Evaluate", "data": {{"span": 0, "value": 5}}}}],
"metadata": {{"tvm_version": "0.23.dev0"}}}}"#
    )
}

/// Printed text of `evaluate_json`.
pub fn evaluate_text(value: i64) -> String {
    format!("x = T.int32()\nT.evaluate(x + {value})\n")
}

/// Text and origins of the lines of parts of an explorer's page.
pub fn page_lines<'p>(page: &'p Value, parts: &[Value]) -> Vec<(&'p str, Vec<u64>)> {
    let index = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("an index");
    let mut lines = Vec::new();
    for part in parts {
        let text = page["texts"][index(&part["text"])].as_str().expect("a text");
        if part["links"].is_null() {
            lines.extend(text.split('\n').map(|line| (line, Vec::new())));
            continue;
        }
        let links = page["links"][index(&part["links"])].as_array().expect("a list");
        let mut numbers = links.iter().map(|number| number.as_i64().expect("a number"));
        let mut first = 0;
        for line in text.split('\n') {
            let mut last = first;
            let mut origins = Vec::new();
            for at in 0..numbers.next().expect("a count") {
                last += numbers.next().expect("an origin");
                first = if at == 0 { last } else { first };
                origins.push(u64::try_from(last).expect("an index"));
            }
            lines.push((line, origins));
        }
    }
    lines
}
