//! The text of the standalone package TIRx, release 0.1.
//!
//! Functions over tensors, loops and threads; no blocks and no Relax. A name is unique in its function, a launched thread
//! or another scope is always a block, and the type of a call is its argument `ty`.

#[cfg(feature = "build")]
#[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "some functions exist in texts only"))]
pub(crate) mod build;
#[cfg(feature = "parse")]
mod head;
#[cfg(feature = "parse")]
mod names;
pub(crate) mod op;
#[cfg(feature = "print")]
mod print;
#[cfg(feature = "print")]
mod print_function;

use std::sync::LazyLock;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::Object;
use tvmscript_ir_core::registry::NameDialect as _;
use tvmscript_tir::syntax::TirSyntax;

use crate::node::{AllocBuffer, AnnotatedCall, AssertStmt, Bind, BufferArgument, DeclBuffer, TypedCall};
use crate::op::Operators;
use crate::tvm_0_27::layout;

/// The operators of the release beside those of TIR.
pub static OPERATORS: LazyLock<Operators> =
    LazyLock::new(|| Operators::new(&[crate::op::device::FAMILIES, op::FAMILIES].concat()));

/// The forms of the release.
pub(crate) static SYNTAX: TirSyntax = TirSyntax {
    without: &[
        "block",
        "block_attr",
        "match_buffer",
        "alloc_buffer",
        "decl_buffer",
        "allocate",
        "allocate_const",
        "realize",
        "let",
        "LetStmt",
        "Assert",
        "reduce",
        "serial",
        "parallel",
        "vectorized",
        "unroll",
        "ptr",
        "Call",
    ],
    is_call,
    operator_of: |callee| OPERATORS.of_callee(callee),
    made: crate::made::flat,
    lowered: crate::made::flat,
    #[cfg(feature = "build")]
    flat: Some(tvmscript_tir::syntax::Flat { bind: crate::build::bound, assert_: crate::build::asserted }),
    #[cfg(feature = "print")]
    print: print::FORMS,
    #[cfg(feature = "parse")]
    parse: head::HANDLERS,
};

/// Rules of folding: what does not fit its type stays as it is written.
#[cfg(any(feature = "parse", feature = "print"))]
const FOLDING: tvmscript_ir_core::Folding = tvmscript_ir_core::Folding { unsigned: true, is_exact: true };

/// Tests whether calls of an operator stay as they are written. Operations on bits are computed.
#[cfg(any(feature = "build", feature = "print"))]
fn keeps_calls_of(operator: &tvmscript_tir::op::Operator) -> bool {
    !tvmscript_tir::op::bits::STRICT.iter().any(|(_, bits)| std::ptr::eq(*bits, operator))
}

fn is_call(node: &Object) -> bool {
    node.is::<AnnotatedCall>() || node.is::<TypedCall>()
}

/// Returns the dialect for a registry: TIR with the words, statements and layouts of TIRx 0.1.
pub fn dialect() -> Dialect {
    let dialect = tvmscript_tir::dialect_of(&SYNTAX)
        .node::<Bind>()
        .node::<AllocBuffer>()
        .node::<DeclBuffer>()
        .node::<AssertStmt>()
        .node::<AnnotatedCall>()
        .node::<TypedCall>()
        .node::<BufferArgument>()
        .names::<tvmscript_prim::Op>(OPERATORS.iter().map(|operator| operator.name()))
        .node::<layout::Axis>()
        .node::<layout::Iter>()
        .node::<layout::TileLayout>()
        .finish();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect
            .context(tvmscript_tir::build::loops::EndsAsWritten)
            .context(tvmscript_tir::build::operator::Unfolded(keeps_calls_of))
            .context(crate::tvm_0_27::build::WithoutLayout)
    };
    #[cfg(feature = "parse")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        names::register(dialect).context(tvmscript_tir::parse::operators::FoldedComparisons(|_, _| true))
    };
    dialect
}
