//! Functions as C99: compiled, run, and compared with the interpreter; lines of directives.
//!
//! Tests that need a C compiler say so and pass where there is no `cc`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tvmscript::interpreter::{
    Argument, CInput, COptions, CSource, Functions, InputOptions, Limits, Scalar, c_source, generate, run_in,
};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::{Ref, SourceId, SourceTexts};
use tvmscript::tir::PrimFunc;
use tvmscript::{ParseOptions, Parsed, parse, registry};

/// Kernels of the fixtures that have a form in C.
const KERNELS: &[&str] = &[
    "aliases_and_meta_vars",
    "allocations_every_kind",
    "allreduce",
    "argmax_two_results",
    "async_copy",
    "attention_scores_mask",
    "binary_search_while",
    "bit_tricks",
    "break_and_continue",
    "casts_between_dtypes",
    "depthwise_conv_padding",
    "env_thread_two_launches",
    "floor_and_trunc_division",
    "gpu_transpose_shared",
    "half_precision_kinds",
    "histogram_init_scan",
    "int64_indices",
    "layer_norm_symbolic",
    "match_regions_in_blocks",
    "math_intrinsics",
    "matmul_tiled",
    "module_calls",
    "newton_sqrt_while",
    "predicated_vector_memory",
    "return_value_early",
    "softmax_rows",
    "vector_slices",
    "virtual_threads",
    "warp_shuffle_reduction",
];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder of a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c_source").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// The C compiler with the flags that the text has to compile with; `None` without one.
fn compiler() -> Option<Command> {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no `cc`");
        return None;
    }
    let mut command = Command::new("cc");
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]);
    Some(command)
}

fn parsed(name: &str, text: &str) -> Parsed {
    let parsed = parse(name, text, registry(), &ParseOptions::default());
    assert!(
        parsed.errors.is_empty(),
        "{name}: {:?}",
        parsed.errors.first().map(|error| error.kind.to_string())
    );
    parsed
}

/// The functions of a text; each of its scripts is a module of its own.
fn functions(parsed: &Parsed, first_module: usize) -> Vec<CInput> {
    let mut found = Vec::new();
    for (number, script) in parsed.scripts.iter().enumerate() {
        let mut add = |name: String, function: &Ref<PrimFunc>| {
            found.push(CInput { module: first_module + number, name, function: function.clone() });
        };
        if let Some(function) = script.node.downcast_ref::<PrimFunc>() {
            add(script.name.clone().unwrap_or_default(), function);
        }
        for (var, function) in
            script.node.as_node::<IRModule>().into_iter().flat_map(|module| module.functions.iter())
        {
            function.downcast_ref::<PrimFunc>().into_iter().for_each(|function| {
                add(var.name_hint.to_string(), function);
            });
        }
    }
    found
}

