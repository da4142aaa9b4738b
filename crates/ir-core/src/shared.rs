//! Visited sets and memos for recursive walks over graphs with shared nodes.
//!
//! A graph of `n` nodes can unfold to a tree of `2^n`; a walk stays linear if it visits each shared node once.
//! [`Visitor`](crate::visit::Visitor) and [`mutate`](crate::mutate::mutate()) do so themselves.
//!
//! Nodes are recorded by address, so they must outlive the record. A node with a single handle has a single parent
//! and is not recorded: plain trees cost no table.

use crate::ptr_map::AddressMap;
use crate::raw::Object;

/// A visited set.
#[derive(Debug, Default)]
pub struct Visited(AddressMap<()>);

impl Visited {
    /// Records a visit. Returns `true` if it is the first one of `node`.
    #[inline]
    pub fn is_first(&mut self, node: &Object) -> bool {
        node.is_unique() || self.0.insert(node.address(), ()).is_none()
    }

    /// Removes all nodes.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Results of a walk per node.
#[derive(Debug)]
pub struct Memo<V>(AddressMap<V>);

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Memo(AddressMap::default())
    }
}

impl<V: Clone> Memo<V> {
    /// Returns the recorded result for `node`.
    #[inline]
    pub fn get(&self, node: &Object) -> Option<V> {
        if node.is_unique() { None } else { self.0.get(&node.address()).cloned() }
    }

    /// Records the result for `node`.
    #[inline]
    pub fn insert(&mut self, node: &Object, value: &V) {
        if !node.is_unique() {
            self.0.insert(node.address(), value.clone());
        }
    }
}

/// Results of a walk over two graphs, per pair of nodes.
#[derive(Debug)]
pub struct PairMemo<V>(hashbrown::HashMap<(usize, usize), V>);

impl<V> Default for PairMemo<V> {
    fn default() -> Self {
        PairMemo(hashbrown::HashMap::default())
    }
}

impl<V: Clone> PairMemo<V> {
    /// Returns the recorded result for the pair.
    #[inline]
    pub fn get(&self, a: &Object, b: &Object) -> Option<V> {
        if a.is_unique() && b.is_unique() {
            return None;
        }
        self.0.get(&(a.address(), b.address())).cloned()
    }

    /// Records the result for the pair.
    #[inline]
    pub fn insert(&mut self, a: &Object, b: &Object, value: &V) {
        // A pair of nodes with one parent each recurs only if the pair of parents does.
        if !(a.is_unique() && b.is_unique()) {
            self.0.insert((a.address(), b.address()), value.clone());
        }
    }
}
