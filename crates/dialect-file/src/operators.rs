//! Operators of Python in templates and on nodes: `{a} + {b}`, `-{a}`.

use std::collections::HashMap;
use std::sync::RwLock;

use tvmscript_docsifier::doc::{BinaryOp, OperationKind, UnaryOp};
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptValue};
use tvmscript_python_syntax::ast::{self, Ast, BinOp, BoolOp, CmpOp, Expr, ExprId};
use tvmscript_script_parser::{Mode, Operator};

use crate::load::Loaded;

/// The operation of an expression, with its word and its operands.
pub(crate) fn of(ast: &Ast, expr: &Expr) -> Option<(OperationKind, &'static str, Vec<ExprId>)> {
    let (operator, word, operands) = match *expr {
        Expr::BinOp { left, op, right } => (Operator::Binary(op), op.as_str(), vec![left, right]),
        Expr::UnaryOp { op, operand } => {
            let word = if op == ast::UnaryOp::USub { "-x" } else { op.as_str() };
            (Operator::Unary(op), word, vec![operand])
        }
        Expr::BoolOp { op, values } => (Operator::Bool(op), op.as_str(), ast.list(values).to_vec()),
        Expr::Compare { left, rest } => match ast.list(rest) {
            [only] => (Operator::Compare(only.op), only.op.as_str(), vec![left, only.right]),
            _ => return None,
        },
        Expr::IfExp { test, body, orelse } => (Operator::Conditional, "if else", vec![test, body, orelse]),
        _ => return None,
    };
    Some((kind(operator)?, word, operands))
}

/// The operation of an operator; `None` if docs have none.
fn kind(operator: Operator) -> Option<OperationKind> {
    let binary = match operator {
        Operator::Conditional => return Some(OperationKind::IfThenElse),
        Operator::Unary(op) => {
            return Some(OperationKind::Unary(match op {
                ast::UnaryOp::USub => UnaryOp::USub,
                ast::UnaryOp::Invert => UnaryOp::Invert,
                ast::UnaryOp::Not => UnaryOp::Not,
                ast::UnaryOp::UAdd => return None,
            }));
        }
        Operator::Binary(op) => match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::Mult => BinaryOp::Mult,
            BinOp::Div => BinaryOp::Div,
            BinOp::FloorDiv => BinaryOp::FloorDiv,
            BinOp::Mod => BinaryOp::Mod,
            BinOp::Pow => BinaryOp::Pow,
            BinOp::LShift => BinaryOp::LShift,
            BinOp::RShift => BinaryOp::RShift,
            BinOp::BitAnd => BinaryOp::BitAnd,
            BinOp::BitOr => BinaryOp::BitOr,
            BinOp::BitXor => BinaryOp::BitXor,
            BinOp::MatMult => return None,
        },
        Operator::Compare(op) => match op {
            CmpOp::Lt => BinaryOp::Lt,
            CmpOp::LtE => BinaryOp::LtE,
            CmpOp::Eq => BinaryOp::Eq,
            CmpOp::NotEq => BinaryOp::NotEq,
            CmpOp::Gt => BinaryOp::Gt,
            CmpOp::GtE => BinaryOp::GtE,
            CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return None,
        },
        Operator::Bool(BoolOp::And) => BinaryOp::And,
        Operator::Bool(BoolOp::Or) => BinaryOp::Or,
    };
    Some(OperationKind::Binary(binary))
}

/// The dialects with operators, by the indices of their types.
static BY_TYPE: RwLock<Option<HashMap<usize, &'static Loaded>>> = RwLock::new(None);

/// Lets nodes of a dialect be operands.
pub(crate) fn register(loaded: &'static Loaded) {
    // Nothing panics while the lock is held.
    let mut all = BY_TYPE.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    all.get_or_insert_default().extend(loaded.types.iter().map(|info| (info.index(), loaded)));
}

fn dialect_of(value: &ScriptValue) -> Option<&'static Loaded> {
    let ScriptValue::Node(node) = value else { return None };
    let all = BY_TYPE.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    all.as_ref()?.get(&node.info().index()).copied()
}

fn sorted(mut words: Vec<&str>) -> Vec<&str> {
    words.sort_unstable();
    words
}

/// Applies the operator of a dialect.
pub(crate) fn apply(
    operator: Operator,
    operands: &[ScriptValue],
    mode: Mode,
) -> BuildResult<Option<ScriptValue>> {
    let Some(kind) = kind(operator) else { return Ok(None) };
    let Some(loaded) = operands.iter().find_map(dialect_of) else { return Ok(None) };
    let Some(text) = loaded.operations.get(&kind) else {
        // Python's own rule would compare and choose by identity.
        return match mode {
            Mode::Script => {
                let known: Vec<&str> = loaded.operations.values().map(|text| text.function).collect();
                let message = format!("the dialect `{}` has no operator of this kind", loaded.name);
                Err(BuildError::message(message)
                    .with_help(format!("it has `{}`", sorted(known).join("`, `"))))
            }
            Mode::Host => Ok(None),
        };
    };
    let mut operands = operands.iter();
    let values = text.fill(|_, argument| {
        let operand = operands.next().cloned().unwrap_or_default();
        argument.convert.value(operand).map_err(|error| error.at_parameter(argument.name))
    })?;
    Ok(Some(ScriptValue::Node(text.make(values)?)))
}
