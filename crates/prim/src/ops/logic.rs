//! Boolean logic and selection with folding.

use tvmscript_ir_core::DataType;

use super::arith::{BinaryOp, fold_or_node};
use super::literal::truth;
use super::match_types;
use super::undetermined::{agree, determine};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::intrinsic;
use crate::node::{Call, IntImm, Not, Select};

fn bools(op: &'static str, operands: &[&Expr]) -> PrimResult<()> {
    for e in operands {
        let found = e.dtype();
        if !found.is_bool() {
            return Err(PrimError::OperandType { op, expected: "bool operands", found });
        }
    }
    Ok(())
}

/// `a and b`; a literal operand folds.
/// # Errors
/// [`PrimError::OperandType`] if an operand is not bool.
#[inline]
pub fn and(a: Expr, b: Expr) -> PrimResult<Expr> {
    bools("and", &[&a, &b])?;
    fold_or_node(BinaryOp::And, a, b)
}

/// `a or b`; a literal operand folds.
/// # Errors
/// [`PrimError::OperandType`] if an operand is not bool.
#[inline]
pub fn or(a: Expr, b: Expr) -> PrimResult<Expr> {
    bools("or", &[&a, &b])?;
    fold_or_node(BinaryOp::Or, a, b)
}

/// `not a`; a literal folds.
/// # Errors
/// [`PrimError::OperandType`] if the operand is not bool.
pub fn not(a: Expr) -> PrimResult<Expr> {
    bools("not", &[&a])?;
    match a.as_node::<IntImm>() {
        Some(lit) => Ok(truth(lit.value == 0)),
        None => Not::try_new(a),
    }
}

/// One of two values of the same type, both of which are evaluated. Never folds, as in TVM.
/// # Errors
/// As [`Select::try_new`].
pub fn select(condition: Expr, mut true_value: Expr, mut false_value: Expr) -> PrimResult<Expr> {
    agree(&mut true_value, &mut false_value);
    Select::try_new(determine(condition, DataType::BOOL), true_value, false_value)
}

/// One of two values, of which only that one is evaluated. Matches the values' types; a literal condition folds.
/// # Errors
/// [`PrimError::OperandType`] if the condition is not a scalar bool; [`PrimError::CannotMatch`].
pub fn if_then_else(condition: Expr, mut true_value: Expr, mut false_value: Expr) -> PrimResult<Expr> {
    let condition = determine(condition, DataType::BOOL);
    let found = condition.dtype();
    if !found.is_bool() || !found.is_scalar() {
        return Err(PrimError::OperandType { op: "if_then_else", expected: "a bool condition", found });
    }
    match_types(&mut true_value, &mut false_value)?;
    if let Some(lit) = condition.as_node::<IntImm>() {
        return Ok(if lit.value != 0 { true_value } else { false_value });
    }
    let dtype = true_value.dtype();
    Ok(Call::new(dtype, intrinsic::IF_THEN_ELSE.get().clone(), [condition, true_value, false_value]))
}

/// A condition that mostly holds; a literal stays as it is.
pub fn likely(condition: Expr) -> Expr {
    if condition.is::<IntImm>() {
        return condition;
    }
    Call::new(condition.dtype(), intrinsic::LIKELY.get().clone(), [condition])
}
