//! Script arguments of operators, under the names that [`crate::op::kind`] has for the parameter types.

use tvmscript_ir_core::{Array, Object, Ref};
pub use tvmscript_ir_core::{Map, Str, Value};
use tvmscript_prim::{FloatImm, IntImm};

pub use super::args::{
    AnyExprArg as AnyExpr, DataTypeImmArg as Dtype, DtypeArg as AnyDtype, ExprArg as Expr, FlagArg as Flag,
    FloatImmArg as Float, InfosArg as Infos, IntArg as Int, IntImmArg as Literal, IntListArg as IntList,
    IntValueArg as IntValue, IntsArg as Ints, PrimArg as Prim, PrimValueArg as Scalar, ShapeArg as Shape,
    StringImmArg as Text, TupleArg as TensorTuple,
};
pub use super::call_args::{
    CallArgsArg as CallArgs, CalleeArg as Callee, ExternalArg as External, FunctionArg as ModuleFunction,
    InlineTupleArg as InlineTuple,
};
pub use super::distributed::{DeviceMeshArg as Mesh, PlacementArg as MeshPlacement};
pub use super::operator_args::{
    CombineArg as Combine, CountArg as Count, DtypeOrNoneArg as DataType, ElementTypeArg as ElementType,
    FlagValueArg as FlagValue, FloatsArg as Floats, ImageSizeArg as ImageSize, NumberArg as Number,
    OutInfoArg as OutInfo, PaddingArg as Padding, PerAxisArg as PerAxis, PlaneSizeArg as PlaneSize,
    PositiveArg as Positive, PrimLiteralArg as PrimLiteral, ReductionArg as Reduction, RegionArg as Region,
    RepeatedArg as Repeated, ResultInfoArg as ResultInfo, SectionsArg as Sections,
    VDeviceArg as ModuleDevice,
};
use crate::node;

macro_rules! unwrapped {
    ($($($arg:ident)* => $ty:ty;)*) => {$($(
        impl From<$arg> for $ty {
            fn from(arg: $arg) -> $ty {
                arg.0
            }
        }
    )*)*};
}
unwrapped! {
    AnyDtype AnyExpr CallArgs Callee Expr FlagValue IntValue ModuleFunction Number PlaneSize Prim PrimLiteral Scalar Shape
        TensorTuple => node::Expr;
    Count Int Positive => i64;
    Flag => bool;
    IntList Ints => Array<Ref<IntImm>>;
    Literal => Ref<IntImm>;
    Float => Ref<FloatImm>;
    Floats => Array<Value>;
    Combine Reduction => Str;
    DataType ElementType => tvmscript_ir_core::DataType;
    Sections => Object;
    Infos OutInfo ResultInfo => Vec<Ref<node::StructInfo>>;
    Mesh => Ref<node::DeviceMesh>;
    MeshPlacement => Ref<node::Placement>;
    ModuleDevice => Ref<tvmscript_ir::VDevice>;
}

macro_rules! upcast {
    ($($arg:ident)*) => {$(
        impl From<$arg> for node::Expr {
            fn from(arg: $arg) -> node::Expr {
                arg.0.upcast()
            }
        }
    )*};
}
upcast! { Dtype External InlineTuple Text }
