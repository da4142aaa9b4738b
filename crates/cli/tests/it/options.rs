//! Printer options that change the meaning of text: headers, and text without a header.

use crate::common::{file, run};

const SCRIPT: &str = "\
@T.prim_func
def f(A: T.Buffer((8,), \"int64\"), n: T.int64):
    A[n] = n + T.int64(1)
";

/// Options that change the meaning of text.
const OPTIONS: [&[&str]; 6] = [
    &["--int-dtype", "int64"],
    &["--buffer-dtype", "int64"],
    &["--tir-prefix", "X"],
    &["--tir-prefix", "A", "--relax-prefix", "T"],
    &["--show-object-address"],
    &["--int-dtype", "int64", "--buffer-dtype", "int64", "--tir-prefix", "X", "--no-syntax-sugar"],
];

#[test]
fn what_an_option_changes_is_read_from_the_text() {
    let script = file("script.py", SCRIPT);
    for options in OPTIONS {
        let ran = run(&[&["print"], options, &[&script]].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let printed = file("printed.py", &ran.stdout);
        let ran = run(&["equal", &script, &printed]);
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{options:?}");
        let ran = run(&[&["roundtrip"], options, &[&script]].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (0, "1 of 1 files round trip\n"), "{options:?}");
        let ran = run(&[&["print", "--only", "body"], options, &[&script]].concat());
        let part = file("part.py", &ran.stdout);
        let plain = run(&["print", "--only", "body", &script]);
        let plain = file("plain.py", &plain.stdout);
        let ran = run(&["equal", "--fragment", "tir", &plain, &part]);
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{options:?}");
    }
}

#[test]
fn text_without_a_header_is_read_with_the_flag() {
    let script = file("script.py", SCRIPT);
    let printed = run(&["print", "--int-dtype", "int64", "--tir-prefix", "X", &script]).stdout;
    let without: Vec<&str> = printed.lines().filter(|line| !line.starts_with('#')).collect();
    let without = file("without.py", without.join("\n"));
    assert_eq!(run(&["check", &without]).status, 1);
    let ran = run(&["print", "--header", "int_dtype=int64,tir_prefix=X", &without]);
    assert_eq!((ran.status, ran.stdout), (0, run(&["print", &script]).stdout), "{}", ran.stderr);
    let ran = run(&["roundtrip", "--header", "int_dtype=int64, tir_prefix=X", &without]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
}

#[test]
fn text_without_its_metadata_is_said_not_to_read_back() {
    let text = "@T.prim_func\ndef f():\n    T.evaluate(\"a\\nb\")\n";
    let script = file("script.py", text);
    let ran = run(&["print", &script]);
    assert_eq!(ran.status, 0);
    assert!(ran.stdout.contains("# Metadata omitted."), "{}", ran.stdout);
    let note = format!(
        "note: {script}: the text leaves out its metadata section, so it does not read back; `--show-meta` prints it\n"
    );
    assert_eq!(ran.stderr, note);
    assert_eq!(run(&["print", "--show-meta", &script]).stderr, "");
}

#[test]
fn a_text_profile_is_selected_by_name() {
    let script = file("script.py", SCRIPT);
    let plain = run(&["print", &script]).stdout;
    for command in ["print", "check", "roundtrip", "hash", "json", "dump"] {
        let ran = run(&[command, "--profile", "tvm-0.23", &script]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{command}");
    }
    assert_eq!(run(&["print", "--profile", "tvm-0.23", &script]).stdout, plain);
    let ran = run(&["print", "--profile", "tvm-9", &script]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains(
            "[possible values: tvm-0.23, tvm-0.27, tvm-0.26, tvm-0.25, tvm-0.24, tilelang-0.25, tirx-0.1]"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn roundtrip_shows_warnings() {
    let text = "def factory(n):\n    @T.prim_func\n    def f():\n        T.evaluate(n)\n    return f\n";
    let script = file("script.py", text);
    let check = run(&["check", &script]);
    assert!(check.stderr.contains("Note") || check.stderr.contains("Warning"), "{}", check.stderr);
    let ran = run(&["roundtrip", &script]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "1 of 1 files round trip\n"));
    assert_eq!(ran.stderr, check.stderr);
}
