//! Maps that say in their type how nodes are compared: by pointer, or by structure.

use std::hash::{BuildHasherDefault, Hash, Hasher};

use hashbrown::HashMap;

use crate::equal::structural_equal;
use crate::hash::structural_hash;
use crate::raw::{Object, ObjectLike};

/// Hashes one address or a few.
#[derive(Debug, Default, Clone, Copy)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    #[inline]
    fn finish(&self) -> u64 {
        mixed(self.0)
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = mixed(self.0) ^ value;
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[inline]
fn mixed(value: u64) -> u64 {
    // Addresses differ in the middle bits; the table looks at the lowest and the highest.
    let product = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

/// What a table takes for the hash of an address.
#[inline]
pub(crate) fn address_word(address: usize) -> u64 {
    mixed(address as u64)
}

/// Capacity that tables of nodes start with: growing there from nothing takes a fifth of a comparison or a hash of a
/// function of 1,000 statements.
pub(crate) const INITIAL_CAPACITY: usize = 1792;

/// A map keyed by addresses of nodes that outlive it.
pub type AddressMap<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// A map from nodes to values; a node is equal only to itself. No order.
pub type PtrMap<V> = HashMap<Object, V, BuildHasherDefault<AddressHasher>>;

/// A map from these nodes to these values, for [`crate::substitute`] among others.
///
/// ```
/// # use tvmscript_ir_core::{ObjectLike, Str, ptr_map};
/// let (x, y) = (Str::new("x"), Str::new("y"));
/// let map = ptr_map([(&x, "first"), (&y, "second")]);
/// assert_eq!(map.get(x.as_object()), Some(&"first"));
/// ```
pub fn ptr_map<'k, K: ObjectLike + 'k, V>(entries: impl IntoIterator<Item = (&'k K, V)>) -> PtrMap<V> {
    entries.into_iter().map(|(key, value)| (key.as_object().clone(), value)).collect()
}

/// A set of nodes; a node is equal only to itself. No order.
pub type PtrSet = hashbrown::HashSet<Object, BuildHasherDefault<AddressHasher>>;

/// A node as a key that is equal to every structurally equal one. Its hash is computed once.
#[derive(Debug, Clone)]
pub struct Structural {
    object: Object,
    hash: u64,
}

impl Structural {
    /// A key of this node.
    pub fn new(object: Object) -> Structural {
        let hash = structural_hash(&object);
        Structural { object, hash }
    }

    /// The node.
    pub fn object(&self) -> &Object {
        &self.object
    }
}
impl PartialEq for Structural {
    fn eq(&self, other: &Structural) -> bool {
        self.hash == other.hash && structural_equal(&self.object, &other.object)
    }
}
impl Eq for Structural {}
impl Hash for Structural {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A map from nodes to values; structurally equal nodes are one key. No order.
pub type StructuralMap<V> = HashMap<Structural, V, BuildHasherDefault<AddressHasher>>;
