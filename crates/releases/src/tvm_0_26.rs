//! TVM 0.26.
//!
//! Buffers are parameters and types of Relax are those of 0.27; shape variables are defined by text, bit operations are
//! calls, vectors are slices. Facts: the package apache-tvm 0.26.0, by what it prints.

use tvmscript_ir::release::BITS;
use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::{Removed, Renamed, Replaced};
use tvmscript_ir_core::release::{Examples, Form, FunctionChange, Release, Renames, Sign, Syntax};
use tvmscript_relax::syntax as relax;
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion, TypesAsNodes};

use crate::TVM_0_23;
use crate::steps::{self, TO_0_26};
use crate::tvm_0_24::{BLOCKS, SCOPES, TYPES};
use crate::tvm_0_25::{CALLED, DEVICE_GROUPS, DEVICES, FLAT, INSTRUCTIONS, MODULE_FLAGS, OPERATORS, PTX};
use crate::tvm_0_27::{ANY, IMPORT_LINE, KEYWORDS, MODULES, SBLOCK};

/// The release.
pub static RELEASE: Release = Release { name: "tvm", version: "0.26", syntax: SYNTAX, renames: RENAMES };

/// Returns the overlay.
pub fn overlay() -> Overlay {
    let modules = Dialect::new("ir").tvm_json(&RELEASE, &JSON);
    Overlay::new(&RELEASE)
        .replace(tvmscript_tirx::tvm_0_26::dialect())
        .replace(relax_dialect(&RELAX))
        .extend(steps::register(modules, TO_0_26))
}

/// Relax, in which functions that are named after types have two names.
pub(crate) fn relax_dialect(syntax: &'static relax::RelaxSyntax) -> Dialect {
    let dialect = tvmscript_relax::dialect_of(syntax);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::BuildDialect as _;
        dialect.function_aliases(&[
            ("emit_with_type", "emit_with_sinfo"),
            ("func_ret_type", "func_ret_struct_info"),
        ])
    };
    dialect
}

const SYNTAX: Syntax = Syntax {
    import_names: &[("tir", "tirx")],
    import_lines: &[("tir", IMPORT_LINE)],
    signs: &[
        Sign::new("T.sblock", SBLOCK),
        Sign::new("s_tir=True", Form::Keyword("tir", "s_tir")),
        Sign::hint("@I.ir_module(s_tir=True)", Form::Keyword("ir", "s_tir")),
        Sign::new("T.let", Form::Names("tir", &["let"])),
        Sign::printed("T.bitwise_and(..)", BITS),
        Sign::new("T.ptx.cp_async", INSTRUCTIONS),
        Sign::new("out_ty=", Form::Keyword("relax", "out_ty")),
        Sign::new("ty_args=", Form::Keyword("relax", "ty_args")),
        Sign::new("R.Any", ANY),
        Sign::printed("R.Tensor((\"n\",))", Form::TextInTuple("relax")),
        Sign::printed("metadata[\"relax.expr.Constant\"]", Form::Key("relax.expr.Constant")),
        Sign::hint("out_dtype=None", Form::AbsentKeyword("relax", "out_dtype")),
    ],
    open_groups: DEVICE_GROUPS,
    ignored_flags: MODULE_FLAGS,
    called_decorators: CALLED,
    keywords_follow_python: false,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.syntax.examples },
    ..TVM_0_23.syntax
};

const RENAMES: Renames = Renames {
    functions: &[BLOCKS, SCOPES, FLAT, VALUES, DEVICES, PTX, STRUCT_INFO],
    kept: KEPT,
    keywords: KEYWORDS,
    operators: OPERATORS,
    key_prefix: Some(("tir.", "tirx.")),
    types: &[TYPES_AS_NODES, TYPES],
    modules: MODULES,
};

/// Functions of values.
pub(crate) const VALUES: &[FunctionChange] =
    &[("tir", "SizeVar", Replaced("Var")), ("tir", "ret", Removed("`return`"))];

/// Functions of Relax that are named after types.
pub(crate) const STRUCT_INFO: &[FunctionChange] = &[
    ("relax", "Object", Renamed("Any")),
    ("relax", "func_ret_struct_info", Renamed("func_ret_ty")),
    ("relax", "emit_with_sinfo", Renamed("emit_with_ty")),
];

/// Names of former releases that scripts may still use.
pub(crate) const KEPT: &[(&str, &str)] = &[("relax", "Object")];

/// Type keys of types that are nodes, and of what has one.
pub(crate) static TYPES_AS_NODES: &[(&str, &str)] = &[
    ("relax.DTensorStructInfo", "relax.DTensorType"),
    ("relax.FuncStructInfo", "relax.FuncType"),
    ("relax.ObjectStructInfo", "relax.AnyType"),
    ("relax.ShapeStructInfo", "relax.ShapeType"),
    ("relax.TensorStructInfo", "relax.TensorType"),
    ("relax.TupleStructInfo", "ir.TupleType"),
    ("relax.expr.Call", "ir.Call"),
    ("tir.Call", "ir.Call"),
];

static JSON: TvmJsonVersion = TvmJsonVersion {
    name: "0.26",
    tvm_version: "0.26.0",
    renames: &RENAMES,
    types_as_nodes: Some(&NODES),
    ..TvmJsonVersion::V0_23
};

/// The differences from the graph of TVM 0.27.
static NODES: TypesAsNodes = TypesAsNodes {
    renames: Some(&Renames { types: crate::tvm_0_27::RENAMES.types, ..RENAMES }),
    fields: &[
        ("ir.GenericConst", "value", "data"),
        ("ir.TensorLoad", "source", "buffer"),
        ("ir.TensorRegion", "source", "buffer"),
    ],
    shares_nodes: false,
};

/// The syntax of Relax.
static RELAX: relax::RelaxSyntax =
    relax::RelaxSyntax { has_type_variables: false, has_text_type: false, ..crate::tvm_0_27::RELAX };
