//! Operators that read and write at indices.
//!
//! Upstream counterparts: `src/relax/op/tensor/index.cc`, `src/relax/op/tensor/manipulate.cc`.

pub mod gather;
pub mod put;
pub mod slice;
pub mod take;

use super::InferError;
use crate::node::StructInfo;
use tvmscript_ir_core::Ref;

type Inferred = Result<Ref<StructInfo>, InferError>;
