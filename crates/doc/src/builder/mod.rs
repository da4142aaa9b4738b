//! Programs that build nodes, and their printers: one module per target language.
//!
//! A [`Program`] is a list of statement docs of few kinds, whatever dialect it builds: calls, assignments of their
//! results, and scopes. A statement with the role [`StmtRole::OpenScope`] opens a scope that ends with the list it is in.
//! Names that are not assigned come from [`ModuleName`]s or are words of Python (`float`).
//!
//! A target is one file that matches these statements and the kinds of expressions. It names no dialect.

mod blocks;
pub mod cpp;
mod declarations;
mod dynamic;
mod expressions;
mod names;
pub mod python;
pub mod rust;
pub mod typed_cpp;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::ExprDoc;
use crate::stmt::{Stmt, StmtDoc, StmtList, StmtRole};

/// A program that builds nodes.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Its statements: assignments, expression statements and scopes.
    pub body: StmtList,
    /// The value that the function `build` returns.
    pub result: ExprDoc,
    /// The names that the statements take from modules.
    pub modules: &'a [ModuleName],
}

/// The function that a program defines.
pub const BUILD: &str = "build";

/// A name of a program that a Python module defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleName {
    /// The name in the program (`X`).
    pub name: String,
    /// The module (`toy.builder`); empty for a name that the registry of the program has, without an import.
    pub module: String,
    /// Its member with this name; `None` for the module itself.
    pub member: Option<String>,
}

impl ModuleName {
    /// Returns `true` for a name that needs no import, but a registry with its dialect.
    pub fn is_of_registry(&self) -> bool {
        self.module.is_empty()
    }
}

/// The sentence about dialects that the registry of a program has to have; `None` if it imports all names.
fn needed<'m>(modules: impl IntoIterator<Item = &'m ModuleName>) -> Option<String> {
    let named = modules.into_iter().filter(|module| module.is_of_registry());
    let named: Vec<String> =
        named.map(|module| format!("`{}`", module.member.as_deref().unwrap_or(&module.name))).collect();
    let what = if named.len() == 1 { "the dialect" } else { "the dialects" };
    (!named.is_empty()).then(|| format!("Needs {what} {}, which a file describes.", named.join(", ")))
}

/// A statement of a program.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Calls something, and assigns its result to the target.
    Run { target: Option<ExprDoc>, value: ExprDoc },
    /// Opens a scope that ends with the list of the statement.
    Open { target: Option<ExprDoc>, scope: ExprDoc },
    /// Runs statements in a scope.
    Scope { target: Option<ExprDoc>, scope: ExprDoc, body: StmtList },
}

/// The parts of a program that a statement can be.
fn part(docs: &DocArena, stmt: StmtDoc) -> Result<Part, PrintError> {
    let is_open = docs.role_of(stmt) == StmtRole::OpenScope;
    let run = |target, value| match is_open {
        true => Part::Open { target, scope: value },
        false => Part::Run { target, value },
    };
    match docs.stmt(stmt) {
        Stmt::Assign { lhs, rhs: Some(value), annotation: None } => Ok(run(Some(lhs), value)),
        Stmt::ExprStmt(value) => Ok(run(None, value)),
        Stmt::Scope { lhs, rhs, body } => Ok(Part::Scope { target: lhs, scope: rhs, body }),
        other @ (Stmt::Assign { .. }
        | Stmt::If { .. }
        | Stmt::While { .. }
        | Stmt::For { .. }
        | Stmt::Assert { .. }
        | Stmt::Return(_)
        | Stmt::Function(_)
        | Stmt::Class { .. }
        | Stmt::Comment
        | Stmt::DocString
        | Stmt::Break
        | Stmt::Continue) => Err(PrintError::NotInProgram { kind: other.name() }),
    }
}
