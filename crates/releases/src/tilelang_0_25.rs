//! TileLang's TVM, release 0.25.
//!
//! Its texts come from between the passes of TileLang, and are not always well-formed.

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Renamed, Replaced};
use tvmscript_ir_core::release::{Examples, OperatorKeys, Release, Renames, Sign, Strength, Syntax};
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion};

use crate::TVM_0_23;

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
    signs: &[Sign { text: "from tvm.script import tirx as ", strength: Strength::Hint }],
    comparisons_nest: true,
    dotted_keywords: true,
    may_be_ill_formed: true,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

const RENAMES: Renames = Renames {
    functions: &[
        ("tir", "block", Renamed("sblock")),
        ("tir", "block_attr", Renamed("sblock_attr")),
        ("tir", "alloc_buffer", Replaced("sblock_alloc_buffer")),
    ],
    operators: OperatorKeys { names: &[], prefix: Some(("tir.", "tirx.")) },
    types: TYPES,
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

/// Type keys in JSON.
static TYPES: &[(&str, &str)] = &[
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
