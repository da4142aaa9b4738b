//! The unsafe core: thin, reference-counted handles to nodes.
//!
//! An [`Object`] points to a one-word header (count, type) followed by the node's value. The rest of the workspace is
//! safe code over the operations here. The module grows no stack and calls no foreign code, so Miri can run all of
//! it.
//!
//! Invariants:
//! - the type in the header determines the Rust type of the value (`TypeInfo::payload`);
//! - a value is mutated only through a handle whose count is one;
//! - dropping never recurses: dead nodes go to a worklist and are freed in a loop.

#[cfg(feature = "mimalloc")]
mod allocator;
mod bytes;
mod entries;
mod handle;
mod memory;
mod name;
#[cfg(test)]
mod tests;
mod text;

#[cfg(feature = "mimalloc")]
pub use allocator::{NodeAllocator, OutOfMemoryHandler, set_out_of_memory_handler};
pub use bytes::{ALIGNMENT_BYTES, AlignedBytes};
pub(crate) use entries::{append_entry, entries};
pub use handle::{Array, Map, MapPart, ObjectLike, Ref, Str};
pub use memory::{NodeId, NodeSlot, Object, node_bytes_made};
pub(crate) use memory::{VTable, count_node_bytes, vtable_of};
pub use name::NameCell;
pub(crate) use text::Text;
