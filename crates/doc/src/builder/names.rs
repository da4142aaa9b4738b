//! Names in programs.

use std::collections::HashSet;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::StmtList;
use crate::sym::Sym;

use super::{Part, part};

/// Calls `visit` with each name in the statements, in no particular order.
pub(super) fn each_name(
    docs: &DocArena,
    body: StmtList,
    result: ExprDoc,
    mut visit: impl FnMut(Sym),
) -> Result<(), PrintError> {
    let mut exprs = vec![result];
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        for stmt in docs.stmts(body) {
            match part(docs, *stmt)? {
                Part::Run { target, value } | Part::Open { target, scope: value } => {
                    exprs.extend(target);
                    exprs.push(value);
                }
                Part::Scope { target, scope, body } => {
                    exprs.extend(target);
                    exprs.push(scope);
                    bodies.push(body);
                }
            }
            names_of(docs, &mut exprs, &mut visit);
        }
    }
    names_of(docs, &mut exprs, &mut visit);
    Ok(())
}

/// Calls `visit` with each name in the expressions, and empties the list.
pub(super) fn names_of(docs: &DocArena, exprs: &mut Vec<ExprDoc>, visit: &mut impl FnMut(Sym)) {
    walk(docs, exprs, |expr| {
        if let Expr::Id(name) = expr {
            visit(name);
        }
    });
}

/// Calls `visit` with each expression in the expressions, and empties the list.
pub(super) fn walk(docs: &DocArena, exprs: &mut Vec<ExprDoc>, mut visit: impl FnMut(Expr)) {
    while let Some(expr) = exprs.pop() {
        let expr = docs.expr(expr);
        visit(expr);
        match expr {
            Expr::Id(_)
            | Expr::None
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Bytes(_) => {}
            Expr::Attr { value, .. } | Expr::Quoted(value) => exprs.push(value),
            Expr::Index { value, indices } => {
                exprs.push(value);
                exprs.extend(docs.items(indices));
            }
            Expr::Slice { start, stop, step } => exprs.extend([start, stop, step].into_iter().flatten()),
            Expr::Call(call) => {
                let call = docs.call_of(call);
                exprs.push(call.callee);
                exprs.extend(docs.items(call.args));
                exprs.extend(docs.kwargs(call.kwargs).iter().map(|(_, value)| *value));
            }
            Expr::Unary { operand, .. } => exprs.push(operand),
            Expr::Binary { left, right, .. } => exprs.extend([left, right]),
            Expr::Conditional { condition, then_value, else_value, .. } => {
                exprs.extend([condition, then_value, else_value]);
            }
            Expr::Lambda { args, body } => {
                exprs.extend(docs.items(args));
                exprs.push(body);
            }
            Expr::Tuple(items) | Expr::List(items) | Expr::Dict(items) => exprs.extend(docs.items(items)),
        }
    }
}

/// Names that are not in use, made from a word.
#[derive(Debug)]
pub(super) struct FreshNames {
    used: HashSet<String>,
}

impl FreshNames {
    /// Names that the program does not have.
    pub(super) fn new(used: HashSet<String>) -> FreshNames {
        FreshNames { used }
    }

    /// The word, with the first number from `next` on that makes it a new name.
    pub(super) fn take(&mut self, word: &str, next: &mut usize) -> String {
        loop {
            let name = match *next {
                0 => word.to_owned(),
                number => format!("{word}_{number}"),
            };
            *next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}
