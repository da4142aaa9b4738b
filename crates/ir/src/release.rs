//! TVM 0.23, the release that the dialects are written for.

use tvmscript_ir_core::Registry;
use tvmscript_ir_core::release::{
    ComparisonTests, Examples, MetadataFormat, PythonNames, Release, Renames, Sign, SliceRule, Strength,
    Syntax,
};
use tvmscript_tvm_json::{self as tvm_json, SaveOptions, TvmJsonVersion};

/// TVM 0.23.
pub static TVM_0_23: Release =
    Release { name: "tvm", version: "0.23", syntax: SYNTAX, renames: Renames::NONE };

const SYNTAX: Syntax = Syntax {
    import_names: &[],
    import_lines: &[],
    signs: &[
        Sign { text: "from tvm.script import tir as ", strength: Strength::Header },
        // Other prefixes than the usual ones make types of Relax look like tensors of TIRx.
        Sign { text: "from tvm.script import relax as T", strength: Strength::Form },
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
        }),
    },
    slices: SliceRule::VectorsAsValues,
    comparisons_nest: false,
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
