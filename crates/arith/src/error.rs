//! Why an analysis stopped.

use tvmscript_prim::PrimError;

/// The reason a simplification gave up. The input is then the answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// The expression is larger than the analyzer's node budget.
    #[error("the expression is too large to simplify")]
    Budget,
    /// An expression on the way cannot be made: a constant out of range, a division by zero.
    #[error(transparent)]
    Constant(PrimError),
    /// A rewrite rule is malformed: a fault of this crate.
    #[error("a rewrite rule is malformed")]
    MalformedRule,
}

/// Result of a step inside the analyses.
pub(crate) type Result<T> = std::result::Result<T, Stop>;
