//! Errors of the detection of affine maps.

use std::fmt;

use tvmscript_ir_core::Ref;
use tvmscript_prim::{Expr, Var};

use crate::error::ArithError;

/// Why indices are not an affine map of iterators.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum IterMapError {
    /// The range of an iterator mentions an iterator.
    #[error("the range of an iterator mentions an iterator, but ranges must not depend on iterators")]
    DependentRanges,
    /// A part of the predicate is not a comparison with `<`, `<=`, `>` or `>=`.
    #[error("the predicate is not a conjunction of the comparisons `<`, `<=`, `>` and `>=` of integers")]
    Predicate(Expr),
    /// A comparison of the predicate bounds no iterator that the indices can be divided into.
    #[error("a comparison of the predicate does not bound a fused iterator")]
    Constraint(Expr),
    /// Two comparisons bound iterators that share only some of their parts.
    #[error("two comparisons of the predicate bound iterators that overlap without one containing the other")]
    OverlappingConstraints,
    /// A product of two iterators.
    #[error("an index multiplies two iterators, but a factor must not depend on an iterator")]
    Product(Expr),
    /// A quotient or remainder by an iterator.
    #[error("an index divides by an iterator, but a divisor must not depend on an iterator")]
    Divisor(Expr),
    /// A quotient or remainder by zero.
    #[error("an index divides by zero")]
    ZeroDivisor(Expr),
    /// The scale of an iterator and a divisor do not divide each other.
    #[error(
        "an index divides a scaled iterator by a number that neither divides the scale nor is a multiple of it"
    )]
    Scale(Expr),
    /// The parts of an index or of a dividend are not consecutive digits of one iterator.
    #[error("the iterators of a sum cannot be fused into one")]
    NotFused(Expr),
    /// An operation other than `+`, `-`, `*`, `//` and `%` of an iterator.
    #[error("an index applies an operation other than `+`, `-`, `*`, `//` and `%` to an iterator")]
    Operation(Expr),
    /// Divisions of one iterator need different padding.
    #[error("two divisions of one iterator need different padding")]
    Padding,
    /// Parts of one iterator overlap, or do not fill it.
    #[error("the indices are not independent: parts of an iterator overlap or do not divide its extent")]
    NotIndependent,
    /// The indices do not take each value exactly once.
    #[error("the indices are not a bijective map of the iterators")]
    NotBijective,
    /// The iterators inside a subspace cannot be told from those outside.
    #[error("the indices cannot be divided into a part of the outer and a part of the inner iterators")]
    NotDivisible,
    /// The map has no inverse made of quotients and remainders.
    #[error("the map cannot be inverted: the scales of a sum are not the products of the extents below them")]
    NotInvertible,
    /// The value of a variable does not follow from the outputs.
    #[error(
        "the map cannot be inverted: an iterator occurs in no index, or its range does not begin at zero"
    )]
    LostVariable(Ref<Var>),
    /// Two lists that belong together have different lengths.
    #[error("expected {expected} values, one for each element, found {found}")]
    Count {
        /// Number of elements.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// An expression cannot be simplified.
    #[error(transparent)]
    Arith(#[from] ArithError),
}

/// All reasons found, at least one.
#[derive(Debug, Clone)]
pub struct IterMapErrors {
    errors: Vec<IterMapError>,
}

impl IterMapErrors {
    pub(super) fn new(errors: Vec<IterMapError>) -> Self {
        Self { errors }
    }

    /// The reasons in the order found.
    pub fn errors(&self) -> &[IterMapError] {
        &self.errors
    }
}

impl From<IterMapError> for IterMapErrors {
    fn from(error: IterMapError) -> Self {
        Self { errors: vec![error] }
    }
}

impl From<ArithError> for IterMapErrors {
    fn from(error: ArithError) -> Self {
        IterMapError::from(error).into()
    }
}

impl fmt::Display for IterMapErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            let separator = if i > 0 { "; " } else { "" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for IterMapErrors {}
