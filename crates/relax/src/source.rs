//! Classes whose source [`set_span`](tvmscript_ir::set_span) fills.

use tvmscript_si_builder::{Expression, TupleItem};

use crate::node::*;

macro_rules! expressions {
    ($($class:ty),* $(,)?) => { $(impl Expression for $class {})* };
}

expressions! {
    LeafExpr, Call, Tuple, TupleGetItem, ShapeExpr, Var, Constant, PrimValue, StringImm, DataTypeImm, SeqExpr, If, Function,
    ExternFunc, UnknownCall,
}

impl TupleItem for TupleGetItem {}
