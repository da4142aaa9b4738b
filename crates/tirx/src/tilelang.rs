//! The text of TileLang's TVM, release 0.25.

use tvmscript_ir::profile::TVM_0_23;
use tvmscript_ir_core::profile::{Examples, MetadataFormat, Sign, Strength, TextProfile};
use tvmscript_tir::surface::Surface;
use tvmscript_tvm_json::{SaveOptions, TvmJsonVersion, load_section, save_with};

use crate::op::TILELANG_0_25;

/// The text profile `tilelang-0.25`.
pub static PROFILE: TextProfile = TextProfile {
    name: "tilelang",
    version: "0.25",
    import_names: &[("tir", "tirx")],
    signs: &[Sign { text: "from tvm.script import tirx as ", strength: Strength::Hint }],
    metadata: MetadataFormat {
        type_key: |key| TvmJsonVersion::V0_25.key_of(key),
        save: |value| {
            save_with(value, &SaveOptions { version: TvmJsonVersion::V0_25, ..SaveOptions::default() })
        },
        load: |text, registry, unknown| load_section(text, registry, &TvmJsonVersion::V0_25, unknown),
        ..TVM_0_23.metadata
    },
    comparisons_nest: true,
    dotted_keywords: true,
    may_be_ill_formed: true,
    examples: Examples { scope: Some("T.sblock(\"name\")"), ..TVM_0_23.examples },
    ..TVM_0_23
};

/// The words of the release, and its statements.
pub(crate) static SURFACE: Surface = Surface {
    block: "sblock",
    block_attr: "sblock_attr",
    block_alloc: "sblock_alloc_buffer",
    without: &[
        "block",
        "block_attr",
        "alloc_buffer",
        "decl_buffer",
        "allocate",
        "allocate_const",
        "realize",
        "launch_thread",
        "LetStmt",
        "Assert",
        "reduce",
        "Call",
    ],
    is_call: |node| node.is::<crate::node::AnnotatedCall>(),
    operator_of: |callee| TILELANG_0_25.of_callee(callee),
    #[cfg(feature = "build")]
    renamed: &[
        ("sblock", &tvmscript_tir::build::block::BLOCK),
        ("sblock_attr", &tvmscript_tir::build::block::BLOCK_ATTR),
        ("sblock_alloc_buffer", &tvmscript_tir::build::buffer::ALLOC_BUFFER),
    ],
    #[cfg(feature = "build")]
    flat: Some(tvmscript_tir::surface::Flat { bind: crate::build::bound, assert_: crate::build::asserted }),
    #[cfg(feature = "print")]
    print: tvmscript_tir::print::forms::Forms {
        makes,
        plain_extents: true,
        ..tvmscript_tir::print::forms::TVM_0_23
    },
    #[cfg(feature = "parse")]
    parse: tvmscript_tir::parse::handlers::TVM_0_23,
};

/// The release's form of an operator that TIR has too: nothing folds.
#[cfg(feature = "print")]
fn makes(call: &tvmscript_prim::Call, operator: &tvmscript_tir::op::Operator) -> bool {
    operator.is_plain(call) || TILELANG_0_25.of_callee(&call.op).is_some_and(|operator| operator.makes(call))
}
