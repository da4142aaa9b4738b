//! Rules of constant folding that differ between releases.
//!
//! The default is TVM 0.23's. A release with other rules sets them for this thread while one of its functions is read or
//! printed ([`with`]).

use std::cell::Cell;

/// Differences of a release's folding from TVM 0.23's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// Remainders of unsigned numbers fold, and `uint64` computes with all its bits.
    pub unsigned: bool,
    /// An operation or conversion stays if no literal of its type holds the result.
    pub is_exact: bool,
}

/// TVM 0.23.
pub const TVM_0_23: Folding = Folding { unsigned: false, is_exact: false };

thread_local! {
    static CURRENT: Cell<Folding> = const { Cell::new(TVM_0_23) };
}

/// The rules that hold on this thread.
pub(super) fn current() -> Folding {
    CURRENT.get()
}

/// Runs `f` under the rules of a release.
pub fn with<R>(folding: Folding, f: impl FnOnce() -> R) -> R {
    struct Restore(Folding);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(folding));
    f()
}
