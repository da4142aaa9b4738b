//! `upgrade`: scripts of one release as another release has them.

use serde_json::Value;

use crate::common::{file, run};

const OLD: &str = r#"# from tvm.script import tir as T

@T.prim_func
def f(a: T.handle, B: T.Buffer((8,), "float32"), x: T.int32):
    T.func_attr({"tir.noalias": True})
    n = T.int32()
    A = T.match_buffer(a, (n, 4))
    assert x > 0, "positive"
    with T.LetStmt(x * 2) as v:
        b = T.allocate([8], "float32", "shared")
        b_1 = T.Buffer((8,), data=b, scope="shared")
        b_2 = T.Buffer((2, 4), data=b, scope="shared")
        b_1[v] = A[0, 1]
        B[0:4] = b_1[0:4]
        b_2[0, 0] = T.Cast("float32", T.bitwise_and(v, 3))
        with T.decl_buffer((4,), data=B.data) as c:
            c[1] = T.float32(1)
        T.attr(0, "k", 1)
        T.evaluate(T.ret(x))
"#;

const NEW: &str = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n", 4), "float32"), B: T.Buffer((8,), "float32"), x: T.int32):
    n = T.int32()
    T.func_attr({"tirx.noalias": True})
    assert x > 0, ("RuntimeError", ["positive"])
    v: T.let[T.int32] = x * 2
    b_1 = T.alloc_shared((8,))
    b_2 = b_1.view(2, 4)
    b_1[v] = A[0, 1]
    B[0:4] = b_1[T.Ramp(0, 1, 4)]
    b_2[0, 0] = T.Cast("float32", v & 3)
    c = T.decl_buffer((4,), data=B.data)
    c[1] = T.float32(1.0)
    with T.attr({"k": 1}):
        return x
"#;

#[test]
fn a_printed_text_is_that_of_the_target_and_stays() {
    let upgraded = run(&["upgrade", &file("old.py", OLD)]);
    assert_eq!((upgraded.status, upgraded.stdout.as_str()), (0, NEW), "{}", upgraded.stderr);
    assert!(upgraded.stderr.contains("[E1001] Note"), "{}", upgraded.stderr);
    let new = file("new.py", NEW);
    let again = run(&["upgrade", &new]);
    assert_eq!((again.status, again.stdout.as_str(), again.stderr.as_str()), (0, NEW, ""));
    assert_eq!(run(&["roundtrip", &new]).status, 0);
}

#[test]
fn a_text_goes_back_to_the_older_release() {
    let back = run(&["upgrade", "--to", "tvm-0.23", &file("new.py", NEW)]);
    assert_eq!(back.status, 0, "{}", back.stderr);
    for line in [
        "@T.prim_func\n",
        "    v: T.int32 = x * 2\n",
        "assert x > 0, \"positive\"",
        "\"tir.noalias\"",
        "T.match_buffer(",
    ] {
        assert!(back.stdout.contains(line), "{line}: {}", back.stdout);
    }
    let old = file("back.py", &back.stdout);
    assert_eq!(run(&["roundtrip", "--profile", "tvm-0.23", &old]).status, 0, "{}", back.stdout);
    assert_eq!(run(&["upgrade", "--from", "tvm-0.23", &old]).stdout, NEW, "{}", back.stdout);
}

const SIZE: &str = "# from tvm.script import tir as T

@T.prim_func
def f(a: T.handle):
    n = T.int32(is_size_var=True)
    A = T.match_buffer(a, (n,))
    A[0] = T.float32(1.0)
";

