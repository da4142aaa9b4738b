//! Dialects from dynamic libraries.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{build, compiler, library, path, root, run_with, text};

/// Nodes of the toy dialect inside a function of TIR.
const TOY: &str = r#"# from tvm.script import tir as T
# from tvm.script import toy as Toy

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        Toy.trace("before", A[i])
        A[i] = Toy.clamp(A[i] + n, 0, 255) * 2 + Toy.twice(Toy.clamp(n, -1, 1))
    with Toy.region("warm up"):
        T.evaluate(Toy.pair(n, n + 1))
"#;

/// Compiles a plugin under a name that no other test has; `None` without a compiler.
fn plugin(source: &str, name: &str, options: &[&str]) -> Option<PathBuf> {
    let source = root().join(source);
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let (compiler_name, standard) = if is_cpp { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
    let name = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let include = format!("-I{}", path(&root().join("include")));
    let mut args =
        vec![standard, "-Wall", "-Wextra", "-Werror", "-g", "-shared", "-fPIC", &include, path(&source)];
    args.extend(options);
    args.extend(["-o", path(&library)]);
    let Some(compiled) = compiler(compiler_name, &args) else {
        eprintln!("skipped: there is no `{compiler_name}`");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(library)
}

/// Runs a program that loads plugins, whose types and functions live as long as the process.
fn run(program: &Path, args: &[&str], input: &str) -> Output {
    run_with(program, args, input, false)
}

#[test]
fn p74_03_a_dialect_from_a_dynamic_library_is_printed_inside_tir_and_read_back() {
    let Some(plugin) = plugin("examples/toy_plugin.c", "toy", &[]) else { return };
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_host") else { return };
    let found = run(&program, &[path(&plugin)], TOY);
    assert_eq!((text(&found.stderr), found.status.code()), ("", Some(0)));
    let (printed, rest) = text(&found.stdout).split_once("--- JSON: equal\n").expect("equal JSON");
    assert_eq!(printed, TOY);
    let passed = TOY.replace("Toy.twice(Toy.clamp(n, -1, 1))", "Toy.clamp(n, -1, 1)");
    assert_eq!(rest, passed);
}

/// A plugin in Rust.
fn rust_plugin(name: &str) -> PathBuf {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    library().join(format!("{prefix}tvmscript_{name}_plugin{suffix}"))
}

/// A text with the nodes and the operator of the plugin `tests/scale-plugin`.
const SCALED: &str = r#"# from tvm.script import tir as T
# from tvm.script import quant as Quant

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(16):
        A[i] = Quant.scaled(Quant.scaled(Quant.round(A[i]), 3), 4)
"#;

/// A type, an operator and a pass from a library that is built apart take at most 40 lines.
#[test]
fn a_plugin_with_a_node_an_operator_and_a_pass_has_forty_lines() {
    let source = root().join("../../tests/scale-plugin/src/lib.rs");
    let source = std::fs::read_to_string(source).expect("the plugin");
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let lines = source.lines().filter(is_code).count();
    assert!(lines <= 40, "{lines} lines");

    let Some(program) = build("tests/programs/plugin_host.c", "plugin_scale") else { return };
    let found = run(&program, &["pass:quant.Fold", path(&rust_plugin("scale"))], SCALED);
    assert_eq!((text(&found.stderr), found.status.code()), ("", Some(0)), "{}", text(&found.stdout));
    let (printed, passed) = text(&found.stdout).split_once("--- JSON: equal\n").expect("equal JSON");
    assert_eq!(printed, SCALED);
    assert_eq!(
        passed,
        SCALED.replace(
            "Quant.scaled(Quant.scaled(Quant.round(A[i]), 3), 4)",
            "Quant.scaled(Quant.round(A[i]), 12)"
        )
    );
}

#[test]
fn p74_03_a_dialect_from_a_dynamic_library_in_rust_is_the_same() {
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_rust") else { return };
    let plugin = rust_plugin("toy");
    let found = run(&program, &[path(&plugin)], TOY);
    assert_eq!((text(&found.stderr), found.status.code()), ("", Some(0)), "{}", text(&found.stdout));
    assert!(text(&found.stdout).starts_with(TOY), "{}", text(&found.stdout));
    assert!(
        text(&found.stdout).ends_with(&TOY.replace("Toy.twice(Toy.clamp(n, -1, 1))", "Toy.clamp(n, -1, 1)"))
    );

    let wrong = TOY.replace("Toy.pair(n, n + 1)", "Toy.pair(1, n) + Toy.panic()");
    let found = run(&program, &[path(&plugin)], &wrong);
    let reasons =
        ["a pair begins with an expression, not Int(1)", "the plugin panicked: this function is broken"];
    for reason in reasons {
        assert!(text(&found.stdout).contains(reason), "{}", text(&found.stdout));
    }
}

#[test]
fn errors_in_a_text_with_a_plugin_have_their_places() {
    let Some(plugin) = plugin("examples/toy_plugin.c", "toy_errors", &[]) else { return };
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_errors") else { return };
    let wrong = TOY.replace("0, 255", "9, 5").replace("Toy.pair(n, n + 1)", "Toy.pair(n)");
    let found = run(&program, &[path(&plugin)], &wrong);
    let lines: Vec<&str> = text(&found.stdout).lines().collect();
    let [bounds, missing] = lines.as_slice() else { panic!("two errors expected: {lines:?}") };
    assert!(
        bounds.contains(" 8:") && bounds.contains("the bounds 9 and 5 are the wrong way round"),
        "{bounds}"
    );
    assert!(missing.contains(" 10:") && missing.contains("second"), "{missing}");
}

#[test]
fn a_plugin_that_is_loaded_twice_is_an_error() {
    let Some(plugin) = plugin("examples/toy_plugin.c", "toy_twice", &[]) else { return };
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_twice") else { return };
    let found = run(&program, &[path(&plugin), path(&plugin)], TOY);
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stdout).starts_with("E1307 "), "{}", text(&found.stdout));
}

