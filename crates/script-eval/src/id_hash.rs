//! Hash tables by ids of the syntax tree. The ids are dense and cannot be chosen by a text, so their hash needs no key.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map by ids of the syntax tree.
pub(crate) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;
/// A set of ids of the syntax tree.
pub(crate) type IdSet<K> = HashSet<K, BuildHasherDefault<IdHasher>>;

/// Hashes the few integers that an id is made of.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u32(&mut self, id: u32) {
        self.write_u64(u64::from(id));
    }
    #[inline]
    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0.rotate_left(7) ^ id).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_isize(&mut self, variant: isize) {
        self.write_u64(variant as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        // The table uses the lowest and the highest bits.
        self.0 ^ self.0 >> 32
    }
}
