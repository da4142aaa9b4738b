//! Operators on values, as Python has them.

use std::ops;

use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, UnaryOp};
use tvmscript_script_eval::Operator;

use crate::Value;
use crate::program;

macro_rules! binary {
    ($($of:ident $method:ident $op:ident;)*) => {
        $(
            impl<T: Into<Value>> ops::$of<T> for Value {
                type Output = Value;
                #[track_caller]
                fn $method(self, other: T) -> Value {
                    program::operate(Operator::Binary(BinOp::$op), &[self, other.into()])
                }
            }
        )*
    };
}

binary! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mult;
    Div div Div;
    Rem rem Mod;
    Shl shl LShift;
    Shr shr RShift;
    BitAnd bitand BitAnd;
    BitOr bitor BitOr;
    BitXor bitxor BitXor;
}

impl ops::Neg for Value {
    type Output = Value;
    #[track_caller]
    fn neg(self) -> Value {
        program::operate(Operator::Unary(UnaryOp::USub), &[self])
    }
}

impl ops::Not for Value {
    type Output = Value;
    /// `~self`
    #[track_caller]
    fn not(self) -> Value {
        program::operate(Operator::Unary(UnaryOp::Invert), &[self])
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $operator:expr;)*) => {
        impl Value {
            $($(#[$doc])*
            #[track_caller]
            pub fn $name(self, other: impl Into<Value>) -> Value {
                program::operate($operator, &[self, other.into()])
            })*
        }
    };
}

methods! {
    /// `self // other`
    floordiv Operator::Binary(BinOp::FloorDiv);
    /// `self ** other`
    pow Operator::Binary(BinOp::Pow);
    /// `self < other`
    lt Operator::Compare(CmpOp::Lt);
    /// `self <= other`
    le Operator::Compare(CmpOp::LtE);
    /// `self > other`
    gt Operator::Compare(CmpOp::Gt);
    /// `self >= other`
    ge Operator::Compare(CmpOp::GtE);
    /// `self == other`
    equal Operator::Compare(CmpOp::Eq);
    /// `self != other`
    not_equal Operator::Compare(CmpOp::NotEq);
    /// `self and other`
    logical_and Operator::Bool(BoolOp::And);
    /// `self or other`
    logical_or Operator::Bool(BoolOp::Or);
}

impl Value {
    /// `not self`
    #[track_caller]
    pub fn logical_not(self) -> Value {
        program::operate(Operator::Unary(UnaryOp::Not), &[self])
    }

    /// `then_value if self else else_value`
    #[track_caller]
    pub fn select(self, then_value: impl Into<Value>, else_value: impl Into<Value>) -> Value {
        program::operate(Operator::Conditional, &[self, then_value.into(), else_value.into()])
    }
}
