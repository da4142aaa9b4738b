//! Passes over Relax functions.

mod dead_code;
mod rewrite;
mod usage;

pub use dead_code::DeadCodeElimination;

use tvmscript_ir_core::Dialect;

use crate::PassesOfDialect;

/// Registers the passes.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect.pass(DeadCodeElimination)
}
