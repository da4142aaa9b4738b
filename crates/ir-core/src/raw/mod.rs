//! The unsafe core: counted, thin handles to nodes.
//!
//! An [`Object`] is one pointer to a header of one word (count, type) followed by the node's value. Everything
//! else in the workspace is safe code over the few operations here. This module grows no stack and calls
//! no foreign code, so that Miri can run all of it.
//!
//! Invariants:
//! - the header's type says truly which Rust type lies behind it ([`TypeInfo::payload`]);
//! - a value is reached mutably only through a handle whose count is one;
//! - dropping never recurses: dead nodes wait in a list and are freed in a loop.

mod allocator;
mod bytes;
mod entries;
mod handle;
mod memory;
mod name;
#[cfg(test)]
mod tests;
mod text;

pub use allocator::{HandledAllocator, OutOfMemoryHandler, set_out_of_memory_handler};
pub use bytes::{ALIGNMENT_BYTES, AlignedBytes};
pub(crate) use entries::{append_entry, entries};
pub use handle::{Array, Map, MapPart, ObjectLike, Ref, Str};
pub use memory::{NodeSlot, Object, VTable, node_bytes_made};
pub(crate) use memory::{count_node_bytes, vtable_of};
pub use name::NameCell;
pub(crate) use text::Text;