fn written(functions: &[CInput], texts: &SourceTexts, has_main: bool) -> CSource {
    match c_source(functions, COptions { texts, has_lines: true, has_main }) {
        Ok(source) => source,
        Err(errors) => panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

/// The results of the interpreter: the arguments before and after, and the returned value.
type Ran = (Vec<Argument>, Vec<Argument>, Option<Scalar>);

fn interpreted(modules: &[Functions<'_>], input: &CInput) -> Ran {
    let inputs = InputOptions { seed: 7, ..InputOptions::default() };
    let before = generate(&input.function, &inputs).expect("arguments");
    let mut after = before.clone();
    let module = modules.get(input.module).cloned().unwrap_or_default();
    let result = run_in(&module, &input.function, &mut after, Limits::default(), &mut |_| {});
    (before, after, result.unwrap_or_else(|error| panic!("{}: {error}", input.name)))
}

/// Compiles functions with a `main`, runs each, and compares what it computes with the interpreter.
fn check_results(name: &str, texts: &[(String, String)]) -> usize {
    let Some(mut compiler) = compiler() else { return 0 };
    let parsed: Vec<Parsed> = texts.iter().map(|(name, text)| parsed(name, text)).collect();
    let mut inputs = Vec::new();
    let mut modules = Vec::new();
    let mut sources = SourceTexts::new();
    for (parsed, (name, text)) in parsed.iter().zip(texts) {
        inputs.extend(functions(parsed, modules.len()));
        modules.extend(
            parsed
                .scripts
                .iter()
                .map(|script| script.node.as_node::<IRModule>().map(Functions::of).unwrap_or_default()),
        );
        sources = sources.with(SourceId::new(name), text);
    }
    let source = written(&inputs, &sources, true);
    let folder = folder(name);
    let (file, program) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&file, &source.text).expect("a file");
    let output = compiler.arg("-o").arg(&program).arg(&file).arg("-lm").output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (input, function) in inputs.iter().zip(&source.functions) {
        let (before, expected, value) = interpreted(&modules, input);
        let mut child = Command::new(&program)
            .arg(&function.c_name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program");
        let mut stdin = child.stdin.take().expect("its input");
        let bytes = function.input(&before).expect("arguments that fit");
        let writer = std::thread::spawn(move || stdin.write_all(&bytes));
        let output = child.wait_with_output().expect("its output");
        let _ = writer.join();
        assert!(output.status.success(), "{}: {}", function.name, output.status);
        let (found, returned) = function.output(&before, &output.stdout).expect("all results");
        assert!(
            value.is_none() || is_near(value, returned, 32),
            "{}: {returned:?} is not {value:?}",
            function.name
        );
        for (argument, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let (Some(expected), Some(found)) = (expected.tensor(), found.tensor()) else { continue };
            for at in 0..expected.len() {
                let (a, b) = (expected.get(at), found.get(at));
                assert!(
                    is_near(a, b, expected.dtype().bits),
                    "{}: element {at} of argument {argument} is {b:?}, not {a:?}",
                    function.name
                );
            }
        }
    }
    inputs.len()
}

/// Integers are equal; floats may differ by the rounding of functions of the C library.
fn is_near(expected: Option<Scalar>, found: Option<Scalar>, bits: u8) -> bool {
    match (expected, found) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => {
            let scale = if bits < 32 { 2e-3 } else { 1e-6 };
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= scale * a.abs().max(1.0)
        }
        (a, b) => a == b,
    }
}

#[test]
fn p92_34_kernels_in_c_compute_what_the_interpreter_computes() {
    let text = |name: &&str| {
        let name = format!("{name}.py");
        let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kernels").join(&name));
        (name, text)
    };
    let texts: Vec<(String, String)> = KERNELS.iter().map(text).collect();
    let count = check_results("kernels", &texts);
    assert!(count == 0 || count >= KERNELS.len(), "{count} functions");
}

#[test]
fn p92_34_integers_in_c_wrap_and_divide_as_in_the_interpreter() {
    let text = r#"from tvm.script import tir as T

@T.prim_func
def wraps(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int64"), C: T.Buffer((64,), "int8"), D: T.Buffer((64,), "uint16"), E: T.Buffer((8,), "bool"), exit: T.int32):
    for i in range(8):
        A[i] = A[i] * 715827883 + 2147483647
        A[i + 8] = T.floordiv(A[i + 8], -3) - T.truncdiv(A[i + 8], 5)
        A[i + 16] = T.floormod(A[i + 16], -3) * 100 + T.truncmod(A[i + 16], 5)
        A[i + 24] = T.shift_left(A[i + 24], i) + T.shift_right(A[i + 24], T.floormod(A[i], 32))
        A[i + 32] = T.Cast("int32", B[i] * T.int64(4611686018427387904)) + T.abs(A[i + 32])
        A[i + 40] = T.floordiv(T.min_value("int32"), T.max(-1 - i, -1))
        A[i + 48] = T.popcount(A[i + 48]) + T.if_then_else(i > 3, A[i + 48] ^ 21, A[i + 48] | 8)
        B[i + 8] = B[i + 8] * B[i + 8] * T.int64(9223372036854775807) - T.Cast("int64", A[i])
        C[i] = C[i] * C[i + 8] * C[i + 16] + T.int8(127)
        C[i + 8] = T.Cast("int8", A[i]) - T.int8(100)
        D[i] = D[i] - D[i + 8] * T.uint16(65535)
        E[i] = T.Cast("bool", A[i] - B[0]) or not E[i] and exit > 3
        B[i + 16] = T.Cast("int64", T.Cast("float32", A[i]) * T.float32(1e30))
    A[56:60] = A[0:4] + A[4:8] * T.broadcast(exit, 4)
    A[57:61] = A[56:60]
"#;
    check_results("integers", &[("wraps.py".to_owned(), text.to_owned())]);
}

#[test]
fn p92_34_threads_that_meet_at_barriers_compute_what_the_interpreter_computes() {
    // Tiles in shared memory, with a loop around two barriers; values of a thread live across them.
    let tiles = r#"from tvm.script import tir as T

@T.prim_func
def tiled(A: T.Buffer((32, 48), "float32"), B: T.Buffer((48, 32), "float32"), C: T.Buffer((32, 32), "float32"), n: T.int32):
    bx = T.launch_thread("blockIdx.x", 2)
    by = T.launch_thread("blockIdx.y", 2)
    As = T.allocate([256], "float32", "shared")
    Bs = T.allocate([256], "float32", "shared")
    acc = T.allocate([2], "float32", "local")
    tx = T.launch_thread("threadIdx.x", 16)
    ty = T.launch_thread("threadIdx.y", 16)
    S = T.Buffer((16, 16), data=As, scope="shared")
    R = T.Buffer((16, 16), data=Bs, scope="shared")
    a = T.Buffer((2,), data=acc, scope="local")
    row: T.int32 = by * 16 + ty
    a[0] = T.float32(0)
    for k in range(3):
        S[ty, tx] = A[row, k * 16 + tx]
        R[ty, tx] = B[k * 16 + ty, bx * 16 + tx]
        T.tvm_storage_sync("shared")
        if tx % 2 == 0:
            a[1] = a[1] + R[tx, ty]
        for i in range(16):
            a[0] = a[0] + S[ty, i] * R[i, tx]
        if k == n % 3:
            T.tvm_storage_sync("shared")
            S[ty, tx] = a[0]
            T.tvm_storage_sync("shared")
            a[0] = a[0] + S[tx, ty]
        T.tvm_storage_sync("shared")
    C[row, bx * 16 + tx] = a[0] + a[1]
"#;
    // Exchanges that only some threads take part in, votes, and memory that is cleared in each iteration.
    let exchanges = r#"from tvm.script import tir as T

@T.prim_func
def exchanged(A: T.Buffer((4, 64), "int32"), B: T.Buffer((4, 64), "int32"), C: T.Buffer((64,), "uint32")):
    tx = T.launch_thread("threadIdx.x", 64)
    for k in range(4):
        seen = T.allocate([2], "int32", "local")
        s = T.Buffer((2,), "int32", data=seen, scope="local")
        value: T.int32 = A[k, tx] + k
        s[1] = s[1] + T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), value, tx // 2, 32, 32)
        if tx % 3 == 0:
            s[0] = T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), value, 1, 16, 32)
            if tx > 10:
                s[0] = s[0] + T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), s[0] * 2, 3, 32, 32)
        else:
            s[0] = T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), s[1], 3, 8, 32)
        T.tvm_storage_sync("shared")
        B[k, tx] = s[0] * 1000 + s[1]
    if tx % 5 < 2:
        C[tx] = T.tvm_warp_activemask()
