//! The nodes of the dialect.

mod expr;
mod struct_info;

pub use expr::ShapeExpr;
pub use struct_info::{
    FuncStructInfo, ObjectStructInfo, PrimStructInfo, ShapeStructInfo, StructInfo, TensorStructInfo,
    TupleStructInfo,
};
