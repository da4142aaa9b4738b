//! Moves of blocks to the blocks that use them or that they use.

pub(super) mod compute_at;
pub(super) mod compute_inline;
pub(super) mod reverse_compute_inline;
