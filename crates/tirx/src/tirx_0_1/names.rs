//! Names of scripts: functions, operators, types, and the modules to import.

use tvmscript_ir_core::Dialect;
use tvmscript_irbuilder::{BuildDialect as _, ScriptValue};
use tvmscript_script_parser::{DecoratorRule, Member, ParseDialect as _, PythonModule};

use super::OPERATORS;
use super::build::{
    ALLOC_LOCAL, ALLOC_SHARED, ALLOC_TENSOR, CALL, COMPUTE_SCOPE, DECL_TENSOR, DEVICE_ENTRY, DEVICE_SCOPE,
    DYNAMIC, ITER, Layouts, POINTER, TENSOR, TYPED_FUNCTIONS,
};
use super::head;
use crate::tvm_0_27::build::{LOCAL_SCALAR, Let, PARALLEL, SERIAL, SHARED_SCALAR, UNROLL, VECTORIZED};
use crate::tvm_0_27::names::STRICT;

/// Other names of functions.
const ALIASES: &[(&str, &str)] = &[
    ("select", "Select"),
    ("cuda.iket.mark", "cuda.iket_mark"),
    ("cuda.iket.official_event", "cuda.iket_official_event"),
    ("cuda.iket.range_end", "cuda.iket_range_end"),
    ("cuda.iket.range_pop", "cuda.iket_range_pop"),
    ("cuda.iket.range_push", "cuda.iket_range_push"),
    ("cuda.iket.range_start", "cuda.iket_range_start"),
    ("cuda.iket.sentinel_token", "cuda.iket_sentinel_token"),
    ("cuda.tcgen05.encode_matrix_descriptor", "cuda.tcgen05_encode_matrix_descriptor"),
    ("cuda.wgmma.encode_matrix_descriptor", "cuda.wgmma_encode_matrix_descriptor"),
    ("cuda.wgmma.noop_barrier", "cuda.wgmma_noop_barrier"),
    ("nvshmem.getmem_nbi.block", "nvshmem.getmem_nbi_block"),
    ("nvshmem.getmem_nbi.warp", "nvshmem.getmem_nbi_warp"),
    ("nvshmem.putmem_nbi.block", "nvshmem.putmem_nbi_block"),
    ("nvshmem.putmem_nbi.warp", "nvshmem.putmem_nbi_warp"),
    ("nvshmem.putmem_signal_nbi.block", "nvshmem.putmem_signal_nbi_block"),
    ("nvshmem.putmem_signal_nbi.warp", "nvshmem.putmem_signal_nbi_warp"),
];

/// Registers the functions, decorators, and the namespace for imports.
pub(super) fn register(dialect: Dialect) -> Dialect {
    static MODULES: &[PythonModule] =
        &[PythonModule::new(&["tvm_tirx.script"]).members(&[("tirx", Member::Namespace)])];
    let functions = &[
        &TENSOR,
        &ALLOC_TENSOR,
        &ALLOC_SHARED,
        &ALLOC_LOCAL,
        &DECL_TENSOR,
        &POINTER,
        &ITER,
        &DEVICE_SCOPE,
        &DEVICE_ENTRY,
        &COMPUTE_SCOPE,
        &DYNAMIC,
        &LOCAL_SCALAR,
        &SHARED_SCALAR,
        &SERIAL,
        &PARALLEL,
        &VECTORIZED,
        &UNROLL,
        &CALL,
    ];
    let tir_handlers = head::HANDLERS;
    dialect
        .namespace(&["tirx"])
        .functions(functions)
        .functions(tvmscript_ir::build::MODULE_FUNCTIONS)
        .functions(STRICT)
        .functions(&OPERATORS.functions())
        .functions(&TYPED_FUNCTIONS.iter().collect::<Vec<_>>())
        .function_aliases(ALIASES)
        .name_fallback(find, names)
        .python_modules(MODULES)
        .bare_decorator("function")
        .decorator(
            "function",
            DecoratorRule::Function { define: tir_handlers.define, declare: Some(tir_handlers.declare) },
        )
        .decorator("ir_module", DecoratorRule::Class { define: tvmscript_ir::parse::define_module })
}

/// The value of a name that is not a function of the release.
fn find(name: &str) -> Option<ScriptValue> {
    Some(match name {
        "let" => ScriptValue::host(Let(None)),
        "TileLayout" => ScriptValue::host(Layouts),
        _ => return None,
    })
}

fn names() -> Vec<&'static str> {
    vec!["let", "TileLayout"]
}
