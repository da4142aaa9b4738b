//! Reductions, and padding that makes them regular.

pub(super) mod decompose_padding;
pub(super) mod decompose_reduction;
pub(super) mod fuse_epilogue;
pub(super) mod pad_einsum;
pub(super) mod rfactor;
