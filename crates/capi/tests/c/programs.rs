//! The examples, and programs that use the library wrongly or on several threads.

use std::path::Path;

use tvmscript::explain::{Wanted, builder_program};
use tvmscript::{ParseOptions, PrinterConfig, registry};

use crate::support::{Sanitizer, build, build_with, compiler, file, library, output, path, root, run, text};

const MODULE: &str = r#"
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def scale(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128, 64), "float32")):
        for i, j in T.grid(128, 64):
            with T.block("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func
    def fill(C: T.Buffer((16,), "int32"), n: T.int32):
        for i in range(16):
            C[i] = n + 0
"#;

#[test]
fn a_program_in_c_lists_functions_and_differences() {
    let Some(program) = build("examples/functions.c", "functions") else { return };
    let second = file("second.py", &MODULE.replace("T.float32(2)", "T.float32(3)"));
    let found = output(&program, &[path(&second)], MODULE);
    let (functions, differences) = found.split_at(found.find("---").expect("differences"));
    assert_eq!(functions, "scale: A[128, 64], B[128, 64]\nfill: C[16]\n");
    assert!(
        differences.contains("-                B[vi, vj] = A[vi, vj] * T.float32(2.0)\n"),
        "{differences}"
    );
    assert!(
        differences.contains("+                B[vi, vj] = A[vi, vj] * T.float32(3.0)\n"),
        "{differences}"
    );
}

#[test]
fn a_program_in_c_shows_the_errors_of_a_text() {
    let Some(program) = build("examples/functions.c", "errors") else { return };
    let second = file("right.py", MODULE);
    let found = run(&program, &[path(&second)], &MODULE.replace("C[i] = n", "D[i] = n"));
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stderr).contains("[E0201] Error: undefined name `D`"), "{}", text(&found.stderr));
}

#[test]
fn b_05_a_program_in_cpp_visits_nodes_both_ways_and_runs_passes() {
    let Some(program) = build("examples/visit.cpp", "visit") else { return };
    let found = output(&program, &[], MODULE);
    assert!(found.contains("tir.BufferStore 2\n"), "{found}");
    assert!(found.contains("C[i] = n\n") || found.ends_with("C[i] = n\n"), "{found}");
}

#[test]
fn ten_thousand_malformed_calls_give_error_codes() {
    let Some(program) = build("tests/programs/malformed.c", "malformed") else { return };
    let found = output(&program, &[], "");
    // Statuses that such calls have, and those that they cannot have.
    let has =
        |status: &str| found.lines().find_map(|line| line.strip_prefix(status)).map(|rest| rest == ": yes");
    for status in [
        "a pointer is null or misaligned",
        "a length is larger than any object can be",
        "a text is not UTF-8",
        "a handle is null, or was never given out",
        "a handle was freed before",
        "a handle is of another kind than the parameter",
        "an index is not less than the count",
        "a name is unknown",
        "an option or argument has a value that it cannot have",
        "there is no builder on this thread",
    ] {
        assert_eq!(has(status), Some(true), "{status}:\n{found}");
    }
}

#[test]
fn threads_share_handles() {
    let Some(program) = build("tests/programs/threads.c", "threads") else { return };
    assert_eq!(output(&program, &[], ""), "freed 1 times\n");
}

/// A program that builds a script, in C++.
fn emitted(source: &str) -> (String, String) {
    let mut options = ParseOptions::default();
    options.record_steps = true;
    let parsed = tvmscript::parse("strings.py", source, registry(), &options);
    let [script] = parsed.scripts.as_slice() else { panic!("one script expected: {:?}", parsed.errors) };
    let wanted = [Wanted { name: script.name.as_deref(), node: &script.node }];
    let mut program = builder_program(&parsed.steps, &wanted, registry());
    let config = PrinterConfig { name: script.name.clone(), ..PrinterConfig::default() };
    let printed = tvmscript::print(&script.node, registry(), &config).expect("a text");
    (program.cpp(&wanted, true).expect("a program"), printed)
}

#[test]
fn strings_of_programs_in_cpp_are_those_of_the_script() {
    let strings = [
        r"\x01\x07\x1f\x7f\t\r\n",
        r"\x000",
        r"\x85\u2028\u202e\ufeff",
        "é漢😀",
        r#"\"'\\x41\\u{41}"#,
        "??/ ??= ???) %:",
    ];
    let mut source = "from tvm.script import tir as T\n\n@T.prim_func\ndef f():\n".to_owned();
    for string in strings {
        source.push_str(&format!("    T.evaluate(T.call_extern(\"int32\", \"{string}\"))\n"));
        source.push_str(&format!("    T.evaluate(T.call_extern(\"int32\", \"f\", \"{string}\"))\n"));
    }
    let (program, printed) = emitted(&source);
    let program = file("strings.cpp", &program);
    let Some(program) = build(path(&program), "strings") else { return };
    assert_eq!(output(&program, &[], "").trim_end(), printed.trim_end());
}

