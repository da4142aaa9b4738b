//! Errors of the node constructors.

use tvmscript_ir_core::DataType;
use tvmscript_prim::PrimError;

/// The reason why a node cannot be created.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TirError {
    /// An error of a contained expression.
    #[error(transparent)]
    Prim(#[from] PrimError),
    /// The data pointer of a buffer does not point to a scalar type.
    #[error("`{name}` cannot be the data of a buffer: it is not a pointer to a scalar type")]
    BufferData {
        /// The pointer's name.
        name: String,
    },
    /// Axis separators are out of order or out of range.
    #[error("axis separators must be ascending and between 0 and {rank}")]
    AxisSeparators {
        /// The buffer's rank.
        rank: usize,
    },
    /// The number of indices differs from the rank of the buffer.
    #[error("buffer `{buffer}` is {rank}-dimensional, but {found} {} given", if *found == 1 { "index is" } else { "indices are" })]
    Rank {
        /// The buffer's name.
        buffer: String,
        /// Its rank.
        rank: usize,
        /// The number of given indices.
        found: usize,
    },
    /// An index other than the last is a vector.
    #[error("only the last index of buffer `{buffer}` may be a vector")]
    VectorIndex {
        /// The buffer's name.
        buffer: String,
    },
    /// The type of a stored value differs from the element type.
    #[error("cannot store a value of type `{value}` in buffer `{buffer}`, expected `{place}`")]
    StoreType {
        /// The buffer's name.
        buffer: String,
        /// The value's type.
        value: DataType,
        /// The element type, with the lanes of the index.
        place: DataType,
    },
    /// Two parts that must have the same type differ.
    #[error("{what} has type `{found}`, expected `{expected}`")]
    Type {
        /// The part with the wrong type.
        what: &'static str,
        /// Its type.
        found: DataType,
        /// The required type.
        expected: DataType,
    },
    /// A part has a type that the node does not accept.
    #[error("{what} must be {expected}, not `{found}`")]
    Kind {
        /// The part with the wrong type.
        what: &'static str,
        /// The accepted types, in words.
        expected: &'static str,
        /// Its type.
        found: DataType,
    },
    /// The lengths of two related lists differ.
    #[error("the numbers of {what} differ: {left} and {right}")]
    Count {
        /// The lists.
        what: &'static str,
        /// The first number.
        left: usize,
        /// The second number.
        right: usize,
    },
    /// A matched buffer does not fit its region.
    #[error("`T.match_buffer`: {why}")]
    MatchBuffer {
        /// The mismatch.
        why: &'static str,
    },
}

/// Result with a [`TirError`].
pub type TirResult<T> = Result<T, TirError>;

/// Fails with [`TirError::Kind`] unless `fits`.
pub(crate) fn check_kind(
    what: &'static str,
    expected: &'static str,
    found: DataType,
    fits: bool,
) -> TirResult<()> {
    if fits { Ok(()) } else { Err(TirError::Kind { what, expected, found }) }
}

/// Fails with [`TirError::Type`] unless the types are equal.
pub(crate) fn check_type(what: &'static str, found: DataType, expected: DataType) -> TirResult<()> {
    if found == expected { Ok(()) } else { Err(TirError::Type { what, found, expected }) }
}
