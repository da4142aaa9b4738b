//! Copies of buffers, and blocks that make them.

pub(super) mod cache;
pub(super) mod cache_index;
pub(super) mod cache_inplace;
pub(super) mod read_at;
pub(super) mod reindex;
pub(super) mod reindex_cache;
