//! Room in containers that are likely to grow large: a full one grows by three times what it holds.
//!
//! Doubling copies, and takes from the system, twice of what is there in the end; this a third more. What is never
//! written to is never given by the system, so the room that stays empty costs nothing.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashMap;

/// Room in `vec` for so many more elements.
#[inline]
pub fn make_room<T>(vec: &mut Vec<T>, additional: usize) {
    if vec.capacity() - vec.len() < additional {
        grow(vec, additional);
    }
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, additional: usize) {
    vec.reserve(additional.max(vec.len().saturating_mul(3)));
}

/// Adds an element at the end.
#[inline]
pub fn push<T>(vec: &mut Vec<T>, element: T) {
    make_room(vec, 1);
    vec.push(element);
}

/// As [`make_room`], where there may be no memory: `false` then. When memory gets scarce, a vector grows by less.
#[inline]
#[must_use]
pub fn try_make_room<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    vec.capacity() - vec.len() >= additional || try_grow(vec, additional)
}

#[cold]
fn try_grow<T>(vec: &mut Vec<T>, additional: usize) -> bool {
    let len = vec.len();
    fallible(|| {
        vec.try_reserve_exact(additional.max(len.saturating_mul(3))).is_ok()
            || vec.try_reserve_exact(additional.max(len / 2)).is_ok()
            || vec.try_reserve_exact(additional).is_ok()
    })
}

/// As [`try_make_room`], for text.
#[inline]
#[must_use]
pub fn try_make_text_room(text: &mut String, additional: usize) -> bool {
    text.capacity() - text.len() >= additional || try_grow_text(text, additional)
}

#[cold]
fn try_grow_text(text: &mut String, additional: usize) -> bool {
    let len = text.len();
    fallible(|| {
        text.try_reserve_exact(additional.max(len).max(64)).is_ok()
            || text.try_reserve_exact(additional.max(len / 8)).is_ok()
            || text.try_reserve_exact(additional).is_ok()
    })
}

/// Adds an element at the end, if there is memory for it.
#[inline]
#[must_use]
pub fn try_push<T>(vec: &mut Vec<T>, element: T) -> bool {
    let has_room = try_make_room(vec, 1);
    if has_room {
        vec.push(element);
    }
    has_room
}

/// Runs `f`, which takes memory and can do without: a failure in it is not the end of the program, also where the
/// program's allocator says so (`set_out_of_memory_handler`).
pub fn fallible<R>(f: impl FnOnce() -> R) -> R {
    FALLIBLE.with(|depth| {
        depth.set(depth.get() + 1);
        let result = f();
        depth.set(depth.get() - 1);
        result
    })
}

/// Whether this thread can do without the memory that it asks for now.
#[cfg(feature = "mimalloc")]
pub(crate) fn is_fallible() -> bool {
    FALLIBLE.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

thread_local! {
    /// How many calls of [`fallible`] are open.
    static FALLIBLE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Adds an entry; gives the value that the key had.
#[inline]
pub fn insert<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>, key: K, value: V) -> Option<V> {
    if map.len() == map.capacity() {
        grow_map(map);
    }
    map.insert(key, value)
}

#[cold]
fn grow_map<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>) {
    map.reserve(more(map.len()));
}

/// For how many entries more a full table of so many makes room.
pub(crate) fn more(len: usize) -> usize {
    // Seven eighths of a power of two is what a table of that size holds.
    if len == 0 { 448 } else { 3 * len }
}
