//! Passes over Relax functions.

mod canonicalize;
mod common_subexpr;
mod dataflow;
mod dead_code;
mod decompose;
mod fold_constant;
mod global_symbol;
mod legalize;
mod purity;
pub mod rewrite;
mod simplify_reshape;
mod usage;

pub use canonicalize::CanonicalizeBindings;
pub use common_subexpr::EliminateCommonSubexpr;
pub use dataflow::{ConvertToDataflow, Normalize, ToNonDataflow};
pub use dead_code::DeadCodeElimination;
pub use decompose::DecomposeOpsForInference;
pub use fold_constant::FoldConstant;
pub use global_symbol::AttachGlobalSymbol;
pub use legalize::LegalizeOps;
pub use purity::RemovePurityChecking;
pub use simplify_reshape::SimplifyReshape;

use tvmscript_ir_core::Dialect;

use tvmscript_pass::PassDialect;

/// Registers the passes.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .pass_option(common_subexpr::CALL_ONLY)
        .pass_option(dataflow::MIN_SIZE)
        .pass(AttachGlobalSymbol)
        .pass(CanonicalizeBindings)
        .pass(ConvertToDataflow)
        .pass(DeadCodeElimination)
        .pass(DecomposeOpsForInference)
        .pass(EliminateCommonSubexpr)
        .pass(FoldConstant)
        .pass(LegalizeOps)
        .pass(Normalize)
        .pass(RemovePurityChecking)
        .pass(SimplifyReshape)
        .pass(ToNonDataflow)
}
