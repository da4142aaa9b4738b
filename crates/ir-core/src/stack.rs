//! The guard for recursion over user data: [`with_stack`] grows the native stack when little is left.

/// Remaining stack below which a new segment is allocated. One level of any handler must fit in it, debug builds
/// included.
const RED_ZONE_BYTES: usize = 256 * 1024;
/// Size of a new segment.
const SEGMENT_BYTES: usize = 4 * 1024 * 1024;

/// Runs `f` with enough native stack for one more level of recursion.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE_BYTES, SEGMENT_BYTES, f)
}

/// Levels of recursion per check of the remaining stack.
const LEVELS_PER_CHECK: u32 = 16;

/// Like [`with_stack`], for small stack frames: checks the stack at some levels only. `level` is the current depth.
#[inline(always)]
pub(crate) fn with_stack_at<R>(level: u32, f: impl FnOnce() -> R) -> R {
    if level.is_multiple_of(LEVELS_PER_CHECK) { with_stack(f) } else { f() }
}
