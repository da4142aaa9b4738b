//! Passes over TIR functions.
//!
//! Each pass has the name and the behaviour of TVM's; `cargo xtask passes` compares them. Everything that a pass makes
//! has the span of the statement that it was made from.

mod context;
mod convert_blocks_to_opaque;
mod convert_for_loops_to_serial;
mod convert_ssa;
mod force_narrow_index;
mod lower_init_block;
mod lower_opaque_block;
mod narrower;
mod remove_no_op;
pub mod rewrite;
mod rewrite_unsafe_select;
mod simplify;
mod skip_assert;
mod unify_thread_binding;
mod unroll_loop;
mod vectorize_loop;
mod vectorizer;

pub use convert_blocks_to_opaque::ConvertBlocksToOpaque;
pub use convert_for_loops_to_serial::ConvertForLoopsToSerial;
pub use convert_ssa::ConvertSSA;
pub use force_narrow_index::ForceNarrowIndexToInt32;
pub use lower_init_block::LowerInitBlock;
pub use lower_opaque_block::LowerOpaqueBlock;
pub use remove_no_op::RemoveNoOp;
pub use rewrite_unsafe_select::RewriteUnsafeSelect;
pub use simplify::Simplify;
pub use skip_assert::SkipAssert;
pub use unify_thread_binding::UnifyThreadBinding;
pub use unroll_loop::UnrollLoop;
pub use vectorize_loop::VectorizeLoop;

use tvmscript_ir_core::Dialect;

use tvmscript_pass::PassDialect;

/// Registers the passes.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    let dialect = unroll_loop::OPTIONS.into_iter().fold(dialect, PassDialect::pass_option);
    dialect
        .pass(LowerInitBlock)
        .pass(ConvertBlocksToOpaque)
        .pass(ConvertForLoopsToSerial)
        .pass(SkipAssert)
        .pass(ConvertSSA)
        .pass(UnrollLoop)
        .pass(Simplify)
        .pass(RemoveNoOp)
        .pass(RewriteUnsafeSelect)
        .pass(LowerOpaqueBlock)
        .pass(UnifyThreadBinding)
        .pass(VectorizeLoop)
        .pass(ForceNarrowIndexToInt32)
}
