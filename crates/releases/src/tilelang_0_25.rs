//! TileLang's TVM, release 0.25.
//!
//! Its texts come from between the passes of TileLang, and are not always well-formed.

use tvmscript_ir::release::BITS;
use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::{Examples, Form, OperatorKeys, Release, Renames, Sign, Syntax};
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion};

use crate::TVM_0_23;
use crate::tvm_0_24::{BLOCKS, TYPES, UNFLAGGED};
use crate::tvm_0_27::{IMPORT_LINE, MODULES, SBLOCK};

/// The release.
pub static RELEASE: Release = Release { name: "tilelang", version: "0.25", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    Overlay::new(&RELEASE)
        .replace(tvmscript_tirx::tilelang_0_25::dialect())
        .extend(Dialect::new("ir").tvm_json(&RELEASE, &JSON))
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    signs: &[
        Sign::printed("no import of Axis", Form::HeaderWithout("tir", IMPORT_LINE)),
        Sign::new("import tilelang", Form::Import("tilelang")),
        Sign::new("T.sblock", SBLOCK),
        Sign::new("T.block", Form::Names("tir", &["block", "block_attr"])),
        Sign::new("T.sblock without s_tir=True", UNFLAGGED),
        Sign::new("functions of TileLang", Form::Names("tir", FUNCTIONS)),
        Sign::new("keywords with dots", Form::DottedKeyword),
        Sign::new("keys of TileLang", Form::Key("tl.")),
        Sign::new("keys of TileLang", Form::Key("tl_")),
        Sign::new("layout_map", Form::Key("layout_map")),
        // They are printed for compact buffers, too.
        Sign::hint("strides=", Form::Keyword("tir", "strides")),
        Sign::printed("T.bitwise_and(..)", BITS),
        Sign::printed("T.match_buffer(a, ..)", Form::NameArgument("tir", "match_buffer")),
        Sign::new("is_size_var=", Form::Keyword("tir", "is_size_var")),
        Sign::new("p: T.handle(..) = value", Form::Annotation("tir", "handle")),
        Sign::new("out_sinfo=", Form::Keyword("relax", "out_sinfo")),
        Sign::new("sinfo_args=", Form::Keyword("relax", "sinfo_args")),
    ],
    comparisons_nest: true,
    keywords_follow_python: false,
    dotted_keywords: true,
    may_be_ill_formed: true,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

/// Functions that TVM does not have.
const FUNCTIONS: &[&str] = &[
    "__exp",
    "access_ptr",
    "any_sync",
    "atomic_add_elem_op",
    "atomic_addx2_elem_op",
    "atomic_max_elem_op",
    "clamp",
    "cluster_sync",
    "copy",
    "create_tma_descriptor",
    "create_tma_im2col_descriptor",
    "fence_proxy_async",
    "fill",
    "gemm",
    "gemm_sp",
    "increase_descriptor_offset",
    "infinity",
    "initialize_wgmma_descriptor",
    "launch_thread_idx",
    "loop_break",
    "mbarrier_expect_tx",
    "mbarrier_wait_parity",
    "pack_b16",
    "pdl_sync",
    "pdl_trigger",
    "prefetch_tma_descriptor",
    "ptx_fence_barrier_init",
    "ptx_wgmma_rs",
    "ptx_wgmma_ss",
    "region",
    "rng_rand",
    "rng_rand_float",
    "set_max_nreg",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads_count",
    "tl",
    "tma_copy",
    "warpgroup_arrive",
    "warpgroup_commit_batch",
    "warpgroup_fence_operand",
    "warpgroup_wait",
    "warp_reduce_sum",
    "wait_wgmma",
];

const RENAMES: Renames = Renames {
    functions: &[BLOCKS],
    // Versions before the change of names print them under the later header.
    kept: &[("tir", "block"), ("tir", "block_attr")],
    operators: OperatorKeys { names: &[], prefix: Some(("tir.", "tirx.")) },
    types: &[TYPES],
    modules: MODULES,
    ..Renames::NONE
};

static JSON: TvmJsonVersion = TvmJsonVersion {
    name: "0.25",
    tvm_version: "0.25.dev0",
    renames: &RENAMES,
    extra_maps: &[("tir.Call", "annotations"), ("tir.Cast", "annotations")],
    missing_maps: &[("target.Target", "features")],
    ..TvmJsonVersion::V0_23
};
