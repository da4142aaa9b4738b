//! Arguments of operators as scripts give them, under the names that [`crate::op`] has for the types of parameters.

use tvmscript_ir_core::{Array, Object, Ref};
pub use tvmscript_ir_core::{DataType, Str};
use tvmscript_prim::IntImm;

pub use super::args::{
    AnyExprArg as AnyExpr, DataTypeImmArg as Dtype, ExprArg as Expr, FlagArg as Flag, IntArg as Int,
    IntImmArg as Literal, IntListArg as IntList, IntValueArg as IntValue, IntsArg as Ints, PrimArg as Prim,
    PrimValueArg as Scalar, ShapeArg as Shape, StringImmArg as Text, TupleArg as TensorTuple,
};
pub use super::call_args::InlineTupleArg as InlineTuple;
pub use super::operator_args::{CombineArg as Combine, CountArg as Count, SectionsArg as Sections};
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
    AnyExpr Expr IntValue Prim Shape TensorTuple => node::Expr;
    Count Int => i64;
    Flag => bool;
    IntList Ints => Array<Ref<IntImm>>;
    Literal => Ref<IntImm>;
    Combine => Str;
    Sections => Object;
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
upcast! { Dtype InlineTuple Scalar Text }
