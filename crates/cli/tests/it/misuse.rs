//! Invalid files and invalid command lines: status and messages.

use crate::common::{file, run, run_with};
use serde_json::{Value, json};

#[test]
fn misuse_has_status_two() {
    for args in [
        &["frobnicate"][..],
        &[],
        &["print"],
        &["print", "--width", "0", "a.py"],
        &["print", "--tir-prefix", "1x", "a.py"],
        &["print", "--int-dtype", "integer", "a.py"],
        &["print", "--int-dtype", "float32", "a.py"],
        &["print", "--float-dtype", "int32", "a.py"],
        &["print", "--tir-prefix", "I", "a.py"],
        &["print", "--tir-prefix", "range", "a.py"],
        &["print", "--tir-prefix", "cls", "a.py"],
        &["print", "--module-alias", "R", "a.py"],
        &["roundtrip", "--module-alias", "metadata", "a.py"],
        &["equal", "--tir-prefix", "I", "a.py", "a.py"],
        &["check", "--header", "int_dtyp=int64", "a.py"],
        &["check", "--header", "int_dtype", "a.py"],
        &["check", "--header", "tir_prefix=1", "a.py"],
        &["check", "--format", "xml", "a.py"],
        &["check", "--profile", "tvm-0.1", "a.py"],
        &["print", "-", "-"],
        &["equal", "a.py"],
    ] {
        let ran = run(args);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn help_and_version_have_status_zero() {
    for args in [&["--help"][..], &["print", "--help"], &["bench", "-h"], &["--version"]] {
        let ran = run(args);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
    assert!(run(&["--help"]).stdout.contains("Examples:"));
    assert!(run(&["print", "--help"]).stdout.contains("--tir-prefix"));
}

#[test]
fn a_file_that_is_no_text_is_said_to_be_so() {
    let binary = file("binary.py", b"x = 1\ny = \xff\xfe\n");
    let missing = format!("{binary}.missing");
    let ran = run(&["print", &binary]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.stderr, format!("error: {binary}:2:5: not UTF-8 text: byte 0xff\n"));
    let ran = run(&["print", &missing]);
    assert_eq!((ran.status, ran.stderr), (2, format!("error: {missing}: no such file or directory\n")));
    let ran = run(&["check", "--format", "json", &binary, &missing]);
    assert_eq!(ran.status, 2);
    let lines: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    let error = json!({
        "code": "E0802", "kind": "not-utf8", "severity": "error", "message": "not UTF-8 text: byte 0xff",
        "labels": [], "notes": [], "help": null,
        "start": {"line": 2, "column": 5, "offset": 10}, "end": {"line": 2, "column": 6, "offset": 11},
    });
    assert_eq!(
        lines[0],
        json!({"file": binary, "ok": false, "kind": null, "profile": null, "errors": [error]})
    );
    assert_eq!(lines[1]["errors"][0]["kind"], "unreadable");
}

#[test]
fn json_of_nothing_known_is_an_error_with_its_place() {
    let ran = run_with(&["from-json", "-"], br#"{"root_index": 3, "nodes": []}"#);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.starts_with("error: <stdin>:1:15: no node has the index 3"), "{}", ran.stderr);
    let ran = run_with(&["from-json", "-"], b"def f(): pass");
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("neither the JSON form"), "{}", ran.stderr);
}

#[test]
fn color_is_on_demand() {
    let ran = run(&["print", "--color", "never", "nowhere.py"]);
    assert!(!ran.stderr.contains('\x1b'));
}
