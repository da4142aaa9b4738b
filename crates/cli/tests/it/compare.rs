//! `equal`, underlines and annotations.

use crate::common::{file, run};

const HEAD: &str = "from tvm.script import ir as I, relax as R, tir as T\n\n";

fn script(name: &str, text: &str) -> String {
    file(name, format!("{HEAD}{text}"))
}

/// The report for two texts.
#[track_caller]
fn compare(a: &str, b: &str) -> String {
    let ran = run(&["equal", &script("a.py", a), &script("b.py", b)]);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// Underlined text of both sides, one entry per line.
fn underlined(report: &str) -> Vec<String> {
    let lines: Vec<&str> = report.lines().collect();
    let mut pieces = Vec::new();
    for pair in lines.windows(2) {
        if pair[1].is_empty() || !pair[1].bytes().all(|b| matches!(b, b' ' | b'^')) {
            continue;
        }
        let mut at = 0;
        for piece in pair[1].split(' ') {
            if !piece.is_empty() {
                pieces.push(pair[0][at..at + piece.len()].to_owned());
            }
            at += piece.len() + 1;
        }
    }
    pieces
}

/// The listed differences.
fn listed(report: &str) -> Vec<&str> {
    report
        .lines()
        .skip_while(|line| !line.ends_with(" differences:") && *line != "1 difference:")
        .skip(1)
        .map(str::trim)
        .collect()
}

#[test]
fn p74_16_the_shapes_of_the_rfc_example_are_underlined() {
    let of = |name: &str, extent: u32| {
        format!(
            "@T.prim_func(private=True)\ndef {name}(A: T.Buffer(({extent},), \"int32\")) -> None:\n    A[0] = 0\n"
        )
    };
    let report = compare(&of("func", 1), &of("func", 8));
    for side in [
        "def main(A: T.Buffer((1,), \"int32\")):\n                     ^^^^\n    A[0] = 0\n",
        "def main(A: T.Buffer((8,), \"int32\")):\n                     ^^^^\n    A[0] = 0\n",
    ] {
        assert!(report.contains(side), "{report}");
    }
    assert_eq!(listed(&report), ["<root>.buffer_map[\"A_handle\"].shape[0].value: different values"]);
}

/// The example of RFC 0074 in its spelling, with one name for both functions: the whole report.
#[test]
fn p74_16_the_rfc_example_byte_for_byte() {
    let of = |file: &str, extent: u32| {
        let text = format!(
            "import tvm\nfrom tvm.script import tir as T\n\n\
             @T.prim_func\ndef func(A: T.Buffer[({extent},), \"int32\"]):\n    A[0] = 0\n"
        );
        crate::common::file(file, text)
    };
    let (a, b) = (of("a.py", 1), of("b.py", 8));
    let ran = run(&["equal", &a, &b]);
    let side = |mark: &str, file: &str, extent: u32| {
        format!(
            "{mark} {file}: func\n# from tvm.script import tir as T\n\n\
             @T.prim_func\ndef func(A: T.Buffer(({extent},), \"int32\")):\n                     ^^^^\n    A[0] = 0\n\n"
        )
    };
    let differences = "1 difference:\n  <root>.buffer_map[\"A_handle\"].shape[0].value: different values\n";
    assert_eq!(ran.stdout, side("---", &a, 1) + &side("+++", &b, 8) + differences);
    assert_eq!((ran.status, ran.stderr.as_str()), (1, ""));
}

#[test]
fn p74_16_all_differences_are_listed_and_names_come_last() {
    let of = |name: &str, extent: u32, value: u32| {
        format!("@T.prim_func\ndef {name}(A: T.Buffer(({extent},), \"int32\")):\n    A[0] = {value}\n")
    };
    let report = compare(&of("func_a", 1, 0), &of("func_b", 8, 3));
    assert_eq!(underlined(&report), ["func_a", "(1,)", "0", "func_b", "(8,)", "3"]);
    assert_eq!(
        listed(&report),
        [
            "<root>.buffer_map[\"A_handle\"].shape[0].value: different values",
            "<root>.body.value.value: different values",
            "<root>.attrs.__dict__[\"global_symbol\"]: different values",
        ]
    );
}

#[test]
fn what_one_declaration_says_more_is_underlined_there() {
    let of = |params: &str, attrs: &str, buffer: &str| {
        format!(
            "@T.prim_func\ndef f(a: T.handle, n: {params}):\n    T.func_attr({{{attrs}}})\n    A = T.match_buffer(a, (n, 8){buffer})\n    for i in range(8):\n        A[0, i] = T.float32(1)\n"
        )
    };
    let base = of("T.int32", "\"k\": 1", "");
    let other_type = underlined(&compare(&base, &of("T.int64", "\"k\": 1", "")));
    assert!(
        other_type.contains(&"T.int32".to_owned()) && other_type.contains(&"T.int64".to_owned()),
        "{other_type:?}"
    );
    assert_eq!(
        underlined(&compare(&base, &of("T.int32", "\"k\": 1", ", strides=(8, 1)"))),
        ["T.match_buffer(a, (n, 8))", "(8, 1)"]
    );
    assert_eq!(
        underlined(&compare(&base, &of("T.int32", "\"k\": 1", ", scope=\"shared\""))),
        ["T.match_buffer(a, (n, 8))", "\"shared\""]
    );
    assert_eq!(
        underlined(&compare(&base, &of("T.int32", "\"k\": 1, \"l\": 2", ""))),
        ["{\"k\": 1}", "\"l\"", "2"]
    );
}

#[test]
fn an_inserted_statement_is_the_only_difference() {
    let of = |stmts: &str| format!("@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\")):\n{stmts}");
    let (one, two, more) = ("    A[0] = 1\n", "    A[1] = 2\n", "    A[2] = 3\n");
    let report = compare(&of(&format!("{one}{two}")), &of(&format!("{one}{more}{two}")));
    assert_eq!(underlined(&report), ["f", "A[2] = 3"]);
    assert_eq!(listed(&report), ["<root>.body.seq[1]: only on the right"]);
    // A single statement compared with a sequence.
    let report = compare(&of(two), &of(&format!("{one}{two}")));
    assert_eq!(listed(&report), ["<root>.body.seq[0]: only on the right"]);
    assert_eq!(underlined(&report).last().map(String::as_str), Some("A[0] = 1"));
}

#[test]
fn a_renamed_function_of_a_module_is_a_difference_in_names() {
    let of = |name: &str| {
        format!(
            "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n    def {name}(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n        T.evaluate(0)\n\n    @R.function\n    def main(x: R.Tensor((8,), \"float32\")) -> R.Tensor((8,), \"float32\"):\n        cls = Module\n        y = R.call_tir(cls.{name}, (x,), out_sinfo=R.Tensor((8,), \"float32\"))\n        return y\n"
        )
    };
    let report = compare(&of("one"), &of("two"));
    assert_eq!(underlined(&report), ["one", "two"]);
    let name = "<root>.functions.key[\"one\"].name_hint against <root>.functions.key[\"two\"].name_hint: different values";
    assert_eq!(listed(&report), [name]);
}

#[test]
fn parts_of_relax_functions_are_underlined() {
    let of = |keep: &str, attr: &str, pure: &str| {
        format!(
            "@R.function{pure}\ndef f(x: R.Tensor((8,), \"float32\")) -> R.Object:\n    R.func_attr({{\"k\": {attr}}})\n    y: R.Object = R.sum(x, axis=[0], keepdims={keep})\n    return y\n"
        )
    };
    let base = of("True", "1", "");
    assert_eq!(underlined(&compare(&base, &of("False", "1", ""))), ["True", "False"]);
    assert_eq!(underlined(&compare(&base, &of("True", "2", ""))), ["1", "2"]);
    assert_eq!(underlined(&compare(&base, &of("True", "1", "(pure=False)"))), ["f", "False"]);
}

#[test]
fn p74_14_a_message_about_a_part_without_text_goes_to_the_nearest_one_and_says_the_field() {
    let a = script(
        "a.py",
        "@T.prim_func\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, (n,))\n    for i in range(8):\n        A[i] = T.float32(1)\n",
    );
    let print = |args: &[&str]| run(&[&["print", &a], args].concat());
    for (path, line) in [
        ("buffer_map[\"a\"].strides", "    A = T.match_buffer(a, (n,))  # buffer_map[\"a\"].strides: here"),
        ("body.annotations", "    # annotations: here\n    for i in range(8):"),
        ("body.body.value.value", "        A[i] = T.float32(1.0)  # value.value: here"),
        ("body.body", "        A[i] = T.float32(1.0)  # here"),
        ("attrs", "def f(a: T.handle, n: T.int32):\n    \"\"\"\n    attrs: here\n    \"\"\""),
    ] {
        let ran = print(&["--annotate", &format!("{path}=here")]);
        assert!(ran.status == 0 && ran.stdout.contains(line), "{path}:\n{}{}", ran.stdout, ran.stderr);
        let underlined = print(&["--underline", path]);
        assert!(underlined.stdout.contains('^'), "{path}:\n{}", underlined.stdout);
    }
    let several = print(&["--annotate", "body.body=one", "--annotate", "body.body.value=two"]).stdout;
    assert!(several.contains("A[i] = T.float32(1.0)  # one; value: two"), "{several}");
}

#[test]
fn p74_17_any_node_can_be_pointed_at() {
    let a = script(
        "a.py",
        "@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    for i in range(8):\n        with T.block(\"b\"):\n            vi = T.axis.spatial(8, i)\n            B[vi] = A[vi] + 1\n",
    );
    let store = "<root>.body.block.body.body.block.body";
    let at = |path: String, args: &[&str]| {
        let ran = run(&[&["print", "--underline", &path, &a], args].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        underlined(&ran.stdout)
    };
    assert_eq!(
        at(store.to_owned(), &["--annotate", &format!("{store}=not bijective")]),
        ["B[vi] = A[vi] + 1"]
    );
    assert_eq!(at(format!("{store}.value.b"), &[]), ["1"]);
    assert_eq!(at(format!("{store}.indices[0]"), &[]), ["vi"]);
    assert_eq!(at("body.block.body.body.block.iter_vars[0].dom".to_owned(), &[]), ["8"]);
    assert_eq!(at("body.block.body.body.block.reads[0].region[0]".to_owned(), &[]), ["vi"]);
}

#[test]
fn shared_parts_are_compared_and_drawn_once() {
    let of = |leaf: &str| {
        script(
            &format!("{leaf}.py"),
            &format!(
                "def g(e, k):\n    return e if k == 0 else g(e + e, k - 1)\n\n@T.prim_func\ndef f(n: T.int32, m: T.int32):\n    T.evaluate(g({leaf}, 40))\n"
            ),
        )
    };
    let (n, m) = (of("n"), of("m"));
    for limit in ["1", "1000000"] {
        let ran = run(&["equal", "--limit", limit, &n, &m]);
        assert_eq!(ran.status, 1, "{}", ran.stderr);
        assert!(ran.stdout.contains("not bound to each other"), "{}", ran.stdout);
    }
    for format in ["text", "dot", "json"] {
        let ran = run(&["dump", "--format", format, &n]);
        assert!(ran.status == 0 && ran.stdout.len() < 100_000, "{format}: {}", ran.stdout.len());
    }
}
