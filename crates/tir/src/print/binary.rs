//! Binary operators, and `not`.
//!
//! The infix form is printed if parsing it, which applies the folding function to the operands, yields the same node;
//! otherwise the call form, which never folds.

use tvmscript_docsifier::doc::{BinaryOp as Op, Expr as DocExpr, ExprDoc, UnaryOp};
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{DataType, PathId, Ref, field};
use tvmscript_prim::ops::{self, BinaryOp};
use tvmscript_prim::{
    Add, And, Div, EQ, Expr, FloorDiv, FloorMod, GE, GT, IntImm, LE, LT, Max, Min, Mod, Mul, NE, Not, Or,
    PrimExprExt, Sub,
};

use super::state::TirDocsifier;

/// Returns `true` if the folding function leaves these operands as they are.
pub(crate) fn stays(op: BinaryOp, a: &Expr, b: &Expr) -> bool {
    let dtype = a.dtype();
    if dtype != b.dtype() {
        return false;
    }
    let taken = match op {
        BinaryOp::FloorDiv | BinaryOp::FloorMod => dtype.is_integer(),
        BinaryOp::And | BinaryOp::Or => dtype.is_bool(),
        BinaryOp::Eq => return unfolded(op, a, b) && !(is_call(a) && is_call(b) && !same(ops::eq, a, b)),
        _ => true,
    };
    taken && unfolded(op, a, b)
}

fn unfolded(op: BinaryOp, a: &Expr, b: &Expr) -> bool {
    matches!(ops::fold::fold(op, a, b), Ok(None))
}

fn is_call(e: &Expr) -> bool {
    e.is::<tvmscript_prim::Call>()
}

/// Returns `true` if the folding comparison of two calls is still a comparison (`T.vscale() == T.vscale()` is not).
fn same(smart: fn(Expr, Expr) -> tvmscript_prim::error::PrimResult<Expr>, a: &Expr, b: &Expr) -> bool {
    smart(a.clone(), b.clone()).is_ok_and(|e| e.is::<EQ>())
}

fn operands(
    op: BinaryOp,
    (a, b): (&Expr, &Expr),
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<(ExprDoc, ExprDoc)> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let is_node = matches!(op, Eq | Ne | Lt | Le | Gt | Ge) && may_swap(a, d);
    with_types([a, b], d, |d| {
        let a = match is_node {
            true => d.typed(|d| d.part(a, path, field!(Add, a)))?,
            false => d.part(a, path, field!(Add, a))?,
        };
        let b = d.part(b, path, field!(Add, b))?;
        Ok((a, b))
    })
}

/// Returns `true` for a literal that would swap the sides of a comparison as a number, but not as a node
/// (`T.int64(3) < x`).
fn may_swap(a: &Expr, d: &mut Docsifier<'_>) -> bool {
    let is_wide = |literal: &IntImm| !literal.dtype.is_bool() && literal.dtype != DataType::INT32;
    d.follows_python() && a.as_node::<IntImm>().is_some_and(is_wide)
}

/// Prints the operands of a call. If all of them are integers, nothing else tells their type, so the literals do where
/// it may not be what a call reads.
pub(crate) fn with_types<'e, R>(
    operands: impl IntoIterator<Item = &'e Expr>,
    d: &mut Docsifier<'_>,
    print: impl FnOnce(&mut Docsifier<'_>) -> R,
) -> R {
    let mut literal = None;
    for operand in operands {
        match operand.as_node::<IntImm>() {
            Some(operand) => literal = literal.or(Some(operand.dtype)),
            None => return print(d),
        }
    }
    let is_read_as = |dtype: DataType| {
        dtype.is_bool() || dtype == DataType::INT32 && d.tir().options.int_dtype == DataType::INT32
    };
    if literal.is_none_or(is_read_as) { print(d) } else { d.typed(print) }
}

