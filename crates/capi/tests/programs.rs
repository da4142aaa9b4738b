//! Programs in C and C++ that use the library as it is installed: the examples, and those of `tests/programs`.
//!
//! They are compiled with warnings as errors, and with AddressSanitizer where it links. Without a compiler the tests say so and
//! pass.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the shared library: that of this program, or the one above.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let name = format!("{}tvmscript_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folder = program.ancestors().skip(1).find(|folder| folder.join(&name).is_file());
    folder.unwrap_or_else(|| panic!("no {name} beside {}", program.display())).to_owned()
}

/// Runs a compiler; `None` if it is not installed.
fn compiler(name: &str, args: &[&str]) -> Option<Output> {
    Command::new(name).args(args).output().ok()
}

/// Returns `true` if programs with AddressSanitizer link.
fn has_sanitizer() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe.c");
        let written = std::fs::write(&source, "int main(void) { return 0; }\n");
        let program = source.with_extension("out");
        let args = ["-fsanitize=address", path(&source), "-o", path(&program)];
        let output = compiler("cc", &args);
        let links = written.is_ok() && output.is_some_and(|output| output.status.success());
        links && Command::new(&program).status().is_ok_and(|status| status.success())
    })
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Compiles a program under a name that no other test has; `None` without a compiler.
fn build(source: &str, name: &str) -> Option<PathBuf> {
    let source = root().join(source);
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let (compiler_name, standard) = if is_cpp { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
    let program =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let (include, library) = (root().join("include"), library());
    let (include, library) = (format!("-I{}", path(&include)), path(&library).to_owned());
    let (search, run_path) = (format!("-L{library}"), format!("-Wl,-rpath,{library}"));
    let mut args = vec![standard, "-Wall", "-Wextra", "-Werror", "-g", &include, path(&source)];
    if has_sanitizer() {
        args.push("-fsanitize=address,undefined");
    }
    args.extend(["-o", path(&program), &search, "-ltvmscript_c", &run_path, "-lpthread"]);
    let Some(output) = compiler(compiler_name, &args) else {
        eprintln!("skipped: there is no `{compiler_name}`");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs a program with a text as its input.
fn run(program: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program may stop before it has read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The output of a program that succeeds without a word.
fn output(program: &Path, args: &[&str], input: &str) -> String {
    let output = run(program, args, input);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    text(&output.stdout).to_owned()
}

/// Writes a file for a program.
fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("a file");
    file
}

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
    ] {
        assert_eq!(has(status), Some(true), "{status}:\n{found}");
    }
}

#[test]
fn threads_share_handles() {
    let Some(program) = build("tests/programs/threads.c", "threads") else { return };
    assert_eq!(output(&program, &[], ""), "freed 1 times\n");
}

/// The program of `docs/c-abi.md`.
#[test]
fn the_program_of_the_page_works() {
    let page = std::fs::read_to_string(root().join("../../docs/c-abi.md")).expect("the page");
    let source = page.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```")).expect("a program").0;
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page.c");
    std::fs::write(&file, source).expect("a file");
    let Some(program) = build(path(&file), "page") else { return };
    let found = output(&program, &[], "");
    assert!(found.ends_with("    A[0] = T.float32(1.0)\n"), "{found}");
}
