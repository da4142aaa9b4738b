//! Pairs of entities: the variables, buffers and the like of both sides that correspond to each other.

use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressMap;

/// Pairs of entities. A pair that was met where both are defined takes precedence over one that was met elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Entities<'a> {
    defined: Pairs<'a>,
    /// Pairs met outside of definition regions.
    used: Pairs<'a>,
}

#[derive(Debug, Default)]
struct Pairs<'a> {
    to_right: AddressMap<&'a Object>,
    to_left: AddressMap<&'a Object>,
    /// In the order of the first meeting.
    order: Vec<(&'a Object, &'a Object)>,
}

impl<'a> Pairs<'a> {
    fn knows(&self, lhs: &Object, rhs: &Object) -> bool {
        self.to_right.contains_key(&lhs.address()) || self.to_left.contains_key(&rhs.address())
    }

    fn add(&mut self, lhs: &'a Object, rhs: &'a Object) {
        self.to_right.insert(lhs.address(), rhs);
        self.to_left.insert(rhs.address(), lhs);
        self.order.push((lhs, rhs));
    }

    fn truncate(&mut self, len: usize) {
        for (lhs, rhs) in self.order.drain(len..) {
            self.to_right.remove(&lhs.address());
            self.to_left.remove(&rhs.address());
        }
    }
}

/// Numbers of pairs, to return to; see [`Entities::forget_since`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoint(usize, usize);

impl<'a> Entities<'a> {
    /// Records that two entities stand at the same place. Returns `true` if that makes them a pair.
    pub(crate) fn meet(&mut self, lhs: &'a Object, rhs: &'a Object, is_defined: bool) -> bool {
        if self.defined.knows(lhs, rhs) {
            return false;
        }
        let pairs = if is_defined { &mut self.defined } else { &mut self.used };
        let is_new = !pairs.knows(lhs, rhs);
        if is_new {
            pairs.add(lhs, rhs);
        }
        is_new
    }

    /// The entity of the right side that corresponds to one of the left side.
    pub(crate) fn right_of(&self, lhs: &Object) -> Option<&'a Object> {
        let used = || {
            let rhs = self.used.to_right.get(&lhs.address())?;
            (!self.defined.to_left.contains_key(&rhs.address())).then_some(rhs)
        };
        self.defined.to_right.get(&lhs.address()).or_else(used).copied()
    }

    /// The entity of the left side that corresponds to one of the right side.
    pub(crate) fn left_of(&self, rhs: &Object) -> Option<&'a Object> {
        let used = || {
            let lhs = self.used.to_left.get(&rhs.address())?;
            (!self.defined.to_right.contains_key(&lhs.address())).then_some(lhs)
        };
        self.defined.to_left.get(&rhs.address()).or_else(used).copied()
    }

    /// Returns `true` if the two are a pair.
    pub(crate) fn are_paired(&self, lhs: &Object, rhs: &Object) -> bool {
        self.right_of(lhs).is_some_and(|paired| paired.ptr_eq(rhs))
    }

    /// Returns `true` if the pair was met where both are defined.
    pub(crate) fn is_defined(&self, lhs: &Object) -> bool {
        self.defined.to_right.contains_key(&lhs.address())
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&'a Object, &'a Object)> {
        let met = self.defined.order.iter().chain(&self.used.order);
        met.copied().filter(|(lhs, rhs)| self.are_paired(lhs, rhs))
    }

    /// The present number of pairs.
    pub(crate) fn mark(&self) -> Checkpoint {
        Checkpoint(self.defined.order.len(), self.used.order.len())
    }

    /// Removes the pairs that were added after `mark`.
    pub(crate) fn forget_since(&mut self, mark: Checkpoint) {
        self.defined.truncate(mark.0);
        self.used.truncate(mark.1);
    }
}
