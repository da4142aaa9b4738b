//! The text of TVM 0.26.
//!
//! Statements, layouts and buffer parameters are those of 0.27; shape variables of all types are defined by text, bit
//! operations are calls, and vectors are slices.

use tvmscript_ir_core::Dialect;
use tvmscript_tir::syntax::TirSyntax;

use crate::tvm_0_27;

/// The forms of the release.
static SYNTAX: TirSyntax = TirSyntax {
    #[cfg(feature = "print")]
    print: FORMS,
    #[cfg(feature = "parse")]
    parse: tvm_0_27::head::DECLARED,
    ..tvm_0_27::FORMS
};

/// The printers and forms of the release.
#[cfg(feature = "print")]
pub(crate) const FORMS: tvmscript_tir::print::forms::Forms = {
    use tvm_0_27::print_function::{ShapeVariables, function};
    use tvmscript_tir::print::forms::{Forms, WideLiterals};

    Forms {
        function: |node, path, d| {
            tvm_0_27::FOLDING.with(|| function(node, path, ShapeVariables::OfAllTypes, d))
        },
        load: tvm_0_27::print::load_as_slice,
        infix_bits: false,
        wide_literals: WideLiterals::Halves,
        store: tvm_0_27::print::store_with_mask,
        ..tvm_0_27::print::FORMS
    }
};

/// The names that are no functions. Instructions of devices have other names and operands than in 0.27: they are groups of
/// functions that no table lists.
#[cfg(feature = "parse")]
pub(crate) const FALLBACK: tvm_0_27::names::Fallback =
    tvm_0_27::names::Fallback { find: tvm_0_27::names::find_scoped, names: tvm_0_27::names::scoped_names };

/// Returns the dialect for a registry: TIR with the words, statements and layouts of 0.26.
pub fn dialect() -> Dialect {
    #[cfg(feature = "parse")]
    return tvm_0_27::dialect_with(&SYNTAX, FALLBACK);
    #[cfg(not(feature = "parse"))]
    tvm_0_27::dialect_with(&SYNTAX)
}
