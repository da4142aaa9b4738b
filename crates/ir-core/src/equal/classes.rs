//! Which nodes of both sides were met as pairs: classes of a union-find.
//!
//! A pair within one class needs no second look, because equality is transitive under fixed bindings. Every pair that
//! is looked at joins two classes, so there are at most as many as nodes, however often they are shared.

use crate::ptr_map::{AddressMap, INITIAL_CAPACITY};
use crate::raw::Object;

#[derive(Default)]
pub(super) struct Classes {
    /// Keyed by address; the lowest bit, always free, tells the sides apart.
    members: AddressMap<Member>,
    parents: Vec<u32>,
}

struct Member {
    class: u32,
    /// For a left node, the address of the right one it was met with last.
    partner: usize,
}

impl Classes {
    /// Puts both into one class; true when they were in one already.
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
            // The right side first is as good as by size here: paths are halved on each look.
            self.parents[r as usize] = l;
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
        while parents[at as usize] != at {
            let up = parents[parents[at as usize] as usize];
            parents[at as usize] = up;
            at = up;
        }
        at
    }
}
