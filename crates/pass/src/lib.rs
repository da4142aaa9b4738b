//! Passes, the context and sequences they run in, instruments, and rewriting by rules.
//!
//! A [`Pass`] maps a module to a module; [`pass!`] declares one. A [`PassContext`] holds options, the optimisation level
//! and [`PassInstrument`]s, and runs passes. Passes keep source information: every node of the result has the span of
//! the nodes that it was made from.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod context;
mod error;
pub mod instrument;
mod pass;
pub mod rewrite;
mod sequential;
mod table;

pub use context::{OptionError, PassContext};
pub use error::PassError;
pub use instrument::{PassInstrument, PassRun};
pub use pass::{Pass, PassInfo, map_functions};
pub use rewrite::{RewriteRule, Rewriter};
pub use sequential::Sequential;
pub use table::{OptionDecl, OptionKind, OptionValue, PassTable, PassesOfDialect};

/// Option that switches [`tvmscript_si_builder::SIBuilder`] on.
pub const ENABLE_SI_BUILDER: &str = "ir.enable_si_builder";

/// Items that [`pass!`] uses.
#[doc(hidden)]
pub mod __private {
    pub use tvmscript_ir::IRModule;
    pub use tvmscript_ir_core::Ref;
}