/// What the program does with the handles and texts that it shares is checked, and not the inside of the library.
#[test]
fn threads_that_share_handles_have_no_races() {
    let program = match Sanitizer::Thread.works() {
        true => build_with("tests/programs/threads.c", "threads_races", Sanitizer::Thread),
        false => None,
    };
    let Some(program) = program else {
        eprintln!("skipped: there is no ThreadSanitizer, or no compiler");
        return;
    };
    assert_eq!(output(&program, &[], ""), "freed 1 times\n");
}

/// The program of the page that a user would write in an afternoon.
#[test]
fn the_program_that_lists_functions_has_sixty_lines() {
    let program = std::fs::read_to_string(root().join("examples/functions.c")).expect("the example");
    let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 60, "{lines} lines");
}

/// The programs of `docs/c-abi.md`.
#[test]
fn the_programs_of_the_page_work() {
    let page = std::fs::read_to_string(root().join("../../docs/c-abi.md")).expect("the page");
    for language in ["c", "cpp"] {
        let source =
            page.split_once(&format!("```{language}\n")).and_then(|(_, rest)| rest.split_once("```"));
        let file = file(&format!("page.{language}"), source.expect("a program").0);
        let Some(program) = build(path(&file), &format!("page_{language}")) else { return };
        let found = output(&program, &[], "");
        assert!(found.ends_with("    A[0] = T.float32(1.0)\n"), "{found}");
    }
}

#[test]
fn p74_30_functions_have_the_names_that_upstream_registers() {
    let Some(program) = build("tests/programs/named.c", "named") else { return };
    let expected = "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n\
                    equal: 1\n";
    let found = output(&program, &[], "");
    let rest = found.strip_prefix(expected).unwrap_or_else(|| panic!("{found}"));
    let lines: Vec<&str> = rest.lines().collect();
    let [order, failed, released] = lines.as_slice() else { panic!("{found}") };
    // The children of `tir.Evaluate` are left out.
    assert!(order.starts_with("+tir.PrimFunc "), "{order}");
    assert!(order.contains("+tir.Evaluate -tir.Evaluate ") && order.ends_with("-tir.PrimFunc "), "{order}");
    assert_eq!(*failed, "the input has errors, which the list of errors describes: enough");
    assert_eq!(*released, "released: 3");
}

#[test]
fn a_program_in_c_writes_programs_that_build_a_module() {
    let Some(program) = build("tests/programs/emit.c", "emit") else { return };
    assert_eq!(
        output(&program, &[], MODULE),
        "equal: 1\npython-builder: def build():\n\
         rust-builder: pub fn build() -> Result<Object\n\
         cpp-builder: tvmscript::Object build() {\ndoc-json: \"kind\":\"comment\"\na name is unknown\n"
    );
}

#[test]
fn a_program_in_c_runs_clean_under_valgrind() {
    let is_there = compiler("valgrind", &["--version"]).is_some_and(|output| output.status.success());
    let program = build_with("examples/functions.c", "valgrind", Sanitizer::None).filter(|_| is_there);
    let Some(program) = program else {
        eprintln!("skipped: there is no `valgrind`, or no compiler");
        return;
    };
    let second = file("valgrind.py", MODULE);
    let args = [
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
        "--show-leak-kinds=definite",
    ];
    let args: Vec<&str> = args.into_iter().chain([path(&program), path(&second)]).collect();
    let found = output(Path::new("valgrind"), &args, MODULE);
    assert_eq!(found, "scale: A[128, 64], B[128, 64]\nfill: C[16]\n");
}

/// The library exports what the header declares, and nothing else under its prefix.
#[test]
fn the_library_exports_the_recorded_symbols() {
    let file = library().join(format!(
        "{}tvmscript_c{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let listed =
        compiler("nm", &["-D", "--defined-only", path(&file)]).filter(|listed| listed.status.success());
    let Some(listed) = listed else {
        eprintln!("skipped: `nm` cannot list the symbols of a library here");
        return;
    };
    let mut exported: Vec<&str> = text(&listed.stdout)
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|name| name.starts_with("tvmscript_"))
        .collect();
    exported.sort_unstable();
    let recorded = std::fs::read_to_string(root().join("symbols.txt")).expect("the list of symbols");
    let recorded: Vec<&str> = recorded.lines().skip(1).collect();
    assert_eq!(exported, recorded);
}

#[test]
fn a_program_in_cpp_builds_functions_by_name() {
    let Some(program) = build("tests/programs/builder.cpp", "builder") else { return };
    let found = output(&program, &[], "");
    let expected = "# from tvm.script import tir as T\n\n@T.prim_func\ndef scale(A: T.Buffer((16,), \"float32\"), n: T.int32):\n    \
                    for i in T.serial(16, annotations={\"pragma\": 1}):\n        A[i] = A[i] * T.float32(2.0)\n    \
                    T.evaluate((n + 1) // 2 - 3 * n % 5)\n";
    let errors = found.strip_prefix(expected).unwrap_or_else(|| panic!("{found}"));
    let lines: Vec<&str> = errors.lines().collect();
    assert!(lines.iter().any(|line| line.contains("no_such_function")), "{lines:?}");
    assert_eq!(lines.last(), Some(&"there is no builder on this thread"));
}
