//! Building functions: frames, bindings, and the functions of scripts that make expressions.

pub mod args;
mod blocks;
pub mod call_args;
mod constant;
pub mod device;
pub mod distributed;
mod error;
pub mod expr;
mod frame;
pub mod function;
mod match_cast;
mod names;
pub mod operator;
#[cfg(feature = "parse")]
mod python;
pub mod struct_info;

pub(crate) use blocks::packed_result;
pub use blocks::{Blocks, Branch, is_leaf_or_tuple, is_void};
pub use constant::{constant_of, integer_of};
pub use error::RelaxError;
pub use frame::{BranchFrame, DataflowFrame, FunctionFrame, IfFrame, with_blocks, with_function};
pub use function::DataflowVarInfo;
pub use match_cast::MatchCastPair;
#[cfg(feature = "parse")]
pub(crate) use names::operator_function;
pub use names::{ALIASES, find as find_name, functions, other_names};
#[cfg(feature = "parse")]
pub(crate) use python::{
    CALL_NODE, DATAFLOW_VAR_NODE, FUNC_STRUCT_INFO, GET_SHAPE_OF, TENSOR_STRUCT_INFO, TUPLE_STRUCT_INFO,
    VAR_NODE,
};
pub use struct_info::StructInfoProxy;
