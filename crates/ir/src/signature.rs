//! Signatures of functions, independent of the dialect that represents their types.
//!
//! A dialect of scalars and buffers describes its functions by a [`Signature`]; the dialect with function types
//! registers a [`FunctionTyper`] that converts it to a node, as a context of the builder. Neither names the other.

use tvmscript_ir_core::{DataType, Object};
use tvmscript_prim::Expr;

/// The type of a parameter.
#[derive(Debug, Clone)]
pub enum ParamType {
    /// A tensor.
    Tensor {
        /// Elements per dimension, of any integer type.
        shape: Vec<Expr>,
        /// The element type.
        dtype: DataType,
    },
    /// A scalar.
    Scalar(DataType),
    /// Any object.
    Object,
}

/// The type of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// No value.
    Void,
    /// A scalar.
    Scalar(DataType),
    /// Any object.
    Object,
}

/// Parameters, result and purity of a function.
#[derive(Debug, Clone)]
pub struct Signature {
    /// One per parameter.
    pub params: Vec<ParamType>,
    /// The result type.
    pub result: ResultType,
    /// `true` if calls have no side effects.
    pub is_pure: bool,
}

/// Converts a signature to the node of the function's type, stored in `struct_info_` of functions and global vars.
#[derive(Debug, Clone, Copy)]
pub struct FunctionTyper(pub fn(&Signature) -> Object);
