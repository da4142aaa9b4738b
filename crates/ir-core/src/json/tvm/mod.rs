//! TVM 0.23's JSON: a graph of nodes in post-order.
//!
//! `{"root_index": n, "nodes": [..], "metadata": {"tvm_version": ..}}`. A node is `{"type": key, "data": ..}`. The data of a
//! node with fields is an object: ints, floats, bools and dtypes inline, everything else by index, a missing value being the
//! index of the node `None`. Strings, boxed numbers and absent values that are equal stand once, other nodes once per object.
//! Some types have other data: an array and a map (keys and values in turn) their indices, a string its text, a shape its
//! integers, a tensor its bytes in base64, and a node known by its name ([`crate::TypeInfo::by_name`]) the name.
//!
//! It is not strict JSON: `NaN`, `Infinity` and `-Infinity` are bare tokens.
//! Upstream counterpart: `src/ffi/extra/serialization.cc` of tvm-ffi.

mod load;
mod save;
mod tensor;

pub use load::load;
pub use save::{ExtraField, SaveOptions, save, save_with};

/// Type keys with data of their own.
mod keys {
    pub(super) const NONE: &str = "None";
    pub(super) const BOOL: &str = "bool";
    pub(super) const INT: &str = "int";
    pub(super) const FLOAT: &str = "float";
    pub(super) const DTYPE: &str = "DataType";
    pub(super) const STRING: &str = "ffi.String";
    pub(super) const ARRAY: &str = "ffi.Array";
    pub(super) const MAP: &str = "ffi.Map";
    pub(super) const SHAPE: &str = "ffi.Shape";
    pub(super) const TENSOR: &str = "ffi.Tensor";
    pub(super) const SPAN: &str = "ir.Span";
    pub(super) const SEQUENTIAL_SPAN: &str = "ir.SequentialSpan";
    pub(super) const SOURCE_NAME: &str = "ir.SourceName";
}
