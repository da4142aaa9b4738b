//! Block completion at the end of a function: [`crate::complete`], with the builder's errors.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{BuildError, Result};

use crate::node::*;

use crate::complete::CompleteError;
pub(crate) use crate::complete::DETECT_ACCESS;

/// The function with its root block and all regions.
///
/// # Errors
/// When a region cannot be found.
pub(crate) fn complete(function: PrimFunc, root_alloc: Vec<Ref<Buffer>>) -> Result<PrimFunc> {
    crate::complete::complete(function, root_alloc).map_err(described)
}

/// Statements in no function with all regions.
///
/// # Errors
/// When a region cannot be found.
pub(crate) fn complete_fragment(body: StmtRef) -> Result<StmtRef> {
    crate::complete::complete_fragment(body).map_err(described)
}

fn described(error: CompleteError) -> BuildError {
    let (span, help) = (error.span, error.help());
    let error = BuildError::from(error).at_span(span);
    match help {
        Some(help) => error.with_help(help),
        None => error,
    }
}
