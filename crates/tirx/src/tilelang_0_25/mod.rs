//! The syntax of TileLang's TVM, release 0.25.

#[cfg(feature = "parse")]
mod names;
pub(crate) mod op;
#[cfg(feature = "print")]
mod print;

use std::sync::LazyLock;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::NameDialect as _;
use tvmscript_tir::syntax::TirSyntax;

use crate::layout::{Fragment, Layout};
use crate::node::AnnotatedCall;
use crate::op::Operators;
use crate::tvm_0_24;

/// The operators of the release beside those of TIR.
pub static OPERATORS: LazyLock<Operators> = LazyLock::new(|| Operators::new(op::FAMILIES));

/// The forms of the release.
static SYNTAX: TirSyntax = TirSyntax {
    is_call: |node| node.is::<AnnotatedCall>(),
    operator_of: |callee| OPERATORS.of_callee(callee),
    #[cfg(feature = "print")]
    print: tvmscript_tir::print::forms::Forms {
        makes,
        plain_extents: true,
        ..tvmscript_tir::print::forms::TVM_0_23
    },
    ..tvm_0_24::FORMS
};

/// Returns the dialect for a registry: TIR with the words and statements of 0.25.
pub fn dialect() -> Dialect {
    let dialect = tvm_0_24::dialect_with(&SYNTAX)
        .node::<AnnotatedCall>()
        .node::<Layout>()
        .node::<Fragment>()
        .names::<tvmscript_prim::Op>(OPERATORS.iter().map(|operator| operator.name()))
        .finish();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect
            .context(tvmscript_ir::build::AsWritten)
            .context(tvmscript_tir::build::operator::Unfolded(|_| true))
    };
    #[cfg(feature = "parse")]
    let dialect = names::register(dialect);
    dialect
}

/// The release's form of an operator that TIR has too: nothing folds.
#[cfg(feature = "print")]
fn makes(call: &tvmscript_prim::Call, operator: &tvmscript_tir::op::Operator) -> bool {
    match OPERATORS.of_callee(&call.op) {
        Some(own) => own.makes(call),
        None => operator.is_plain(call),
    }
}