pub(crate) fn is_number(doc: ExprDoc, d: &Docsifier<'_>) -> bool {
    matches!(d.docs.expr(doc), DocExpr::Int(_) | DocExpr::Float(_) | DocExpr::Bool(_))
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident: $node:ident, $smart:ident => $sugar:expr, else $call:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(node: &Ref<$node>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
            let $node { span: _, dtype: _, a, b } = &**node;
            let (left, right) = operands(BinaryOp::$smart, (a, b), path, d)?;
            let sugar: fn(&Expr, ExprDoc, ExprDoc, &mut Docsifier<'_>) -> Option<ExprDoc> = $sugar;
            // Python itself computes operations on two numbers.
            let is_python = is_number(left, d) && is_number(right, d);
            if !is_python
                && stays(BinaryOp::$smart, a, b)
                && let Some(doc) = sugar(a, left, right, d)
            {
                return Ok(doc);
            }
            let callee = d.t($call);
            Ok(d.docs.call_args(callee, &[left, right]))
        }
    )*};
}

/// The infix operator.
macro_rules! infix {
    ($op:ident) => {
        |_, left, right, d| Some(d.docs.binary(Op::$op, left, right))
    };
}

/// A comparison. Under Python's rules, a number on the left would swap the sides; in host code, constants would fold.
macro_rules! comparison {
    ($op:ident) => {
        |_, left, right, d| {
            if d.is_host_code() || is_number(left, d) && d.follows_python() {
                return None;
            }
            Some(d.docs.binary(Op::$op, left, right))
        }
    };
}

/// `and`, `or`; of vectors they would be parsed as bit operations, and in host code Python evaluates them.
macro_rules! connective {
    ($op:ident) => {
        |a, left, right, d| {
            if d.is_host_code() || !a.dtype().is_scalar() {
                return None;
            }
            Some(d.docs.binary(Op::$op, left, right))
        }
    };
}

/// `T.name(a, b)`
macro_rules! function {
    ($name:literal) => {
        |_, left, right, d| {
            let callee = d.t($name);
            Some(d.docs.call_args(callee, &[left, right]))
        }
    };
}

binary! {
    /// `a + b`
    add: Add, Add => infix!(Add), else "Add";
    /// `a - b`
    sub: Sub, Sub => infix!(Sub), else "Sub";
    /// `a * b`
    mul: Mul, Mul => infix!(Mult), else "Mul";
    /// `a / b`; `T.Div(a, b)` for integers
    div: Div, Div => |a, left, right, d| {
        if a.dtype().is_integer() {
            return None;
        }
        Some(d.docs.binary(Op::Div, left, right))
    }, else "Div";
    /// `T.truncmod(a, b)`
    truncmod: Mod, Mod => function!("truncmod"), else "Mod";
    /// `a // b`
    floordiv: FloorDiv, FloorDiv => infix!(FloorDiv), else "FloorDiv";
    /// `a % b`
    floormod: FloorMod, FloorMod => infix!(Mod), else "FloorMod";
    /// `T.min(a, b)`
    min: Min, Min => function!("min"), else "Min";
    /// `T.max(a, b)`
    max: Max, Max => function!("max"), else "Max";
    /// `a == b`
    eq: EQ, Eq => comparison!(Eq), else "EQ";
    /// `a != b`
    ne: NE, Ne => comparison!(NotEq), else "NE";
    /// `a < b`
    lt: LT, Lt => comparison!(Lt), else "LT";
    /// `a <= b`
    le: LE, Le => comparison!(LtE), else "LE";
    /// `a > b`
    gt: GT, Gt => comparison!(Gt), else "GT";
    /// `a >= b`
    ge: GE, Ge => comparison!(GtE), else "GE";
    /// `a and b`
    and: And, And => connective!(And), else "And";
    /// `a or b`
    or: Or, Or => connective!(Or), else "Or";
}

/// `not a`; `T.Not(True)` for a bare literal, which Python would negate, and in host code.
pub(crate) fn not(node: &Ref<Not>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Not { span: _, dtype: _, a } = &**node;
    let operand = d.part(a, path, field!(Not, a))?;
    if d.is_host_code()
        || is_number(operand, d)
        || (a.is::<IntImm>() && d.tir().syntax.print.negated_literals)
    {
        return Ok(d.call_t("Not", &[operand]));
    }
    Ok(d.docs.unary(UnaryOp::Not, operand))
}
