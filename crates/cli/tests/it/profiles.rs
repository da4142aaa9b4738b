//! Texts of other releases on the command line.

use serde_json::{Value, json};

use crate::common::{file, run};

/// A function of TileLang's release; its `T.clamp` and flat binding print in no other profile.
fn tilelang(name: &str, limit: f32) -> String {
    file(
        name,
        format!(
            r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(x: T.float32):
    v: T.float32 = T.clamp(x, T.float32(0.0), T.float32({limit:?}))
    T.evaluate(v)
"#
        ),
    )
}

#[test]
fn every_command_prints_in_the_profile_of_the_text() {
    let (a, b) = (tilelang("a.py", 1.0), tilelang("b.py", 2.0));
    let commands: [&[&str]; 7] = [
        &["print", &a],
        &["roundtrip", &a],
        &["opt", "--passes", "tir.Simplify", &a],
        &["diff", &a, &b],
        &["equal", &a, &b],
        &["trace", &a, "--at", "5:5"],
        &["dump", "--format", "dot", &a],
    ];
    for command in commands {
        let ran = run(command);
        assert_eq!(ran.stderr, "", "{command:?}");
        assert!(!ran.stdout.contains("cannot be printed"), "{command:?}: {}", ran.stdout);
        if !matches!(command[0], "roundtrip" | "trace") {
            assert!(ran.stdout.contains("T.clamp("), "{command:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn check_and_timings_tell_the_profile() {
    let sign = json!({"id": "tilelang-0.25", "reason": "the text has `functions of TileLang`"});
    let ran = run(&["check", "--format", "json", &tilelang("a.py", 1.0)]);
    let line: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&line["ok"], &line["profile"]), (&json!(true), &sign));

    let option = json!({"id": "tilelang-0.25", "reason": "an option selects it"});
    let ran = run(&["print", "--timings", "--profile", "tilelang-0.25", &tilelang("a.py", 1.0)]);
    let line: Value = serde_json::from_str(ran.stderr.trim()).expect("JSON");
    assert_eq!(line["profiles"], json!([option]));
}

#[test]
fn what_is_ill_formed_between_passes_is_a_note_unless_strict() {
    let text = file(
        "a.py",
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel():
    x = T.int32()
    T.evaluate(x)
    T.fence_proxy_async()
    for i in range(2):
        B = T.alloc_buffer((1,))
        B = T.alloc_buffer((2,))
        B[0] = T.float32(0.0)
"#,
    );
    let ran = run(&["check", "--format", "json", &text]);
    let line: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((ran.status, &line["ok"]), (0, &json!(true)), "{line}");
    let notes = line["errors"].as_array().expect("notes");
    assert!(notes.len() == 2 && notes.iter().all(|note| note["severity"] == "note"), "{line}");

    let ran = run(&["check", "--strict", "--format", "json", &text]);
    let line: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((ran.status, &line["ok"]), (1, &json!(false)), "{line}");
}

#[test]
fn a_buffer_that_is_used_before_its_allocation_is_one_buffer() {
    let text = r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((8,), "float32")):
    with T.sblock("block"):
        s = T.Buffer((1,), "int32", scope="local.var")
        T.reads(A[s[0]])
        T.writes()
        s = T.sblock_alloc_buffer((1,), "int32", data=s.data, scope="local.var")
        s[0] = T.clamp(s[0], 0, 7)
"#;
    let path = file("used.py", text);
    let ran = run(&["print", &path]);
    assert_eq!(ran.stdout, text, "{}", ran.stderr);
    assert_eq!(run(&["roundtrip", &path]).status, 0);
}

#[test]
fn what_the_release_does_not_compute_stays_as_it_is_written() {
    let text = r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(n: T.int32):
    T.func_attr({"target": T.target({"keys": ["hip", "gpu"], "kind": "hip", "mcpu": "gfx942", "tag": ""})})
    for i in range(n + 2 - 1):
        T.evaluate(T.clamp(T.bitwise_xor(0, 1), 0, i))
    for i in T.thread_binding((n + 256 - 1) // 256, thread="blockIdx.x"):
        T.evaluate(i)
"#;
    let path = file("kept.py", text);
    let ran = run(&["print", &path]);
    assert_eq!(
        ran.stdout,
        text.replace("T.evaluate(T.clamp(T.bitwise_xor(0, 1), 0, i))", "T.clamp(T.bitwise_xor(0, 1), 0, i)")
    );
    assert_eq!(run(&["roundtrip", &path]).status, 0);
}
