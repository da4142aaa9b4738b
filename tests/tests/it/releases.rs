//! Texts of several releases: each tells its release, reads, and prints as it was.

mod between;
mod relax;
mod relax_operators;
mod third_party;
mod tirx_operators;
mod toy_2;
mod written;

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::{ParseOptions, Parsed, PrinterConfig, Release, parse, print, registry};

/// Reads a text without errors.
fn read(text: &str) -> Parsed {
    let parsed = parse("text.py", text, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    parsed
}

/// Checks that a text is of this release, prints unchanged, and reads back equal.
fn reads_and_prints(text: &str, release: &str) {
    let parsed = read(text);
    assert_eq!(parsed.release.id(), release, "{}", parsed.release_reason);
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    let node = &parsed.scripts[0].node;
    let printed = print(node, registry(), &config).expect("prints");
    assert_eq!(printed, text.trim_end());
    let again = read(&printed);
    // A variable may be used before the statement that binds it.
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(equal.compare(node, &again.scripts[0].node));
}

#[test]
fn every_release_has_all_dialects_that_it_does_not_change() {
    let ids: Vec<String> = registry().releases().map(Release::id).collect();
    assert_eq!(
        ids,
        ["tvm-0.23", "tvm-0.27", "tvm-0.26", "tvm-0.25", "tvm-0.24", "tilelang-0.25", "tirx-0.1"]
    );
    for release in registry().releases() {
        let dialects = registry().of_release(release).expect("a release of the registry");
        assert_eq!(registry().find_release(&release.id()), Ok(release));
        assert_eq!(dialects.release(), release);
        let own: Vec<&str> = registry().dialects().to_vec();
        let expected: Vec<&str> =
            own.into_iter().filter(|name| release.name != "tirx" || *name != "relax").collect();
        assert_eq!(dialects.dialects(), expected);
    }
}

#[test]
fn tilelang_statements_are_flat() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A_handle: T.handle, n: T.int32):
    A = T.match_buffer(A_handle, (128,), "float16", strides=(1,))
    # with T.sblock("root"):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        with T.sblock("tilelang_root"):
            T.reads(A[bx * 16 + tx])
            T.writes(A[bx * 16 + tx])
            T.sblock_attr({"tl.launch_threads": [16, 1, 1]})
            s = T.sblock_alloc_buffer((16,), "float16", scope="shared.dyn")
            T.copy(T.region(A[bx * 16], 1, 16), T.region(s[0], 2, 16))
            acc = T.alloc_buffer((1,), scope="local")
            v: T.float16 = s[tx]
            acc_1 = T.decl_buffer((1,), data=acc.data, scope="local")
            acc_1[0] = T.Cast("float32", v)
            assert tx < n, ("RuntimeError", ["too many threads"])
            A[bx * 16 + tx] = T.Cast("float16", T.clamp(acc_1[0], T.float32(0.0), T.infinity("float32")))
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_operators_share_names_with_others() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.handle("float16", "global"), B: T.handle("float16", "shared")):
    A_1 = T.decl_buffer((64,), "float16", data=A)
    B_1 = T.decl_buffer((64,), "float16", data=B, scope="shared")
    T.ptx_cp_async(T.address_of(B_1[0]), T.address_of(A_1[0]), 16)
    T.ptx_cp_async("float16", B, 0, A, 0, 16)
    T.tma_copy(T.region(A_1[0], 1, 64), T.region(B_1[0], 2, 64), barrier=0, is_tma_copy=1)
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_calls_that_no_text_makes_are_written_in_full() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.handle("float32", "global"), n: T.int32):
    A_1 = T.decl_buffer((64,), data=A)
    A_1[0] = T.fma(A_1[1], A_1[2], A_1[3])
    A_1[0] = T.Call("float32", "tl.fma", [A_1[1], A_1[2], A_1[3]])
    A_1[0] = T.max(T.__exp(A_1[0]), T.warp_reduce_sum(A_1[1]))
    T.Call("float32", "tl.fence_proxy_async", [])
    T.Call("handle", "tl.set_max_nreg", [n, n, n])
    T.Call("handle", "tl.set_max_nreg", [n, n], annotations={"a": 1})
    T.Call("void", "tl.tileop.copy", [n, n], annotations={"a": 1})
    T.tl.simd.mem_bar("VST_VLD")
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tvm_0_27_operators_of_devices_have_namespaces() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def kernel(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
    B[0] = T.cuda.any_sync(T.uint32(1), A[0] > T.float32(0.0))
    A[0] = T.cuda.warp_reduce(A[1], "max", 32)
    A[1] = T.cuda.ldg(T.address_of(A[0]), "float32")
    T.cuda.iket.range_pop()
    T.cuda.tcgen05.encode_matrix_descriptor(B[0], B[1], 1, 2, 3)
    T.nvshmem.wait_until(A.data, "eq", 1, "uint64_t")
    B[0] = T.metal.simd_shuffle(B[1], 3) + T.nvshmem.my_pe()
    T.Call("float32", "tirx.cuda.any_sync", [B[0], B[1]])
"#,
        "tvm-0.27",
    );
}

