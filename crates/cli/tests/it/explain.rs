//! `explain`: the builder calls that scripts make.

use crate::common::{file, folder, run};

const MODULE: &str = "\
from tvm.script import ir as I, tir as T, relax as R

def scale(A, i, by):
    T.buffer_store(A, A[i] * by, [i])

@I.ir_module
class M:
    @T.prim_func
    def double(A: T.Buffer((4,), \"float32\"), n: T.int32):
        C = T.alloc_buffer((4,), \"float32\")
        for i in range(4):
            with T.block(\"b\"):
                vi, vj = T.axis.remap(\"SS\", [i, i])
                if vi < n:
                    scale(A, vi, 2.0)
                C[vi] = A[vj]

    @R.function
    def main(x: R.Tensor((4,), \"float32\")):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y
";

const CALLS: &str = "\
with I.ir_module():
    I.decl_function(\"double\")
    I.decl_function(\"main\")
    with T.prim_func():
        T.func_name(\"double\")
        A = T.arg(\"A\", T.Buffer((4,), \"float32\"))
        n = T.arg(\"n\", T.int32())
        C = T.alloc_buffer((4,), \"float32\")
        with T.range(4) as i:
            with T.block(\"b\"):
                vi, vj = T.axis.remap(\"SS\", [i, i])
                with T.If(vi < n):
                    with T.Then():
                        T.buffer_store(A, A[vi] * T.float32(2.0), [vi])
                T.buffer_store(C, A[vj], [vi])
    with R.function():
        R.func_name(\"main\")
        x = R.arg(\"x\", R.Tensor((4,), dtype=\"float32\"))
        with R.dataflow():
            y = R.emit(R.add(x, x))
            R.output(y)
        R.func_ret_value(y)
";

#[test]
fn p79_12_explain_shows_the_builder_calls_of_a_parse() {
    let script = file("m.py", MODULE);
    let ran = run(&["explain", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let calls: String = ran
        .stdout
        .lines()
        .map(|line| format!("{}\n", line.split_once("  # ").map_or(line, |(call, _)| call)))
        .collect();
    assert_eq!(calls, CALLS);
    // A call in a helper has the helper's line and the line of its call.
    let store = ran.stdout.lines().find(|line| line.contains("A[vi] * ")).expect("a line");
    assert!(store.contains("m.py:4:5 < "), "{store}");
    assert!(store.ends_with("m.py:15:21"), "{store}");
}

#[test]
fn p79_12_explain_writes_a_program_that_makes_the_scripts_again() {
    let script = file("m.py", MODULE);
    let ran = run(&["explain", "--format", "python", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("                        with T.If(T.LT(vi, n)):"), "{}", ran.stdout);
    let program = file("program.py", format!("{}\n\nModule = build()\n", ran.stdout));
    let equal = run(&["equal", &script, &program]);
    assert_eq!((equal.status, equal.stderr.as_str()), (0, ""), "{}", equal.stdout);

    // The variables of functions that share one cannot be made by `T.Var`.
    let script =
        file("shared.py", include_str!("../../../../tests/fixtures/ok/module_functions_share_variables.py"));
    let ran = run(&["explain", "--format", "python", &script]);
    assert_eq!(ran.status, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("shared.py: no program for `Module`: "), "{}", ran.stderr);
}

#[test]
fn explain_shows_the_calls_behind_a_node() {
    let script = file("m.py", MODULE);
    let ran = run(&["explain", "--format", "json", "--node", "functions[\"main\"].body.blocks[0]", &script]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\"depth\":3,\"call\":\"y = R.emit(R.add(x, x))\""), "{}", ran.stdout);
    assert!(!ran.stdout.contains("buffer_store"), "{}", ran.stdout);
    let wrong = run(&["explain", "--node", "body.block", &script]);
    assert_eq!(wrong.status, 1);
    assert!(wrong.stderr.contains("the access path `body.block` leads nowhere"), "{}", wrong.stderr);
}

#[test]
fn explain_writes_out_helpers() {
    let script = file("m.py", MODULE);
    let ran = run(&["explain", "--expand", "1", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, MODULE.replace("scale(A, vi, 2.0)", "T.buffer_store(A, A[vi] * 2.0, [vi])"));

    let other = file("n.py", "@T.prim_func\ndef f():\n    g()\n");
    let wrong = run(&["explain", "--expand", "1", &other]);
    assert_eq!(wrong.status, 1);
    assert!(wrong.stderr.contains("undefined name `g`"), "{}", wrong.stderr);
}

#[test]
fn explain_reports_scripts_that_it_cannot_write_out() {
    let text = "\
def sized(x):
    return x * len(list(range(3)))

def scale(A):
    T.buffer_store(A, A[0] * 2.0, [0])

@T.prim_func
def wrong(A: T.Buffer((4,), \"float32\")):
    A[0] = sized(A[0])

@T.prim_func
def right(A: T.Buffer((4,), \"float32\")):
    scale(A)
";
    let script = file("refused.py", text);
    let ran = run(&["explain", "--expand", "1", &script]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.stdout.contains("def right(A: T.Buffer((4,), \"float32\")):\n    T.buffer_store("),
        "{}",
        ran.stdout
    );
    let message = "refused.py: the calls in `wrong` are not written out: the expanded text does not parse";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

#[test]
fn explain_shows_the_calls_of_scripts_that_a_call_names() {
    let script = file("m.py", MODULE);
    let ran = run(&["explain", "--call", "M", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, run(&["explain", &script]).stdout);
}

#[test]
fn p74_07_emit_writes_a_program_for_the_builder_of_python() {
    let script = file("m.py", MODULE);
    let ran = run(&["emit", "--target", "python-builder", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    // What `explain` shows, without places.
    let shown = run(&["explain", "--format", "python", &script]).stdout;
    let without_places: String = shown
        .lines()
        .map(|line| format!("{}\n", line.split_once("  # ").map_or(line, |(call, _)| call)))
        .collect();
    assert_eq!(ran.stdout, without_places);
    assert!(ran.stdout.contains("\n\ndef build():\n    with IRBuilder() as b:\n"), "{}", ran.stdout);

    // From JSON, and with code that runs it.
    let json = crate::common::path("m.json");
    let json = json.to_str().expect("an ASCII path");
    assert_eq!(run(&["json", "--tvm", &script, "-o", json]).status, 0);
    let ran = run(&["emit", "--target", "python-builder", "--main", json]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.ends_with("    print(build().script())\n"), "{}", ran.stdout);
    let program = file("program.py", format!("{}\n\nModule = build()\n", ran.stdout));
    let equal = run(&["equal", json, &program]);
    assert_eq!((equal.status, equal.stderr.as_str()), (0, ""), "{}", equal.stdout);

    // Several functions are a module.
    let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f():\n    T.evaluate(1)\n\n\n@T.prim_func\ndef g():\n    T.evaluate(2)\n";
    let ran = run(&["emit", "--target", "python-builder", &file("two.py", text)]);
    assert!(ran.stdout.ends_with("    return tvm.IRModule({\"f\": f, \"g\": g})\n"), "{}", ran.stdout);
}

/// The note about the call, at the definition.
const CALLED: &str = "the text has no script, so that `build()` was called and its result taken";

const RELAX: &str = "\
from tvm.script import ir as I, relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y
";

#[test]
fn the_programs_of_a_folder_follow_each_other() {
    let folder = folder(&[("a.py", RELAX), ("b.py", MODULE)]).display().to_string();
    let ran = run(&["emit", "--target", "python-builder", &folder]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("def build():").count(), 2, "{}", ran.stdout);
}

#[test]
fn an_emitted_program_is_read_by_calling_its_function() {
    let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f():\n    T.evaluate(1)\n";
    let other = text.replace("def f", "def g").replace("from tvm.script import tir as T\n", "");
    for (name, text) in [
        ("m.py", MODULE.to_owned()),
        ("f.py", text.to_owned()),
        ("two.py", format!("{text}{other}")),
        ("r.py", RELAX.to_owned()),
    ] {
        let script = file(name, &text);
        for flags in [&["--main"][..], &[]] {
            let args = [&["emit", "--target", "python-builder"][..], flags, &[&script]].concat();
            let program = file("program.py", run(&args).stdout);
            let ran = run(&["print", &program]);
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            assert!(ran.stderr.contains(CALLED) && ran.stderr.contains("program.py:"), "{}", ran.stderr);
            if name != "two.py" {
                assert_eq!(ran.stdout, run(&["print", &script]).stdout);
                let equal = run(&["equal", &script, &program]);
                assert_eq!(equal.status, 0, "{}{}", equal.stdout, equal.stderr);
            }
            // The program of a program builds the same.
            let again = run(&["emit", "--target", "python-builder", &program]);
            assert_eq!(again.status, 0, "{}", again.stderr);
            let again = file("again.py", again.stdout);
            assert_eq!(run(&["equal", &program, &again]).status, 0);
        }
    }
    let module = run(&[
        "print",
        &file(
            "program.py",
            run(&[
                "emit",
                "--target",
                "python-builder",
                &crate::common::file("two.py", format!("{text}{other}")),
            ])
            .stdout,
        ),
    ]);
    assert!(
        module.stdout.contains("class Module:") && module.stdout.contains("def g():"),
        "{}",
        module.stdout
    );
}

#[test]
fn only_a_function_that_builds_is_called() {
    let head = "from tvm.script.ir_builder import IRBuilder\nfrom tvm.script.ir_builder import tir as T\n\n";
    let body = "    with IRBuilder() as b:\n        with T.prim_func():\n            T.func_name(\"f\")\n            T.evaluate(0)\n    return b.get()\n";
    let read = |text: String| run(&["print", &file("program.py", format!("{head}{text}"))]);
    let built = read(format!("def build():\n{body}"));
    assert!(built.stdout.ends_with("def f():\n    T.evaluate(0)\n"), "{}", built.stdout);
    // A function that needs arguments, has another name, or builds nothing.
    for text in [
        format!("def build(n):\n{body}"),
        format!("def make():\n{body}"),
        "def build():\n    return 3\n".to_owned(),
    ] {
        let ran = read(text);
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
        assert!(ran.stderr.contains("the text contains no script"), "{}", ran.stderr);
    }
    // One that is called already, and one beside a script.
    let called = read(format!("def build():\n{body}\nf = build()\n"));
    assert!(called.status == 0 && !called.stderr.contains(CALLED), "{}", called.stderr);
    let beside = read(format!("def build():\n{body}\n@T.prim_func\ndef g():\n    T.evaluate(1)\n"));
    assert!(beside.status == 0 && !beside.stderr.contains(CALLED), "{}", beside.stderr);
    // Errors in it are those of the text.
    let wrong = read(format!("def build():\n{body}").replace("T.evaluate(0)", "T.evaluate(no_such_name)"));
    assert_eq!(wrong.status, 1);
    assert!(
        wrong.stderr.contains("`no_such_name`") || wrong.stderr.contains("no script"),
        "{}",
        wrong.stderr
    );
    let nothing = read(format!("def build():\n{body}").replace("return b.get()", "return 3"));
    assert!(
        nothing.stderr.contains("expected a script or a container of scripts, found int"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn scopes_that_end_with_another_one_are_not_nested_in_programs() {
    let bindings: String = (0..40).map(|i| format!("    x{i}: T.int32 = n + {i}\n")).collect();
    let text = format!(
        "from tvm.script import tir as T\n\n@T.prim_func\ndef f(n: T.int32):\n{bindings}    T.evaluate(x39)\n"
    );
    let script = file("flat.py", text);
    let ran = run(&["emit", "--target", "python-builder", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("\n            scopes = ExitStack()\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("scopes.enter_context(T.LetStmt(").count(), 40);
    let program = file("program.py", format!("{}\n\nf = build()\n", ran.stdout));
    let equal = run(&["equal", &script, &program]);
    assert_eq!((equal.status, equal.stderr.as_str()), (0, ""), "{}", equal.stdout);
}

#[test]
fn p74_05_the_syntax_tree_is_json_without_syntax_in_strings() {
    let ran = run(&["emit", "--target", "doc-json", &file("m.py", MODULE)]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let tree: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let mut work = vec![&tree];
    let mut names = 0;
    while let Some(value) = work.pop() {
        match value {
            serde_json::Value::Array(items) => work.extend(items),
            serde_json::Value::Object(fields) => {
                if fields.get("kind").is_some_and(|kind| kind == "id") {
                    let name = fields["name"].as_str().expect("a name");
                    assert!(name.chars().all(|c| c.is_alphanumeric() || c == '_'), "{name}");
                    names += 1;
                }
                work.extend(fields.values());
            }
            _ => {}
        }
    }
    assert!(names > 20, "{names}");
}

/// The code blocks of a page in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let of_language = blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'));
    of_language.map(str::to_owned).collect()
}

#[test]
fn p74_09_the_program_in_rust_is_the_one_that_its_page_shows_and_tests() {
    let page = include_str!("../../../../docs/builder-programs.md");
    let script = file("scale.py", &blocks(page, "python")[0]);
    let ran = run(&["emit", "--target", "rust-builder", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, blocks(page, "rust")[0]);
    let ran = run(&["emit", "--target", "rust-builder", "--main", &script]);
    assert!(ran.stdout.contains("\nfn main() -> "), "{}", ran.stdout);
}

/// The C++ compiler accepts the programs, by the header of the C interface alone.
#[test]
fn p74_08_programs_in_cpp_compile_against_the_header() {
    let page = include_str!("../../../../docs/builder-programs.md");
    let relax = "from tvm.script import ir as I, relax as R, tir as T\n\n@I.ir_module\nclass Module:\n    \
                 @T.prim_func\n    def double(a: T.handle, b: T.handle):\n        n = T.int64()\n        \
                 A = T.match_buffer(a, (n,))\n        B = T.match_buffer(b, (n,))\n        for i in range(n):\n            \
                 with T.block(\"B\"):\n                vi = T.axis.spatial(n, i)\n                \
                 B[vi] = A[vi] * T.float32(2)\n\n    \
                 @R.function\n    def main(x: R.Tensor((\"n\",), \"float32\")):\n        n = T.int64()\n        \
                 cls = Module\n        with R.dataflow():\n            \
                 y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n            \
                 R.output(y)\n        return R.add(y, R.const(\"inf\", \"float32\"))\n";
    for (name, text) in [("page.py", blocks(page, "python")[0].as_str()), ("relax.py", relax)] {
        let ran = run(&["emit", "--target", "cpp-builder", "--main", &file(name, text)]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("\nint main() {\n"), "{}", ran.stdout);
        let program = file(&format!("{name}.cpp"), &ran.stdout);
        let mut compiler = std::process::Command::new("c++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        compiler.args([concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../capi/include"), &program]);
        let Ok(output) = compiler.output() else {
            eprintln!("skipped: there is no `c++`");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn variables_that_are_used_after_their_block_are_declared_around_it() {
    let text = "from tvm.script import relax as R\n\n@R.function\ndef f(x: R.Tensor((4,), \"float32\")):\n    \
                with R.dataflow():\n        y = R.add(x, x)\n        R.output(y)\n    return R.multiply(y, y)\n";
    let script = file("after.py", text);
    let ran = run(&["emit", "--target", "rust-builder", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("let values_1 = scope_1.attr(\"output_vars\");"), "{}", ran.stdout);
    let ran = run(&["emit", "--target", "cpp-builder", &script]);
    assert!(ran.stdout.contains("            Value scope_1;\n"), "{}", ran.stdout);
}

/// The program of the page for TVM's own builder, whose headers are not needed for it.
#[test]
fn programs_for_tvms_builder_in_cpp_are_typed() {
    let page = include_str!("../../../../docs/builder-programs.md");
    let script = file("typed.py", &blocks(page, "python")[0]);
    let ran = run(&["emit", "--target", "tvm-cpp-builder", &script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, blocks(page, "cpp")[0]);
    let ran = run(&["emit", "--target", "tvm-cpp-builder", "--main", &script]);
    assert!(
        ran.stdout.ends_with("\nint main() {\n    std::cout << build() << std::endl;\n}\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn variables_of_typed_programs_are_optionals_if_another_block_uses_them() {
    let text = "from tvm.script import relax as R\n\n@R.function\ndef f(x: R.Tensor((4,), \"float32\"), s: R.Shape(ndim=1)):\n    \
                with R.dataflow():\n        y = R.add(x, R.const(2, \"float32\"))\n        R.output(y)\n    return R.tuple(y, R.prim_value(3))\n";
    let ran = run(&["emit", "--target", "tvm-cpp-builder", &file("typed_relax.py", text)]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let body = ran.stdout.split_once("    ffi::Optional<IRBuilder> b;\n").expect("a body").1;
    let expected = r#"    {
        auto scope_2 = IRBuilder();
        With<IRBuilder> in_scope_2(scope_2);
        b = scope_2;
        {
            ffi::Optional<R::BlockFrame> scope_1;
            auto scope_3 = R::Function(Bool(true), Bool(false));
            With<R::FunctionFrame> in_scope_3(scope_3);
            R::FuncName("f");
            auto x = R::Arg("x", relax::TensorStructInfo(relax::ShapeExpr(ffi::Array<PrimExpr>{4}), dtype("float32"), std::nullopt));
            auto s = R::Arg("s", relax::ShapeStructInfo(static_cast<int>(1)));
            {
                auto scope_4 = R::Dataflow();
                With<R::BlockFrame> in_scope_4(scope_4);
                scope_1 = scope_4;
                auto y = IRBuilder::Name("y", R::Emit(relax_op("relax.op.add", x, relax::Constant(constant(2.0, "float32")))));
                R::DataflowBlockOutput({y});
            }
            auto values_1 = scope_1.value()->output_vars;
            auto y_1 = values_1[0];
            R::FuncRetValue(relax::Tuple(ffi::Array<relax::Expr>{y_1, relax::PrimValue::Int64(3)}));
        }
    }
    auto f = b.value()->Get<ObjectRef>();
    return f;
}
"#;
    assert_eq!(body, expected);
    // A function that only a text above calls stands before the program.
    assert!(ran.stdout.contains("static tvm::relax::Expr relax_op("), "{}", ran.stdout);
    assert!(!ran.stdout.contains("name_many"), "{}", ran.stdout);
}

#[test]
fn what_tvms_builder_lacks_is_named() {
    let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(T.Let(y, where={y: x}))\n"
        .replace("    T.evaluate", "    y = T.int32()\n    T.evaluate");
    let ran = run(&["emit", "--target", "tvm-cpp-builder", &file("lacks.py", &text)]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("the target has no form of `T.Let(Var, where={..})`"), "{}", ran.stderr);
}

#[test]
fn programs_in_rust_import_what_they_call() {
    let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f():\n    T.evaluate(T.call_extern(\"int32\", \"val(name(\"))\n";
    let ran = run(&["emit", "--target", "rust-builder", &file("calls.py", text)]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.starts_with("use tvmscript::dynamic::{BuildErrors, Program, args, call, with};\n"),
        "{}",
        ran.stdout
    );
}
