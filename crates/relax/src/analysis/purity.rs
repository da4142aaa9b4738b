//! Calls with effects.
//!
//! Upstream counterpart: `FindImpureCall`, `src/relax/analysis/analysis.cc`.

use tvmscript_ir_core::{ObjectLike, Visitor, Walk};

use crate::node::{Call, Expr, FuncStructInfo, Function, StructInfo, struct_info_of};
use crate::op::operator;

/// Returns `true` if the callee may have effects. Unknown operators count as pure.
pub fn is_impure_call(call: &Call) -> bool {
    match call.op_name() {
        Some(name) => operator(name).is_some_and(|operator| !operator.is_pure()),
        None => struct_info_of(&call.op)
            .is_some_and(|info| info.as_node::<FuncStructInfo>().is_some_and(|function| !function.purity)),
    }
}

/// Returns `true` if an expression contains a call with effects, branches included. A function that occurs inside the
/// expression has effects only where it is called; for `expr` itself, the body counts.
pub fn contains_impure_call(expr: &Expr) -> bool {
    let root = match expr.as_node::<Function>() {
        Some(function) => function.body.as_object(),
        None => expr.as_object(),
    };
    let walk = Visitor::new().pre_order(root, |node| {
        if node.is::<Function>() || node.is::<StructInfo>() {
            Walk::Skip
        } else if node.as_node::<Call>().is_some_and(is_impure_call) {
            Walk::Stop
        } else {
            Walk::Advance
        }
    });
    walk.is_break()
}
