//! Buffers: their layout, storage and type.

pub(super) mod axis_separators;
pub(super) mod rolling_buffer;
pub(super) mod set_dtype;
pub(super) mod set_scope;
pub(super) mod storage_align;
pub(super) mod transform_layout;
