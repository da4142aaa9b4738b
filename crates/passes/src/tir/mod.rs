//! Passes over TIR functions.

use tvmscript_ir_core::Dialect;

/// Registers the passes.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
}
