//! Errors of the analyses.

use tvmscript_prim::PrimError;

/// The reason why an expression cannot be simplified.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArithError {
    /// The expression is larger than the analyzer's node budget.
    #[error("the expression is too large to simplify")]
    Budget,
    /// A node cannot be built: a constant is out of range, or a divisor is zero.
    #[error(transparent)]
    Constant(PrimError),
    /// A rewrite rule is malformed, which is a bug of this crate.
    #[error("a rewrite rule is malformed")]
    MalformedRule,
}

/// Result of a step of an analysis.
pub(crate) type Result<T> = std::result::Result<T, ArithError>;
