//! Arguments of operators as scripts give them, under the names that [`crate::op`] has for the parameters' types.

use tvmscript_ir_core::{Array, Ref};
pub use tvmscript_ir_core::{DataType, Str};
use tvmscript_prim::IntImm;

pub use super::args::{
    AnyExprArg as AnyExpr, ExprArg as Expr, FlagArg as Flag, IntArg as Int, IntsArg as Ints, PrimArg as Prim,
    ShapeArg as Shape,
};

macro_rules! expressions {
    ($($arg:ident)*) => {$(
        impl From<$arg> for crate::node::Expr {
            fn from(arg: $arg) -> crate::node::Expr {
                arg.0
            }
        }
    )*};
}
expressions! { AnyExpr Expr Prim Shape }

impl From<Int> for i64 {
    fn from(arg: Int) -> i64 {
        arg.0
    }
}

impl From<Flag> for bool {
    fn from(arg: Flag) -> bool {
        arg.0
    }
}

impl From<Ints> for Array<Ref<IntImm>> {
    fn from(arg: Ints) -> Array<Ref<IntImm>> {
        arg.0
    }
}
