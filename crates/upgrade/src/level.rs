//! Levels of programs: how a release builds statements, functions and scalars.

use tvmscript_ir_core::{Object, RewriteError};

use crate::{Step, Upgraded, tvm_0_23, tvm_0_27};

/// How programs of a release are built. Each level has what distinguishes it and the levels before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Bindings, allocations, declared buffers and assertions are scopes.
    Nested,
    /// They are statements.
    Flat,
    /// Functions that schedules work on have a flag; the buffers of others have layouts. A declared buffer has a data pointer
    /// of its own.
    Flagged,
    /// Buffers are parameters, and scalars of Relax are those of TIR.
    Current,
}

/// Rewrites a program of one level to another one.
///
/// # Errors
/// See [`upgrade`](crate::upgrade()).
pub fn rewrite_levels(node: &Object, step: &Step, from: Level, to: Level) -> Result<Upgraded, RewriteError> {
    match from.cmp(&to) {
        std::cmp::Ordering::Less => tvm_0_27::raise(node, step, from, to),
        std::cmp::Ordering::Greater => tvm_0_23::lower(node, step, from, to),
        std::cmp::Ordering::Equal => crate::rename_keys(node, step),
    }
}