#[test]
fn a_loss_is_an_error_unless_it_is_accepted() {
    let path = file("size.py", SIZE);
    let strict = run(&["upgrade", &path]);
    assert_eq!((strict.status, strict.stdout.as_str()), (1, SIZE));
    assert!(strict.stderr.contains("[E1002] Error"), "{}", strict.stderr);
    let lossy = run(&["upgrade", "--lossy", &path]);
    assert_eq!(lossy.status, 0);
    assert!(lossy.stdout.contains("def f(A: T.Buffer((\"n\",), \"float32\")):"), "{}", lossy.stdout);
    assert!(lossy.stderr.contains("[E1002] Warning"), "{}", lossy.stderr);
    let json = run(&["upgrade", "--format", "json", &path]);
    let line: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        (&line["ok"], &line["changed"], &line["from"]),
        (&false.into(), &false.into(), &"tvm-0.23".into())
    );
    let codes: Vec<&str> =
        line["findings"].as_array().into_iter().flatten().filter_map(|f| f["code"].as_str()).collect();
    assert_eq!(codes, ["E1001", "E1002"]);
}

const PYTHON: &str = r#""""A file."""
import numpy as np
from tvm.script import ir as I, tir as T  # both
from tvm.script import relax as R
from tvm.script.parser import tir as P
from tvm.script.tir import float32 as single
import tvm.script.tir as Q

N = 4   # kept


@T.prim_func
def first(A: T.Buffer((4,), "float32")):
    # a comment
    B = T.alloc_buffer((1,), scope="local")
    for i in range( 4 ):
        x = A[i] * 2.0
        y: T.float32 = (x +
                        1.0)
        C = B
        C[0] = y
        A[i] = C[0]  # end of line


class TestX:
    def test(self):

        @I.ir_module
        class Before:
            @R.function
            def main(x: R.Tensor((4,), "float32"), o: R.Object) -> R.Tensor((4,), "float32"):
                y = R.call_packed("f", x, sinfo_args=R.Tensor((4,), "float32"))
                z = R.call_packed("f", x, sinfo_args=R.Object)
                return y

        assert   Before is not None


@P.prim_func(private=True)
def uses(A: P.Buffer((N,), "float32")):
    T.func_attr({"tir.noalias": True, "tir": "tir.x"})
    with T.block("root"):
        A[0] = T.float32(N)


@T.prim_func
def vectors(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), i: T.int32):
    A[0:N] = T.exp(B[0:N]) + B[i:i + N]
    A[i:i + 4] = T.Cast("float32x4", B[4:8])


@T.prim_func
def opens(A: T.Buffer((4,), "float32")):
    with T.LetStmt(A[0] * N) as v:
        A[0] = v
"#;

#[test]
fn a_python_file_changes_in_its_scripts_and_imports_only() {
    let path = file("module.py", PYTHON);
    let ran = run(&["upgrade", &path]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the release has no `T.LetStmt`"), "{}", ran.stderr);
    let expected = PYTHON
        .replace("tir as T  # both", "tirx as T  # both")
        .replace("tir as P", "tirx as P")
        .replace("script.tir import float32", "script.tirx import float32")
        .replace("tir as Q", "tirx as Q")
        .replace("@T.prim_func\ndef first", "@T.prim_func(s_tir=True)\ndef first")
        .replace("x = A[i]", "x: T.let = A[i]")
        .replace("y: T.float32 =", "y: T.let[T.float32] =")
        .replace("T.alloc_buffer", "T.sblock_alloc_buffer")
        .replace("sinfo_args=R.Object", "ty_args=(R.Any,)")
        .replace("R.Object", "R.Any")
        .replace("sinfo_args=R.Tensor((4,), \"float32\")", "ty_args=(R.Tensor((4,), \"float32\"),)")
        .replace("private=True", "private=True, s_tir=True")
        .replace("\"tir.noalias\"", "\"tirx.noalias\"")
        .replace("T.block", "T.sblock")
        .replace("@T.prim_func\ndef vectors", "@T.prim_func(s_tir=True)\ndef vectors")
        .replace(
            "T.exp(B[0:N]) + B[i:i + N]",
            "T.exp(B[T.Ramp(0, 1, N) if N > 1 else 0]) + B[T.Ramp(i, 1, N) if N > 1 else i]",
        )
        .replace("B[4:8]", "B[T.Ramp(4, 1, 4)]");
    assert_eq!(ran.stdout, expected);
    let diff = run(&["upgrade", "--diff", &path]);
    assert!(diff.stdout.contains("\n-@T.prim_func\n+@T.prim_func(s_tir=True)\n"), "{}", diff.stdout);
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), PYTHON);
    assert_eq!(run(&["upgrade", "--write", &path]).status, 1);
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), expected);
}

