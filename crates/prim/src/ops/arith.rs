//! Arithmetic and comparisons, as TVM's C++ operators build them.

use std::sync::OnceLock;

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Comparison;

use super::fold::fold;
use super::literal::truth;
use super::{make_const, make_zero, match_types, undetermined};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::intrinsic;
use crate::kind::{ExprKind, ExprView as _};
use crate::node::{
    Add, And, Call, Div, EQ, FloatImm, FloorDiv, FloorMod, GE, GT, IntImm, LE, LT, Max, Min, Mod, Mul, NE,
    Or, Sub, Var,
};

/// The node types with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl From<Comparison> for BinaryOp {
    fn from(comparison: Comparison) -> BinaryOp {
        match comparison {
            Comparison::Eq => BinaryOp::Eq,
            Comparison::Ne => BinaryOp::Ne,
            Comparison::Lt => BinaryOp::Lt,
            Comparison::Le => BinaryOp::Le,
            Comparison::Gt => BinaryOp::Gt,
            Comparison::Ge => BinaryOp::Ge,
        }
    }
}

impl BinaryOp {
    /// Constructs the node without matching types or folding.
    /// # Errors
    /// Errors of the node's constructor.
    #[inline]
    pub fn node(self, a: Expr, b: Expr) -> PrimResult<Expr> {
        match self {
            BinaryOp::Add => Add::try_new(a, b),
            BinaryOp::Sub => Sub::try_new(a, b),
            BinaryOp::Mul => Mul::try_new(a, b),
            BinaryOp::Div => Div::try_new(a, b),
            BinaryOp::Mod => Mod::try_new(a, b),
            BinaryOp::FloorDiv => FloorDiv::try_new(a, b),
            BinaryOp::FloorMod => FloorMod::try_new(a, b),
            BinaryOp::Min => Min::try_new(a, b),
            BinaryOp::Max => Max::try_new(a, b),
            BinaryOp::Eq => EQ::try_new(a, b),
            BinaryOp::Ne => NE::try_new(a, b),
            BinaryOp::Lt => LT::try_new(a, b),
            BinaryOp::Le => LE::try_new(a, b),
            BinaryOp::Gt => GT::try_new(a, b),
            BinaryOp::Ge => GE::try_new(a, b),
            BinaryOp::And => And::try_new(a, b),
            BinaryOp::Or => Or::try_new(a, b),
        }
    }
}

/// Folds or constructs; the operands have the same type.
#[inline(always)]
pub(super) fn fold_or_node(op: BinaryOp, a: Expr, b: Expr) -> PrimResult<Expr> {
    match fold(op, &a, &b)? {
        Some(folded) => Ok(folded.pick(a, b)),
        None => op.node(a, b),
    }
}

#[inline(always)]
fn smart(op: BinaryOp, mut a: Expr, mut b: Expr) -> PrimResult<Expr> {
    match_types(&mut a, &mut b)?;
    fold_or_node(op, a, b)
}

/// Applies the operator chosen at run time: matches types, folds, then constructs.
/// # Errors
/// As the function of that operator.
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> PrimResult<Expr> {
    match op {
        BinaryOp::Add => add(a, b),
        BinaryOp::Sub => sub(a, b),
        BinaryOp::Mul => mul(a, b),
        BinaryOp::Div => div(a, b),
        BinaryOp::Mod => truncmod(a, b),
        BinaryOp::FloorDiv => floordiv(a, b),
        BinaryOp::FloorMod => floormod(a, b),
        BinaryOp::Min => min(a, b),
        BinaryOp::Max => max(a, b),
        BinaryOp::Eq => eq(a, b),
        BinaryOp::Ne => ne(a, b),
        BinaryOp::Lt => lt(a, b),
        BinaryOp::Le => le(a, b),
        BinaryOp::Gt => gt(a, b),
        BinaryOp::Ge => ge(a, b),
        BinaryOp::And => super::and(a, b),
        BinaryOp::Or => super::or(a, b),
    }
}

macro_rules! smart {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Matches types, folds, then constructs.
        /// # Errors
        /// [`PrimError::CannotMatch`], or errors of folding ([`crate::ops::fold::fold`]).
        #[inline]
        pub fn $name(a: Expr, b: Expr) -> PrimResult<Expr> {
            smart(BinaryOp::$op, a, b)
        }
    )*};
}

smart! {
    /// `a + b`.
    add = Add;
    /// `a - b`.
    sub = Sub;
    /// `a * b`.
    mul = Mul;
    /// The quotient; truncates integers toward zero, as C++'s `/`.
    div = Div;
    /// The remainder of [`truncdiv`]; also for floats.
    truncmod = Mod;
    /// `a < b`.
    lt = Lt;
    /// `a <= b`.
    le = Le;
    /// `a > b`.
    gt = Gt;
    /// `a >= b`.
    ge = Ge;
    /// `a != b`.
    ne = Ne;
}

#[inline]
fn integers(op: &'static str, a: &mut Expr, b: &mut Expr) -> PrimResult<()> {
    if a.dtype().is_integer() && b.dtype().is_integer() { Ok(()) } else { check_integers(op, a, b) }
}

fn check_integers(op: &'static str, a: &mut Expr, b: &mut Expr) -> PrimResult<()> {
    undetermined::agree(a, b);
    for e in [a, b] {
        let found = e.dtype();
        if !found.is_integer() && !undetermined::is_undetermined(e) {
            return Err(PrimError::OperandType { op, expected: "integers", found });
        }
    }
    Ok(())
}

