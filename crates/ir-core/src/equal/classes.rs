//! Which nodes of both sides were met as pairs: classes of a union-find.
//!
//! A pair within one class needs no second look, because equality is transitive under fixed bindings. Every pair that
//! is looked at joins two classes, so there are at most as many as nodes, however often they are shared.

use crate::ptr_map::AddressMap;
use crate::raw::Object;

#[derive(Default)]
pub(super) struct Classes {
    /// Keyed by address; the lowest bit, always free, tells the sides apart.
    numbers: AddressMap<u32>,
    parents: Vec<u32>,
}

impl Classes {
    /// Puts both into one class; true when they were in one already.
    pub(super) fn join(&mut self, lhs: &Object, rhs: &Object) -> bool {
        let l = self.root(lhs.address());
        let r = self.root(rhs.address() | 1);
        if l != r {
            // The right side first is as good as by size here: paths are halved on each look.
            self.parents[r as usize] = l;
        }
        l == r
    }

    fn root(&mut self, key: usize) -> u32 {
        let parents = &mut self.parents;
        let mut at = *self.numbers.entry(key).or_insert_with(|| {
            let fresh = parents.len() as u32;
            parents.push(fresh);
            fresh
        });
        while parents[at as usize] != at {
            let up = parents[parents[at as usize] as usize];
            parents[at as usize] = up;
            at = up;
        }
        at
    }
}
