//! Walks over whole expressions: equality, hash, effects, occurrence of variables.
//!
//! All walks use a worklist, so depth is not limited. An expression that shares its parts can unfold to far more nodes
//! than it has; each walk therefore has a limit, and returns the conservative answer beyond it.
//!
//! Upstream counterparts: `tir::ExprDeepEqual`, `tir::SideEffect`, `tir::UsesVar`.

use std::hash::Hasher as _;
use std::mem::discriminant;

use hashbrown::HashSet;
use smallvec::SmallVec;
use tvmscript_ir_core::ptr_map::AddressHasher;
use tvmscript_prim::{Effect, Op, PrimExprExt};

use crate::expr::{Expr, VarMap, View, view};
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
pub(crate) fn operands(e: &Expr) -> SmallVec<[&Expr; 4]> {
    match view(e) {
        View::Int(_) | View::Float(_) | View::Var => SmallVec::new(),
        View::Not(a) | View::Cast(a) => SmallVec::from_slice(&[a]),
        View::Bin(_, a, b) | View::Broadcast(a, b) => SmallVec::from_slice(&[a, b]),
        View::Select(a, b, c) | View::Ramp(a, b, c) | View::Let(a, b, c) => SmallVec::from_slice(&[a, b, c]),
        View::Call(call) => call.node.args.iter().collect(),
        View::Other => opaque::children(e),
    }
}

/// Adds the operands of `e` to a worklist, in any order.
#[inline]
fn push_operands<'a>(e: &'a Expr, pending: &mut Worklist<'a>) {
    match view(e) {
        View::Int(_) | View::Float(_) | View::Var => {}
        View::Bin(_, a, b) => {
            pending.push(a);
            pending.push(b);
        }
        _ => pending.extend(operands(e)),
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
        push_operands(e, &mut pending);
    }
    Effect::Opaque
}

/// Structural equality; variables are equal by identity. Subtracts the visited pairs of nodes from `budget`; expressions
/// too large for it count as different.
#[inline]
pub(crate) fn deep_equal(a: &Expr, b: &Expr, budget: &mut u64) -> bool {
    a.ptr_eq(b) || (may_equal(a, b, budget) && equal_below(a, b, budget))
}

/// Compares types of nodes and of values, which tells most pairs apart.
#[inline]
fn may_equal(a: &Expr, b: &Expr, budget: &mut u64) -> bool {
    let is_left = *budget > 0;
    *budget = budget.saturating_sub(1);
    is_left && std::ptr::eq(a.object().info(), b.object().info()) && a.dtype() == b.dtype()
}

/// [`deep_equal`] for different nodes of one type.
fn equal_below(a: &Expr, b: &Expr, budget: &mut u64) -> bool {
    let mut pending: SmallVec<[(&Expr, &Expr); 16]> = SmallVec::new();
    let (mut visits, mut seen) = (0u32, None);
    let mut next = Some((a, b));
    while let Some((a, b)) = next {
        visits = visits.saturating_add(1);
        // The walk stops at the first difference, so a pair that it met before is equal.
        let recurs = visits > REMEMBERED_PAIRS
            && !a.object().is_unique()
            && !b.object().is_unique()
            && !seen.get_or_insert_with(HashSet::new).insert((a.object().address(), b.object().address()));
        if !recurs {
            let has_same_head = match (view(a), view(b)) {
                (View::Int(x), View::Int(y)) => x == y,
                (View::Float(x), View::Float(y)) => x == y,
                (View::Var, _) => false,
                (View::Bin(op, a, c), View::Bin(other, b, d)) => {
                    pending.extend([(c, d), (a, b)]);
                    op == other
                }
                (View::Call(x), View::Call(y)) if !x.node.op.ptr_eq(&y.node.op) => false,
                (View::Other, View::Other) if !opaque::same_shell(a, b) => false,
                (x, y) => {
                    let (left, right) = (operands(a), operands(b));
                    let is_same = discriminant(&x) == discriminant(&y) && left.len() == right.len();
                    pending.extend(left.into_iter().zip(right).rev());
                    is_same
                }
            };
            if !has_same_head {
                return false;
            }
        }
        next = loop {
            match pending.pop() {
                Some((a, b)) if a.ptr_eq(b) => {}
                Some((a, b)) if !may_equal(a, b, budget) => return false,
                pair => break pair,
            }
        };
    }
    true
}

/// A hash of the first [`HASHED_NODES`] nodes; expressions equal by [`deep_equal`] have equal hashes.
pub(crate) fn deep_hash(e: &Expr) -> u64 {
    let mut hasher = AddressHasher::default();
    let mut pending = Worklist::from_slice(&[e]);
    for _ in 0..HASHED_NODES {
        let Some(e) = pending.pop() else { break };
        match view(e) {
            View::Int(value) => hasher.write_u64(value as u64),
            // `-0.0` and `0.0` are equal.
            View::Float(value) => hasher.write_u64((value + 0.0).to_bits()),
            View::Var => hasher.write_usize(e.object().address()),
            View::Bin(op, a, b) => {
                hasher.write_usize(op as usize);
                pending.extend([b, a]);
            }
            View::Call(call) => {
                hasher.write_usize(call.node.op.object().address());
                pending.extend(call.node.args.iter().rev());
            }
            _ => {
                hasher.write_usize(e.object().info().index());
                pending.extend(operands(e).into_iter().rev());
            }
        }
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
        push_operands(e, &mut pending);
    }
    true
}

/// The number of nodes of the tree that an expression unfolds to, up to [`WALK_LIMIT`].
pub(crate) fn node_count(e: &Expr) -> usize {
    let mut pending = Worklist::from_slice(&[e]);
    for count in 0..WALK_LIMIT {
        let Some(e) = pending.pop() else { return count };
        push_operands(e, &mut pending);
    }
    WALK_LIMIT
}
