//! Loops: divided, joined, ordered and marked for how they run.

pub(super) mod fuse;
pub(super) mod kind;
pub(super) mod loop_partition;
pub(super) mod merge;
pub(super) mod reorder;
pub(super) mod split;
pub(super) mod unit_loop;
