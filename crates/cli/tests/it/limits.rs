//! Excessive input: every command succeeds or fails in bounded time and memory.

use std::fmt::Write as _;
use std::path::Path;

use tvmscript_test_texts::attack::{Attack, Bases};
use tvmscript_test_texts::files_of;

use crate::common::{Ran, file, run, run_with};

/// A Relax script whose variables double with each binding.
fn doubling(links: usize, step: &str) -> String {
    let mut text = "from tvm.script import relax as R\n\n@R.function\ndef f(y0: R.Tensor((\"n\",), \"float32\"), x: R.Tensor((\"n\",), \"float32\")):\n".to_owned();
    for i in 0..links {
        let step = step.replace("{i}", &i.to_string()).replace("{j}", &(i + 1).to_string());
        writeln!(text, "    {step}").expect("a string");
    }
    text + &format!("    return y{links}\n")
}

/// TVM's JSON of nested pairs.
fn pairs(levels: usize) -> String {
    let mut nodes = vec![r#"{"type": "int", "data": 1}"#.to_owned()];
    nodes.extend((0..levels).map(|i| format!(r#"{{"type": "ffi.Array", "data": [{i}, {i}]}}"#)));
    let nodes = nodes.join(",");
    format!(r#"{{"root_index": {levels}, "nodes": [{nodes}], "metadata": {{"tvm_version": "0.23.0"}}}}"#)
}

/// All commands that need no text succeed; printing fails.
fn answers_but_does_not_print(name: &str, content: &str) {
    let path = file(name, content);
    for command in [&["hash"][..], &["json", "--compact"], &["json", "--tvm"]] {
        let ran = run(&[command, &[&path]].concat());
        assert_eq!(ran.status, 0, "{command:?}: {}", ran.stderr);
        assert!(ran.stdout.len() < 1 << 20, "{command:?}");
    }
    // A small limit saves time.
    let ran = run(&["print", "--max-docs", "20000", &path]);
    assert_eq!(ran.status, 1, "{}", ran.stdout.len());
    assert!(ran.stderr.contains("needs more than 20000 pieces of syntax"), "{}", ran.stderr);
}

#[test]
fn pairs_of_pairs_have_an_answer_and_no_text() {
    answers_but_does_not_print("pairs.json", &pairs(60));
}

#[test]
fn tuples_that_double_are_checked_and_not_printed() {
    for links in [40, 300] {
        let name = format!("tuples{links}.py");
        answers_but_does_not_print(&name, &doubling(links, "y{j} = (y{i}, y{i})"));
        let ran = run(&["check", &file(&name, doubling(links, "y{j} = (y{i}, y{i})"))]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
}

#[test]
fn tuples_that_double_inside_of_dataflow_are_read() {
    let text = doubling(60, "    y{j} = (y{i}, y{i})");
    let text = text
        .replacen("):\n", "):\n    with R.dataflow():\n", 1)
        .replace("    return", "        R.output(y60)\n    return");
    answers_but_does_not_print("dataflow.py", &text);
}

#[test]
fn dimensions_that_double_are_checked_and_not_printed() {
    let text = doubling(60, "y{j} = R.concat([y{i}, x, y{i}])");
    answers_but_does_not_print("concat.py", &text);
    let ran = run(&["check", &file("concat.py", text)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn values_that_helpers_double_become_shared_nodes() {
    let helper = "from tvm.script import relax as R, tir as T\n\ndef g(e, n):\n    for _ in range(n):\n        e = STEP\n    return e\n\n";
    let relax = "@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    y = g(x, 40)\n    return y\n";
    answers_but_does_not_print("values.py", &(helper.replace("STEP", "(e, e)") + relax));
    let tir = "@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\")):\n    A[0] = g(A[1], 40)\n";
    answers_but_does_not_print("sums.py", &(helper.replace("STEP", "e * e + e") + tir));
}

#[test]
fn attributes_that_double_are_refused_and_deep_ones_print() {
    let text = |step: &str, times: usize| {
        format!(
            "from tvm.script import tir as T\n\ndef g(e):\n    for _ in range({times}):\n        e = {step}\n    return e\n\n\
             @T.prim_func\ndef f(A: T.Buffer((16,), \"float32\")):\n    T.func_attr({{\"x\": g(1)}})\n    A[0] = T.float32(0)\n"
        )
    };
    answers_but_does_not_print("lists.py", &text("[e, e]", 77));
    answers_but_does_not_print("dicts.py", &text("{\"a\": e, \"b\": e}", 77));
    let ran = run(&["print", &file("deep_lists.py", text("[e]", 20_000))]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.matches('[').count(), 20_000 + 1);
}

#[test]
fn arithmetic_over_shared_parts_ends_in_time() {
    let text = |step: &str, body: &str| {
        format!(
            "from tvm.script import tir as T\n\ndef g(e):\n    e = e + 1\n    for _ in range(280):\n        e = {step}\n    return e\n\n\
             @T.prim_func\ndef f(a: T.int32, A: T.Buffer((16,), \"float32\")):\n{body}"
        )
    };
    let casts = text(
        "T.Cast(\"int32\", T.Cast(\"int64\", e)) + e",
        "    for i in range(g(a)):\n        T.evaluate(i)\n",
    );
    let ran = run(&["check", &file("casts.py", casts)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn differences_at_the_end_of_long_paths_are_cut() {
    let text = format!(
        "from tvm.script import tir as T\n\n@T.prim_func\ndef f(a: T.int32):\n    T.func_attr({{\"x\": a{}}})\n    T.evaluate(a)\n",
        " + a".repeat(60_000)
    );
    let path = file("long_paths.py", text);
    let ran = run(&["equal", &path, &path]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains(" or more differences:"), "{}", ran.stdout.len());
    assert!(ran.stdout.len() < 16 << 20, "{}", ran.stdout.len());
}

#[test]
fn a_list_that_contains_itself_is_no_value() {
    let text = "from tvm.script import relax as R\n\ndef g(e):\n    e = [e]\n    e.append(e)\n    return e\n\n@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    y = g(x)\n    return y\n";
    let ran = run(&["check", &file("cycle.py", text)]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("a list cannot contain itself"), "{}", ran.stderr);
}

#[test]
fn an_absurd_number_of_dimensions_is_refused() {
    for call in ["R.permute_dims(x)", "R.sum(x, keepdims=True)", "R.flatten(x)", "R.add(x, x)"] {
        let text = format!(
            "from tvm.script import relax as R\n\n@R.function\ndef f(x: R.Tensor(ndim=2147483647)):\n    y = {call}\n    return y\n"
        );
        let ran = run(&["check", &file("ndim.py", text)]);
        assert_eq!(ran.status, 1, "{call}");
        assert!(ran.stderr.contains("expected at most 65536 dimensions, found 2147483647"), "{}", ran.stderr);
    }
}

fn is_too_large(ran: &Ran) {
    assert_eq!(ran.status, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("larger than 1000 bytes"), "{}", ran.stderr);
}

#[test]
fn reading_stops_at_the_limit() {
    let commands = ["print", "check", "hash", "json", "dump"];
    if Path::new("/dev/zero").exists() {
        for command in commands {
            is_too_large(&run(&[command, "--max-input-bytes", "1000", "/dev/zero"]));
        }
        is_too_large(&run(&["equal", "--max-input-bytes", "1000", "/dev/zero", "/dev/zero"]));
        let tiny = file("tiny.py", "x = 1\n");
        is_too_large(&run(&["check", "--max-input-bytes", "1000", "--constants", "/dev/zero", &tiny]));
    }
    is_too_large(&run_with(&["check", "--max-input-bytes", "1000", "-"], &[b' '; 5000]));
    let exact =
        file("exact.py", format!("@T.prim_func\ndef f(a: T.int32):\n    T.evaluate(a)\n{}", " ".repeat(940)));
    let length = std::fs::metadata(&exact).expect("a file").len();
    assert_eq!(run(&["check", "--max-input-bytes", &length.to_string(), &exact]).status, 0);
    assert_eq!(run(&["check", "--max-input-bytes", &(length - 1).to_string(), &exact]).status, 1);
}

#[test]
fn a_file_with_holes_is_not_read_whole() {
    let path = crate::common::path("holes.py");
    let holes = std::fs::File::create(&path).expect("a file");
    if holes.set_len(3 << 30).is_ok() {
        is_too_large(&run(&["check", "--max-input-bytes", "1000", path.to_str().expect("an ASCII path")]));
    }
    drop(holes);
    let _ = std::fs::remove_file(path);
}

#[test]
fn nodes_of_a_script_have_a_budget() {
    let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f(a: T.int32):\n".to_owned()
        + &"    T.evaluate(a + 1)\n".repeat(2000);
    let path = file("many.py", text);
    assert_eq!(run(&["check", &path]).status, 0);
    let ran = run(&["check", "--max-node-bytes", "50000", &path]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.stderr.matches("need more than 50000 bytes").count(), 1, "{}", ran.stderr);
}

#[test]
fn a_text_of_too_many_lines_is_refused() {
    let path = file("lines.py", "x\n".repeat(5_000_000));
    let ran = run(&["check", &path]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("the text is too large"), "{}", ran.stderr);
}

#[test]
fn messages_about_a_line_of_unknown_names_are_limited() {
    let script = "@T.prim_func\ndef f():\n    T.evaluate(0)\n";
    let of = |name: &str| (0..1500).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    for (name, kind) in [("T.u", "Warning"), ("u", "Error")] {
        let text = format!("from tvm.script import tir as T\n\nx = [{}]\n{script}", of(name));
        let ran = run(&["check", &file("names.py", text)]);
        let count = ran.stderr.matches(kind).count();
        assert!((1..=1000).contains(&count), "{name}: {count}");
    }
}

#[test]
fn a_text_that_repeats_is_read_once() {
    let text = "from tvm.script import tir as T\n\npart = 'p' * 1000000\n\n@T.prim_func\ndef f():\n    T.func_attr({'x': [part, part + 'q'] * 2000})\n    T.evaluate(0)\n";
    let (path, json) = (file("repeated.py", text), crate::common::path("repeated.json"));
    for args in [&["hash"][..], &["equal", &path], &["dump", "--format", "json", "--dedupe"]] {
        let ran = run(&[args, &[&path]].concat());
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
    }
    let json = json.to_str().expect("an ASCII path");
    assert_eq!(run(&["json", "--tvm", &path, "-o", json]).status, 0);
    assert!(std::fs::metadata(json).expect("a file").len() < 10_000_000);
    assert_eq!(run(&["equal", &path, json]).status, 0);
}

#[test]
fn attacks_are_answered_or_refused() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ok");
    let files = files_of(&fixtures, "py").into_iter().take(20);
    let scripts = files.map(|file| std::fs::read_to_string(file).expect("text"));
    let bases = Bases { scripts: scripts.collect(), jsons: vec![pairs(3), crate::common::evaluate_json(1)] };
    for number in 0..39 {
        // Small attacks, since this build is not optimised. `cargo xtask check attack` runs the large ones.
        let attack = Attack::new(1, number, &bases, 1);
        let name = format!("{number}.{}", if attack.is_json { "json" } else { "py" });
        let path = file(&name, &attack.content);
        let command = if number % 2 == 0 { "check" } else { "print" };
        let mut args = vec![command];
        if command == "print" {
            args.extend(attack.options.iter().map(String::as_str));
            if !args.contains(&"--max-docs") {
                args.extend(["--max-docs", "100000"]);
            }
        }
        args.push(&path);
        let ran = run(&args);
        assert!((0..=2).contains(&ran.status), "{args:?} ({}): {}", attack.family, ran.stderr);
        assert!(!ran.stderr.contains("internal error"), "{args:?} ({}): {}", attack.family, ran.stderr);
    }
}
