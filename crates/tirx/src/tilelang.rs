//! The syntax of TileLang's TVM, release 0.25.

use tvmscript_tir::surface::Surface;

use crate::op::TILELANG_0_25;

/// The forms of the release.
pub(crate) static SURFACE: Surface = Surface {
    without: &[
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
    match TILELANG_0_25.of_callee(&call.op) {
        Some(own) => own.makes(call),
        None => operator.is_plain(call),
    }
}
