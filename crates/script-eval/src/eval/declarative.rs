//! Texts whose host code does not run: [`HostCode::Refused`].
//!
//! Declarations of a text are read: imports, functions, variables with literals as values, and scripts. Other statements are
//! left out, and the names that they bind are unknown. A script that calls code of the file or of Python is an error.

use std::rc::Rc;

use tvmscript_script_value::HostObject;

use super::{Cause, Closure, Placeholder, Raise, explore};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::EvalErrorKind;
use crate::python::builtins::{Builtin, BuiltinKind};
use tvmscript_python_syntax::ast::{Ast, DictItem, Expr, ExprId, Stmt, StmtId};

/// The treatment of the host code of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HostCode {
    /// It is evaluated.
    #[default]
    Runs,
    /// Only literals and captured values are: a script that needs more is an error.
    Refused,
}

const NOT_RUN: &str = "the host code of this text is not run";

/// The iterable of loops, and conversions, which scripts apply to literals.
const ALLOWED: &[&str] = &["range", "int", "float", "bool"];

impl Eval<'_> {
    /// Visits a module-level statement of a text whose host code does not run. Returns `true` if the statement declares
    /// something and is to be evaluated; otherwise the names that it binds are unknown afterwards.
    pub fn declares(&mut self, id: StmtId) -> bool {
        let ast = self.state.ast.clone();
        let is_decorated = match *ast.stmt(id) {
            Stmt::FunctionDef(def) => !def.decorators.is_empty(),
            Stmt::ClassDef(def) => !def.decorators.is_empty(),
            _ => false,
        };
        if !is_decorated {
            self.refuse_scripts_in(id);
        }
        let declares = match *ast.stmt(id) {
            Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::FunctionDef(_) | Stmt::Pass | Stmt::Invalid => true,
            Stmt::Assign(stmt) => is_literal(&ast, stmt.value),
            Stmt::AnnAssign(stmt) => stmt.value.is_none_or(|value| is_literal(&ast, value)),
            Stmt::Expr(stmt) => is_literal(&ast, stmt.value),
            _ => is_decorated,
        };
        if !declares {
            let place = ast.range(id);
            let unknown =
                Binding::Unknown(Rc::new(Placeholder::new(Cause::Statement(NOT_RUN.into()), place)));
            self.state.bind_names(id, &unknown);
        }
        declares
    }

    /// Reports the scripts inside of host code.
    fn refuse_scripts_in(&mut self, id: StmtId) {
        let ast = self.state.ast.clone();
        let mut work = Vec::new();
        ast.inner_stmts(id, &mut work);
        while let Some((_, decorators)) = explore::next_decorated(&ast, &mut work) {
            for decorator in ast.list(decorators) {
                if self.is_script_decorator(*decorator) {
                    let _ = self
                        .state
                        .error(*decorator, EvalErrorKind::HostCode { what: "a script inside of it" });
                }
            }
        }
    }

    /// Tests for a path of names to a decorator of scripts, or a call of one.
    fn is_script_decorator(&mut self, decorator: ExprId) -> bool {
        let ast = self.state.ast.clone();
        let path = match *ast.expr(decorator) {
            Expr::Call { func, .. } => func,
            _ => decorator,
        };
        is_literal(&ast, path)
            && matches!(self.attempt(|p| p.eval(path).map_err(Raise::from)), Ok(Ok(value)) if self.host.is_decorator(&value))
    }

    /// Fails if a value is code of the file, or a function of Python, and those are not run. A lambda is part of the script
    /// around it.
    #[inline]
    pub(super) fn refuse_host_call(&mut self, callee: &dyn HostObject) -> Result<(), Raise> {
        if self.state.program.host_code == HostCode::Runs {
            return Ok(());
        }
        let any = callee.as_any();
        let is_allowed = match (any.downcast_ref::<Closure>(), any.downcast_ref::<Builtin>()) {
            (Some(function), _) => function.def.is_none(),
            (_, Some(builtin)) => match builtin.kind {
                BuiltinKind::Type | BuiltinKind::Function("") => ALLOWED.contains(&builtin.native.name),
                _ => false,
            },
            _ => false,
        };
        if is_allowed { Ok(()) } else { self.refuse_host_code("a call of Python") }
    }

    /// Fails if host code is not run. `what` names the part that is host code.
    #[inline]
    pub(super) fn refuse_host_code(&self, what: &'static str) -> Result<(), Raise> {
        match self.state.program.host_code {
            HostCode::Runs => Ok(()),
            HostCode::Refused if self.state.is_tolerant() => {
                let place = self.state.statement.unwrap_or_default();
                Err(Raise::Unknown(Placeholder::new(Cause::Statement(NOT_RUN.into()), place)))
            }
            HostCode::Refused => Err(Raise::Kind(EvalErrorKind::HostCode { what })),
        }
    }
}

/// Tests for an expression of constants, names and their attributes, signs and containers.
fn is_literal(ast: &Ast, id: ExprId) -> bool {
    let mut rest = vec![id];
    while let Some(id) = rest.pop() {
        match *ast.expr(id) {
            Expr::Constant(_) | Expr::Name(_) => {}
            Expr::UnaryOp { operand, .. } => rest.push(operand),
            Expr::Attribute { value, .. } => rest.push(value),
            Expr::Tuple { elts } | Expr::List { elts } | Expr::Set { elts } => rest.extend(ast.list(elts)),
            Expr::Dict { items } => {
                for DictItem { key, value } in ast.list(items) {
                    rest.extend(key.iter().chain([value]));
                }
            }
            _ => return false,
        }
    }
    true
}