macro_rules! integer_division {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Accepts integers only; matches types, folds, then constructs.
        /// # Errors
        /// [`PrimError::OperandType`], [`PrimError::CannotMatch`], or errors of folding.
        #[inline]
        pub fn $name(mut a: Expr, mut b: Expr) -> PrimResult<Expr> {
            integers(stringify!($name), &mut a, &mut b)?;
            smart(BinaryOp::$op, a, b)
        }
    )*};
}

integer_division! {
    /// The quotient truncated toward zero.
    truncdiv = Div;
    /// The quotient rounded toward negative infinity.
    floordiv = FloorDiv;
    /// The remainder of [`floordiv`].
    floormod = FloorMod;
}

/// The quotient rounded toward positive infinity: `(a + b - 1) // b`.
/// # Errors
/// As [`floordiv`].
pub fn ceildiv(mut a: Expr, mut b: Expr) -> PrimResult<Expr> {
    integers("ceildiv", &mut a, &mut b)?;
    match_types(&mut a, &mut b)?;
    let sum = add(a, b.clone())?;
    let one = make_const(sum.dtype(), 1)?;
    fold_or_node(BinaryOp::FloorDiv, sub(sum, one)?, b)
}

/// `a == b`. Two calls of `T.vscale()` are equal.
///
/// Matches types, folds, then constructs.
/// # Errors
/// [`PrimError::CannotMatch`].
#[inline]
pub fn eq(mut a: Expr, mut b: Expr) -> PrimResult<Expr> {
    match_types(&mut a, &mut b)?;
    match fold(BinaryOp::Eq, &a, &b)? {
        Some(folded) => Ok(folded.pick(a, b)),
        None if is_vscale(&a) && is_vscale(&b) => Ok(truth(true)),
        None => EQ::try_new(a, b),
    }
}

fn is_vscale(e: &Expr) -> bool {
    e.as_node::<Call>().is_some_and(|call| intrinsic::VSCALE.is_called_by(call))
}

/// `-a`: negates literals, otherwise `0 - a`.
/// # Errors
/// [`PrimError::OutOfRange`] if the negated literal does not fit.
pub fn neg(a: Expr) -> PrimResult<Expr> {
    if let Some(lit) = a.as_node::<IntImm>() {
        IntImm::try_new(lit.dtype, lit.value.wrapping_neg())
    } else if let Some(lit) = a.as_node::<FloatImm>() {
        FloatImm::try_new(lit.dtype, -lit.value)
    } else {
        sub(make_zero(a.dtype())?, a)
    }
}

/// An opaque expression for positive infinity, recognized by [`min`] and [`max`]; for the analysis of bounds only.
pub fn pos_inf() -> &'static Expr {
    static INF: OnceLock<Expr> = OnceLock::new();
    INF.get_or_init(|| Var::new("pos_inf", DataType::HANDLE).upcast())
}

/// An opaque expression for negative infinity, recognized by [`min`] and [`max`]; for the analysis of bounds only.
pub fn neg_inf() -> &'static Expr {
    static INF: OnceLock<Expr> = OnceLock::new();
    INF.get_or_init(|| Var::new("neg_inf", DataType::HANDLE).upcast())
}

/// The minimum. Folds equal operands and infinities.
/// # Errors
/// [`PrimError::CannotMatch`].
#[inline]
pub fn min(a: Expr, b: Expr) -> PrimResult<Expr> {
    if a.ptr_eq(pos_inf()) || b.ptr_eq(neg_inf()) {
        return Ok(b);
    }
    if a.ptr_eq(neg_inf()) || b.ptr_eq(pos_inf()) {
        return Ok(a);
    }
    smart(BinaryOp::Min, a, b)
}

/// The maximum. Folds equal operands and infinities.
/// # Errors
/// [`PrimError::CannotMatch`].
#[inline]
pub fn max(a: Expr, b: Expr) -> PrimResult<Expr> {
    if a.ptr_eq(pos_inf()) || b.ptr_eq(neg_inf()) {
        return Ok(a);
    }
    if a.ptr_eq(neg_inf()) || b.ptr_eq(pos_inf()) {
        return Ok(b);
    }
    smart(BinaryOp::Max, a, b)
}

/// The operator and the operands of a binary node whose type is that of its operands.
pub fn operands(e: &Expr) -> Option<(BinaryOp, &Expr, &Expr)> {
    Some(match e.kind() {
        ExprKind::Add(n) => (BinaryOp::Add, &n.a, &n.b),
        ExprKind::Sub(n) => (BinaryOp::Sub, &n.a, &n.b),
        ExprKind::Mul(n) => (BinaryOp::Mul, &n.a, &n.b),
        ExprKind::Div(n) => (BinaryOp::Div, &n.a, &n.b),
        ExprKind::Mod(n) => (BinaryOp::Mod, &n.a, &n.b),
        ExprKind::FloorDiv(n) => (BinaryOp::FloorDiv, &n.a, &n.b),
        ExprKind::FloorMod(n) => (BinaryOp::FloorMod, &n.a, &n.b),
        ExprKind::Min(n) => (BinaryOp::Min, &n.a, &n.b),
        ExprKind::Max(n) => (BinaryOp::Max, &n.a, &n.b),
        _ => return None,
    })
}
