//! Commands on nodes that come from JSON: text, hash, comparison, conversion, dump.

use crate::common::{evaluate_json, evaluate_text, file, path, run, run_with};

#[test]
fn from_json_prints_either_form() {
    let tvm = file("a.json", evaluate_json(1));
    let ran = run(&["from-json", &tvm]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, evaluate_text(1).as_str()), "{}", ran.stderr);
    let native = run(&["json", &tvm]).stdout;
    assert_eq!(run_with(&["from-json", "-"], native.as_bytes()).stdout, evaluate_text(1));
    let back = run(&["json", "--tvm", &tvm]).stdout;
    assert_eq!(run_with(&["from-json", "-"], back.as_bytes()).stdout, evaluate_text(1));
}

#[test]
fn several_files_print_with_a_blank_line_between() {
    let (a, b) = (file("a.json", evaluate_json(1)), file("b.json", evaluate_json(2)));
    let ran = run(&["print", &a, &b]);
    assert_eq!(ran.stdout, format!("{}\n{}", evaluate_text(1), evaluate_text(2)));
}

#[test]
fn output_goes_to_a_file_only_when_all_went_well() {
    let good = file("a.json", evaluate_json(1));
    let out = path("out.py");
    let _ = std::fs::remove_file(&out);
    let out = out.to_str().expect("an ASCII path");
    let ran = run(&["print", "-o", out, &good, "nowhere.py"]);
    assert_eq!(ran.status, 2);
    assert!(!std::fs::exists(out).expect("a known folder"), "nothing is written");
    assert_eq!(run(&["print", "-o", out, &good]).status, 0);
    assert_eq!(std::fs::read_to_string(out).expect("written"), evaluate_text(1));
    let folder = path("");
    let left = std::fs::read_dir(folder).expect("the folder").count();
    assert_eq!(left, 2, "no temporary file stays");
}

#[test]
fn equal_answers_by_status_and_underlines_every_difference() {
    let (a, b) = (file("a.json", evaluate_json(1)), file("b.json", evaluate_json(2)));
    let same = run(&["equal", "--map-free-vars", &a, &a]);
    assert_eq!((same.status, same.stdout.as_str()), (0, ""), "{}", same.stderr);
    let ran = run(&["equal", "--map-free-vars", &a, &b]);
    assert_eq!(ran.status, 1);
    for part in [
        "T.evaluate(x + 1)\n               ^",
        "T.evaluate(x + 2)\n               ^",
        "1 difference:\n  <root>.value.b.value: ",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is missing in\n{}", ran.stdout);
    }
}

#[test]
fn hash_agrees_with_equal() {
    let (a, b) = (file("a.json", evaluate_json(1)), file("b.json", evaluate_json(2)));
    let hash = |file: &str| run(&["hash", file]).stdout;
    assert_eq!(hash(&a), hash(&a));
    assert_ne!(hash(&a), hash(&b));
    assert_eq!(hash(&a).len(), 17);
    let both = run(&["hash", &a, &b]).stdout;
    assert_eq!(both, format!("{}  {a}\n{}  {b}\n", hash(&a).trim(), hash(&b).trim()));
}

#[test]
fn dump_draws_the_asked_kinds() {
    let a = file("a.json", evaluate_json(1));
    let tree = run(&["dump", "--kinds", "expr", &a]).stdout;
    assert!(tree.contains("tir.Add") && tree.contains("ir.IntImm"), "{tree}");
    let statements = run(&["dump", "--kinds", "stmt", &a]).stdout;
    assert!(statements.contains("tir.Evaluate") && !statements.contains("tir.Add"), "{statements}");
    assert!(run(&["dump", "--format", "dot", &a]).stdout.starts_with("digraph"));
    let unknown = run(&["dump", "--kinds", "loop", &a]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("unknown kind `loop`"), "{}", unknown.stderr);
}

#[test]
fn printer_options_are_flags() {
    let a = file("a.json", evaluate_json(1));
    let print = |args: &[&str]| run(&[&["print", &a], args].concat());
    assert_eq!(
        print(&["--tir-prefix", "tir"]).stdout,
        "# from tvm.script import tir as tir\n\nx = tir.int32()\ntir.evaluate(x + 1)\n"
    );
    assert_eq!(
        print(&["--int-dtype", "int64"]).stdout,
        "# tvmscript: int_dtype=int64\n\nx = T.int32()\nT.evaluate(x + T.int32(1))\n"
    );
    assert_eq!(print(&["--print-line-numbers"]).stdout, "1 x = T.int32()\n2 T.evaluate(x + 1)\n");
    let underlined = print(&["--underline", "value.b"]).stdout;
    assert_eq!(underlined, "x = T.int32()\nT.evaluate(x + 1)\n               ^\n");
    let annotated = print(&["--annotate", "<root>=here"]).stdout;
    assert_eq!(annotated, "x = T.int32()\nT.evaluate(x + 1)  # here\n");
    let nowhere = print(&["--underline", "<root>.body"]);
    assert_eq!(nowhere.status, 1);
    assert!(nowhere.stderr.contains("`tir.Evaluate` has no `.body`"), "{}", nowhere.stderr);
}

#[test]
fn timings_are_one_line_of_json() {
    let a = file("a.json", evaluate_json(1));
    let ran = run(&["print", "--timings", &a]);
    let line: serde_json::Value = serde_json::from_str(&ran.stderr).expect("one object");
    for key in ["read_ms", "load_ms", "print_ms", "total_ms", "files", "input_bytes", "statements"] {
        assert!(line.get(key).is_some_and(|v| v.is_number()), "{key} is missing in {line}");
    }
}

#[test]
fn json_takes_several_files_and_writes_one_document_for_each() {
    let (one, two) = (file("one.json", evaluate_json(1)), file("two.json", evaluate_json(2)));
    let ran = run(&["json", "--tvm", "--compact", &one, &two]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    for (line, value) in lines.into_iter().zip([1, 2]) {
        assert_eq!(run_with(&["from-json", "-"], line.as_bytes()).stdout, evaluate_text(value));
    }
    let wrong = run(&["json", &one, "missing.py"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stdout.contains("tir.Evaluate") && wrong.stderr.contains("missing.py"));
}
