//! Types of expressions over unknown functions ([`UnknownCall`]) and operators with an open result
//! ([`Op::has_open_result`](crate::Op::has_open_result)), which the context determines.
//!
//! An expression whose type depends on such a function has the type `void`. The first operand, buffer or variable
//! of a known type that it meets gives it that type, down to the call.

use tvmscript_ir_core::{DataType, PtrMap, Ref, with_stack};

use super::operands;
use super::python::Operand;
use crate::class::{Expr, PrimExprExt};
use crate::kind::{ExprKind, ExprView};
use crate::node::{Call, Select, UnknownCall};
use crate::op::Op;

/// Gives an expression of undetermined type the type `dtype`. Other expressions stay as they are.
#[inline]
pub fn determine(e: Expr, dtype: DataType) -> Expr {
    if e.dtype() == DataType::VOID && dtype != DataType::VOID {
        determined(&e, dtype).unwrap_or(e)
    } else {
        e
    }
}

/// Returns `true` if the type of an expression depends on an unknown function.
#[inline]
pub fn is_undetermined(e: &Expr) -> bool {
    // Of a chain, each node is asked: unknown calls next to the node are found first, and nothing is rebuilt.
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        if e.dtype() != DataType::VOID {
            continue;
        }
        if is_open(e) {
            return true;
        }
        let first = open.len();
        match e.kind() {
            ExprKind::Select(n) => open.extend([&n.true_value, &n.false_value]),
            ExprKind::Call(n) => open.extend(n.args.iter()),
            _ => open.extend(operands(e).into_iter().flat_map(|(_, a, b)| [a, b])),
        }
        if open.iter().skip(first).any(|part| is_open(part)) {
            return true;
        }
    }
    false
}

/// Returns `true` for a call whose type nothing but its place tells.
fn is_open(e: &Expr) -> bool {
    e.is::<UnknownCall>() || e.as_node::<Call>().is_some_and(has_open_type)
}

fn has_open_type(call: &Call) -> bool {
    call.dtype == DataType::VOID && call.op.as_node::<Op>().is_some_and(Op::has_open_result)
}

/// If the type of one of two operands is undetermined, gives it the type of the other.
#[inline]
pub fn agree(a: &mut Expr, b: &mut Expr) {
    let (left, right) = (a.dtype(), b.dtype());
    if left == DataType::VOID {
        *a = determine(a.clone(), right);
    } else if right == DataType::VOID {
        *b = determine(b.clone(), left);
    }
}

/// Gives an expression the type that a number beside it stands for, if nothing else tells one.
pub(super) fn determine_beside(operand: Operand, other: &Operand) -> Operand {
    match (operand, other) {
        (Operand::Expr(e), Operand::Int(_)) => Operand::Expr(determine(e, DataType::INT32)),
        (Operand::Expr(e), Operand::Float(_)) => Operand::Expr(determine(e, DataType::FLOAT32)),
        (Operand::Expr(e), Operand::Bool(_)) => Operand::Expr(determine(e, DataType::BOOL)),
        (operand, _) => operand,
    }
}

/// `None` if nothing in the expression is undetermined.
#[cold]
pub(super) fn determined(e: &Expr, dtype: DataType) -> Option<Expr> {
    Determination { dtype, known: PtrMap::default() }.of(e)
}

struct Determination {
    dtype: DataType,
    /// Results for shared nodes.
    known: PtrMap<Option<Expr>>,
}

impl Determination {
    fn of(&mut self, e: &Expr) -> Option<Expr> {
        if e.dtype() != DataType::VOID {
            return None;
        }
        if e.object().is_unique() {
            return with_stack(|| self.rebuilt(e));
        }
        if let Some(known) = self.known.get(e.object()) {
            return known.clone();
        }
        let new = with_stack(|| self.rebuilt(e));
        self.known.insert(e.object().clone(), new.clone());
        new
    }

    fn rebuilt(&mut self, e: &Expr) -> Option<Expr> {
        if let Some(call) = e.as_node::<UnknownCall>() {
            return Some(Ref::new(UnknownCall { dtype: self.dtype, ..call.clone() }).upcast());
        }
        if let Some((op, a, b)) = operands(e) {
            let [a, b] = self.any([a, b])?;
            return op.node(a, b).ok();
        }
        match e.kind() {
            ExprKind::Select(n) => {
                let [on_true, on_false] = self.any([&n.true_value, &n.false_value])?;
                Select::try_new(n.condition.clone(), on_true, on_false).ok()
            }
            ExprKind::Call(n) if has_open_type(n) => {
                Some(Call::with_callee(self.dtype, n.op.clone(), n.args.clone()))
            }
            // An operator whose result has the type of its arguments.
            ExprKind::Call(n) => {
                let new: Vec<Option<Expr>> = n.args.iter().map(|arg| self.of(arg)).collect();
                if new.iter().all(Option::is_none) {
                    return None;
                }
                let args =
                    new.into_iter().zip(n.args.iter()).map(|(new, old)| new.unwrap_or_else(|| old.clone()));
                Some(Call::with_callee(self.dtype, n.op.clone(), args.collect()))
            }
            _ => None,
        }
    }

    /// The parts, if any of them is undetermined.
    fn any(&mut self, parts: [&Expr; 2]) -> Option<[Expr; 2]> {
        let new = parts.map(|part| self.of(part));
        if new.iter().all(Option::is_none) {
            return None;
        }
        let [a, b] = new;
        let [old_a, old_b] = parts;
        Some([a.unwrap_or_else(|| old_a.clone()), b.unwrap_or_else(|| old_b.clone())])
    }
}