#[test]
fn a_script_that_edits_do_not_bring_to_the_release_is_printed_anew() {
    let text = "from tvm.script import tir as T\n\n\n@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    \
                with T.LetStmt(A[0] * 2.0) as v:\n        A[0] = v\n\n\nx  =  1\n";
    let ran = run(&["upgrade", &file("nested.py", text)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "from tvm.script import tirx as T\n\n\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((4,), \"float32\")):\n    \
         v: T.let[T.float32] = A[0] * T.float32(2.0)\n    A[0] = v\n\n\nx  =  1\n"
    );
}

#[test]
fn printed_scripts_have_the_line_ends_of_the_file() {
    let text = "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    with T.LetStmt(A[0]) as x:\n        A[1] = x\n\n\ny = 1\n";
    let text = text.replace('\n', "\r\n");
    let ran = run(&["upgrade", &file("windows.py", &text)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("from tvm.script import tirx as T\r\n@T.prim_func(s_tir=True)\r\n"),
        "{:?}",
        ran.stdout
    );
    assert!(!ran.stdout.replace("\r\n", "").contains('\n'), "{:?}", ran.stdout);
}

const FACTORY: &str = r#"from tvm import tir
from tvm.script import tir as T


def make(n, dtype):
    @T.prim_func
    def f(a: T.handle):
        A = T.match_buffer(a, (n,), dtype)
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x = A[vi] * 2
                A[vi] = tir.max(x, T.bitwise_and(x, 1))

    return f
"#;

#[test]
fn a_script_that_needs_arguments_is_edited_and_compared_if_it_gets_them() {
    let path = file("factory.py", FACTORY);
    let expected = FACTORY
        .replace("from tvm import tir\n", "from tvm import tirx as tir\n")
        .replace("import tir as T", "import tirx as T")
        .replace("@T.prim_func", "@T.prim_func(s_tir=True)")
        .replace("T.block", "T.sblock")
        .replace("x = A[vi]", "x: T.let = A[vi]");
    let ran = run(&["upgrade", &path]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, expected.as_str()), "{}", ran.stderr);
    assert!(ran.stderr.contains("[E1020] Note"), "{}", ran.stderr);
    let called = run(&["upgrade", "--call", "make(4, 'int32')", &path]);
    assert_eq!((called.status, called.stdout.as_str()), (0, expected.as_str()), "{}", called.stderr);
    assert!(!called.stderr.contains("E1020"), "{}", called.stderr);
    let unknown = FACTORY.replace("x = A[vi] * 2", "x = dtype(A)");
    let ran = run(&["upgrade", &file("unknown.py", &unknown)]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, unknown.as_str()), "{}", ran.stderr);
    assert!(ran.stderr.contains("it depends on the value if `x` is a variable"), "{}", ran.stderr);
    let again = run(&["upgrade", &file("again.py", &expected)]);
    assert_eq!(
        (again.status, again.stdout.as_str(), again.stderr.contains("Error")),
        (0, expected.as_str(), false)
    );
}

