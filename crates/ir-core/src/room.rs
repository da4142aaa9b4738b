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