"#;
    // No barrier was inserted yet: threads take their steps on shared memory together.
    let steps = r#"from tvm.script import tir as T

@T.prim_func
def reversed_rows(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8, 32), "float32")):
    by = T.launch_thread("blockIdx.x", 8)
    row = T.allocate([32], "float32", "shared")
    own = T.allocate([1], "float32", "local")
    tx = T.launch_thread("threadIdx.x", 32)
    S = T.Buffer((32,), data=row, scope="shared")
    o = T.Buffer((1,), data=own, scope="local")
    S[tx] = A[by, tx]
    o[0] = S[31 - tx]
    S[tx] = o[0] * T.float32(2)
    B[by, tx] = o[0] + S[(tx + 1) % 32]
"#;
    let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    check_results(
        "groups",
        &[text("tiles.py", tiles), text("exchanges.py", exchanges), text("steps.py", steps)],
    );
}

#[test]
fn p92_34_numbers_just_beyond_the_middle_round_away_from_it() {
    // The middle of two numbers of 16 bits, and the next number of 32 bits.
    let text = r#"from tvm.script import tir as T

@T.prim_func
def rounds(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "bfloat16"), C: T.Buffer((4,), "float16"), D: T.Buffer((4,), "float16"), N: T.Buffer((4,), "int32"), E: T.Buffer((4,), "bfloat16")):
    for i in range(4):
        D[i] = T.Cast("float16", T.Cast("float64", A[i]) * T.float64(0) + T.float64(2051) - T.float64(2.0**-40))
        E[i] = T.Cast("bfloat16", N[i] * 0 + 16842753)
        B[i] = T.Cast("bfloat16", A[i] * T.float32(0) - T.float32(8.906250953674316))
        C[i] = T.Cast("float16", A[i] * T.float32(0) + T.float32(2049.000244140625))
"#;
    check_results("rounds", &[("rounds.py".to_owned(), text.to_owned())]);
    let parsed = parsed("rounds.py", text);
    let (_, after, _) = interpreted(&[], &functions(&parsed, 0).remove(0));
    let first = |argument: usize| after[argument].tensor().and_then(|tensor| tensor.get(0));
    assert_eq!((first(1), first(2)), (Some(Scalar::Float(-8.9375)), Some(Scalar::Float(2050.0))));
    // The number is rounded once, and not to 32 bits before.
    assert_eq!((first(3), first(5)), (Some(Scalar::Float(2050.0)), Some(Scalar::Float(16_908_288.0))));
}

