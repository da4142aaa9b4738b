//! TVM 0.25.
//!
//! Functions with `s_tir=True` and layouts, `T.let`, variables in memory, as in 0.27; buffers that are matched to handles and
//! Relax as in 0.23. Facts: the package apache-tvm 0.25.0.post1, by what it prints.

use tvmscript_ir::release::BITS;
use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Removed, Renamed, Replaced};
use tvmscript_ir_core::release::{
    Examples, Form, FunctionChange, OperatorKeys, Release, Renames, Sign, Syntax,
};
use tvmscript_relax::syntax as relax;
use tvmscript_tvm_json::{PlainNumbers, TvmJsonDialect as _, TvmJsonVersion};

use crate::TVM_0_23;
use crate::steps::{self, TO_0_25};
use crate::tvm_0_24::{BLOCKS, SCOPES, TYPES};
use crate::tvm_0_27::{IMPORT_LINE, MODULES, SBLOCK};

/// The release.
pub static RELEASE: Release = Release { name: "tvm", version: "0.25", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    let modules = Dialect::new("ir").tvm_json(&RELEASE, &JSON);
    Overlay::new(&RELEASE)
        .replace(tvmscript_tirx::tvm_0_25::dialect())
        .replace(tvmscript_relax::dialect_of(&RELAX))
        .extend(steps::register(modules, TO_0_25))
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    import_lines: &[("tir", IMPORT_LINE)],
    signs: &[
        Sign::new("T.sblock", SBLOCK),
        Sign::new("s_tir=True", Form::Keyword("tir", "s_tir")),
        Sign::hint("@I.ir_module(s_tir=True)", Form::Keyword("ir", "s_tir")),
        Sign::new("T.let", Form::Names("tir", &["let"])),
        Sign::new("T.SizeVar", Form::Names("tir", &["SizeVar", "SwizzleLayout", "TMEMStages"])),
        Sign::printed("T.match_buffer(a, ..)", Form::NameArgument("tir", "match_buffer")),
        Sign::printed("T.bitwise_and(..)", BITS),
        Sign::new("T.ptx.cp_async", INSTRUCTIONS),
        Sign::printed("R.Object", Form::Names("relax", &["Object", "prim_value"])),
        Sign::new("is_size_var=", Form::Keyword("tir", "is_size_var")),
        Sign::new("out_sinfo=", Form::Keyword("relax", "out_sinfo")),
        Sign::hint("R.Object", Form::Names("relax", &["Object"])),
        Sign::hint("R.Prim(value=..)", Form::Keyword("relax", "value")),
        Sign::new("sinfo_args=", Form::Keyword("relax", "sinfo_args")),
        Sign::printed("R.Tensor((\"n\",))", Form::TextInTuple("relax")),
        Sign::printed("metadata[\"relax.expr.Constant\"]", Form::Key("relax.expr.Constant")),
    ],
    open_groups: DEVICE_GROUPS,
    ignored_flags: MODULE_FLAGS,
    called_decorators: CALLED,
    keywords_follow_python: false,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

/// The flag of modules, whose functions have it themselves.
pub(crate) const MODULE_FLAGS: &[(&str, &str)] = &[("ir_module", "s_tir")];

/// Schedulable functions are called so: `@T.prim_func(s_tir=True)`.
pub(crate) const CALLED: &[(&str, &str)] = &[("tir", "prim_func")];

/// Instructions that 0.27 has otherwise.
pub(crate) const INSTRUCTIONS: Form = Form::Members(
    "tir",
    "ptx",
    &[
        "any_sync",
        "atom_scalar",
        "clc_query_cancel",
        "clc_try_cancel",
        "cp_async",
        "exp2",
        "fetch_register",
        "fns_b32",
        "ldg32",
        "ldmatrix_legacy",
        "ld_acquire",
        "ld_global_acquire",
        "map_shared_rank",
        "mma_legacy",
        "prefetch_tensormap",
        "red_scalar",
        "reduce3_max_f32",
        "reduce3_min_f32",
    ],
);

/// Groups of instructions.
pub(crate) const DEVICE_GROUPS: &[(&str, &str)] = &[
    ("tir", "ptx"),
    ("tir", "cuda"),
    ("tir", "nvshmem"),
    ("tir", "nki"),
    ("tir", "metal"),
    ("tir", "webgpu"),
];

const RENAMES: Renames = Renames {
    functions: &[BLOCKS, SCOPES, FLAT, DEVICES, PTX],
    operators: OPERATORS,
    key_prefix: Some(("tir.", "tirx.")),
    types: &[TYPES],
    modules: MODULES,
    ..Renames::NONE
};

/// Functions that flat statements replace.
pub(crate) const FLAT: &[FunctionChange] = &[
    ("tir", "tvm_call_packed_lowered", Replaced("call_packed_lowered")),
    ("tir", "LetStmt", Removed("`v: T.let = e`, with the body moved out,")),
];

/// Functions of devices that are in groups.
pub(crate) const DEVICES: &[FunctionChange] = &[
    ("tir", "mma_fill", Renamed("cuda.mma_fill_legacy")),
    ("tir", "mma_store", Renamed("cuda.mma_store_legacy")),
    ("tir", "simdgroup_load", Renamed("metal.simdgroup_load")),
    ("tir", "simdgroup_store", Renamed("metal.simdgroup_store")),
    ("tir", "simdgroup_multiply_accumulate", Renamed("metal.simdgroup_multiply_accumulate")),
    ("tir", "make_filled_simdgroup_matrix", Renamed("metal.make_filled_simdgroup_matrix")),
];

/// Functions of PTX that are in a group.
pub(crate) const PTX: &[FunctionChange] = &[
    ("tir", "ptx_ldmatrix", Renamed("ptx.ldmatrix_legacy")),
    ("tir", "ptx_mma", Renamed("ptx.mma_legacy")),
    ("tir", "ptx_ldg32", Renamed("ptx.ldg32")),
];

/// Names of operators.
pub(crate) const OPERATORS: OperatorKeys = OperatorKeys {
    names: &[
        ("tir.mma_fill", "tirx.mma_fill_legacy"),
        ("tir.mma_store", "tirx.mma_store_legacy"),
        ("tir.ptx_ldmatrix", "tirx.ptx.ldmatrix_legacy"),
        ("tir.ptx_mma", "tirx.ptx.mma_legacy"),
        ("tir.ptx_ldg32", "tirx.ptx.ldg32"),
    ],
    prefix: Some(("tir.", "tirx.")),
};

static JSON: TvmJsonVersion = TvmJsonVersion {
    // TileLang writes 0.25.dev0.
    name: "0.25.0",
    tvm_version: "0.25.0",
    renames: &RENAMES,
    plain_numbers: Some(&PlainNumbers {
        extra_lists: &[("tirx.Buffer", "allocated_addr")],
        extra_values: &[("tirx.Buffer", "layout"), ("tirx.Call", "attrs")],
        void_operators: &["tir.tvm_storage_sync"],
    }),
    missing_maps: &[("target.Target", "features")],
    ..TvmJsonVersion::V0_23
};

/// The syntax of Relax.
static RELAX: relax::RelaxSyntax =
    relax::RelaxSyntax { operators: tvmscript_relax::op::TVM_0_27_EARLY, ..relax::FORMS };
