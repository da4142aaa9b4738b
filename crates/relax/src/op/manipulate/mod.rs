//! Operators that move, join, divide and repeat elements, without computing with them.
//!
//! Upstream counterpart: `src/relax/op/tensor/manipulate.cc`.

pub mod axes;
pub mod broadcast;
pub mod join;
pub mod layout_transform;
pub mod one_hot;
pub mod permute_dims;
pub mod repeat;
pub mod reshape;
pub mod scatter;
pub mod shape_of;
pub mod slice_scatter;
pub mod split;

use super::InferError;
use crate::node::StructInfo;
use tvmscript_ir_core::Ref;

type Inferred = Result<Ref<StructInfo>, InferError>;
