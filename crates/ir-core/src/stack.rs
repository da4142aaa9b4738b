//! The guard for recursion over user data: the native stack grows instead of overflowing.
//!
//! Two forms. [`with_stack`] grows the stack when little is left; [`DepthGuard`] counts and errs, for places where
//! no stack can be grown (wasm, Miri) or a limit is part of the contract.

/// Left on the stack when a new piece is taken. One level of any handler must fit in it, debug builds included.
const RED_ZONE_BYTES: usize = 256 * 1024;
/// The size of a new piece.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// Runs `f` with enough native stack for one more level of recursion.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE_BYTES, PIECE_BYTES, f)
}

/// How many levels of a recursion go down between two looks at what is left of the stack.
const LEVELS_PER_LOOK: u32 = 16;

/// As [`with_stack`] for levels that are small, of which a good many fit in what is always left: looks at the stack at
/// some levels only. `level` is how deep the recursion is now.
#[inline(always)]
pub(crate) fn with_stack_at<R>(level: u32, f: impl FnOnce() -> R) -> R {
    if level.is_multiple_of(LEVELS_PER_LOOK) { with_stack(f) } else { f() }
}

/// Nesting went past a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nesting deeper than {limit} levels")]
pub struct TooDeep {
    /// The limit in levels.
    pub limit: u32,
}

/// Counts levels of nesting against a limit.
#[derive(Debug, Clone)]
pub struct DepthGuard {
    depth: u32,
    limit: u32,
}

impl DepthGuard {
    /// A guard at level zero.
    pub fn new(limit: u32) -> DepthGuard {
        DepthGuard { depth: 0, limit }
    }

    /// Goes one level down.
    ///
    /// # Errors
    /// [`TooDeep`] at the limit; the level is then not entered.
    pub fn enter(&mut self) -> Result<(), TooDeep> {
        if self.depth >= self.limit {
            return Err(TooDeep { limit: self.limit });
        }
        self.depth += 1;
        Ok(())
    }

    /// Goes one level up.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
