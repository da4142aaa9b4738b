//! Python's operators on expressions.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Comparison;
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, ScriptValue};
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::ops::{self, Operand, bare, python, script};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt};
use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, UnaryOp};
use tvmscript_script_parser::{Mode, Operator};

use crate::build::args::{ExprArg, region_to_load};
use crate::node::{BufferRegion, IterVar};

/// Context of releases in whose scripts these comparisons, by their left operand, match the types of their operands and fold, as arithmetic does.
#[derive(Debug)]
pub struct FoldedComparisons(pub fn(Comparison, left: &Operand) -> bool);

/// Converts a value to an operand of an expression, if possible.
fn operand(value: &ScriptValue) -> BuildResult<Option<Operand>> {
    Ok(Some(match value {
        ScriptValue::Int(i) => Operand::Int(*i),
        ScriptValue::Float(f) => Operand::Float(*f),
        ScriptValue::Bool(b) => Operand::Bool(*b),
        ScriptValue::Node(object) => {
            if let Some(expr) = object.downcast_ref::<PrimExpr>() {
                Operand::Expr(expr.clone())
            } else if let Some(axis) = object.as_node::<IterVar>() {
                Operand::Expr(axis.var.clone().upcast())
            } else if let Some(region) = object.downcast_ref::<BufferRegion>() {
                Operand::Expr(region_to_load(region)?)
            } else {
                return Ok(None);
            }
        }
        ScriptValue::BigInt(i) => {
            return Err(BuildError::message(format!("the integer {i} does not fit 64 bits")));
        }
        _ => return Ok(None),
    }))
}

/// Applies an operator with at least one operand that is an expression, an axis or a region.
pub(super) fn apply(op: Operator, operands: &[ScriptValue], mode: Mode) -> BuildResult<Option<ScriptValue>> {
    match (op, operands) {
        (Operator::Conditional, [test, then_value, else_value]) => conditional(test, then_value, else_value),
        (Operator::Unary(op), [a]) => {
            let Some(a) = operand(a)? else { return Ok(None) };
            let a = a.into_expr()?;
            let result = match op {
                UnaryOp::Not => script::not(a)?,
                UnaryOp::USub => python::unary(python::UnaryOperator::Minus, a)?,
                UnaryOp::UAdd => python::unary(python::UnaryOperator::Plus, a)?,
                UnaryOp::Invert => python::unary(python::UnaryOperator::Invert, a)?,
            };
            Ok(Some(result.into()))
        }
        (_, [a, b]) => {
            let (Some(a), Some(b)) = (operand(a)?, operand(b)?) else { return Ok(None) };
            let result = match op {
                Operator::Binary(op) => arithmetic(binary_operator(op), a, b)?,
                Operator::Compare(op) => {
                    let Some(op) = comparison(op) else { return Ok(None) };
                    let is_folded = |FoldedComparisons(folds): &FoldedComparisons| folds(op, &a);
                    match mode {
                        Mode::Script
                            if Builder::context::<FoldedComparisons>().is_some_and(|c| is_folded(&c)) =>
                        {
                            ops::binary(
                                op.into(),
                                bare::operand(a)?.into_expr()?,
                                bare::operand(b)?.into_expr()?,
                            )?
                        }
                        Mode::Script => script::compare(op, a, b).map_err(with_help)?,
                        // As in Python, a number on the left leaves the comparison to the right operand.
                        Mode::Host => match (a, b) {
                            (a @ Operand::Expr(_), b) => python::compare(op, a, bare::operand(b)?)?,
                            (a, b) => python::compare(op.reflected(), b, bare::operand(a)?)?,
                        },
                    }
                }
                // Python cannot overload `and` and `or`, so TVM rejects them in lambdas; here they mean the
                // connective.
                Operator::Bool(BoolOp::And) => script::logic(script::Connective::And, a, b)?,
                Operator::Bool(BoolOp::Or) => script::logic(script::Connective::Or, a, b)?,
                Operator::Unary(_) | Operator::Conditional => return Ok(None),
            };
            Ok(Some(result.into()))
        }
        _ => Ok(None),
    }
}

/// `a op b`. Numbers become literals of the text's default type, unless they take the other operand's type.
fn arithmetic(op: python::BinaryOperator, a: Operand, b: Operand) -> BuildResult<Expr> {
    use python::BinaryOperator as Op;
    let (a, b) = match op {
        Op::LShift | Op::RShift | Op::BitAnd | Op::BitOr | Op::BitXor => (a, b),
        _ => (bare::operand(a)?, bare::operand(b)?),
    };
    python::binary(op, a, b).map_err(with_help)
}

fn with_help(error: tvmscript_prim::PrimError) -> BuildError {
    let help = match &error {
        tvmscript_prim::PrimError::AmbiguousDivision => {
            Some("write `//` for floor division, or `T.truncdiv`")
        }
        tvmscript_prim::PrimError::MismatchedTypes { .. } => {
            Some("convert one of them, as `T.int64(x)` does; a comparison does not")
        }
        _ => None,
    };
    let error = BuildError::from(error);
    match help {
        Some(help) => error.with_help(help),
        None => error,
    }
}

/// `b if a else c`, where `a` or one of the values is an expression.
fn conditional(
    test: &ScriptValue,
    then_value: &ScriptValue,
    else_value: &ScriptValue,
) -> BuildResult<Option<ScriptValue>> {
    let Some(test) = test.as_node::<PrimExpr>() else { return Ok(None) };
    let test = &determine(test.clone(), DataType::BOOL);
    if test.dtype() != DataType::BOOL {
        return Err(BuildError::expected(
            "a condition of type `bool`",
            format!("one of type `{}`", test.dtype()),
        ));
    }
    let value = |v: &ScriptValue| ExprArg::convert(v.clone());
    let result: Expr = ops::if_then_else(test.clone(), value(then_value)?, value(else_value)?)?;
    Ok(Some(result.into()))
}

fn binary_operator(op: BinOp) -> python::BinaryOperator {
    match op {
        BinOp::Add => python::BinaryOperator::Add,
        BinOp::Sub => python::BinaryOperator::Sub,
        BinOp::Mult => python::BinaryOperator::Mult,
        BinOp::MatMult => python::BinaryOperator::MatMult,
        BinOp::Div => python::BinaryOperator::Div,
        BinOp::FloorDiv => python::BinaryOperator::FloorDiv,
        BinOp::Mod => python::BinaryOperator::Mod,
        BinOp::Pow => python::BinaryOperator::Pow,
        BinOp::LShift => python::BinaryOperator::LShift,
        BinOp::RShift => python::BinaryOperator::RShift,
        BinOp::BitAnd => python::BinaryOperator::BitAnd,
        BinOp::BitOr => python::BinaryOperator::BitOr,
        BinOp::BitXor => python::BinaryOperator::BitXor,
    }
}

fn comparison(op: CmpOp) -> Option<Comparison> {
    Some(match op {
        CmpOp::Eq => Comparison::Eq,
        CmpOp::NotEq => Comparison::Ne,
        CmpOp::Lt => Comparison::Lt,
        CmpOp::LtE => Comparison::Le,
        CmpOp::Gt => Comparison::Gt,
        CmpOp::GtE => Comparison::Ge,
        CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return None,
    })
}
