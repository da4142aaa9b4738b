//! TVM 0.27.
//!
//! Variables, types and buffers are one kind of node each in JSON, statements open no scope, and buffers have layouts.

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{self, Removed, Renamed, Replaced};
use tvmscript_ir_core::release::{Examples, OperatorKeys, Release, Renames, Sign, Strength, Syntax};
use tvmscript_relax::syntax as relax;
use tvmscript_tirx::tvm_0_27 as tirx;
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion};
use tvmscript_upgrade::{Step, UpgradeDialect as _, tvm_0_23, tvm_0_27};

use crate::TVM_0_23;

/// The release.
pub static RELEASE: Release = Release { name: "tvm", version: "0.27", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    let modules = Dialect::new("ir").tvm_json(&RELEASE, &JSON).upgrade(&UPGRADE).upgrade(&DOWNGRADE);
    #[cfg(feature = "build")]
    let modules = {
        use tvmscript_irbuilder::BuildDialect as _;
        modules.functions(tvmscript_relax::build::struct_info::MODULE_FUNCTIONS)
    };
    Overlay::new(&RELEASE)
        .replace(tirx::dialect())
        .replace(tvmscript_relax::dialect_of(&RELAX))
        .extend(modules)
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    import_lines: &[("tir", IMPORT_LINE)],
    signs: &[
        Sign { text: IMPORT_LINE, strength: Strength::Header },
        Sign { text: "s_tir=True", strength: Strength::Form },
        Sign { text: ": T.let", strength: Strength::Form },
        Sign { text: "# from typing import TypeVar", strength: Strength::Form },
        Sign { text: "out_ty=", strength: Strength::Form },
        Sign { text: "metadata[\"ir.GenericConst\"]", strength: Strength::Form },
        Sign { text: "ty_args=", strength: Strength::Form },
        Sign { text: "R.Any", strength: Strength::Form },
        Sign { text: "I.StringType()", strength: Strength::Form },
        Sign { text: " = TypeVar(\"", strength: Strength::Form },
        Sign { text: "from tvm.script import tirx as ", strength: Strength::Hint },
        // TVM 0.23 prints `out_dtype="void"`.
        Sign { text: ", out_dtype=None)", strength: Strength::Hint },
    ],
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

const IMPORT_LINE: &str = "from tvm.tirx.layout import Axis";

const RENAMES: Renames = Renames {
    functions: FUNCTIONS,
    keywords: &[("relax", "out_sinfo", "out_ty"), ("relax", "sinfo_args", "ty_args")],
    operators: OPERATORS,
    key_prefix: Some(("tir.", "tirx.")),
    types: TYPES,
    modules: &[("tvm.script.tir", "tirx"), ("tvm.tir", "tirx")],
};

/// Functions, types and operators in texts.
static FUNCTIONS: &[(&str, &str, NameChange)] = &[
    ("tir", "block", Renamed("sblock")),
    ("tir", "block_attr", Renamed("sblock_attr")),
    ("tir", "alloc_buffer", Replaced("sblock_alloc_buffer")),
    ("tir", "tvm_call_packed_lowered", Replaced("call_packed_lowered")),
    ("tir", "LetStmt", Removed("`v: T.let = e`, with the body moved out,")),
    ("tir", "allocate", Removed("`T.alloc_buffer`, with the body moved out,")),
    ("tir", "allocate_const", Removed("")),
    ("tir", "realize", Removed("")),
    ("tir", "ProducerLoad", Removed("")),
    ("tir", "SizeVar", Replaced("Var")),
    ("tir", "StringImm", Removed("the string")),
    ("tir", "ret", Removed("`return`")),
    ("tir", "mma_fill", Renamed("cuda.mma_fill_legacy")),
    ("tir", "mma_store", Renamed("cuda.mma_store_legacy")),
    ("tir", "simdgroup_load", Renamed("metal.simdgroup_load")),
    ("tir", "simdgroup_store", Renamed("metal.simdgroup_store")),
    ("tir", "simdgroup_multiply_accumulate", Renamed("metal.simdgroup_multiply_accumulate")),
    ("tir", "make_filled_simdgroup_matrix", Renamed("metal.make_filled_simdgroup_matrix")),
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
    ("relax", "Object", Renamed("Any")),
    ("relax", "func_ret_struct_info", Renamed("func_ret_ty")),
    ("relax", "emit_with_sinfo", Replaced("emit_with_ty")),
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
    ("relax.DTensorStructInfo", "relax.DTensorType"),
    ("relax.FuncStructInfo", "relax.FuncType"),
    ("relax.ObjectStructInfo", "relax.AnyType"),
    ("relax.ShapeStructInfo", "relax.ShapeType"),
    ("relax.TensorStructInfo", "relax.TensorType"),
    ("relax.TupleStructInfo", "ir.TupleType"),
    ("relax.expr.Call", "ir.Call"),
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
    ("tir.Call", "ir.Call"),
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
    types_as_nodes: true,
    ..TvmJsonVersion::V0_23
};

/// The syntax of Relax.
static RELAX: relax::RelaxSyntax = relax::RelaxSyntax {
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

/// From TVM 0.23 to this release.
static UPGRADE: Step = Step {
    from: &TVM_0_23,
    to: &RELEASE,
    rules: tvm_0_27::RULES,
    printed_comments: &[("with ", ".block(\"root\"):"), ("from tvm.script import ", "")],
    sign: Some(IMPORT_LINE),
    edits_scripts: true,
    rewrite: tvm_0_27::rewrite,
};

/// Back to TVM 0.23, where a construct has an older form.
static DOWNGRADE: Step = Step {
    from: &RELEASE,
    to: &TVM_0_23,
    rules: tvm_0_23::RULES,
    printed_comments: &[("with ", ".sblock(\"root\"):"), ("from tvm.", "")],
    sign: None,
    edits_scripts: false,
    rewrite: tvm_0_23::rewrite,
};
