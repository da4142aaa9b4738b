//! Classes whose source [`set_span`](tvmscript_si_builder::set_span) fills.

use tvmscript_si_builder::Expression;

use crate::*;

macro_rules! expressions {
    ($($class:ty),* $(,)?) => { $(impl Expression for $class {})* };
}

expressions! {
    BaseExpr, PrimExpr, IntImm, FloatImm, StringImm, Var, Cast, Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max, EQ,
    NE, LT, LE, GT, GE, And, Or, Not, Select, Ramp, Broadcast, Shuffle, Let, Call,
}
