//! Texts of several releases: each tells its profile, reads, and prints as it was.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::{ParseOptions, Parsed, PrinterConfig, parse, print, registry};

/// Reads a text without errors.
fn read(text: &str) -> Parsed {
    let parsed = parse("text.py", text, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    parsed
}

/// Checks that a text has this profile, prints unchanged, and reads back equal.
fn reads_and_prints(text: &str, profile: &str) {
    let parsed = read(text);
    assert_eq!(parsed.profile.profile.id(), profile, "{}", parsed.profile.reason);
    let config = PrinterConfig { profile: Some(profile.to_owned()), ..PrinterConfig::default() };
    let node = &parsed.scripts[0].node;
    let printed = print(node, registry(), &config).expect("prints");
    assert_eq!(printed, text.trim_end());
    let again = read(&printed);
    // A variable may be used before the statement that binds it.
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(equal.compare(node, &again.scripts[0].node));
}

#[test]
fn every_edition_builds() {
    for profile in registry().text_profiles() {
        let id = profile.id();
        let (found, edition) = registry().text_profile(Some(&id)).expect("a registered profile");
        assert!(std::ptr::eq(found, profile));
        assert!(edition.node("ir.IRModule").is_some(), "{id}");
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
