//! Growing containers without aborting the program when memory runs out.
//!
//! Printed text can exceed the memory; printing then fails with an error. Inside [`attempt`], failed allocations do
//! not call the handler of [`set_out_of_memory_handler`](crate::set_out_of_memory_handler).

use std::cell::Cell;

/// Reserves capacity for `additional` more elements. Returns `false` if memory runs out.
#[inline]
#[must_use]
pub fn reserve<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    vec.capacity() - vec.len() >= additional || grow(vec, additional)
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    // Amortized growth doubles the capacity, which may fail where the exact capacity fits.
    attempt(|| vec.try_reserve(additional).is_ok() || vec.try_reserve_exact(additional).is_ok())
}

/// Reserves capacity for `additional` more bytes. Returns `false` if memory runs out.
#[inline]
#[must_use]
pub fn reserve_text(text: &mut String, additional: usize) -> bool {
    text.capacity() - text.len() >= additional || grow_text(text, additional)
}

#[cold]
fn grow_text(text: &mut String, additional: usize) -> bool {
    attempt(|| text.try_reserve(additional).is_ok() || text.try_reserve_exact(additional).is_ok())
}

/// Appends an element. Returns `false` if memory runs out.
#[inline]
#[must_use]
pub fn push<T>(vec: &mut Vec<T>, element: T) -> bool {
    let is_reserved = reserve(vec, 1);
    if is_reserved {
        vec.push(element);
    }
    is_reserved
}

/// Runs `f`, which handles failed allocations itself.
pub fn attempt<R>(f: impl FnOnce() -> R) -> R {
    ATTEMPTS.with(|depth| {
        depth.set(depth.get() + 1);
        let result = f();
        depth.set(depth.get() - 1);
        result
    })
}

/// Returns `true` inside of [`attempt`].
#[cfg(feature = "mimalloc")]
pub(crate) fn is_attempted() -> bool {
    ATTEMPTS.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

thread_local! {
    /// Nesting of [`attempt`].
    static ATTEMPTS: Cell<u32> = const { Cell::new(0) };
}
