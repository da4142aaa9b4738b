//! Containers that grow without aborting the program when memory runs out.
//!
//! Text and docs of a print can outgrow memory; printing then reports an error. A program whose allocator stops it when
//! memory runs out ([`set_out_of_memory_handler`](crate::set_out_of_memory_handler)) is not stopped inside of [`attempt`].

use std::cell::Cell;

/// Reserves room for `additional` more elements. Returns false if there is no memory for them.
#[inline]
#[must_use]
pub fn reserve<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    vec.capacity() - vec.len() >= additional || grow(vec, additional)
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    // Amortized growth doubles the vector, for which there may be no memory when there is enough for the elements.
    attempt(|| vec.try_reserve(additional).is_ok() || vec.try_reserve_exact(additional).is_ok())
}

/// Reserves room for `additional` more bytes of text. Returns false if there is no memory for them.
#[inline]
#[must_use]
pub fn reserve_text(text: &mut String, additional: usize) -> bool {
    text.capacity() - text.len() >= additional || grow_text(text, additional)
}

#[cold]
fn grow_text(text: &mut String, additional: usize) -> bool {
    attempt(|| text.try_reserve(additional).is_ok() || text.try_reserve_exact(additional).is_ok())
}

/// Adds an element at the end. Returns false if there is no memory for it.
#[inline]
#[must_use]
pub fn push<T>(vec: &mut Vec<T>, element: T) -> bool {
    let has_room = reserve(vec, 1);
    if has_room {
        vec.push(element);
    }
    has_room
}

/// Runs `f`, which handles a failed allocation itself.
pub fn attempt<R>(f: impl FnOnce() -> R) -> R {
    ATTEMPTS.with(|depth| {
        depth.set(depth.get() + 1);
        let result = f();
        depth.set(depth.get() - 1);
        result
    })
}

/// Returns true if the running code handles a failed allocation itself.
pub(crate) fn is_attempted() -> bool {
    ATTEMPTS.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

thread_local! {
    /// Number of open calls of [`attempt`].
    static ATTEMPTS: Cell<u32> = const { Cell::new(0) };
}
