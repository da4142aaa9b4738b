//! The text of TVM 0.24.
//!
//! Bindings, allocations, declared buffers and assertions are flat; everything else is as in TVM 0.23, under the names of
//! the later namespace.

#[cfg(feature = "parse")]
mod names;
#[cfg(feature = "print")]
mod print;

use tvmscript_ir_core::Dialect;
use tvmscript_tir::syntax::TirSyntax;

use crate::node::{AllocBuffer, AssertStmt, Bind, DeclBuffer};

/// The forms of the release.
static SYNTAX: TirSyntax = TirSyntax { without: SCOPES, ..FORMS };

/// The words of scopes, which are flat.
const SCOPES: &[&str] = match WITHOUT {
    [_, scopes @ ..] => scopes,
    [] => &[],
};

/// `Call`, which other releases have with annotations, and the words of scopes.
const WITHOUT: &[&str] = &[
    "Call",
    "alloc_buffer",
    "decl_buffer",
    "allocate",
    "allocate_const",
    "realize",
    "launch_thread",
    "LetStmt",
    "Assert",
    "reduce",
];

/// The forms of the release, for those that resemble it.
pub(crate) const FORMS: TirSyntax = TirSyntax {
    without: WITHOUT,
    is_call: |_| false,
    operator_of: |_| None,
    made: crate::made::flat,
    lowered: crate::made::flat,
    #[cfg(feature = "build")]
    flat: Some(tvmscript_tir::syntax::Flat { bind: crate::build::bound, assert_: crate::build::asserted }),
    #[cfg(feature = "print")]
    print: tvmscript_tir::print::forms::TVM_0_23,
    #[cfg(feature = "parse")]
    parse: tvmscript_tir::parse::handlers::TVM_0_23,
};

/// Returns the dialect for a registry: TIR with the words and statements of 0.24.
pub fn dialect() -> Dialect {
    dialect_with(&SYNTAX)
}

/// The dialect with the forms of a release.
pub(crate) fn dialect_with(syntax: &'static TirSyntax) -> Dialect {
    let dialect = tvmscript_tir::dialect_of(syntax)
        .node::<Bind>()
        .node::<AllocBuffer>()
        .node::<DeclBuffer>()
        .node::<AssertStmt>()
        .finish();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = names::register(dialect);
    dialect
}
