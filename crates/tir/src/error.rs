//! What can go wrong while making a statement, buffer or function.

use tvmscript_ir_core::DataType;
use tvmscript_prim::PrimError;

/// Why a node cannot be made: one variant, one cause.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TirError {
    /// An expression inside is wrong.
    #[error(transparent)]
    Prim(#[from] PrimError),
    /// The pointer of a buffer points to no scalar type.
    #[error("`{name}` is no pointer to a scalar type, so it cannot be a buffer's data")]
    BufferData {
        /// The pointer's name.
        name: String,
    },
    /// Axis separators out of order or range.
    #[error("axis separators must not decrease and must lie within 0 and {rank}")]
    AxisSeparators {
        /// The buffer's rank.
        rank: usize,
    },
    /// The number of indices is not the buffer's rank.
    #[error("buffer `{buffer}` is {rank}-dimensional, but {found} {} given", if *found == 1 { "index is" } else { "indices are" })]
    Rank {
        /// The buffer's name.
        buffer: String,
        /// Its rank.
        rank: usize,
        /// How many indices were given.
        found: usize,
    },
    /// An index before the last is a vector.
    #[error("only the last index of buffer `{buffer}` may be a vector")]
    VectorIndex {
        /// The buffer's name.
        buffer: String,
    },
    /// A stored value has another type than the place.
    #[error("cannot store `{value}` where buffer `{buffer}` holds `{place}`")]
    StoreType {
        /// The buffer's name.
        buffer: String,
        /// The value's type.
        value: DataType,
        /// What the place takes.
        place: DataType,
    },
    /// Two parts that must have one type differ.
    #[error("{what} has type `{found}`, but `{expected}` is needed")]
    Type {
        /// What has the wrong type.
        what: &'static str,
        /// Its type.
        found: DataType,
        /// The needed one.
        expected: DataType,
    },
    /// A part has a type that the node does not take.
    #[error("{what} must be {expected}, not `{found}`")]
    Kind {
        /// What has the wrong type.
        what: &'static str,
        /// What is taken, in words.
        expected: &'static str,
        /// Its type.
        found: DataType,
    },
    /// Parts that belong together differ in number.
    #[error("{what}: {left} against {right}")]
    Count {
        /// What differs.
        what: &'static str,
        /// The first number.
        left: usize,
        /// The second number.
        right: usize,
    },
    /// A block's buffer does not fit the region it is matched to.
    #[error("`T.match_buffer`: {why}")]
    MatchBuffer {
        /// What does not fit.
        why: &'static str,
    },
}

/// A result with a [`TirError`].
pub type Result<T> = std::result::Result<T, TirError>;
