//! Recursive walks over graphs that share their parts.
//!
//! A graph of `n` nodes can stand for a tree of `2^n`. A recursive walk stays linear when it visits a shared node once:
//! [`Visited`] is for walks without a result, [`Memo`] for walks that compute one per node, [`PairMemo`] for walks over
//! two graphs. [`Visitor`](crate::visit::Visitor) and [`mutate`](crate::mutate::mutate()) need none of them.
//!
//! A node with a single handle has a single parent, so it is not recorded: plain trees cost no table. The nodes must
//! outlive the record, because it knows them by address.

use crate::ptr_map::AddressMap;
use crate::raw::Object;

/// The nodes that a walk has visited.
#[derive(Debug, Default)]
pub struct Visited(AddressMap<()>);

impl Visited {
    /// Whether this is the first visit of `node`; records it.
    #[inline]
    pub fn is_first(&mut self, node: &Object) -> bool {
        node.is_unique() || self.0.insert(node.address(), ()).is_none()
    }

    /// Forgets all visits.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Results of a walk, by node.
#[derive(Debug)]
pub struct Memo<V>(AddressMap<V>);

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Memo(AddressMap::default())
    }
}

impl<V: Clone> Memo<V> {
    /// The result for `node`, if it was visited before.
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

/// Results of a walk over two graphs, by pairs of nodes.
#[derive(Debug)]
pub struct PairMemo<V>(hashbrown::HashMap<(usize, usize), V>);

impl<V> Default for PairMemo<V> {
    fn default() -> Self {
        PairMemo(hashbrown::HashMap::default())
    }
}

impl<V: Clone> PairMemo<V> {
    /// The result for the pair, if it was visited before.
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
        // Two nodes with one parent each meet again only when their parents do.
        if !(a.is_unique() && b.is_unique()) {
            self.0.insert((a.address(), b.address()), value.clone());
        }
    }
}
