//! Walks over whole expressions: equality, hash, effects, and what occurs where.
//!
//! They keep a list of what is to be visited, so depth costs nothing; each has a limit on the number of nodes, because
//! an expression that shares its parts can be far larger than its memory, and says the cautious answer beyond it.
//!
//! Upstream counterparts: `tir::ExprDeepEqual`, `tir::SideEffect`, `tir::UsesVar`.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;
use tvmscript_prim::PrimExprExt;

use crate::expr::{Expr, VarMap, View, tag, view};
use crate::opaque;

/// Nodes a walk without a budget of its own visits at most.
const WALK_LIMIT: usize = 1 << 20;

/// Operators that compute their result from their arguments alone.
const PURE_OPERATORS: [&str; 24] = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "shift_left",
    "shift_right",
    "if_then_else",
    "likely",
    "reinterpret",
    "isnan",
    "isinf",
    "large_uint_imm",
    "q_multiply_shift",
    "vscale",
    "clz",
    "popcount",
    "fmod",
    "pow",
    "call_pure_extern",
    "call_llvm_pure_intrin",
    "fabs",
    "address_of",
    "floor",
    "ceil",
];
/// More of them: functions of one float, and of two.
const PURE_FUNCTIONS: [&str; 31] = [
    "exp",
    "exp2",
    "exp10",
    "erf",
    "tanh",
    "sigmoid",
    "sqrt",
    "rsqrt",
    "log",
    "log2",
    "log1p",
    "log10",
    "tan",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "asin",
    "acos",
    "atan",
    "acosh",
    "asinh",
    "atanh",
    "trunc",
    "round",
    "nearbyint",
    "hypot",
    "atan2",
    "nextafter",
    "copysign",
    "ldexp",
];

/// What evaluating an expression may do besides giving a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Nothing.
    Pure,
    /// Read memory.
    Reads,
    /// Anything.
    Opaque,
}

/// The strongest effect of `e` and its parts. A node of another dialect is taken to read.
pub(crate) fn effect(e: &Expr) -> Effect {
    let mut pending: SmallVec<[&Expr; 16]> = SmallVec::new();
    pending.push(e);
    let mut strongest = Effect::Pure;
    for _ in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return strongest };
        match view(e) {
            View::Int(_) | View::Float(_) | View::Var { .. } => {}
            View::Bin(_, a, b) => pending.extend([a, b]),
            View::Not(a) | View::Cast(a) | View::Broadcast(a, _) => pending.push(a),
            View::Ramp(a, b, _) | View::Let(_, a, b) => pending.extend([a, b]),
            View::Select(a, b, c) => pending.extend([a, b, c]),
            View::Call(call) => {
                let name = call.node.op_name().and_then(|name| name.strip_prefix("tir."));
                if !name.is_some_and(|name| PURE_OPERATORS.contains(&name) || PURE_FUNCTIONS.contains(&name))
                {
                    return Effect::Opaque;
                }
                pending.extend(call.node.args.iter());
            }
            View::Other => {
                strongest = strongest.max(Effect::Reads);
                pending.extend(opaque::children(e));
            }
        }
    }
    Effect::Opaque
}

/// Structural equality of expressions; variables are equal by identity. Visits at most `budget` pairs of nodes,
/// which it takes off; expressions too large for that count as different.
pub(crate) fn deep_equal(a: &Expr, b: &Expr, budget: &mut u64) -> bool {
    if a.ptr_eq(b) {
        return true;
    }
    let mut pending: SmallVec<[(&Expr, &Expr); 16]> = SmallVec::new();
    pending.push((a, b));
    while let Some((a, b)) = pending.pop() {
        if a.ptr_eq(b) {
            continue;
        }
        if *budget == 0 || a.dtype() != b.dtype() {
            return false;
        }
        *budget -= 1;
        match (view(a), view(b)) {
            (View::Int(x), View::Int(y)) if x == y => {}
            (View::Float(x), View::Float(y)) if x == y => {}
            (View::Bin(op, a1, a2), View::Bin(other, b1, b2)) if op == other => {
                pending.extend([(a2, b2), (a1, b1)]);
            }
            (View::Not(x), View::Not(y)) | (View::Cast(x), View::Cast(y)) => pending.push((x, y)),
            (View::Select(a1, a2, a3), View::Select(b1, b2, b3))
            | (View::Ramp(a1, a2, a3), View::Ramp(b1, b2, b3))
            | (View::Let(a1, a2, a3), View::Let(b1, b2, b3)) => {
                pending.extend([(a3, b3), (a2, b2), (a1, b1)]);
            }
            (View::Broadcast(a1, a2), View::Broadcast(b1, b2)) => pending.extend([(a2, b2), (a1, b1)]),
            (View::Call(x), View::Call(y))
                if x.node.op.ptr_eq(&y.node.op) && x.node.args.len() == y.node.args.len() =>
            {
                pending.extend(x.node.args.iter().zip(y.node.args.iter()));
            }
            (View::Other, View::Other) if opaque::same_shell(a, b) => {
                pending.extend(opaque::children(a).into_iter().zip(opaque::children(b)));
            }
            _ => return false,
        }
    }
    true
}

