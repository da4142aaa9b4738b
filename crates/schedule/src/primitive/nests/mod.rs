//! Iterators of blocks, and nests of blocks.

pub(super) mod blockize;
pub(super) mod reorder_axes;
pub(super) mod tensorize;
pub(super) mod transform_block_layout;
