//! Scalar and vector expressions shared by all dialects: nodes, strict constructors, and folding operators.
//!
//! As in TVM there are two layers: node constructors (`Add::try_new`) check and never fold; the functions of [`ops`]
//! match types, fold constants, then construct. Rust's operators do what Python's do in scripts.
//!
//! ```
//! use tvmscript_prim::{DataType, IntImm, PrimExprExt, Var, ops};
//!
//! let n = Var::new("n", DataType::INT32);
//! let rounded = ops::mul(ops::ceildiv(n.clone().upcast(), IntImm::int32(16))?, IntImm::int32(16))?;
//! assert_eq!(rounded.dtype(), DataType::INT32);
//! assert!(ops::add(IntImm::int32(2), IntImm::int32(3))?.is::<IntImm>());
//! # Ok::<(), tvmscript_prim::PrimError>(())
//! ```
//!
//! There are no buffers, no statements and no text here: `tir` registers the printers.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod class;
pub mod error;
pub mod intrinsic;
pub mod kind;
pub mod node;
pub mod op;
pub mod operators;
pub mod ops;
mod source;
pub mod types;

pub use class::{Expr, IsPrim, PrimExpr, PrimExprExt};
pub use error::PrimError;
pub use kind::{ExprKind, ExprView};
pub use node::*;
pub use op::{BaseExpr, Effect, Op, UnknownOperator};
pub use operators::Compare;
pub use types::{FuncType, PointerType, PrimType, Range, TensorMapType, TupleType, Type};

pub use tvmscript_ir_core::{DataType, TypeCode};

use tvmscript_ir_core::Dialect;

/// The nodes of this crate as a dialect. Their text is registered by `tir` and `ir`.
pub fn dialect() -> Dialect {
    Dialect::new("prim")
        .node::<BaseExpr>()
        .node::<PrimExpr>()
        .node::<Op>()
        .node::<IntImm>()
        .node::<FloatImm>()
        .node::<StringImm>()
        .node::<Var>()
        .node_info(size_var_type())
        .node::<Cast>()
        .node::<Add>()
        .node::<Sub>()
        .node::<Mul>()
        .node::<Div>()
        .node::<Mod>()
        .node::<FloorDiv>()
        .node::<FloorMod>()
        .node::<Min>()
        .node::<Max>()
        .node::<EQ>()
        .node::<NE>()
        .node::<LT>()
        .node::<LE>()
        .node::<GT>()
        .node::<GE>()
        .node::<And>()
        .node::<Or>()
        .node::<Not>()
        .node::<Select>()
        .node::<Ramp>()
        .node::<Broadcast>()
        .node::<Shuffle>()
        .node::<UnknownCall>()
        .node::<WrittenTuple>()
        .node::<Let>()
        .node::<Call>()
        .node::<CommReducer>()
        .node::<IndexMap>()
        .node::<Type>()
        .node::<PrimType>()
        .node::<PointerType>()
        .node::<TupleType>()
        .node::<FuncType>()
        .node::<TensorMapType>()
        .node::<Range>()
        .finish()
}
