//! The type of a function, described without the dialect that writes it down.
//!
//! A dialect of scalars and buffers says what its functions take and give ([`Signature`]); the dialect that knows types
//! of functions registers how that becomes a node ([`FunctionTyper`]), as a context of the builder. Neither names the other.

use tvmscript_ir_core::{DataType, Object};
use tvmscript_prim::Expr;

/// What a function takes in one place.
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
    /// Anything.
    Object,
}

/// What a function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// Nothing.
    Void,
    /// A scalar.
    Scalar(DataType),
    /// Anything.
    Object,
}

/// What a function takes, gives and does.
#[derive(Debug, Clone)]
pub struct Signature {
    /// One per parameter.
    pub params: Vec<ParamType>,
    /// The result.
    pub result: ResultType,
    /// Calls change nothing outside.
    pub is_pure: bool,
}

/// Makes the node that says a function's type: what `struct_info_` of functions and of their names holds.
#[derive(Debug, Clone, Copy)]
pub struct FunctionTyper(pub fn(&Signature) -> Object);
