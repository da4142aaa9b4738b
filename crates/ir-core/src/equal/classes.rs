//! A union-find over the visited nodes of both sides.
//!
//! Equality is transitive under fixed bindings, so a pair within one class is equal. Each compared pair joins two
//! classes, so there are at most as many compared pairs as nodes.

use crate::ptr_map::{AddressMap, INITIAL_CAPACITY};
use crate::raw::Object;
use crate::vectors::Arena;

#[derive(Default)]
pub(super) struct Classes {
    /// By address; the lowest bit is set for the right side.
    members: AddressMap<Member>,
    parents: Arena<u32>,
}

struct Member {
    class: u32,
    /// For a left node, the address of its last partner.
    partner: usize,
}

impl Classes {
    /// Joins the classes of both nodes. Returns `true` if they were in one class.
    #[inline]
    pub(super) fn join(&mut self, lhs: &Object, rhs: &Object) -> bool {
        let (lhs, rhs) = (lhs.address(), rhs.address());
        let l = match self.members.get_mut(&lhs) {
            Some(member) if member.partner == rhs => return true,
            Some(member) => {
                member.partner = rhs;
                member.class
            }
            None => self.add(lhs, rhs),
        };
        let r = match self.members.get(&(rhs | 1)) {
            Some(member) => member.class,
            None => self.add(rhs | 1, 0),
        };
        let (l, r) = (self.root(l), self.root(r));
        if l != r {
            // Union by size would gain nothing: paths are halved on each lookup.
            *self.parents.at_mut(r) = l;
        }
        l == r
    }

    fn add(&mut self, key: usize, partner: usize) -> u32 {
        let class = self.parents.len() as u32;
        self.parents.push(class);
        if self.members.is_empty() {
            self.members.reserve(INITIAL_CAPACITY);
        }
        self.members.insert(key, Member { class, partner });
        class
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
