//! Passes over Relax functions.

mod canonicalize;
mod common_subexpr;
mod dead_code;
mod evaluate;
mod fold_constant;
mod rewrite;
mod usage;

pub use canonicalize::CanonicalizeBindings;
pub use common_subexpr::EliminateCommonSubexpr;
pub use dead_code::DeadCodeElimination;
pub use fold_constant::FoldConstant;

use tvmscript_ir_core::Dialect;

use crate::PassesOfDialect;

/// Registers the passes.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .pass_option(common_subexpr::CALL_ONLY)
        .pass(CanonicalizeBindings)
        .pass(DeadCodeElimination)
        .pass(EliminateCommonSubexpr)
        .pass(FoldConstant)
}
