//! JSON files of several releases in the command.

use serde_json::Value;

use crate::common::{file, run};

const OLD: &str = r#"# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32"), x: T.int32):
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            A[vi] = T.Cast("float32", x)
"#;

const NEW: &str = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), x: T.int32):
    # with T.sblock("root"):
    for i in range(8):
        with T.sblock("b"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(A[vi])
            A[vi] = T.Cast("float32", x)
"#;

/// The standard output of a command that succeeds.
fn output(args: &[&str]) -> String {
    let ran = run(args);
    assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn json_is_that_of_the_release_of_the_text() {
    let new = file("json_release_new.py", NEW);
    let json = file("json_release_new.json", output(&["json", "--tvm", &new]));
    let text = std::fs::read_to_string(&json).expect("it was written");
    assert!(text.contains("\"tvm_version\": \"0.27.") && text.contains("\"s_tir.SBlock\""), "{text}");
    assert_eq!(output(&["print", &json]), NEW);
    output(&["equal", &new, &json]);
    let checked: Value = serde_json::from_str(&output(&["check", "--format", "json", &json])).expect("JSON");
    assert_eq!(checked["profile"]["id"], "tvm-0.27");
    let native = file("json_release_native.json", output(&["json", &new]));
    assert_eq!(output(&["print", &native]), NEW);
}

#[test]
fn scalars_of_relax_are_variables_in_json() {
    const SCALARS: &str = r#"# from typing import TypeVar
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
@R.function
def f(x: R.Tensor((n, 3), dtype="float32"), p: T.int64) -> R.Tensor((n, 3), dtype="float32"):
    q: T.int64 = p + n
    t: R.Tuple(T.int64, T.int64) = p, n
    with R.dataflow():
        m: T.int64 = q + 1
        o: R.Tensor(dtype="float32", ndim=2) = R.zeros(R.shape([m, p]), dtype="float32")
        R.output(o)
    u: R.Tensor((n + 1 - p,), dtype="int64") = R.arange(p, n + 1, 1, dtype="int64")
    return x
"#;
    let text = file("json_scalars.py", SCALARS);
    let json = file("json_scalars.json", output(&["json", "--tvm", &text]));
    let written = std::fs::read_to_string(&json).expect("it was written");
    assert!(written.contains("prim.Add") && !written.contains("ScalarUse"), "{written}");
    assert_eq!(output(&["print", &json]), SCALARS);
    output(&["equal", &text, &json]);
}

#[test]
fn upgrade_keeps_the_form_of_json() {
    let old = file("json_release_old.py", OLD);
    for flags in [&["--tvm"][..], &["--tvm", "--compact"], &[], &["--compact"]] {
        let args = [&["json"], flags, &[&old]].concat();
        let json = file("json_release_old.json", output(&args));
        let upgraded = output(&["upgrade", &json]);
        assert_eq!(upgraded.trim_end().contains('\n'), !flags.contains(&"--compact"), "{upgraded}");
        assert_eq!(upgraded.contains("tvm_version"), flags.contains(&"--tvm"), "{upgraded}");
        let upgraded = file("json_release_upgraded.json", &upgraded);
        assert_eq!(output(&["print", &upgraded]), NEW);
        assert_eq!(
            output(&["upgrade", &upgraded]),
            std::fs::read_to_string(&upgraded).expect("it was written")
        );
    }
}

#[test]
fn upgrade_leaves_json_that_would_lose_something() {
    let old =
        OLD.replace("for i in range(8):", "for i in range(8):\n        T.evaluate(T.create_barriers(1))");
    let old = file("json_release_lossy.py", &old);
    let json = file("json_release_lossy.json", output(&["json", "--tvm", &old]));
    let before = std::fs::read_to_string(&json).expect("it was written");
    let ran = run(&["upgrade", "--write", &json]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&json).expect("it is still there"), before);
}

const TILELANG: &str = r#"# from tvm.script import tirx as T

@T.prim_func
def f(x: T.int32):
    T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""}), "tl.version": 1})
    T.call_extern("int32", "g", T.shift_right(x, 1))
"#;

#[test]
fn json_of_tilelang_has_the_names_and_fields_of_its_release() {
    let file_of_text = file("json_release_tilelang.py", TILELANG);
    let json = output(&["json", "--tvm", &file_of_text]);
    assert!(json.contains("\"tvm_version\": \"0.25."), "{json}");
    assert!(json.contains("\"tirx.shift_right\"") && !json.contains("\"tir."), "{json}");
    assert!(json.contains("\"target.Target\"") && !json.contains("\"features\""), "{json}");
    let json = file("json_release_tilelang.json", json);
    output(&["equal", &file_of_text, &json]);
    assert_eq!(output(&["print", &json]), output(&["print", &file_of_text]));
}

#[test]
fn other_releases_of_json_miss_no_field() {
    let old = file("json_release_target.py", TILELANG.replace("tirx as T", "tir as T"));
    let json = output(&["json", "--tvm", &old]);
    let without: String = json.lines().filter(|line| !line.contains("\"features\"")).collect();
    assert_ne!(without.len(), json.lines().collect::<String>().len());
    let ran = run(&["print", &file("json_release_target.json", without)]);
    assert_eq!(ran.status, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("features"), "{}", ran.stderr);
}
