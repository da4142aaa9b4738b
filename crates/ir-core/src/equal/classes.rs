//! A union-find over the visited nodes of both sides.
//!
//! Equality is transitive under fixed bindings, so a pair within one class is equal. Most nodes have one partner, which
//! a table holds; only nodes met with a second partner have a class. Each compared pair adds a left node to the table or
//! joins two classes, so there are at most as many compared pairs as nodes, counting left ones twice.

use hashbrown::hash_map::Entry;

use crate::ptr_map::{AddressMap, INITIAL_CAPACITY};
use crate::raw::Object;
use crate::vectors::Arena;

#[derive(Default)]
pub(super) struct Classes {
    /// The last partner of each left node, by address.
    partners: AddressMap<usize>,
    /// By address; the lowest bit is set for the right side.
    classes: AddressMap<u32>,
    parents: Arena<u32>,
}

impl Classes {
    /// Joins the classes of both nodes. Returns `true` if they were in one class.
    #[inline]
    pub(super) fn join(&mut self, lhs: &Object, rhs: &Object) -> bool {
        let (lhs, rhs) = (lhs.address(), rhs.address());
        if self.partners.is_empty() {
            self.partners.reserve(INITIAL_CAPACITY);
        }
        match self.partners.entry(lhs) {
            Entry::Vacant(partner) => {
                partner.insert(rhs);
                false
            }
            Entry::Occupied(mut partner) => {
                let last = partner.insert(rhs);
                last == rhs || {
                    self.unite(lhs, last);
                    self.unite(lhs, rhs)
                }
            }
        }
    }

    /// Unites the classes of a left and a right node. Returns `true` if they were one.
    #[cold]
    fn unite(&mut self, lhs: usize, rhs: usize) -> bool {
        let (l, r) = (self.class(lhs), self.class(rhs | 1));
        let (l, r) = (self.root(l), self.root(r));
        if l != r {
            // Union by size would gain nothing: paths are halved on each lookup.
            *self.parents.at_mut(r) = l;
        }
        l == r
    }

    fn class(&mut self, key: usize) -> u32 {
        *self.classes.entry(key).or_insert_with(|| {
            let class = self.parents.len() as u32;
            self.parents.push(class)
        })
    }

    fn root(&mut self, mut at: u32) -> u32 {
        let parents = &mut self.parents;
        while *parents.at(at) != at {
            let up = *parents.at(*parents.at(at));
            *parents.at_mut(at) = up;
            at = up;
        }
        at
    }
}