#[test]
fn a_file_of_relax_scripts_shows_its_release() {
    let text = "from tvm.script import relax as R\nfrom tvm.script import tir as T\n\n\n@R.function\n\
                def f(x: R.Tensor((\"n\",), \"float32\")):\n    n = T.int64()\n    \
                y: R.Tensor((n,), \"float32\") = R.add(x, x)\n    return y\n";
    let ran = run(&["upgrade", &file("relax.py", text)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let again = run(&["upgrade", &file("again.py", &ran.stdout)]);
    assert_eq!((again.status, &again.stdout), (0, &ran.stdout), "{}", again.stderr);
}

#[test]
fn symbolic_values_come_in_front_of_results() {
    let ran = run(&[
        "upgrade",
        &file(
            "module.py",
            r#"# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(x: T.Buffer((4,), "int64"), y: T.Buffer((4,), "int64"), n: T.int64):
        y[0] = x[0] + n

    @R.function
    def main(x: R.Tensor((4,), dtype="int64"), s: R.Shape(["n"])) -> R.Tensor((4,), dtype="int64"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((4,), dtype="int64"), tir_vars=R.shape([n]))
        return y
"#,
        ),
    ]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("def k(x: T.Buffer((4,), \"int64\"), n: T.int64, y: T.Buffer((4,), \"int64\")):"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("R.call_tir(cls.k, (x, n), out_ty="), "{}", ran.stdout);
    assert!(ran.stdout.contains("n = TypeVar(\"n\")\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("[E1011]"), "{}", ran.stderr);
}

#[test]
fn releases_without_rules_are_refused() {
    let text = "# from tvm.script import tirx as T\n\n@T.prim_func\ndef f():\n    T.fence_proxy_async()\n";
    let refused = run(&["upgrade", &file("tilelang.py", text)]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("there are no rules from tilelang-0.25 to tvm-0.27"),
        "{}",
        refused.stderr
    );
    let rules = run(&["upgrade", "--rules"]).stdout;
    assert!(rules.starts_with("## From tvm-0.23 to tvm-0.27\n"), "{rules}");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/upgrade.md"))
        .expect("the page");
    assert!(
        page.replace("\r\n", "\n").contains(rules.trim_end()),
        "docs/upgrade.md is out of date: `tvmscript upgrade --rules`"
    );
}

#[test]
fn a_reducer_with_logic_operators_is_reported() {
    let text = |combined: &str| {
        format!(
            "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n    \
             with T.attr(T.comm_reducer(lambda a, b, c, d: (T.Select({combined}, a, c), b), [-1, 0]), \
             \"reduce_scope\", x):\n        T.evaluate(x)\n"
        )
    };
    let logic = run(&["upgrade", &file("logic.py", text("a > c or b < d"))]);
    assert_eq!(logic.status, 1, "{}", logic.stdout);
    assert!(logic.stderr.contains("[E1018]"), "{}", logic.stderr);
    let plain = run(&["upgrade", &file("plain.py", text("a > c"))]);
    assert_eq!(plain.status, 0, "{}", plain.stderr);
}

#[test]
fn masked_accesses_become_operators_and_go_back() {
    const MASKED: &str = r#"# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32"), i: T.int32):
    with T.block("b"):
        T.reads()
        T.writes()
        B.vstore([T.Ramp(0, 1, 4)], A.vload([i, T.Ramp(0, 1, 4)], predicate=T.Broadcast(T.bool(True), 4)), predicate=T.Broadcast(i > 0, 4))
        B[0] = A.vload([i, 0], predicate=i > 0)
"#;
    let new = MASKED
        .replace("script import tir as T\n", "script import tirx as T\n# from tvm.tirx.layout import Axis\n")
        .replace("prim_func", "prim_func(s_tir=True)")
        .replace("T.block", "T.sblock")
        .replace("B.vstore([T.Ramp(0, 1, 4)], A.vload([i, T.Ramp(0, 1, 4)], predicate=T.Broadcast(T.bool(True), 4)), predicate=T.Broadcast(i > 0, 4))",
            "T.masked_store(B, T.masked_load(\"float32x4\", A, i, T.Ramp(0, 1, 4), T.Broadcast(T.bool(True), 4)), T.Ramp(0, 1, 4), T.Broadcast(i > 0, 4))")
        .replace("A.vload([i, 0], predicate=i > 0)", "T.masked_load(\"float32\", A, i, 0, i > 0)");
    let ran = run(&["upgrade", &file("masked.py", MASKED)]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, new.as_str()), "{}", ran.stderr);
    let back = run(&["upgrade", "--to", "tvm-0.23", &file("new.py", &new)]);
    assert_eq!((back.status, back.stdout.as_str()), (0, MASKED), "{}", back.stderr);
    let wrong = new.replace("\"float32x4\"", "\"float32x8\"");
    let checked = run(&["check", &file("wrong.py", wrong)]);
    assert!(checked.stderr.contains("a load of type `float32x8`"), "{}", checked.stderr);
}

#[test]
fn barriers_have_all_arguments_and_go_back() {
    const OLD: &str = "# from tvm.script import tir as T

@T.prim_func
def f(n: T.int32):
    T.tvm_storage_sync(\"shared\")
";
    let new = OLD
        .replace("tir as T\n", "tirx as T\n# from tvm.tirx.layout import Axis\n")
        .replace("prim_func", "prim_func(s_tir=True)")
        .replace("(\"shared\")", "(\"shared\", T.bool(False), -1)");
    let ran = run(&["upgrade", &file("barrier.py", OLD)]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, new.as_str()), "{}", ran.stderr);
    let back = run(&["upgrade", "--to", "tvm-0.23", &file("new_barrier.py", &new)]);
    assert_eq!((back.status, back.stdout.as_str()), (0, OLD), "{}", back.stderr);
}

#[test]
fn handles_of_buffers_become_their_data() {
    const OLD: &str = r#"# from tvm.script import tir as T

@T.prim_func
def f(a: T.handle, b: T.handle("float32")):
    A = T.match_buffer(a, (16,))
    B = T.match_buffer(b, (16,))
    C = T.Buffer((4,), data=b)
    C[0] = T.float32(1.0)
    T.call_extern("void", "g", a, b)
"#;
    let ran = run(&["upgrade", &file("handle.py", OLD)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    C = T.decl_buffer((4,), data=B.data)
    C[0] = T.float32(1.0)
    T.call_extern("void", "g", T.reinterpret(T.handle().ty, A.data), B.data)
"#
    );
}

#[test]
fn pointers_are_converted_to_the_elements_that_they_are_bound_to() {
    const OLD: &str = r#"# from tvm.script import tir as T

@T.prim_func
def f(h: T.handle):
    with T.LetStmt(T.tvm_stack_alloca("array", 4), var=T.handle("float32")) as p:
        B = T.Buffer((4,), data=p)
        B[0] = T.float32(1.0)
"#;
    let ran = run(&["upgrade", &file("stack.py", OLD)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let bound = "    p: T.let[T.handle(\"float32\", \"global\")] = T.reinterpret(T.handle(\"float32\", \"global\").ty, \
                 T.tvm_stack_alloca(\"array\", 4))\n    B = T.decl_buffer((4,), data=p)\n";
    assert!(ran.stdout.contains(bound), "{}", ran.stdout);
}

#[test]
fn operators_of_namespaces_are_renamed() {
    let old = r#"# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((32, 8), "float16"), C: T.Buffer((32, 8), "float32"), y: T.int32):
    with T.block("b"):
        T.reads()
        T.writes()
        T.ptx_mma("float32", "m16n8k8", "row", "col", "fp16", "fp16", "fp32", A.data, 0, A.data, 0, C.data, 0, T.bool(False))
        T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A.data, 0, A.data, 0)
        T.mma_fill("float32", 8, C.data, 0)
        T.mma_store("float32", 16, 16, C.data, C.data, 0, 16)
        T.simdgroup_load(A.data, 0, A.data, 8, 8, 8, T.bool(False))
        T.make_filled_simdgroup_matrix(A.data, 0, T.float32(0.0), 8, 8)
"#;
    let ran = run(&["upgrade", &file("old.py", old)]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for (old, new) in [
        ("ptx_mma", "ptx_legacy.mma"),
        ("ptx_ldmatrix", "ptx_legacy.ldmatrix"),
        ("mma_fill", "cuda.mma_fill_legacy"),
        ("mma_store", "cuda.mma_store_legacy"),
        ("simdgroup_load", "metal.simdgroup_load"),
        ("make_filled_simdgroup_matrix", "metal.make_filled_simdgroup_matrix"),
    ] {
        assert!(ran.stdout.contains(&format!(" T.{new}(")), "{old}: {}", ran.stdout);
    }
    let new = file("new.py", &ran.stdout);
    assert_eq!(run(&["roundtrip", &new]).status, 0);
    assert_eq!(run(&["upgrade", "--to", "tvm-0.23", &new]).stdout, old);
    // The release prints no type.
    let untyped = ran.stdout.replace("T.ptx_legacy.ldmatrix(\"float16\", ", "T.ptx_legacy.ldmatrix(");
    assert_eq!(run(&["check", &file("untyped.py", untyped)]).status, 0);
}

#[test]
fn forms_of_the_release_are_read() {
    let text = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 64), "float32"), B: T.Buffer((64,), "float32"), y: T.int32):
    for i in range(4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            for v in T.unroll(4):
                at: T.let = vi * 16 + y * 4 + v
                B[vi * 4 + v] = T.call_intrin("float32", "tirx.exp", A[0, at])
                T.evaluate(T.reinterpret(B[vi], dtype="int32"))
"#;
    let ran = run(&["print", &file("forms.py", text)]);
    for line in [
        "T.reads(A[0, vi * 16 + y * 4:vi * 16 + y * 4 + 4], B[vi])",
        "= T.exp(A[0, at])",
        "T.reinterpret(\"int32\", B[vi])",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A function of TVM 0.23, and the same as TVM 0.27 writes it.
fn of_both_releases() -> [String; 2] {
    let old = r#"# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.LetStmt(A[i] * T.float32(2.0)) as v:
            A[i] = v + v
"#;
    let old = file("old.py", old);
    let new = run(&["upgrade", "--to", "tvm-0.27", &old]).stdout;
    [old, file("new.py", new)]
}

#[test]
fn files_of_two_releases_are_compared_after_upgrading_the_older_one() {
    let [old, new] = of_both_releases();
    for [a, b] in [[&old, &new], [&new, &old]] {
        let ran = run(&["equal", a, b]);
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("is compared as tvm-0.27 has it"), "{}", ran.stderr);
        assert_eq!(run(&["diff", a, b]).status, 0);
        assert_eq!(run(&["equal", "--as-written", a, b]).status, 1);
        assert_eq!(run(&["diff", "--as-written", a, b]).status, 1);
    }
}

#[test]
fn differences_across_releases_are_those_that_upgrading_leaves() {
    let [old, new] = of_both_releases();
    let text = std::fs::read_to_string(&new).expect("the file was just written").replace("2.0", "3.0");
    let changed = file("changed.py", text);
    let ran = run(&["diff", "--format", "json", &old, &changed]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["edits"].as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!(report["upgraded"]["from"], "tvm-0.23");
    assert_eq!(report["upgraded"]["to"], "tvm-0.27");
    let ran = run(&["equal", &old, &changed]);
    assert!(ran.stdout.contains("1 difference:"), "{}", ran.stdout);
}

/// One variable in two functions: the text of a module has one for each.
const SHARED_VARIABLE: &str = "from tvm.script import ir as I, tir as T

y = T.int32()


@I.ir_module
class M:
    @T.prim_func
    def a():
        T.evaluate(y)

    @T.prim_func
    def b():
        T.evaluate(y)
";

#[test]
fn a_text_that_does_not_read_back_stays() {
    let path = file("upgrade_shared_variable.py", SHARED_VARIABLE);
    for flags in [&["--write"][..], &["--write", "--lossy"]] {
        let ran = run(&[&["upgrade"], flags, &[&path]].concat());
        assert_eq!(ran.status, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("E1016"), "{}", ran.stderr);
        assert!(ran.stderr.contains("its edited text builds another program"), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&path).expect("it is still there"), SHARED_VARIABLE);
    }
}
