//! TVM 0.24.
//!
//! The namespace `tirx`, blocks as `T.sblock`, flat bindings and allocations; Relax is that of TVM 0.23. Facts: TVM's tests of
//! scripts at its version 0.24, and its requests 18865, 18876 (flat allocations), 18832 (flat assertions).

use tvmscript_ir::release::BITS;
use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Removed, Renamed, Replaced};
use tvmscript_ir_core::release::{
    Examples, Form, FunctionChange, OperatorKeys, Release, Renames, Sign, Syntax,
};
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion};

use crate::TVM_0_23;
use crate::steps::{self, DOWNGRADE, TO_0_23, TO_0_24};
use crate::tvm_0_27::{IMPORT_LINE, MODULES, SBLOCK};

/// The release.
pub static RELEASE: Release = Release { name: "tvm", version: "0.24", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    let modules = Dialect::new("ir").tvm_json(&RELEASE, &JSON);
    Overlay::new(&RELEASE)
        .replace(tvmscript_tirx::tvm_0_24::dialect())
        .extend(steps::register(modules, TO_0_24.iter().chain(TO_0_23).chain([&DOWNGRADE])))
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    signs: &[
        Sign::printed("no import of Axis", Form::HeaderWithout("tir", IMPORT_LINE)),
        Sign::new("T.sblock", SBLOCK),
        Sign::new("T.sblock without s_tir=True", UNFLAGGED),
        Sign::printed("T.bitwise_and(..)", BITS),
        Sign::printed("T.match_buffer(a, ..)", Form::NameArgument("tir", "match_buffer")),
        Sign::printed("R.Object", Form::Names("relax", &["Object", "prim_value"])),
        Sign::new("is_size_var=", Form::Keyword("tir", "is_size_var")),
        Sign::new("p: T.handle(..) = value", Form::Annotation("tir", "handle")),
        Sign::new("out_sinfo=", Form::Keyword("relax", "out_sinfo")),
        Sign::hint("R.Object", Form::Names("relax", &["Object"])),
        Sign::hint("R.Prim(value=..)", Form::Keyword("relax", "value")),
        Sign::new("sinfo_args=", Form::Keyword("relax", "sinfo_args")),
        Sign::printed("R.Tensor((\"n\",))", Form::TextInTuple("relax")),
        Sign::printed("metadata[\"relax.expr.Constant\"]", Form::Key("relax.expr.Constant")),
    ],
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

/// Blocks in functions without the flag that they need since 0.25.
pub(crate) const UNFLAGGED: Form =
    Form::NamesWithout("tir", &["sblock", "sblock_attr", "sblock_alloc_buffer"], "s_tir");

const RENAMES: Renames = Renames {
    functions: &[
        BLOCKS,
        SCOPES,
        &[("tir", "LetStmt", Removed("`v: T.int32 = e`, with the body moved out,"))],
    ],
    operators: OperatorKeys { names: &[], prefix: Some(("tir.", "tirx.")) },
    key_prefix: Some(("tir.", "tirx.")),
    types: &[TYPES],
    modules: MODULES,
    ..Renames::NONE
};

/// Functions of blocks.
pub(crate) const BLOCKS: &[FunctionChange] = &[
    ("tir", "block", Renamed("sblock")),
    ("tir", "block_attr", Renamed("sblock_attr")),
    ("tir", "alloc_buffer", Replaced("sblock_alloc_buffer")),
];

/// Functions that open scopes.
pub(crate) const SCOPES: &[FunctionChange] = &[
    ("tir", "allocate", Removed("`T.alloc_buffer`, with the body moved out,")),
    ("tir", "allocate_const", Removed("")),
    ("tir", "realize", Removed("")),
];

static JSON: TvmJsonVersion = TvmJsonVersion {
    name: "0.24",
    tvm_version: "0.24.0",
    renames: &RENAMES,
    missing_maps: &[("target.Target", "features")],
    ..TvmJsonVersion::V0_23
};

/// Type keys in JSON.
pub(crate) static TYPES: &[(&str, &str)] = &[
    ("tir.Block", "tirx.SBlock"),
    ("tir.BlockRealize", "tirx.SBlockRealize"),
    ("tir.Add", "tirx.Add"),
    ("tir.Allocate", "tirx.Allocate"),
    ("tir.And", "tirx.And"),
    ("tir.AttrStmt", "tirx.AttrStmt"),
    ("tir.Broadcast", "tirx.Broadcast"),
    ("tir.Buffer", "tirx.Buffer"),
    ("tir.BufferLoad", "tirx.BufferLoad"),
    ("tir.BufferRealize", "tirx.BufferRealize"),
    ("tir.BufferRegion", "tirx.BufferRegion"),
    ("tir.BufferStore", "tirx.BufferStore"),
    ("tir.Call", "tirx.Call"),
    ("tir.Cast", "tirx.Cast"),
    ("tir.CommReducer", "tirx.CommReducer"),
    ("tir.Div", "tirx.Div"),
    ("tir.EQ", "tirx.EQ"),
    ("tir.Evaluate", "tirx.Evaluate"),
    ("tir.FloorDiv", "tirx.FloorDiv"),
    ("tir.FloorMod", "tirx.FloorMod"),
    ("tir.For", "tirx.For"),
    ("tir.GE", "tirx.GE"),
    ("tir.GT", "tirx.GT"),
    ("tir.IfThenElse", "tirx.IfThenElse"),
    ("tir.IndexMap", "tirx.IndexMap"),
    ("tir.IterVar", "tirx.IterVar"),
    ("tir.LE", "tirx.LE"),
    ("tir.LT", "tirx.LT"),
    ("tir.Let", "tirx.Let"),
    ("tir.MatchBufferRegion", "tirx.MatchBufferRegion"),
    ("tir.Max", "tirx.Max"),
    ("tir.Min", "tirx.Min"),
    ("tir.Mod", "tirx.Mod"),
    ("tir.Mul", "tirx.Mul"),
    ("tir.NE", "tirx.NE"),
    ("tir.Not", "tirx.Not"),
    ("tir.Or", "tirx.Or"),
    ("tir.PrimFunc", "tirx.PrimFunc"),
    ("tir.Ramp", "tirx.Ramp"),
    ("tir.Reduce", "tirx.Reduce"),
    ("tir.Select", "tirx.Select"),
    ("tir.SeqStmt", "tirx.SeqStmt"),
    ("tir.Shuffle", "tirx.Shuffle"),
    ("tir.SizeVar", "tirx.SizeVar"),
    ("tir.StringImm", "tirx.StringImm"),
    ("tir.Sub", "tirx.Sub"),
    ("tir.Var", "tirx.Var"),
    ("tir.While", "tirx.While"),
];
