//! The nodes of the dialect.

pub mod attrs;
mod binding;
mod distributed;
mod expr;
mod struct_info;
mod types;
mod unknown;

pub use binding::{
    Binding, BindingBlock, MatchCast, VarBinding, binding_parts, dataflow_block_type, is_dataflow_block,
};
pub use distributed::{
    DTensorStructInfo, DeviceMesh, MeshError, Placement, PlacementSpec, PlacementSpecKind,
};
pub use expr::{
    Call, Constant, DataTypeImm, Expr, ExternFunc, Function, Id, If, LeafExpr, PrimValue, ScalarUse, SeqExpr,
    ShapeExpr, StringImm, Tuple, TupleGetItem, Var, dataflow_var_type, is_dataflow_var, struct_info_of,
};
pub(crate) use struct_info::without_values;
pub use struct_info::{
    FuncStructInfo, NotADimension, ObjectStructInfo, PrimStructInfo, ShapeStructInfo, StructInfo,
    TensorStructInfo, TupleStructInfo, UNKNOWN_NDIM, dimension,
};
pub use types::{ObjectType, PackedFuncType, ShapeType, TensorType};
pub use unknown::UnknownCall;
