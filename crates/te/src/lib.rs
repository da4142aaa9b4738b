//! Tensor expressions: computations over tensors, their schedules and pictures of them.
//!
//! - [`placeholder`] and [`compute`] make tensors.
//! - [`Schedule`] holds the stages of some computations; its methods are TVM's primitives for them, and its record has the
//!   schedule after each primitive.
//! - [`tedd`] (feature `print`) draws schedules.
//!
//! Schedules of tensor expressions are not lowered.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod cache;
#[cfg(feature = "print")]
mod domains;
mod error;
mod index_dtype;
mod layout;
mod normalize;
mod prim_func;
mod primitive;
mod schedule;
#[cfg(feature = "parse")]
pub mod script;
mod stage;
mod table;
#[cfg(feature = "print")]
pub mod tedd;
mod tensor;

pub use error::{Result, TeError};
pub use index_dtype::with_wide_numbers;
pub use layout::transform_layout;
pub use prim_func::{Argument, IndexTypes, create_indexed_prim_func, create_prim_func};
pub use schedule::{Record, RecordArgument, Schedule};
pub use stage::{Attach, Factor, Marks, Relation, Stage, StageId};
pub use table::{Row, Table};
pub use tensor::{
    Declared, ExternalBody, ExternalOutput, Operation, OperationData, OperationKind, Tensor, compute, load,
    placeholder, post_order,
};

use tvmscript_ir_core::Dialect;

/// Returns the dialect for a registry: tensors, and the functions of `tvm.te` with the feature `parse`.
pub fn dialect() -> Dialect {
    let dialect = Dialect::new("te").node::<Tensor>().finish();
    #[cfg(feature = "parse")]
    let dialect = script::register(dialect);
    dialect
}
