//! Operators beside those of TIR. They are data: name, name in text, effect, and the rule for the type of a call.

#[cfg(feature = "parse")]
use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::error::Result;
use tvmscript_prim::{BaseExpr, Expr, StringImm};
use tvmscript_tir::op::{Effect, Operator, ResultType};

include!(concat!(env!("OUT_DIR"), "/operators.rs"));

/// A call whose first argument names its type: `T.infinity("float32")`.
fn made_of_type(_: DataType, args: &Array<Expr>) -> Option<Result<Expr>> {
    let name = args.first()?.as_node::<StringImm>()?;
    let dtype = name.value.as_str().parse().ok()?;
    let operator = TILELANG.iter().find(|operator| operator.text == "infinity")?;
    Some(Ok(operator.call(dtype, args.iter().cloned())))
}

/// The operator that a callee refers to.
pub(crate) fn of_callee(callee: &Ref<BaseExpr>) -> Option<&'static Operator> {
    static MAP: LazyLock<AddressMap<&'static Operator>> =
        LazyLock::new(|| TILELANG.iter().map(|op| (op.op.get().object().address(), op)).collect());
    MAP.get(&callee.object().address()).copied()
}

/// The operator of TIRx that a callee refers to.
pub(crate) fn of_standalone(callee: &Ref<BaseExpr>) -> Option<&'static Operator> {
    let operators = STANDALONE.iter().chain(&CURRENT);
    operators.into_iter().find(|operator| operator.op.get().object().ptr_eq(callee.object()))
}

/// The operator with a name in text.
#[cfg(feature = "parse")]
pub(crate) fn find(text: &str) -> Option<&'static Operator> {
    static MAP: LazyLock<HashMap<&'static str, &'static Operator>> =
        LazyLock::new(|| TILELANG.iter().map(|operator| (operator.text, operator)).collect());
    MAP.get(text).copied()
}
