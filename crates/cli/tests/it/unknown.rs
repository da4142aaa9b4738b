//! Functions and types of nodes that no dialect has.

use serde_json::{Value, json};

use crate::common::{file, run};

/// A text with a metadata section of two nodes of the unknown type `my.Layout`, and the lines of a function's body.
fn with_metadata(name: &str, body: &[&str]) -> String {
    let body: String = body.iter().map(|line| format!("    {line}\n")).collect();
    file(
        name,
        format!(
            r#"metadata = tvm.ir.load_json("""{{
  \"root_index\": 5, 
  \"nodes\": [
    {{
      \"type\": \"ffi.String\", 
      \"data\": \"my.Layout\"
    }}, 
    {{
      \"type\": \"my.Layout\", 
      \"data\": {{
        \"name\": 0, 
        \"rank\": 2
      }}
    }}, 
    {{
      \"type\": \"my.Layout\", 
      \"data\": {{
        \"rank\": 3
      }}
    }}, 
    {{
      \"type\": \"ffi.Array\", 
      \"data\": [
        1, 
        2
      ]
    }}, 
    {{
      \"type\": \"None\"
    }}, 
    {{
      \"type\": \"ffi.Map\", 
      \"data\": [
        0, 
        3
      ]
    }}
  ], 
  \"metadata\": {{
    \"tvm_version\": \"0.23.dev0\"
  }}
}}""")
# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
{body}"#
        ),
    )
}

const FIRST: &str = r#"T.func_attr({"layout": metadata["my.Layout"][0]})"#;
const SECOND: &str = r#"A[0] = T.my_exp(A[0], metadata["my.Layout"][1])"#;

#[test]
fn unknown_metadata_prints_as_it_was_written() {
    let path = with_metadata("a.py", &[FIRST, SECOND]);
    let ran = run(&["print", "--show-meta", &path]);
    assert_eq!(ran.stdout, std::fs::read_to_string(&path).expect("the file was just written"));
    assert!(
        ran.stderr.contains("no dialect has the type `my.Layout`; nodes kept as written: 2"),
        "{}",
        ran.stderr
    );
    assert_eq!(run(&["roundtrip", &path]).status, 0);
}

#[test]
fn a_part_of_unknown_metadata_reads_back_to_the_same_program() {
    let path =
        with_metadata("a.py", &[r#"T.func_attr({"layout": metadata["my.Layout"][1]})"#, "T.evaluate(0)"]);
    let printed = file("b.py", run(&["print", "--show-meta", &path]).stdout);
    let text = std::fs::read_to_string(&printed).expect("the file was just written");
    assert!(text.contains(r#"metadata["my.Layout"][0]"#), "{text}");
    let ran = run(&["equal", &path, &printed]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(run(&["roundtrip", &printed]).status, 0);

    // The nodes that are known have numbers of their own behind it.
    let json = run(&["json", "--tvm", &path]).stdout;
    let graph: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(graph["nodes"][2], json!({"type": "my.Layout", "data": {"rank": 3}}));
}

#[test]
fn other_nodes_are_different() {
    let [first, second] = [FIRST, r#"T.func_attr({"layout": metadata["my.Layout"][1]})"#]
        .map(|line| with_metadata(if line == FIRST { "a.py" } else { "b.py" }, &[line, "T.evaluate(0)"]));
    assert_eq!(run(&["equal", &first, &second]).status, 1);
}

#[test]
fn strict_checks_and_programs_in_python_refuse_what_is_unknown() {
    let path = with_metadata("a.py", &[FIRST, SECOND]);
    let ran = run(&["check", "--strict", &path]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("[E0204] Error") && ran.stderr.contains("[E0205] Error"), "{}", ran.stderr);

    let text = std::fs::read_to_string(&path).expect("the file was just written");
    let python = file("c.py", format!("import tvm\nfrom tvm.script import tir as T\n{text}"));
    let ran = run(&["check", &python]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("unknown node type `my.Layout`"), "{}", ran.stderr);
}

#[test]
fn unknown_calls_of_relax_print_as_they_were_written() {
    let text = r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        R.vm.unheard_of_kill(x)
        a = R.unheard_of_call("f", (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        b = R.unheard_of_call("f", (x, a), out_sinfo=[R.Tensor((2,), dtype="int32"), R.Tensor((3,), dtype="int32")])
        c: R.Tensor((2,), dtype="int32") = b[0]
        d: R.Object = R.unheard_of("g", (x, c), sinfo_args=(R.Object,))
        e: R.Tensor((2, 3), dtype="float32") = R.unheard_of(x, R.device(device_type=1, index=0), d)
        return e
"#;
    let path = file("relax.py", text);
    assert_eq!(run(&["print", &path]).stdout, text);
    assert_eq!(run(&["roundtrip", &path]).status, 0);
}

#[test]
fn the_place_of_an_unknown_call_tells_its_type() {
    let text = r#"# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "int32"), v: T.int32):
    A[0] = T.Select(8 < T.un1(A[0]), 7, T.un2(A[1])) - v
    A[1] = T.shift_right(T.un3(A[1]), 1)
    A[2] = T.Select(8 < T.un1(A[0]), 7, T.un2(A[1])) - v // (0 - A[0])
    A[3] = T.un4(A[0] < 0, (T.Select(8 < T.un1(A[0]), 7, T.un2(A[1])) - v) // (0 - A[0]))
    A[3] = T.un4(A[0] < 0, (T.un1(A[0]) - 7) // (0 - A[0]))
    A[4] = T.min(T.un4(A[0]), 3)
    A[5] = T.max(3, T.un4(A[0]))
    A[6] = (T.un4(A[0]) + 3 - 1) // 3
    A[6] = T.un4(A[0]) // 3
    A[6] = T.shift_left(T.un4(A[0]), 1)
    A[6] = T.un4(A[0]) % 3
    A[6] = T.truncmod(T.un4(A[0]), 3)
    A[6] = T.if_then_else(T.un4(A[0]), 1, T.un3(A[0]))
    A[6] = T.Select(T.un4(A[0]), 1, T.un3(A[0]))
    A[6] = T.if_then_else(T.un4(A[0]), T.un3(A[0]), 3) + 1
    A[6] = T.bitwise_not(T.un4(A[0]))
    A[T.un4(A[0])] = T.Cast("int32", T.un4(A[0]))
    A[0:4] = T.Ramp(T.un4(A[0]), 1, 4)
    A[0] = T.shift_right(T.un3(A[1]), T.un3(A[1]))
    A[0] = T.Cast("int32", T.exp(T.un3(A[1])))
"#;
    let path = file("operations.py", text);
    let ran = run(&["print", &path]);
    assert_eq!(ran.stdout, text, "{}", ran.stderr);
    assert_eq!(run(&["roundtrip", &path]).status, 0);
}
