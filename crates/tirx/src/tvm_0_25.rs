//! The text of TVM 0.25.
//!
//! Statements, layouts and the flags of functions are those of 0.27; buffers are matched to handles, as in 0.23, bit
//! operations are calls, and vectors are slices.

use tvmscript_ir_core::Dialect;
use tvmscript_tir::syntax::TirSyntax;

use crate::tvm_0_27;

/// The forms of the release.
static SYNTAX: TirSyntax = TirSyntax {
    #[cfg(feature = "print")]
    print: FORMS,
    ..tvm_0_27::FORMS
};

#[cfg(feature = "print")]
const FORMS: tvmscript_tir::print::forms::Forms = tvmscript_tir::print::forms::Forms {
    function,
    shared_pointers: true,
    dtype_argument: tvmscript_tir::print::forms::TVM_0_23.dtype_argument,
    ..crate::tvm_0_26::FORMS
};

/// Returns the dialect for a registry: TIR with the words, statements and layouts of 0.25.
pub fn dialect() -> Dialect {
    #[cfg(feature = "parse")]
    let dialect = tvm_0_27::dialect_with(&SYNTAX, crate::tvm_0_26::FALLBACK);
    #[cfg(not(feature = "parse"))]
    let dialect = tvm_0_27::dialect_with(&SYNTAX);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect.context(tvm_0_27::build::KeepsHandles)
    };
    dialect
}

/// `@T.prim_func(s_tir=True)`, `def name(a: T.handle):`, `A = T.match_buffer(a, (n,))`
#[cfg(feature = "print")]
fn function(
    node: &tvmscript_ir_core::Ref<tvmscript_tir::PrimFunc>,
    path: tvmscript_ir_core::PathId,
    d: &mut tvmscript_docsifier::Docsifier<'_>,
) -> tvmscript_docsifier::DocsifyResult<tvmscript_docsifier::doc::StmtDoc> {
    use tvm_0_27::print_function::{FunctionFrame, flags};
    use tvmscript_tir::print::parts::{FunctionHead, function_with};

    let flags = flags(node);
    let is_schedulable = flags.iter().any(|(_, key)| *key == tvm_0_27::SCHEDULABLE);
    let data = FunctionFrame { is_schedulable };
    let head = FunctionHead { data, flags: &flags, completes_blocks: is_schedulable };
    tvm_0_27::FOLDING.with(|| function_with(node, path, head, d))
}
