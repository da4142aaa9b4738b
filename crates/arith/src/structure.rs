//! Walks over whole expressions: equality, hash, effects, occurrence of variables.
//!
//! All walks use a worklist, so depth is not limited. An expression that shares its parts can unfold to far more nodes
//! than it has; each walk therefore has a limit, and returns the conservative answer beyond it.
//!
//! Upstream counterparts: `tir::ExprDeepEqual`, `tir::SideEffect`, `tir::UsesVar`.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use hashbrown::HashSet;
use smallvec::SmallVec;
use tvmscript_prim::{Effect, Op, PrimExprExt};

use crate::expr::{Expr, VarMap, View, tag, view};
use crate::opaque;

/// Maximum number of nodes that a walk without a budget of its own visits.
const WALK_LIMIT: usize = 1 << 20;

/// Maximum number of nodes of an expression that [`deep_hash`] visits.
const HASHED_NODES: usize = 64;

/// Number of visited pairs after which [`deep_equal`] remembers pairs of shared nodes.
const REMEMBERED_PAIRS: u32 = 64;

/// Expressions still to visit; the last one is next.
type Worklist<'a> = SmallVec<[&'a Expr; 16]>;

/// The operands of `e` in order, including those of nodes of other dialects.
fn operands(e: &Expr) -> SmallVec<[&Expr; 4]> {
    match view(e) {
        View::Int(_) | View::Float(_) | View::Var { .. } => SmallVec::new(),
        View::Not(a) | View::Cast(a) => SmallVec::from_slice(&[a]),
        View::Bin(_, a, b) | View::Broadcast(a, b) => SmallVec::from_slice(&[a, b]),
        View::Select(a, b, c) | View::Ramp(a, b, c) | View::Let(a, b, c) => SmallVec::from_slice(&[a, b, c]),
        View::Call(call) => call.node.args.iter().collect(),
        View::Other => opaque::children(e),
    }
}

/// The strongest effect of `e` and its parts, at least [`Effect::Pure`]. A node of another dialect counts as
/// [`Effect::Read`].
pub fn effect(e: &Expr) -> Effect {
    let mut pending = Worklist::from_slice(&[e]);
    let mut strongest = Effect::Pure;
    for _ in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return strongest };
        let own = match view(e) {
            View::Call(call) => call.node.op.as_node::<Op>().map_or(Effect::Opaque, Op::effect),
            View::Other => Effect::Read,
            _ => Effect::Pure,
        };
        strongest = strongest.max(own);
        if strongest > Effect::Read {
            return strongest;
        }
        pending.extend(operands(e));
    }
    Effect::Opaque
}

/// Structural equality; variables are equal by identity. Subtracts the visited pairs of nodes from `budget`; expressions
/// too large for it count as different.
pub(crate) fn deep_equal(a: &Expr, b: &Expr, budget: &mut u64) -> bool {
    let mut pending: SmallVec<[(&Expr, &Expr); 16]> = SmallVec::new();
    pending.push((a, b));
    let (mut visits, mut seen) = (0u32, HashSet::new());
    while let Some((a, b)) = pending.pop() {
        if a.ptr_eq(b) {
            continue;
        }
        visits = visits.saturating_add(1);
        // The walk stops at the first difference, so a pair that it met before is equal.
        let recurs = visits > REMEMBERED_PAIRS && !a.object().is_unique() && !b.object().is_unique();
        if recurs && !seen.insert((a.object().address(), b.object().address())) {
            continue;
        }
        if *budget == 0 || a.dtype() != b.dtype() {
            return false;
        }
        *budget -= 1;
        let has_same_head = match (view(a), view(b)) {
            (View::Int(x), View::Int(y)) => x == y,
            (View::Float(x), View::Float(y)) => x == y,
            (View::Var { .. }, _) => false,
            (View::Bin(op, ..), View::Bin(other, ..)) => op == other,
            (View::Call(x), View::Call(y)) => x.node.op.ptr_eq(&y.node.op),
            (View::Other, View::Other) => opaque::same_shell(a, b),
            (x, y) => discriminant(&x) == discriminant(&y),
        };
        let (left, right) = (operands(a), operands(b));
        if !has_same_head || left.len() != right.len() {
            return false;
        }
        pending.extend(left.into_iter().zip(right).rev());
    }
    true
}

/// A hash of the first [`HASHED_NODES`] nodes; expressions equal by [`deep_equal`] have equal hashes.
pub(crate) fn deep_hash(e: &Expr) -> u64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    let mut pending = Worklist::from_slice(&[e]);
    for _ in 0..HASHED_NODES {
        let Some(e) = pending.pop() else { break };
        tag(e).bit().hash(&mut hasher);
        match view(e) {
            View::Int(value) => value.hash(&mut hasher),
            // `-0.0` and `0.0` are equal.
            View::Float(value) => (value + 0.0).to_bits().hash(&mut hasher),
            View::Var { .. } => e.object().address().hash(&mut hasher),
            View::Call(call) => call.node.op.object().address().hash(&mut hasher),
            View::Other => e.object().info().index().hash(&mut hasher),
            _ => {}
        }
        pending.extend(operands(e).into_iter().rev());
    }
    hasher.finish()
}

/// Tests whether a variable of `vars` occurs in `e`, including nodes of other dialects.
pub(crate) fn mentions<T>(e: &Expr, vars: &VarMap<T>) -> bool {
    if vars.is_empty() {
        return false;
    }
    let mut pending = Worklist::from_slice(&[e]);
    for _ in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return false };
        if vars.get(e).is_some() {
            return true;
        }
        pending.extend(operands(e));
    }
    true
}

/// The number of nodes of the tree that an expression unfolds to, up to [`WALK_LIMIT`].
pub(crate) fn node_count(e: &Expr) -> usize {
    let mut pending = Worklist::from_slice(&[e]);
    for count in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return count };
        pending.extend(operands(e));
    }
    WALK_LIMIT
}