#[test]
fn p92_34_reads_stay_before_calls_that_write_and_names_are_free() {
    // The functions have names that the program around them uses, or could use.
    let text = r#"from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def name(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = A[i] * 10 + Module.read_int(A.data, i) + A[i] * 100
        A[0:4] = A[0:4] + T.broadcast(Module.result(A.data), 4)

    @T.prim_func
    def read_int(a: T.handle("int32", "global"), i: T.int32) -> T.int32:
        A = T.Buffer((4,), "int32", data=a)
        A[i % 4] = A[i % 4] + 1
        return A[i % 4] * 1000

    @T.prim_func
    def result(a: T.handle("int32", "global")) -> T.int32:
        A = T.Buffer((4,), "int32", data=a)
        A[1] = 77
        return A[2]
"#;
    let parsed = parsed("order.py", text);
    let mut inputs = functions(&parsed, 0);
    inputs.sort_by_key(|input| input.name != "name");
    let source = written(&inputs, &SourceTexts::new(), true);
    assert_eq!(
        source.functions.iter().map(|function| function.c_name.as_str()).collect::<Vec<_>>(),
        ["name", "read_int", "result"]
    );
    check_results("order", &[("order.py".to_owned(), text.to_owned())]);
}

/// The file and line that directives give each line of C.
fn presumed(text: &str) -> Vec<(String, usize, &str)> {
    let (mut file, mut next) = (String::new(), 0);
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some((number, name)) = line.strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) {
            next = number.parse().expect("a line number");
            file = name.trim_matches('"').to_owned();
        } else {
            lines.push((file.clone(), next, line));
            next += 1;
        }
    }
    lines
}

const MARKED: &str = r#"from tvm.script import tir as T

@T.macro
def step(A, i):
    A[i] = A[i] + 1005

@T.prim_func
def f(A: T.Buffer((64,), "int32"), n: T.int32):
    for i in T.serial(1009):
        if A[i] < 1010:
            A[i] = A[i] * 1011
        else:
            step(A, i)

        A[i] = T.max(
            A[i],
            1017)
    for i, j in T.grid(4, 4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi * 4 + vj] = 1021
    T.evaluate(T.call_extern("int32", "abs", A[0] + 1022))
"#;

/// Tests whether each number of the text is on its line, that of the statement that it is in.
fn check_lines(text: &str) -> Result<usize, String> {
    let mut found = BTreeSet::new();
    for (file, line, content) in presumed(text) {
        for number in 1005..1023 {
            if !content.contains(&number.to_string()) {
                continue;
            }
            let expected = if number == 1017 { 15 } else { number - 1000 };
            if file != "script.py" || line != expected {
                return Err(format!("`{content}` is at {file}:{line}, not at line {expected}"));
            }
            found.insert(number);
        }
    }
    Ok(found.len())
}

#[test]
fn p92_34_a_directive_names_the_line_of_each_statement() {
    let parsed = parsed("script.py", MARKED);
    let texts = SourceTexts::new().with(SourceId::new("script.py"), MARKED);
    let source = written(&functions(&parsed, 0), &texts, false);
    assert_eq!(check_lines(&source.text), Ok(7), "{}", source.text);
    // A wrong line is noticed.
    let wrong = source.text.replacen("#line 15 ", "#line 16 ", 1);
    assert_ne!(wrong, source.text);
    assert!(check_lines(&wrong).is_err());
    let plain =
        c_source(&functions(&parsed, 0), COptions { texts: &texts, has_lines: false, has_main: false });
    assert!(!plain.expect("the same text without directives").text.contains("#line"));
}

#[test]
fn p92_34_a_debugger_finds_the_lines_of_the_script() {
    let Some(mut compiler) = compiler() else { return };
    let parsed = parsed("script.py", MARKED);
    let texts = SourceTexts::new().with(SourceId::new("script.py"), MARKED);
    let source = written(&functions(&parsed, 0), &texts, false);
    let folder = folder("lines");
    let (file, assembly) = (folder.join("f.c"), folder.join("f.s"));
    std::fs::write(&file, &source.text).expect("a file");
    let output = compiler.args(["-g", "-S", "-o"]).arg(&assembly).arg(&file).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = read(&assembly);
    // `.file NUMBER ... "script.py"` and `.loc NUMBER LINE COLUMN`
    let numbers: BTreeSet<&str> = text
        .lines()
        .filter(|line| line.trim_start().starts_with(".file") && line.contains("script.py\""))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    let lines: BTreeSet<usize> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(".loc"))
        .filter_map(|rest| {
            let mut words = rest.split_whitespace();
            numbers.contains(words.next()?).then(|| words.next()?.parse().ok())?
        })
        .collect();
    if numbers.is_empty() {
        eprintln!("skipped: the compiler writes no `.file` directives");
        return;
    }
    for line in [8, 9, 10, 11, 5, 15, 18, 21, 22] {
        assert!(lines.contains(&line), "line {line} is not among {lines:?}");
    }
}
