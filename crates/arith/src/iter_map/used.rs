//! Parts of a sum that a search has taken.

/// Positions of the taken parts.
pub(super) struct Used(Vec<bool>);

#[expect(clippy::indexing_slicing, reason = "positions are those of the counted parts")]
impl Used {
    /// Creates the set for a number of parts, none of them taken.
    pub(super) fn of(parts: usize) -> Used {
        Used(vec![false; parts])
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        self.0[at]
    }

    pub(super) fn add(&mut self, at: usize) {
        self.0[at] = true;
    }
}
