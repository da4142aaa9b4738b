//! `emit --target c`.

use crate::common::{file, run};

const PAGE: &str = include_str!("../../../../docs/c-source.md");

/// The first code block of the page in a language.
fn block(language: &str) -> &'static str {
    let start = format!("```{language}\n");
    PAGE.split(&start).nth(1).and_then(|rest| rest.split("```").next()).expect("a block of code")
}

#[test]
fn p92_34_the_page_shows_the_c_that_is_written() {
    let script = file("kernel.py", block("python"));
    let ran = run(&["emit", "--target", "c", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let text = ran.stdout.replace(&script, "kernel.py");
    assert!(text.contains(block("c")), "{text}");
    let ran = run(&["emit", "--target", "c", "--no-lines", "--function", "scale", &script]);
    assert!(!ran.stdout.contains("#line") && ran.stdout.contains("void scale("), "{}", ran.stdout);
    let ran = run(&["emit", "--target", "c", "--function", "other", &script]);
    assert!(ran.status != 0 && ran.stderr.contains("other"), "{}", ran.stderr);
}

#[test]
fn p92_34_all_parts_without_a_form_in_c_are_reported_at_once() {
    let text = r#"from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    T.evaluate(T.call_extern("int32", "launch", A.data))
    for i in range(8):
        A[i] = A[i] + T.float32(1)
        T.evaluate(T.call_packed("update", i))
"#;
    let ran = run(&["emit", "--target", "c", &file("parts.py", text)]);
    assert_ne!(ran.status, 0);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr.matches("E0824").count(), 2, "{}", ran.stderr);
    for part in
        ["the external function `launch` has no form in C", "the packed function `update` has no form in C"]
    {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    for place in [":5:", ":8:"] {
        assert!(ran.stderr.contains(place), "{}", ran.stderr);
    }
}

#[test]
fn p92_34_nests_that_threads_leave_one_by_one_are_written_in_time() {
    let mut text =
        "from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((32,), \"float32\")):\n    \
                    tx = T.launch_thread(\"threadIdx.x\", 32)\n    T.tvm_storage_sync(\"shared\")\n"
            .to_owned();
    for depth in 0..40 {
        let space = "    ".repeat(depth + 1);
        text.push_str(&format!("{space}for i{depth} in range(2):\n{space}    if tx > i{depth}:\n"));
        text.push_str(&format!("{space}        T.evaluate(T.break_loop())\n"));
    }
    text.push_str(&format!("{}A[tx] = T.float32(1)\n", "    ".repeat(41)));
    let ran = run(&["emit", "--target", "c", &file("nest.py", &text)]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.matches("break;").count(), 40);
}

#[test]
fn p92_34_barriers_that_some_threads_may_not_reach_are_reported() {
    let text = r#"from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((32,), "float32"), n: T.int32):
    tx = T.launch_thread("threadIdx.x", 32)
    half: T.int32 = tx // 2
    if half < n:
        T.tvm_storage_sync("shared")
    for i in range(half):
        T.tvm_storage_sync("shared")
    for i in range(n):
        if A[tx] > T.float32(1):
            T.evaluate(T.break_loop())
        T.tvm_storage_sync("shared")
    for i in range(n):
        T.tvm_storage_sync("shared")
        A[tx] = A[tx] + T.float32(1)
"#;
    let ran = run(&["emit", "--target", "c", &file("barriers.py", text)]);
    assert_ne!(ran.status, 0);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr.matches("E0824").count(), 3, "{}", ran.stderr);
    for part in [
        "a barrier inside of a condition that may differ in each thread has no form in C",
        "a barrier in a loop that may run differently in each thread has no form in C",
        "a barrier in a loop that some threads may leave before others has no form in C",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    for place in [":7:", ":9:", ":11:"] {
        assert!(ran.stderr.contains(place), "{}", ran.stderr);
    }
}

#[test]
fn p92_34_layers_of_models_are_comments() {
    let text = r#"from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    A[0] = T.float32(1)  # @resnet.conv1
"#;
    let ran = run(&["emit", "--target", "c", &file("layers.py", text)]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("A[0] = 1.0f; /* resnet.conv1 */\n"), "{}", ran.stdout);
}
