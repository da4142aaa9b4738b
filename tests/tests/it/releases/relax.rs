//! Relax in the text of TVM 0.27.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::{Object, any_node};
use tvmscript::relax::PrimStructInfo;
use tvmscript::{ParseOptions, PrinterConfig, parse, print, registry};

use super::{read, reads_and_prints};

#[test]
fn tvm_0_27_type_variables_are_declared_by_function() {
    reads_and_prints(
        r#"# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import relax as R

b = TypeVar("b")
z = TypeVar("z")
a = TypeVar("a")
@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor((z, b), dtype="float32")) -> R.Tensor((z, b), dtype="float32"):
        return x

    @R.function
    def second(x: R.Tensor((a,), dtype="float32")) -> R.Tensor((a,), dtype="float32"):
        return x"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_offsets_of_parameters_are_type_variables() {
    reads_and_prints(
        r#"# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

elem_offset = TypeVar("elem_offset")
elem_offset_1 = TypeVar("elem_offset_1")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(x: T.Buffer((), "float32", elem_offset=elem_offset), y: T.Buffer((T.int64(2),), "float32", elem_offset=elem_offset_1)):
        T.evaluate(0)"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_nested_functions_name_the_module_themselves() {
    reads_and_prints(
        r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def add(a: R.Tensor((2,), dtype="float32"), b: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        return a

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32"), z: R.Any) -> R.Tensor((2,), dtype="float32"):
        # from tvm.script import relax as R
        
        @R.function
        def inner(a: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            cls = Module
            s: R.Tensor((2,), dtype="float32") = cls.add(a, y)
            return s

        r: R.Tensor((2,), dtype="float32") = inner(x)
        return r"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_texts_in_relax_have_their_type() {
    reads_and_prints(
        r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 16), dtype="float32")) -> R.Tensor((4, 16), dtype="float32"):
        st: I.StringType() = R.str("a")
        return x
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_operators_take_bare_scalars_and_absent_types() {
    let text = r#"# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2, 2), I.Range(0, 4))]})
    @R.function
    def f(x: R.Tensor((3, 3), dtype="float32"), i: R.Tensor((4,), dtype="int32")) -> R.Tensor((3, 3), dtype="float32"):
        a: R.Tensor((3, 3), dtype="float32") = R.argsort(x, axis=-1, descending=False, dtype=None)
        b: R.Tensor((5, 4), dtype="int64") = R.one_hot(i, 1, 0, depth=5, axis=0)
        d: R.Tensor((2, 3), dtype="float32") = R.builtin.alloc_tensor(R.shape([2, 3]), R.dtype("float32"), 0, R.str("global"), ty_args=(R.Tensor((2, 3), dtype="float32"),))
        c: R.Tensor(dtype="float32", ndim=1) = R.unique(x, 1, T.bool(False), T.bool(False), 0)
        return a

    @R.function
    def g(x: R.DTensor((4, 4), "float32", "mesh[0]", "S[0], R")) -> R.DTensor((4, 4), "float32", "mesh[0]", "S[0], R"):
        cls = Module
        a: R.DTensor((4, 4), "float32", "mesh[0]", "S[0], R") = R.dist.call_tir_local_view(cls.f, (x,), out_ty=R.DTensor((4, 4), "float32", "mesh[0]", "S[0], R"))
        b = R.dist.call_tir(cls.f, (x,), out_ty=R.DTensor((4, 4), "float32", "mesh[0]", "S[0], R"))
        return a
"#
    .replace("import relax as R\n", "import tirx as T\n# from tvm.tirx.layout import Axis\n# from tvm.script import relax as R\n");
    reads_and_prints(&text, "tvm-0.27");
    let otherwise =
        text.replace("1, T.bool(False), T.bool(False), 0", "1, R.prim_value(False), False, return_counts=0");
    let (a, b) = (read(&text), read(&otherwise));
    assert!(StructuralEqual::default().compare(&a.scripts[0].node, &b.scripts[0].node));
}

/// Scalars of Relax, as TVM 0.27 prints them.
const SCALARS: &str = r#"# from typing import TypeVar
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
@R.function
def f(x: R.Tensor((n, 3), dtype="float32"), p: T.int64, c: T.bool) -> R.Tensor((n, 3), dtype="float32"):
    d: T.int64 = n + 1
    q: T.int64 = p + 1
    k: T.int64 = T.max(p, d) // 2
    l: T.int64 = k
    w: T.bool = True
    t: T.int32 = 3
    a: R.Tensor((d, 3), dtype="float32") = R.zeros(R.shape([d, 3]), dtype="float32")
    b: R.Tensor((p, q), dtype="float32") = R.reshape(x, R.shape([p, q]))
    u: R.Tensor(((q + 1 - p) // 2,), dtype="int64") = R.arange(p, q, 2, dtype="int64")
    e: R.Tensor((n, 3), dtype="float32") = R.clip(x, p, q)
    h: T.int64 = R.add(p, q)
    with R.dataflow():
        m: T.int64 = q + 1
        r: T.int64 = m * m
        o: R.Tensor((r, 3), dtype="float32") = R.zeros(R.shape([r, 3]), dtype="float32")
        R.output(r, o)
    if c:
        s_then: T.int64 = r + 1
        s: T.int64 = s_then
    else:
        s: T.int64 = p
    return e
"#;

#[test]
fn tvm_0_27_scalars_of_relax_are_expressions() {
    reads_and_prints(SCALARS, "tvm-0.27");
    // Without annotations, and with the names of variables for their types.
    let written = SCALARS
        .lines()
        .map(|line| match line.split_once(": T.int64 = ") {
            Some((name, value)) => format!("{name} = {value}\n"),
            None => format!("{line}\n"),
        })
        .collect::<String>();
    assert_ne!(written, SCALARS);
    let (a, b) = (read(&written), read(SCALARS));
    assert!(a.errors.is_empty(), "{:?}", a.errors);
    assert!(StructuralEqual::default().compare(&a.scripts[0].node, &b.scripts[0].node));
}

#[test]
fn a_type_does_not_use_a_scalar_that_only_a_dataflow_block_knows() {
    let text = r#"# from tvm.script import relax as R
# from tvm.tirx.layout import Axis

@R.function
def f(p: T.int64):
    with R.dataflow():
        a = p + 1
        b = R.zeros((a, 2), "float32")
        R.output(b)
    return b
"#;
    let parsed = read(text);
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    assert!(
        printed.contains("b: R.Tensor(dtype=\"float32\", ndim=2) = R.zeros(R.shape([a, 2])"),
        "{printed}"
    );
    reads_and_prints(&(printed + "\n"), "tvm-0.27");
}

#[test]
fn tvm_0_27_constants_are_in_metadata() {
    let text = include_str!("../../../fixtures/tvm_0_27/constant.py");
    let parsed = read(text);
    assert_eq!(parsed.release.id(), "tvm-0.27");
    let config = PrinterConfig { release: Some(parsed.release), show_meta: true, ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    assert_eq!(printed.trim_end(), text.trim_end());
}

#[test]
fn tvm_0_27_functions_of_tensor_expressions_are_those_of_tvm() {
    let text = include_str!("../../../fixtures/programs/emit_te_symbolic.py");
    let mut options = ParseOptions::default();
    options.release = Some(&tvmscript::releases::tvm_0_27::RELEASE);
    let parsed = parse("emit_te_symbolic.py", text, registry(), &options);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    let expected = include_str!("../../../fixtures/tvm_0_27/emit_te_symbolic.txt");
    assert_eq!(printed.trim_end(), expected.trim_end());
}

#[test]
fn tvm_0_27_relax_functions_have_types() {
    reads_and_prints(
        r#"# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def exp(A: T.Buffer((n, 16), "float32"), B: T.Buffer((n, 16), "float32")):
        B[0, 0] = T.exp(A[0, 0])

    @R.function(pure=False)
    def main(x: R.Tensor((n, 16), dtype="float32"), y: R.Tensor(("n + 1", m), dtype="float32"), p: T.int64, o: R.Callable) -> R.Shape([n, "m + 1"]):
        cls = Module
        k = T.int64()
        with R.dataflow():
            lv = R.call_tir(cls.exp, (x,), out_ty=R.Tensor((n, 16), dtype="float32"))
            lv1: R.Tensor((16, n), dtype="float32") = R.permute_dims(lv, axes=None)
            gv: R.Tensor((n, n), dtype="float32") = R.matmul(lv, lv1, out_dtype=None)
            R.output(gv)
        q: R.Tensor = R.call_packed("f", gv, p, ty_args=(R.Tensor,))
        w: R.Any = o(q, n)
        lv2: R.Tensor((k, 3), dtype="float32") = R.match_cast(q, R.Tensor((k, 3), dtype="float32"))
        c: T.int64 = n
        d: T.int64 = 3
        z: R.Shape([n, m + 1]) = R.shape([n, m + 1])
        return z
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_modules_declare_type_variables() {
    reads_and_prints(
        r#"# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((n, m), "float32"), B: T.Buffer(("n + T.int64(1)", m), "float32")):
        B[0, 0] = A[n - T.int64(1), m - T.int64(1)]

    @T.prim_func(private=True, s_tir=True)
    def fill(A: T.Buffer((n, 4), "float32"), m: T.int32):
        A[0, m] = T.float32(1.0)
"#,
        "tvm-0.27",
    );
}

#[test]
fn an_absent_data_type_tells_the_release() {
    reads_and_prints(
        r#"# from tvm.script import relax as R

@R.function
def f(x: R.Tensor((4, 10), dtype="float32"), y: R.Tensor((10, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
    gv: R.Tensor((4, 4), dtype="float32") = R.matmul(x, y, out_dtype=None)
    return gv"#,
        "tvm-0.27",
    );
}

#[test]
fn types_do_not_tell_the_values_of_chained_scalars() {
    // Otherwise the type of each variable would hold those of all before it.
    let text = r#"# from tvm.script import relax as R
# from tvm.tirx.layout import Axis

@R.function
def f(p: T.int64):
    q = p + 1
    r = q + 1
    return (q, r)
"#;
    let parsed = read(text);
    let tells = |node: &Object| node.as_node::<PrimStructInfo>().is_some_and(|info| info.value.is_some());
    assert!(!any_node(&parsed.scripts[0].node, tells));
}