#[test]
fn operators_of_tirx_state_a_type_where_it_does_not_follow() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def kernel(p: T.Ptr(T.void), A: T.Tensor((4,), T.int32)):
    A[0] = T.abi_field_get(p, 0, 13, ty=T.int32)
    A[1] = T.cuda.any_sync(T.uint32(1), A[0] > 0)
    T.Call("tirx.abi_field_set", [p, 0, 1], ty=T.int32)
    T.gpu_mma_sync(p, 0, p, 0, p, 0, p, 0)
    T.nvshmem.fence()
"#,
        "tirx-0.1",
    );
}

#[test]
fn a_bound_variable_may_be_declared_before() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def launch():
    A_desc = T.handle("uint8x128", "grid_constant")
    T.func_attr({"tma_descriptor_args": {A_desc: [1, 2]}})
    A_desc = T.tvm_stack_alloca("tvm_ffi_any", 16)
    T.prefetch_tma_descriptor(A_desc)
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tvm_0_27_functions_have_buffers_as_parameters() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def matmul(A: T.Buffer(("m", "n + 1"), "float32"), B: T.Buffer((n, 16), "float32", align=128), k: T.int32):
    n = T.int32()
    m = T.int32()
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    C = T.sblock_alloc_buffer((m, 16), scope="shared")
    for i, j in T.grid(m, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < k)
            T.reads(A[vi, vj], B[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj] * B[vi, vj]
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_variables_are_buffers_of_one_element() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def variables(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32", layout=None), n: T.int32):
    x: T.int32 = n + 1
    x = x * 2
    y: T.int32
    A[x] = T.float32(1.0)
    y = 3
    w: T.let[T.int32] = x + y
    v = T.alloc_local((1,), "int32", layout=None)
    v[0] = w
    s = T.alloc_shared((8, 4), "float16", layout=T.TileLayout(T.S[(8, 4):(1, 8)]))
    s[0, 0] = T.float16(0.0)
    if w > 3:
        t: T.let[T.handle("float32", "global")] = A.data
        C = T.decl_buffer((4,), data=t)
        C[0] = T.float32(2.0)
    B[0:4] = B[T.Ramp(4, 1, 4)]
    return x
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_statements_are_flat() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def flat(A: T.Buffer((16,), "int32")):
    B = A.view(4, 4)
    C = T.decl_buffer((16,), "int32", data=A.data, elem_offset=T.int64(0))
    D = T.alloc_buffer((8,), "int8", scope="warp")
    assert A[0] < 3, ("ValueError", ["A[0] is too large"])
    with T.attr({"a": 1, "b": "x"}):
        B[0, 0] = A[0] & 3 | A[1] << 2 ^ ~A[2]
        C[0] = T.BitwiseAnd(3, 5)
    for i in T.serial(4, unroll=2):
        D[i] = T.int8(0)
    T.evaluate(A[0] >> 1)
    with T.attr(A.data, "storage_alignment", 128):
        for i in T.unroll(4, annotations={"a": 1, "pragma_unroll": 2}):
            A[i] = T.call_extern("int32", "f", T.call_extern(T.handle().ty, "g"), C.data)
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_kernels_name_scopes_and_are_called() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((16, 8), "float32"), n: T.int32):
    T.attr({"tirx.device_entry": T.bool(True)})
    bx, by = T.cta_id([4, 4])
    w = T.warp_id([4])
    l = T.lane_id([32], dtype="uint32")
    T.call_ffi_kernel("main_kernel", A.data, 1, 1024, launch_params=["blockIdx.x", "threadIdx.x"], ret_ty="int32")
    p: T.let[T.handle] = T.reinterpret(T.handle().ty, A.data)
    with T.launch_thread("threadIdx.x", n) as tx:
        M = T.alloc_shared((1,))
        if w == 0:
            M[0] = B[bx, by] + A[tx]
            T.call_extern("int32", "f", p, l)
"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_texts_may_be_written_otherwise() {
    let written = r#"from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def copy(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 4))
    B = T.match_buffer(b, (n, 4))
    i = n - 1
    i += 1
    v = A.data
    w: T.let = n * 2
    g = T.shared_scalar("int32")
    g = w
    B.view(-1)[i] = A[i, T.bitwise_and(g, 3)] + 1.0
    T.call_extern("void", "send", A.ptr_to([i, 2]))
"#;
    let printed = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def copy(A: T.Buffer(("n", 4), "float32"), B: T.Buffer((n, 4), "float32"), n: T.int32):
    i: T.int32 = n - 1
    i = i + 1
    v: T.let[T.handle("float32", "global")] = A.data
    w: T.let[T.int32] = n * 2
    g = T.alloc_shared((1,), "int32", layout=T.TileLayout(T.S[1:1]))
    g[0] = w
    buffer = B.view(n * 4)
    buffer[i] = A[i, g[0] & 3] + T.float32(1.0)
    T.call_extern("void", "send", T.address_of(A[i, 2]))"#;
    let parsed = read(written);
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    assert_eq!(print(&parsed.scripts[0].node, registry(), &config).expect("prints"), printed);
    reads_and_prints(printed, "tvm-0.27");
}

