//! The unsafe core: counted, thin handles to nodes.
//!
//! An [`Object`] is one pointer to a header (count, type) followed by the node's value. Everything
//! else in the workspace is safe code over the few operations here. This module grows no stack and calls
//! no foreign code, so that Miri can run all of it.
//!
//! Invariants:
//! - the header's `info` says truly which Rust type lies behind it ([`TypeInfo::payload`]);
//! - a value is reached mutably only through a handle whose count is one;
//! - dropping never recurses: dead nodes are linked through their own headers and freed in a loop.

mod bytes;
mod handle;
mod memory;
mod name;
#[cfg(test)]
mod tests;

pub use bytes::{ALIGNMENT_BYTES, AlignedBytes};
pub use handle::{Array, Map, MapPart, ObjectLike, Ref, Str};
pub use memory::{NodeSlot, Object, VTable};
pub(crate) use memory::{prefetch, vtable_of};
pub use name::NameCell;