/// How many nodes of an expression [`deep_hash`] looks at.
const HASHED_NODES: usize = 64;

/// A hash that agrees with [`deep_equal`]: equal expressions have equal hashes. Only the first nodes count, so
/// the cost does not grow with the expression.
pub(crate) fn deep_hash(e: &Expr) -> u64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    let mut pending: SmallVec<[&Expr; 16]> = SmallVec::new();
    pending.push(e);
    let mut seen = 0;
    while let Some(e) = pending.pop() {
        if seen == HASHED_NODES {
            break;
        }
        seen += 1;
        tag(e).bit().hash(&mut hasher);
        match view(e) {
            View::Int(value) => value.hash(&mut hasher),
            View::Float(value) => (value + 0.0).to_bits().hash(&mut hasher),
            View::Var { .. } => e.object().address().hash(&mut hasher),
            View::Bin(_, a, b) | View::Broadcast(a, b) => pending.extend([b, a]),
            View::Not(a) | View::Cast(a) => pending.push(a),
            View::Select(a, b, c) | View::Ramp(a, b, c) | View::Let(a, b, c) => pending.extend([c, b, a]),
            View::Call(call) => {
                call.node.op.object().address().hash(&mut hasher);
                pending.extend(call.node.args.iter());
            }
            View::Other => {
                e.object().info().index().hash(&mut hasher);
                pending.extend(opaque::children(e));
            }
        }
    }
    hasher.finish()
}

/// Whether a variable of `vars` occurs in `e`, also inside nodes of other dialects.
pub(crate) fn mentions<T>(e: &Expr, vars: &VarMap<T>) -> bool {
    if vars.is_empty() {
        return false;
    }
    let mut pending: SmallVec<[&Expr; 16]> = SmallVec::new();
    pending.push(e);
    for _ in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return false };
        match view(e) {
            View::Int(_) | View::Float(_) => {}
            View::Var { .. } if vars.get(e).is_some() => return true,
            View::Var { .. } => {}
            View::Bin(_, a, b) | View::Broadcast(a, b) => pending.extend([a, b]),
            View::Not(a) | View::Cast(a) => pending.push(a),
            View::Select(a, b, c) | View::Ramp(a, b, c) | View::Let(a, b, c) => pending.extend([a, b, c]),
            View::Call(call) => pending.extend(call.node.args.iter()),
            View::Other => pending.extend(opaque::children(e)),
        }
    }
    true
}

/// How many nodes an expression has, shared ones counted each time, up to a limit.
pub(crate) fn node_count(e: &Expr) -> usize {
    let mut pending: SmallVec<[&Expr; 16]> = SmallVec::new();
    pending.push(e);
    for count in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return count };
        match view(e) {
            View::Bin(_, a, b) | View::Broadcast(a, b) => pending.extend([a, b]),
            View::Not(a) | View::Cast(a) => pending.push(a),
            View::Select(a, b, c) | View::Ramp(a, b, c) | View::Let(a, b, c) => pending.extend([a, b, c]),
            View::Call(call) => pending.extend(call.node.args.iter()),
            View::Int(_) | View::Float(_) | View::Var { .. } => {}
            View::Other => pending.extend(opaque::children(e)),
        }
    }
    WALK_LIMIT
}
