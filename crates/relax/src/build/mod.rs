//! Building functions: frames, bindings, and the functions of scripts that make expressions.

pub mod args;
pub mod call_args;
mod constant;
pub mod device;
pub mod distributed;
pub mod expr;
mod frame;
pub mod function;
mod match_cast;
mod names;
pub mod operator;
pub mod operator_args;
#[cfg(feature = "parse")]
mod python;
pub mod struct_info;

pub use constant::constant_of;
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
