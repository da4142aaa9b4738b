//! The names that most programs need: `use tvmscript::prelude::*;`.

pub use crate::ir::IRModule;
pub use crate::ir_core::{Array, DataType, Map, Node, Object, ObjectLike, Ref, Registry, Span, Str, Value};
pub use crate::prim::{PrimExpr, PrimExprExt, Var};
pub use crate::tir::{Buffer, PrimFunc, Stmt};
#[cfg(feature = "print")]
pub use crate::{PrinterConfig, print};
pub use crate::{registry, structural_equal, structural_hash};
