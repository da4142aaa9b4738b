//! Comments beside statements.
//!
//! A statement's own comment ([`DocArena::set_comment`]) is part of its syntax: that of a definition is its docstring.
//! The comments of a [`Margin`] stand around any statement.

use crate::arena::DocArena;
use crate::stmt::{Stmt, StmtDoc};

/// Comments around a statement, without `#`. No line contains a line break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Margin {
    /// Lines above.
    pub above: Vec<String>,
    /// At the end of the line; for a statement with a body, of its first line, after the colon.
    pub trailing: Vec<String>,
    /// Lines below.
    pub below: Vec<String>,
}

impl DocArena {
    /// The comments around a statement, for modification. Parameters have only those at the end of the line; if one has
    /// any, each parameter has a line of its own.
    pub fn margin_mut(&mut self, stmt: StmtDoc) -> &mut Margin {
        self.margins.entry(stmt).or_default()
    }

    /// The comments around a statement.
    #[inline]
    pub fn margin(&self, stmt: StmtDoc) -> Option<&Margin> {
        if self.margins.is_empty() { None } else { self.margins.get(&stmt) }
    }

    /// Statements with the index of the enclosing one, in print order, without parameters.
    pub fn nested_stmts(&self, roots: &[StmtDoc]) -> Vec<(StmtDoc, Option<usize>)> {
        let mut all = Vec::new();
        let mut stack: Vec<(StmtDoc, Option<usize>)> = roots.iter().rev().map(|stmt| (*stmt, None)).collect();
        while let Some((stmt, parent)) = stack.pop() {
            let index = all.len();
            all.push((stmt, parent));
            let bodies = match self.stmt(stmt) {
                Stmt::If { then_branch, else_branch, .. } => [Some(else_branch), Some(then_branch)],
                Stmt::While { body, .. }
                | Stmt::For { body, .. }
                | Stmt::Scope { body, .. }
                | Stmt::Class { body, .. } => [Some(body), None],
                Stmt::Function(function) => [Some(self.function_of(function).body), None],
                _ => [None, None],
            };
            for body in bodies.into_iter().flatten() {
                stack.extend(self.stmts(body).iter().rev().map(|stmt| (*stmt, Some(index))));
            }
        }
        all
    }
}