/// Within a function by name; by function otherwise.
#[test]
fn tvm_0_27_layouts_have_no_axis_separators() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@R.function
def f(x: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 2, 2), dtype="float32"):
    gv: R.Tensor((4, 2, 2), dtype="float32") = R.layout_transform(x, index_map=T.index_map(lambda a, b: (a, b // 2, b % 2)), pad_value=None)
    return gv"#,
        "tvm-0.27",
    );
}

#[test]
fn tvm_0_27_views_may_have_another_type() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(A: T.Buffer((4, 16), "float32")):
    B = A.view("float16")
    C = A.view("float64")
    D = T.alloc_shared((16,), "float16")
    E = D.view("float32")
    G = D.view("int8")
    H = A.view("int32")
    D3 = D.view("int32")
    D4 = T.decl_buffer((4,), "int32", data=D.data, scope="shared")
    D5 = T.decl_buffer((4, 4), "int64", data=A.data)
    D6 = T.decl_buffer((2, 8), "int64", data=A.data)
    B[0, 0] = T.float16(0.0)
"#,
        "tvm-0.27",
    );
}

#[test]
fn a_view_of_a_layout_that_has_no_other_type_is_an_error() {
    let text = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n\n@T.prim_func\ndef f(A: T.Buffer((4, 16), \"float32\", layout=T.TileLayout(T.S[(4, 16):(1, 4)]))):\n    B = A.view(\"float64\")\n    B[0, 0] = T.float64(0.0)\n";
    let parsed = parse("text.py", text, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.iter().any(|error| error.contains("has no view of type `float64`")), "{errors:?}");
}

#[test]
fn tvm_0_27_barriers_have_three_arguments_and_annotations_literals() {
    let text = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    B = T.alloc_shared((4,), annotations={"align": 64, "nested": [1, 2], "volatile": True})
    T.tvm_storage_sync("shared")
    T.tvm_storage_sync("warp", num_blocks=3)
    B[0] = A[0]
"#;
    let printed = text
        .replace("True", "T.bool(True)")
        .replace("(\"shared\")", "(\"shared\", T.bool(False), -1)")
        .replace("(\"warp\", num_blocks=3)", "(\"warp\", T.bool(False), 3)");
    reads_and_prints(&printed, "tvm-0.27");
    let (a, b) = (read(text), read(&printed));
    assert!(StructuralEqual::default().compare(&a.scripts[0].node, &b.scripts[0].node));
}

#[test]
fn tvm_0_27_calls_state_the_elements_of_pointers() {
    let text = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(p: T.handle, q: T.handle("float32", "global")):
    v: T.let[T.handle("int64", "global")] = T.tvm_struct_get(p, 0, 2, T.handle("int64", "global").ty)
    w: T.let[T.handle("float32", "global")] = T.reinterpret(T.handle("float32", "global").ty, T.tvm_struct_get(p, 0, 1, T.handle().ty))
    B = T.decl_buffer((4,), data=w)
    C = T.decl_buffer((4,), data=T.reinterpret(T.handle("float32", "global").ty, T.tvm_struct_get(p, 0, 1, T.handle().ty)))
    B[0] = C[1]
    T.reinterpret(T.handle("int8", "shared").ty, q)
    T.call_extern("void", "f", v)
"#;
    reads_and_prints(text, "tvm-0.27");
    let untold = text.replace("T.let[T.handle(\"int64\", \"global\")]", "T.let");
    assert_ne!(untold, text);
    let (a, b) = (read(text), read(&untold));
    assert!(StructuralEqual::default().compare(&a.scripts[0].node, &b.scripts[0].node));
}

#[test]
fn tvm_0_27_handles_of_buffers_are_their_data() {
    let text = r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(a: T.handle, b: T.handle("float32"), n: T.int32):
    T.call_extern("void", "before", b)
    A = T.match_buffer(a, (n,), "int32")
    B = T.match_buffer(b, (16,))
    C = T.decl_buffer((4,), data=b)
    with T.attr(a, "key", 1):
        if T.isnullptr(a):
            A[n] = 0
            C[0] = B[0]
"#;
    let printed = text
        .replace("    A = T.match_buffer(a, (n,), \"int32\")\n    B = T.match_buffer(b, (16,))\n", "")
        .replace("a: T.handle,", "A: T.Buffer((\"n\",), \"int32\"),")
        .replace("b: T.handle(\"float32\")", "B: T.Buffer((16,), \"float32\")")
        .replace("before\", b", "before\", B.data")
        .replace("data=b", "data=B.data")
        .replace("(a", "(T.reinterpret(T.handle().ty, A.data)");
    reads_and_prints(&printed, "tvm-0.27");
    // Printed, the first text would be one of 0.25, whose functions keep their handles.
    let (a, b) = (read(&text.replace("# from", "from")), read(&printed));
    assert!(StructuralEqual::default().compare(&a.scripts[0].node, &b.scripts[0].node));
}

#[test]
fn tilelang_comparisons_nest_and_keywords_have_dots() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.handle("float16", "global"), x: T.int32, y: T.int32):
    A_1 = T.decl_buffer((64,), "float16", data=A)
    b: T.bool = x < y == (y % 2 == 0)
    T.tma_copy(T.region(A_1[0], 1, 64), T.region(A_1[0], 2, 64), barrier=0, tl.phase=1)
    T.tvm_storage_sync("shared.dyn", 3, 128)
    if b:
        T.tvm_storage_sync("shared")
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_texts_may_use_a_thread_before_its_launch() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A_handle: T.handle):
    A = T.match_buffer(A_handle, (128,), strides=(1,))
    with T.sblock("root"):
        bx = T.int32()
        T.reads(A[bx])
        T.writes()
        T.launch_thread(bx, 8)
        T.evaluate(A[bx])
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_texts_may_use_a_variable_before_its_loop() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def f(A_handle: T.handle):
    A = T.match_buffer(A_handle, (16,), strides=(1,))
    with T.sblock("root"):
        k = T.int32()
        T.reads(A[k])
        T.writes()
        for k in T.serial(16, annotations={"tl_pipelined_num_stages": 2}):
            A[k] = T.float32(0.0)
        for k in range(8):
            A[k] = T.float32(1.0)
            for k_1 in range(4):
                A[k_1] = T.Cast("float32", k)"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_layouts_are_metadata() {
    let json = |key: &str, fields: &str, root: usize| {
        format!(
            r#"{{"root_index": {root}, "nodes": [
{{"type": "ffi.String", "data": "{key}"}}, {{"type": "None"}},
{{"type": "ir.IntImm", "data": {{"span": 1, "dtype": "int32", "value": 2}}}},
{{"type": "ffi.Array", "data": [2]}},
{{"type": "ffi.String", "data": "_i"}}, {{"type": "ir.PrimType", "data": {{"span": 1, "dtype": "int32"}}}},
{{"type": "tirx.Var", "data": {{"span": 1, "dtype": "int32", "name": 4, "type_annotation": 5}}}},
{{"type": "tirx.FloorMod", "data": {{"span": 1, "dtype": "int32", "a": 6, "b": 2}}}},
{{"type": "ffi.Array", "data": [7]}},
{fields}], "metadata": {{"tvm_version": "0.25.dev0"}}}}"#
        )
    };
    let layout = json(
        "tl.Layout",
        r#"{"type": "tl.Layout", "data": {"input_size": 3, "forward_index": 8}},
{"type": "ffi.Array", "data": [9]}, {"type": "ffi.Map", "data": [0, 10]}"#,
        11,
    );
    let text = format!(
        r#"metadata = tvm.ir.load_json("""{layout}""")
# from tvm.script import tirx as T

@T.prim_func
def kernel(A_handle: T.handle):
    A = T.match_buffer(A_handle, (2,))
    with T.sblock("root"):
        T.reads()
        T.writes()
        T.sblock_attr({{"layout_map": {{A: metadata["tl.Layout"][0]}}}})
        T.evaluate(0)
"#
    );
    let parsed = read(&text);
    let config = PrinterConfig {
        release: Some(&tvmscript::releases::tilelang_0_25::RELEASE),
        show_meta: true,
        ..PrinterConfig::default()
    };
    let node = &parsed.scripts[0].node;
    let printed = print(node, registry(), &config).expect("prints");
    assert!(printed.contains(r#"\"type\": \"tirx.FloorMod\""#), "{printed}");
    assert!(printed.contains(r#"{A: metadata["tl.Layout"][0]}"#), "{printed}");
    let again = read(&printed);
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(equal.compare(node, &again.scripts[0].node));
}

#[test]
fn tirx_functions_have_type_parameters() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def axpy[n](a: T.float32, X: T.Tensor((n + 1, n), T.float16x4, data_alignment=128), p: T.Ptr(T.void)) -> T.int32:
    T.func_attr({"tirx.noalias": True})
    i = T.alloc_tensor(ty_args=[T.Tensor((1,), T.int32, scope="local")])
    v = T.decl_tensor(X.data, ty_args=[T.Tensor((4, 4), T.float32, layout=T.TileLayout.from_iters(shard=[T.Iter(4, 1, "m"), T.Iter(4, 4, "laneid")], replica=[]))])
    w: T.let[T.Ptr(T.int64)] = T.abi_field_get(p, 0, 2, ty=T.Ptr(T.int64))
    assert not T.isnullptr(w), ("ValueError", ["p is ", "null"])
    while i[0] < n:
        if i[0] == 3:
            break
        else:
            continue
    T.assume_aligned(v, 64)
    T.call_extern("f", T.reinterpret(p, ty=T.Ptr(T.void)), ty=T.int32)
    return i[0]
"#,
        "tirx-0.1",
    );
}

#[test]
fn tirx_scopes_are_blocks_and_names_are_unique() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

n = T.dynamic("n", dtype="int32")
@T.ir_module
class Module:
    T.module_attrs({"a": 1})
    @T.function(private=True)
    def kernel(A: T.Tensor((n,), T.float32)):
        with T.launch_thread("blockIdx.x", 4) as bx:
            with T.launch_thread("threadIdx.x", 32) as tx:
                A[bx * 32 + tx] = T.float32(0.0)
                T.gpu_storage_sync("shared")
        with T.compute_scope("kernel_compute_"):
            for i in T.unroll(0, 4):
                A[i] = T.float32(1.0)
            for i_1 in range(4):
                for i_2 in T.serial(0, 8, unroll=2):
                    A[i_1 + i_2] = T.float32(1.0)

    @T.function
    def device(B: T.Tensor((n,), T.float32), n_1: T.int32):
        T.func_attr({"global_symbol": "device_main"})
        T.func_attr({"tirx.noalias": True})
        with T.device_entry():
            T.Call(Module.kernel, [B.data], ty=T.int32)
            T.call_ffi_kernel("kernel", B.data, 4, launch_params=["blockIdx.x"])

    @T.function
    def nothing():
        pass
"#,
        "tirx-0.1",
    );
}

#[test]
fn type_parameters_are_variables_of_current_functions() {
    let script = |head: &str, rest: &str| {
        format!(
            "{rest}\n@T.prim_func\ndef f{head}(A: T.Buffer((n, m), \"float32\")):\n    A[0, 0] = T.float32(1.0)\n"
        )
    };
    let new = script(
        "[m, n]",
        "from __future__ import annotations\n\n# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n",
    );
    let old = script(
        "",
        "# from typing import TypeVar\n# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n\nm = TypeVar(\"m\")\nn = TypeVar(\"n\")",
    );
    let (new, old) = (read(&new), read(&old));
    assert!(StructuralEqual::default().compare(&new.scripts[0].node, &old.scripts[0].node));
}

#[test]
fn type_parameters_of_host_functions_are_refused() {
    let text = "def f[n](x):\n    return x\n\nk = f(3)\n@T.prim_func\ndef g(A: T.Buffer((k,), \"float32\")):\n    A[0] = T.float32(1)\n";
    let parsed = parse("text.py", text, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.iter().any(|error| error.contains("the value of `k` is unknown")), "{errors:?}");
}
