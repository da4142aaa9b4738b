//! Commands on scripts: parse, print, check, round trip.

use serde_json::Value;

use crate::common::{file, run, run_with};

const ADD_ONE: &str = "\
# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), \"float32\")):
    for i in range(16):
        A[i] = A[i] + T.float32(1.0)
";

#[test]
fn print_gives_the_canonical_text() {
    let plain = "from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: T.Buffer(16, \"float32\")):\n  for i in range(16):\n    A[i] += 1.0\n";
    let ran = run_with(&["print", "-"], plain.as_bytes());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ADD_ONE), "{}", ran.stderr);
    let ran = run_with(&["print", "-"], ADD_ONE.as_bytes());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ADD_ONE), "{}", ran.stderr);
}

#[test]
fn several_scripts_of_a_file_print_in_order() {
    let two = format!("{ADD_ONE}\n{}", ADD_ONE.replace("main", "other").replace("16", "32"));
    let ran = run_with(&["print", "-"], two.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let texts: Vec<&str> = ran.stdout.split("\n\n# from").collect();
    assert_eq!(texts.len(), 2, "{}", ran.stdout);
    assert!(texts[1].contains("range(32)"));
    let json = run_with(&["json", "-"], two.as_bytes()).stdout;
    assert_eq!(run_with(&["from-json", "-"], json.as_bytes()).stdout, ran.stdout);
}

#[test]
fn scripts_in_functions_print_below_their_paths_and_warnings_do_not_fail() {
    let script = ADD_ONE.split_once("\n\n").expect("a header").1.replace('\n', "\n    ");
    let text = format!(
        "import numpy as np\nfrom tvm.script import tir as T\n\n{}\nmain.show()\n\ndef test_x(n):\n    {}\n    \
         @T.prim_func\n    def needy(A: T.Buffer((n,), \"float32\")):\n        A[0] = T.float32(0)\n",
        ADD_ONE.split_once("\n\n").expect("a header").1,
        script.trim_end(),
    );
    let path = file("test_file.py", text);
    let ran = run(&["print", &path]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, format!("{ADD_ONE}\n# test_x.main\n{ADD_ONE}"));
    assert!(ran.stderr.contains("Warning") && ran.stderr.contains("needs arguments"), "{}", ran.stderr);
    let again = run_with(&["hash", "-"], ran.stdout.as_bytes());
    assert_eq!(again.stdout, run(&["hash", &path]).stdout);
    assert_eq!(run(&["roundtrip", &path]).status, 0);

    let ran = run(&["check", "--format", "json", &path]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let line: Value = serde_json::from_str(&ran.stdout).expect("an object");
    let severities: Vec<_> =
        line["errors"].as_array().expect("a list").iter().map(|e| e["severity"].as_str()).collect();
    assert_eq!((&line["ok"], severities), (&Value::Bool(true), vec![Some("warning"), Some("note")]));
}

#[test]
fn check_reports_every_mistake_at_its_place() {
    let wrong = ADD_ONE.replace("A[i] + ", "B[i] + ").replace("range(16)", "T.seriall(16)");
    let wrong = file("wrong.py", wrong);
    let right = file("right.py", ADD_ONE);
    let ran = run(&["check", &wrong, &right]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    for part in ["`B`", "seriall", "serial`", "wrong.py:5"] {
        assert!(ran.stderr.contains(part), "{part:?} is missing in\n{}", ran.stderr);
    }
    let ran = run(&["check", "--format", "json", &wrong, &right]);
    assert_eq!((ran.status, ran.stderr.as_str()), (1, ""));
    let lines: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    assert_eq!((lines.len(), &lines[1]["ok"]), (2, &Value::Bool(true)));
    let error = &lines[0]["errors"][0];
    assert_eq!((&error["start"]["line"], &error["start"]["column"]), (&5.into(), &16.into()), "{error}");
    assert_eq!(run(&["check", &right]).status, 0);
}

#[test]
fn check_finds_what_is_not_well_formed_unless_that_is_meant() {
    let script = "\
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), \"float32\")):
    for i in range(16):
        with T.block(\"b\"):
            v = T.axis.spatial(16, i)
            A[v, i] = T.float32(0.0)
";
    let ran = run_with(&["check", "--format", "json", "-"], script.as_bytes());
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("an object");
    let errors = answer["errors"].as_array().expect("an array");
    assert!(errors.iter().all(|e| e["kind"] == "ill-formed"), "{answer}");
    assert!(errors.iter().any(|e| e["start"]["line"] == 8), "{answer}");
    let meant = script.replace("@T.prim_func", "@T.prim_func(check_well_formed=False)");
    let ran = run_with(&["check", "-"], meant.as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(run_with(&["print", "-"], script.as_bytes()).status, 0, "it can be printed all the same");
}

#[test]
fn equal_underlines_what_differs_and_no_more() {
    let a = file("a.py", ADD_ONE);
    let b = ADD_ONE.replace("main", "other").replace("range", "T.parallel").replace("1.0", "2.0");
    let b = file("b.py", b);
    let ran = run(&["equal", &a, &b]);
    assert_eq!(ran.status, 1);
    let carets: Vec<&str> = ran.stdout.lines().filter(|l| l.contains('^')).map(str::trim).collect();
    assert_eq!(carets, ["^^^^", "^^^^^", "^^^", "^^^^^", "^^^^^^^^^^", "^^^"], "{}", ran.stdout);
    assert!(ran.stdout.contains("3 differences:") && ran.stdout.contains("global_symbol"), "{}", ran.stdout);
}

#[test]
fn dialects_add_flags_of_their_own() {
    let script = "\
@R.function
def main(x: R.Tensor((4,), \"float32\")):
    y = R.nn.relu(x)
    return y
";
    let a = file("a.py", script);
    assert!(run(&["print", &a]).stdout.contains("    y: R.Tensor((4,), dtype=\"float32\") = R.nn.relu(x)"));
    let ran = run(&["print", "--no-inferred-struct-info", &a]);
    assert!(ran.stdout.contains("    y = R.nn.relu(x)"), "{}", ran.stdout);
    let ran = run(&["roundtrip", "--no-inferred-struct-info", &a]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    assert_eq!(run(&["roundtrip", "--underline", "<root>", &a]).status, 2, "only for text that people read");
}

#[test]
fn roundtrip_names_the_files_that_fail() {
    let right = file("right.py", ADD_ONE);
    let wrong = file("wrong.py", "x = (");
    let ran = run(&["roundtrip", &right]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "1 of 1 files round trip\n"), "{}", ran.stderr);
    let ran = run(&["roundtrip", &wrong, &right]);
    assert_eq!(ran.status, 1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with(&format!("{wrong}: 1:")), "{}", ran.stdout);
    assert_eq!(lines[1], "1 of 2 files round trip, 1 do not");
}

#[test]
fn a_file_without_a_script_is_wrong() {
    for text in ["", "\n\n", "x = 1\n"] {
        let ran = run_with(&["print", "-"], text.as_bytes());
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{text:?}");
        assert!(ran.stderr.contains("script"), "{text:?}: {}", ran.stderr);
    }
}

#[test]
fn bench_measures_every_operation() {
    let right = file("right.py", ADD_ONE);
    let ran = run(&["bench", "--repeat", "1", &right]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let lines: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    let ops: Vec<&str> = lines.iter().filter_map(|l| l["op"].as_str()).collect();
    assert_eq!(ops, ["parse", "print", "eq", "hash", "save", "load", "drop"]);
    assert!(lines.iter().all(|l| l[if cfg!(unix) { "cpu" } else { "s" }].is_f64()));
}

#[test]
fn bench_measures_each_pass() {
    let right = file("right.py", ADD_ONE);
    let ran =
        run(&["bench", "--repeat", "1", &right, "--passes", "tir.Simplify,tir.UnrollLoop,tir.Simplify"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let lines: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    let ops: Vec<&str> = lines.iter().filter_map(|l| l["op"].as_str()).collect();
    assert_eq!(ops, ["tir.Simplify", "tir.UnrollLoop", "tir.Simplify"]);
    assert!(lines.iter().all(|l| l[if cfg!(unix) { "cpu" } else { "s" }].is_f64()));
    assert_eq!(run(&["bench", &right, "--passes", "tir.None"]).status, 2);
}
