//! Which arguments of a call its results take the place of.

use hashbrown::HashSet;
use tvmscript_ir_core::{Array, Ref};
use tvmscript_prim::IntImm;

/// What stands for a result that takes the place of none.
pub const NEW: i64 = -1;

/// Why `inplace_indices` is wrong. The text continues the name of the attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InPlaceError {
    /// There is no such argument.
    #[error("names the argument {index}, and there are {count}, counted from 0")]
    OutOfRange {
        /// Which.
        index: i64,
        /// How many arguments there are.
        count: usize,
    },
    /// Two results take the place of one argument.
    #[error("names the argument {index} twice")]
    Repeated {
        /// Which.
        index: i64,
    },
    /// All results are new.
    #[error("names no argument: such a call needs no indices")]
    Nothing,
}

/// Checks that each result takes the place of an argument of its own or of none, and one at least of one.
///
/// # Errors
/// When they do not.
pub fn check(indices: &Array<Ref<IntImm>>, count: usize) -> Result<(), InPlaceError> {
    let mut taken = HashSet::new();
    for index in indices.iter().map(|index| index.value).filter(|index| *index != NEW) {
        if usize::try_from(index).map_or(true, |index| index >= count) {
            return Err(InPlaceError::OutOfRange { index, count });
        }
        if !taken.insert(index) {
            return Err(InPlaceError::Repeated { index });
        }
    }
    if taken.is_empty() { Err(InPlaceError::Nothing) } else { Ok(()) }
}
