//! The nodes of the dialect.

pub mod attrs;
mod binding;
mod distributed;
mod expr;
mod struct_info;
mod types;

pub use binding::{Binding, BindingBlock, MatchCast, VarBinding, dataflow_block_type, is_dataflow_block};
pub use distributed::{DTensorStructInfo, DeviceMesh, Placement, PlacementSpec, PlacementSpecKind};
pub use expr::{
    Call, Constant, DataTypeImm, Expr, ExternFunc, Function, Id, If, LeafExpr, PrimValue, SeqExpr, ShapeExpr,
    StringImm, Tuple, TupleGetItem, Var, dataflow_var_type, is_dataflow_var,
};
pub use struct_info::{
    FuncStructInfo, ObjectStructInfo, PrimStructInfo, ShapeStructInfo, StructInfo, TensorStructInfo,
    TupleStructInfo,
};
pub use types::{ObjectType, PackedFuncType, ShapeType, TensorType};
