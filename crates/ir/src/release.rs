//! TVM 0.23, the release that the dialects are written for.

use tvmscript_ir_core::Registry;
use tvmscript_ir_core::release::{
    ComparisonTests, Examples, Form, MetadataFormat, PythonNames, Release, Renames, Sign, SliceRule, Syntax,
};
use tvmscript_tvm_json::{self as tvm_json, SaveOptions, TvmJsonVersion};

/// TVM 0.23.
pub static TVM_0_23: Release =
    Release { name: "tvm", version: "0.23", syntax: SYNTAX, renames: Renames::NONE };

/// Bit operations as functions, which TVM 0.27 prints as operators.
pub const BITS: Form = Form::Names(
    "tir",
    &["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right"],
);

const SYNTAX: Syntax = Syntax {
    import_names: &[],
    import_lines: &[],
    signs: &[
        Sign::new("T.block", Form::Names("tir", &["block", "block_attr"])),
        Sign::new("T.allocate", Form::Names("tir", &["LetStmt", "allocate", "allocate_const", "realize"])),
        Sign::printed("T.match_buffer(a, ..)", Form::NameArgument("tir", "match_buffer")),
        Sign::printed("T.bitwise_and(..)", BITS),
        Sign::printed("R.Object", Form::Names("relax", &["Object", "prim_value"])),
        Sign::hint("R.Object", Form::Names("relax", &["Object"])),
        Sign::hint("R.Prim(value=..)", Form::Keyword("relax", "value")),
        Sign::new("is_size_var=", Form::Keyword("tir", "is_size_var")),
        Sign::new("p: T.handle(..) = value", Form::Annotation("tir", "handle")),
        Sign::new("out_sinfo=", Form::Keyword("relax", "out_sinfo")),
        Sign::new("sinfo_args=", Form::Keyword("relax", "sinfo_args")),
        Sign::printed("R.Tensor((\"n\",))", Form::TextInTuple("relax")),
        Sign::printed("metadata[\"relax.expr.Constant\"]", Form::Key("relax.expr.Constant")),
    ],
    option_label: "tvmscript",
    metadata: MetadataFormat {
        variable: "metadata",
        loader: "tvm.ir.load_json",
        type_key: |key, registry| json_version(registry).key_of(key),
        omitted: "Metadata omitted. Use show_meta=True in script() method to show it.",
        save: |value, registry| {
            let version = json_version(registry);
            tvm_json::save_with(value, &SaveOptions { version, ..SaveOptions::default() })
        },
        load: |text, registry, unknown| {
            tvm_json::load_section(text, registry, json_version(registry), unknown)
        },
    },
    python: PythonNames {
        script_module: "tvm.script",
        package: "tvm",
        testing: "tvm.testing",
        parameter: "parameter",
        parameters: "parameters",
        transparent_decorators: &["tvm.testing.", "tvm.register_"],
        comparison: Some(ComparisonTests {
            base_suffix: "BeforeAfter",
            scripts: &["before", "Before", "expected", "Expected"],
            checked: "check_well_formed",
        }),
    },
    slices: SliceRule::VectorsAsValues,
    comparisons_nest: false,
    keywords_follow_python: true,
    open_groups: &[],
    ignored_flags: &[],
    called_decorators: &[],
    dotted_keywords: false,
    may_be_ill_formed: false,
    examples: Examples {
        scope: Some("T.block(\"name\")"),
        function: Some("T.prim_func"),
        class: Some("I.ir_module"),
    },
};

/// The form of metadata sections; that of the first release, where a release has none of its own.
fn json_version(registry: &Registry) -> &'static TvmJsonVersion {
    TvmJsonVersion::of(registry).unwrap_or(&TvmJsonVersion::V0_23)
}