/// What is wrong with each of the plugins of `broken_plugin.c`: the code, and a part of the message.
const BROKEN: [(u32, &str, &str); 25] = [
    (1, "E1302", "does not export the function `tvmscript_plugin`"),
    (2, "E1304", "returns null"),
    (3, "E1303", "version 999"),
    (4, "E1305", "the size of the table"),
    (5, "E12", "no kind"),
    (6, "E1201", "TOML"),
    (7, "E1305", "the description of the plugin cannot be read: a text is not UTF-8"),
    (8, "E1307", "`tir`"),
    (9, "E12", "no.Class"),
    (10, "E1202", "[dialect]"),
    (11, "E1305", "an item"),
    (12, "E1308", "`not a name`"),
    (13, "E1308", "the parameter `1x`"),
    (14, "E1308", "two of this name"),
    (15, "E1308", "`broken.None`"),
    (16, "E1305", "a pointer is null"),
    (17, "E1305", "a pointer is null"),
    (18, "E1306", "the pass `tir.Simplify`"),
    (19, "E1305", "the number of items"),
    (20, "", "the printer `broken.Box` of the plugin"),
    (21, "", "a handle is null, or was never given out"),
    (22, "", "a handle was freed before"),
    (23, "", "a text is not UTF-8"),
    (24, "", "it gives no reason"),
    (25, "", "has a value that it cannot have"),
];

#[test]
fn broken_plugins_give_typed_errors() {
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_broken") else { return };
    let script = "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(B.box(n))\n";
    for (number, code, message) in BROKEN {
        let option = format!("-DBROKEN={number}");
        let Some(plugin) =
            plugin("tests/programs/broken_plugin.c", &format!("broken_{number}"), &[&option, "-Wno-unused"])
        else {
            return;
        };
        let found = run(&program, &[path(&plugin)], script);
        let shown = format!("{number}: {}{}", text(&found.stdout), text(&found.stderr));
        assert_eq!(found.status.code(), Some(1), "{shown}");
        assert!(text(&found.stdout).starts_with(code), "{shown}");
        assert!(text(&found.stdout).contains(message), "{shown}");
    }
    for (file, message) in
        [("missing.so", "cannot be opened"), (path(&root().join("Cargo.toml")), "cannot be opened")]
    {
        let found = run(&program, &[file], script);
        let shown = text(&found.stdout);
        assert!(shown.starts_with("E1301 ") && shown.contains(message), "{shown}");
    }
}

#[test]
fn exceptions_in_a_plugin_in_cpp_are_errors_of_calls() {
    let Some(plugin) = plugin("examples/toy_plugin.cpp", "sums", &[]) else { return };
    let Some(program) = build("tests/programs/plugin_host.c", "plugin_cpp") else { return };
    let script = "@T.prim_func\ndef f():\n    T.evaluate(Sums.total([1, 2, 3]))\n";
    let found = run(&program, &[path(&plugin)], script);
    assert!(text(&found.stdout).contains("T.evaluate(6)"), "{}", text(&found.stdout));
    let found = run(&program, &[path(&plugin)], &script.replace("2", "\"b\""));
    let shown = text(&found.stdout);
    assert!(shown.contains(" 3:") && shown.contains("failed: element 1 is no integer"), "{shown}");
}
