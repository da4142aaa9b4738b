//! Marks on loops and blocks, which change nothing else.

pub(super) mod annotate;
pub(super) mod annotate_access;
pub(super) mod enter_postproc;
pub(super) mod hide_access;
