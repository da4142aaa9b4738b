//! The standalone package TIRx, release 0.1.
//!
//! Functions over tensors, loops and threads; no blocks and no Relax.

use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Renamed, Replaced};
use tvmscript_ir_core::release::{Examples, Form, PythonNames, Release, Renames, Sign, Syntax};
use tvmscript_tirx::tirx_0_1 as tirx;

use crate::TVM_0_23;

/// The release.
pub static RELEASE: Release = Release { name: "tirx", version: "0.1", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    Overlay::new(&RELEASE).replace(tirx::dialect()).without("relax")
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    signs: &[
        Sign::new("import tvm_tirx", Form::Import("tvm_tirx")),
        Sign::new("T.function", Form::Names("tir", &["function"])),
        Sign::new("T.ir_module", Form::Names("tir", &["ir_module"])),
        Sign::new("T.Tensor", Form::Names("tir", &["Tensor"])),
    ],
    python: PythonNames { script_module: "tvm_tirx.script", package: "tvm_tirx", ..TVM_0_23.syntax.python },
    may_be_ill_formed: true,
    keywords_follow_python: false,
    examples: Examples {
        scope: Some("T.launch_thread(\"threadIdx.x\", 32)"),
        function: Some("T.function"),
        class: Some("T.ir_module"),
    },
    ..TVM_0_23.syntax
};

const RENAMES: Renames = Renames {
    functions: &[&[
        // The release has no blocks; programs of others print with these words.
        ("tir", "block", Renamed("sblock")),
        ("tir", "block_attr", Renamed("sblock_attr")),
        ("tir", "alloc_buffer", Replaced("sblock_alloc_buffer")),
        ("tir", "tvm_storage_sync", Renamed("gpu_storage_sync")),
        ("tir", "tvm_warp_shuffle", Renamed("gpu_warp_shuffle")),
        ("tir", "tvm_warp_shuffle_up", Renamed("gpu_warp_shuffle_up")),
        ("tir", "tvm_warp_shuffle_down", Renamed("gpu_warp_shuffle_down")),
        ("tir", "tvm_warp_activemask", Renamed("gpu_warp_activemask")),
        ("tir", "tvm_stack_alloca", Renamed("stack_alloca")),
        ("tir", "tvm_stack_make_array", Renamed("stack_make_dltensor")),
        ("tir", "tvm_stack_make_shape", Renamed("stack_make_shape")),
        ("tir", "tvm_fill_fragment", Renamed("gpu_fill_fragment")),
        ("tir", "tvm_load_matrix_sync", Renamed("gpu_load_matrix_sync")),
        ("tir", "tvm_mma_sync", Renamed("gpu_mma_sync")),
        ("tir", "tvm_store_matrix_sync", Renamed("gpu_store_matrix_sync")),
        ("tir", "tvm_thread_invariant", Renamed("gpu_thread_invariant")),
        ("tir", "thread_return", Renamed("gpu_thread_return")),
    ]],
    modules: crate::tvm_0_27::MODULES,
    ..Renames::NONE
};
