//! TVM 0.27.
//!
//! Variables, types and buffers are one kind of node each in JSON, statements open no scope, and buffers have layouts.

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Removed, Renamed};
use tvmscript_ir_core::release::{
    Examples, Form, FunctionChange, OperatorKeys, Release, Renames, Sign, Syntax,
};
use tvmscript_relax::syntax as relax;
use tvmscript_tirx::tvm_0_27 as tirx;
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion, TypesAsNodes};

use crate::TVM_0_23;
use crate::steps::{self, TO_0_27, UPGRADE};
use crate::tvm_0_24::{BLOCKS, SCOPES};
use crate::tvm_0_25::{CALLED, DEVICES, FLAT};
use crate::tvm_0_26::{KEPT, STRUCT_INFO, TYPES_AS_NODES, VALUES, relax_dialect};

/// The release.
pub static RELEASE: Release = Release { name: "tvm", version: "0.27", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    let modules = Dialect::new("ir").tvm_json(&RELEASE, &JSON);
    let modules = steps::register(modules, [&UPGRADE].into_iter().chain(TO_0_27));
    #[cfg(feature = "build")]
    let modules = {
        use tvmscript_irbuilder::BuildDialect as _;
        modules.functions(tvmscript_relax::build::struct_info::MODULE_FUNCTIONS)
    };
    Overlay::new(&RELEASE).replace(tirx::dialect()).replace(relax_dialect(&RELAX)).extend(modules)
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    import_lines: &[("tir", IMPORT_LINE)],
    signs: &[
        Sign::new("T.sblock", SBLOCK),
        Sign::new("s_tir=True", Form::Keyword("tir", "s_tir")),
        Sign::new("T.let", Form::Names("tir", &["let"])),
        Sign::new("TypeVar(..)", Form::Call("TypeVar")),
        Sign::new("type parameters", Form::TypeParameters),
        Sign::printed("from typing import TypeVar", Form::Header("from typing import TypeVar")),
        Sign::new("out_ty=", Form::Keyword("relax", "out_ty")),
        Sign::new("ty_args=", Form::Keyword("relax", "ty_args")),
        Sign::new("R.Any", ANY),
        Sign::new("I.StringType", Form::Names("ir", &["StringType", "GenericConst"])),
        Sign::new("metadata[\"ir.GenericConst\"]", Form::Key("ir.GenericConst")),
        Sign::new("T.masked_load", Form::Names("tir", MASKED)),
        // TVM 0.23 prints `out_dtype="void"`.
        Sign::hint("out_dtype=None", Form::AbsentKeyword("relax", "out_dtype")),
    ],
    ignored_flags: crate::tvm_0_25::MODULE_FLAGS,
    called_decorators: CALLED,
    keywords_follow_python: false,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

/// The words for blocks of all releases after 0.23.
pub(crate) const SBLOCK: Form = Form::Names("tir", &["sblock", "sblock_attr", "sblock_alloc_buffer"]);

/// Names of Relax that it has since 0.26.
pub(crate) const ANY: Form =
    Form::Names("relax", &["Any", "func_ret_ty", "func_ret_type", "emit_with_ty", "emit_with_type"]);

const MASKED: &[&str] = &[
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "LShift",
    "RShift",
    "call_ffi_kernel",
    "masked_load",
    "masked_store",
    "ptx_legacy",
];

/// The line that the header has since 0.25.
pub(crate) const IMPORT_LINE: &str = "from tvm.tirx.layout import Axis";

pub(crate) const RENAMES: Renames = Renames {
    functions: &[BLOCKS, SCOPES, FLAT, VALUES, DEVICES, STRUCT_INFO, OWN],
    kept: KEPT,
    keywords: KEYWORDS,
    operators: OPERATORS,
    key_prefix: Some(("tir.", "tirx.")),
    types: &[TYPES_AS_NODES, TYPES],
    modules: MODULES,
};

/// Python modules of TIR.
pub(crate) const MODULES: &[(&str, &str)] = &[("tvm.script.tir", "tirx"), ("tvm.tir", "tirx")];

/// Keywords of calls.
pub(crate) const KEYWORDS: &[(&str, &str, &str)] =
    &[("relax", "out_sinfo", "out_ty"), ("relax", "sinfo_args", "ty_args")];

/// Functions, types and operators that this release changes first.
const OWN: &[FunctionChange] = &[
    ("tir", "ProducerLoad", Removed("")),
    ("tir", "StringImm", Removed("the string")),
    ("tir", "ptx_ldmatrix", Renamed("ptx_legacy.ldmatrix")),
    ("tir", "ptx_mma", Renamed("ptx_legacy.mma")),
    ("tir", "ptx_mma_sp", Removed("`T.ptx.mma.sp`")),
    ("tir", "ptx_commit_group", Removed("`T.ptx.cp.async_.commit_group()`")),
    ("tir", "ptx_wait_group", Removed("`T.ptx.cp.async_.wait_group(n)`")),
    ("tir", "ptx_cp_async", Removed("`T.ptx.cp.async_`")),
    ("tir", "ptx_cp_async_bulk", Removed("`T.ptx.cp.async_.bulk`")),
    ("tir", "ptx_cp_async_barrier", Removed("`T.ptx.cp.async_.mbarrier`")),
    ("tir", "ptx_arrive_barrier", Removed("`T.ptx.mbarrier`")),
    ("tir", "ptx_arrive_barrier_expect_tx", Removed("`T.ptx.mbarrier`")),
    ("tir", "ptx_init_barrier_thread_count", Removed("`T.ptx.mbarrier`")),
    ("tir", "ptx_wait_barrier", Removed("`T.ptx.mbarrier`")),
    ("tir", "create_barriers", Removed("`T.ptx.mbarrier`")),
    ("tir", "ptx_ldg32", Removed("")),
    ("tir", "tvm_thread_context", Removed("")),
    ("tir", "large_uint_imm", Removed("")),
];

const OPERATORS: OperatorKeys = OperatorKeys {
    names: &[
        ("tir.ceil", "prim.ceil"),
        ("tir.clz", "prim.clz"),
        ("tir.if_then_else", "prim.if_then_else"),
        ("tir.likely", "prim.likely"),
        ("tir.log2", "prim.log2"),
        ("tir.vscale", "prim.vscale"),
        ("tir.mma_fill", "tirx.mma_fill_legacy"),
        ("tir.mma_store", "tirx.mma_store_legacy"),
        ("tir.ptx_ldmatrix", "tirx.ptx_legacy.ldmatrix"),
        ("tir.ptx_mma", "tirx.ptx_legacy.mma"),
    ],
    prefix: Some(("tir.", "tirx.")),
};

/// Type keys in JSON; fields differ by the rules of the translation.
static TYPES: &[(&str, &str)] = &[
    ("ir.DummyGlobalInfo", "relax.DummyGlobalInfo"),
    ("ir.VDevice", "relax.VDevice"),
    ("relax.expr.Constant", "ir.GenericConst"),
    ("relax.expr.Tuple", "ir.Tuple"),
    ("relax.expr.TupleGetItem", "ir.TupleGetItem"),
    ("tir.Add", "prim.Add"),
    ("tir.And", "prim.And"),
    ("tir.AttrStmt", "tirx.AttrStmt"),
    ("tir.Block", "s_tir.SBlock"),
    ("tir.BlockRealize", "s_tir.SBlockRealize"),
    ("tir.Broadcast", "prim.Broadcast"),
    ("tir.BufferLoad", "ir.TensorLoad"),
    ("tir.BufferRegion", "ir.TensorRegion"),
    ("tir.BufferStore", "tirx.BufferStore"),
    ("tir.Cast", "prim.Cast"),
    ("tir.CommReducer", "te.CommReducer"),
    ("tir.Div", "prim.Div"),
    ("tir.EQ", "prim.EQ"),
    ("tir.Evaluate", "tirx.Evaluate"),
    ("tir.FloorDiv", "prim.FloorDiv"),
    ("tir.FloorMod", "prim.FloorMod"),
    ("tir.For", "tirx.For"),
    ("tir.GE", "prim.GE"),
    ("tir.GT", "prim.GT"),
    ("tir.IfThenElse", "tirx.IfThenElse"),
    ("tir.IndexMap", "tirx.IndexMap"),
    ("tir.IterVar", "tirx.IterVar"),
    ("tir.LE", "prim.LE"),
    ("tir.LT", "prim.LT"),
    ("tir.Let", "prim.Let"),
    ("tir.MatchBufferRegion", "s_tir.MatchBufferRegion"),
    ("tir.Max", "prim.Max"),
    ("tir.Min", "prim.Min"),
    ("tir.Mod", "prim.Mod"),
    ("tir.Mul", "prim.Mul"),
    ("tir.NE", "prim.NE"),
    ("tir.Not", "prim.Not"),
    ("tir.Or", "prim.Or"),
    ("tir.PrimFunc", "tirx.PrimFunc"),
    ("tir.Ramp", "prim.Ramp"),
    ("tir.Reduce", "te.Reduce"),
    ("tir.Select", "prim.Select"),
    ("tir.SeqStmt", "tirx.SeqStmt"),
    ("tir.Shuffle", "prim.Shuffle"),
    ("tir.StringImm", "ir.StringImm"),
    ("tir.Sub", "prim.Sub"),
    ("tir.While", "tirx.While"),
    ("ir.TensorMapType", "tirx.TensorMapType"),
];

static JSON: TvmJsonVersion = TvmJsonVersion {
    name: "0.27",
    tvm_version: "0.27.0.post1",
    renames: &RENAMES,
    types_as_nodes: Some(&TypesAsNodes { renames: None, fields: &[], shares_nodes: true }),
    ..TvmJsonVersion::V0_23
};

/// The syntax of Relax.
pub(crate) const RELAX: relax::RelaxSyntax = relax::RelaxSyntax {
    has_type_variables: true,
    has_bare_scalars: true,
    has_text_type: true,
    has_absent_dtypes: true,
    has_nested_aliases: true,
    operators: tvmscript_relax::op::TVM_0_27,
    without_attributes: &[
        ("relax.attrs.LayoutTransformAttrs", "axis_separators"),
        ("relax.attrs.LayoutTransformAttrs", "input_axis_separators"),
    ],
};
