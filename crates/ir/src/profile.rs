//! The text profile of TVM 0.23: headers, metadata, and Python modules.

use tvmscript_ir_core::profile::{
    ComparisonTests, Examples, MetadataFormat, PythonNames, Sign, SliceRule, Strength, TextProfile,
};
use tvmscript_tvm_json as tvm_json;

/// The text profile `tvm-0.23`.
pub static TVM_0_23: TextProfile = TextProfile {
    name: "tvm",
    version: "0.23",
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
        type_key: |key| tvm_json::TvmJsonVersion::V0_23.key_of(key),
        omitted: "Metadata omitted. Use show_meta=True in script() method to show it.",
        save: tvm_json::save,
        load: |text, registry, unknown| {
            tvm_json::load_section(text, registry, &tvm_json::TvmJsonVersion::V0_23, unknown)
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
