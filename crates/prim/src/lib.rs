//! Scalar and vector expressions that all dialects share: nodes, strict constructors, and the folding operators.
//!
//! Two layers, as in TVM: node constructors (`Add::try_new`) check and never fold; the functions of [`ops`] match
//! types, fold constants, then construct. No buffer and no statement lives here, and no text: `tir` registers the
//! printers.

pub mod class;
pub mod error;
pub mod intrinsic;
pub mod kind;
pub mod node;
pub mod op;
pub mod operators;
pub mod ops;
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

/// The nodes of this crate, for a registry. Their text is registered by `tir` and `ir`.
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
