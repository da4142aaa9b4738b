//! Statements of host code.

use tvmscript_ir_core::{Span, with_stack};
use tvmscript_script_value::ScriptValue;

use super::block::Block;
use super::class::MethodKind;
use super::decorator::Decorators;
use super::decorator::Marks;
use super::{Raise, exception};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::{EvalErrorKind, EvalResult, Reported};
use tvmscript_python_syntax::ast::{
    ClassDef, Expr, ExprId, List, Name, Stmt, StmtId, Unsupported, UnsupportedStmt,
};

/// Control flow after a statement.
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(ScriptValue),
    /// Every branch ended: by a `return` recorded in [`Explorer::returns`](super::Explorer) or an exception.
    Ended,
}

impl Eval<'_> {
    /// Runs a module-level statement. If it fails, the error is recorded and the names it binds are poisoned.
    ///
    /// # Errors
    /// Fails if the statement fails.
    pub fn run_statement(&mut self, id: StmtId) -> EvalResult<()> {
        self.state.last_value = None;
        let span = Span::save_current();
        let result = self.module_statement(id);
        span.restore();
        if result.is_err() {
            self.state.diagnostics.failures += 1;
            self.recover_host(id);
        }
        result
    }

    /// Runs a module-level statement, without poisoning names if it fails.
    ///
    /// # Errors
    /// Fails if the statement fails.
    pub fn module_statement(&mut self, id: StmtId) -> EvalResult<()> {
        match self.exec(id)? {
            Flow::Next | Flow::Ended => Ok(()),
            Flow::Break | Flow::Continue => {
                let kind =
                    EvalErrorKind::unsupported_statement(self.state.ast.stmt(id).kind(), "outside a loop");
                Err(self.state.mistake(id, kind))
            }
            Flow::Return(_) => {
                let kind =
                    EvalErrorKind::UnsupportedStatement { kind: "return", place: "outside a function" };
                Err(self.state.mistake(id, kind))
            }
        }
    }

    /// Runs the body of a host function and returns its result.
    pub(crate) fn run_function(&mut self, body: List<StmtId>) -> EvalResult<ScriptValue> {
        let around = std::mem::take(&mut self.state.explorer.returns);
        let flow = self.exec_body(body);
        let returns = std::mem::replace(&mut self.state.explorer.returns, around);
        match flow? {
            Flow::Return(value) if returns.is_empty() => Ok(value),
            flow => Ok(self.returned(returns, flow)),
        }
    }

    pub(crate) fn exec_body(&mut self, body: List<StmtId>) -> EvalResult<Flow> {
        let ast = self.state.ast.clone();
        for id in ast.list(body).iter().copied() {
            let result = with_stack(|| self.exec(id));
            if self.state.is_exploring() && self.state.program.budget.is_spent() {
                self.hurry(id);
            }
            match result {
                Ok(Flow::Next) => {}
                Ok(other) => return Ok(other),
                Err(reported) if self.state.is_tolerant() => self.behind_failed(id, reported)?,
                Err(reported) => return Err(reported),
            }
        }
        Ok(Flow::Next)
    }

    /// Begins a statement.
    #[inline]
    pub(super) fn begin(&mut self, id: StmtId) -> EvalResult<Stmt> {
        if let Err(raise) = self.state.program.budget.step(1) {
            let range = self.state.ast.range(id);
            return Err(self.raise(range, None, raise));
        }
        self.state.pending = None;
        self.state.statement = Some(self.state.ast.range(id));
        Ok(*self.state.ast.stmt(id))
    }

    /// Assigns the value of an assignment.
    pub(super) fn assign_targets(
        &mut self,
        id: StmtId,
        targets: List<ExprId>,
        value: ScriptValue,
    ) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        if let Some((last, targets)) = ast.list(targets).split_last() {
            for target in targets {
                self.assign_target(*target, value.clone())?;
            }
            self.assign_target(*last, value)?;
        }
        self.host.assigned(self.state, id);
        Ok(())
    }

    pub(crate) fn exec(&mut self, id: StmtId) -> EvalResult<Flow> {
        let stmt = self.begin(id)?;
        match stmt {
            Stmt::Expr(stmt) => {
                let value = self.eval(stmt.value)?;
                self.state.last_value = Some(value);
            }
            Stmt::Assign(stmt) => {
                let value = self.eval(stmt.value)?;
                self.assign_targets(id, stmt.targets, value)?;
            }
            Stmt::AnnAssign(stmt) => {
                if let Some(value) = stmt.value {
                    let value = self.eval(value)?;
                    self.assign_target(stmt.target, value)?;
                    self.host.assigned(self.state, id);
                }
            }
            Stmt::AugAssign(stmt) => self.augment(stmt.target, stmt.op, stmt.value)?,
            Stmt::Return(stmt) => {
                let value = stmt.value.map(|value| self.eval(value)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or_default()));
            }
            Stmt::With(stmt)
                if self.state.is_tolerant()
                    && self.state.ast.list(stmt.items).iter().any(|i| self.expects_exception(i.context)) =>
            {
                return self.exec_expecting(stmt);
            }
            Stmt::If(_) | Stmt::For(_) | Stmt::While(_) | Stmt::Match(_) | Stmt::Try(_) | Stmt::With(_) => {
                return Block::new(id, stmt).map_or(Ok(Flow::Next), |block| self.exec_block(block));
            }
            Stmt::FunctionDef(def) => {
                let value = self.exec_def(id, def)?;
                let place = self.state.ast.range(def.name_place);
                self.assign_host(def.name, value, place);
            }
            Stmt::ClassDef(def) => {
                let value = self.exec_class(id, def)?;
                let place = self.state.ast.range(def.name_place);
                self.assign_host(def.name, value, place);
            }
            Stmt::Import(stmt) => self.import(stmt)?,
            Stmt::ImportFrom(stmt) => self.import_from(stmt)?,
            Stmt::Assert(stmt) => {
                if let Ok(false) = self.decide(stmt.test)? {
                    let message = stmt.msg.map(|msg| self.eval(msg)).transpose()?;
                    let error = Raise::Exception(exception::of_builtin("AssertionError", message));
                    return self.at(stmt.test, Err(error));
                }
            }
            Stmt::Raise(stmt) => return Err(self.exec_raise(id, stmt)?),
            Stmt::Delete(stmt) => self.delete(stmt.targets)?,
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Pass | Stmt::Global(_) | Stmt::Nonlocal(_) => {}
            Stmt::Invalid => self.state.note_invalid(id),
            Stmt::Unsupported(UnsupportedStmt { plain: Some(plain), kind })
                if self.state.is_tolerant() && !self.unread_definition(id) =>
            {
                if kind == Unsupported::TryStar {
                    let range = self.state.ast.range(id);
                    self.state.warn(range, "`except*` is not supported");
                }
                return self.exec_plain(plain);
            }
            Stmt::Unsupported(stmt) => {
                let is_script = !self.state.is_tolerant() || self.unread_definition(id);
                let place = if is_script { "in a script" } else { "outside a script" };
                let kind = EvalErrorKind::UnsupportedStatement { kind: stmt.kind.describe(), place };
                // Names that it may bind are not reported as undefined.
                self.state.note_invalid(id);
                return Err(if is_script {
                    self.state.mistake(id, kind)
                } else {
                    self.state.error(id, kind)
                });
            }
        }
        Ok(Flow::Next)
    }

    fn exec_def(
        &mut self,
        id: StmtId,
        def: tvmscript_python_syntax::ast::FunctionDef,
    ) -> EvalResult<ScriptValue> {
        if def.decorators.is_empty() {
            self.refuse_type_params(id, def)?;
            let value = self.host_function(id, def, MethodKind::Plain)?;
            if self.state.is_tolerant() && !self.is_script_text(def) {
                self.add_unit(&value, Marks::default());
            }
            return Ok(value);
        }
        let decorators = self.decorators(def.decorators)?;
        if let Some((at, decorator)) = decorators.script {
            let value = self.host_definition(id, at, &decorator)?;
            return self.decorate(value, &decorators.others);
        }
        self.refuse_type_params(id, def)?;
        let marks = self.test_marks(def.decorators)?;
        let value = self.host_function(id, def, self.method_kind(def.decorators))?;
        self.add_unit(&value, marks);
        self.mark_read(id);
        self.decorate(value, &decorators.others)
    }

    /// Refuses a function of host code with type parameters.
    fn refuse_type_params(
        &mut self,
        id: StmtId,
        def: tvmscript_python_syntax::ast::FunctionDef,
    ) -> EvalResult<()> {
        if def.type_params.is_empty() {
            return Ok(());
        }
        let is_script = !self.state.is_tolerant();
        let kind = EvalErrorKind::UnsupportedStatement {
            kind: Unsupported::TypeParams.describe(),
            place: if is_script { "in a script" } else { "outside a script" },
        };
        self.state.note_invalid(id);
        Err(if is_script { self.state.mistake(id, kind) } else { self.state.error(id, kind) })
    }

    /// Tests whether an undecorated function is the text of a script for other code to read: its parameters are
    /// annotated like those of scripts. Such a body is not host code.
    fn is_script_text(&self, def: tvmscript_python_syntax::ast::FunctionDef) -> bool {
        let root = |mut id: ExprId| loop {
            id = match *self.state.ast.expr(id) {
                Expr::Attribute { value, .. } | Expr::Subscript { value, .. } => value,
                Expr::Call { func, .. } => func,
                Expr::Name(name) => return Some(name),
                _ => return None,
            };
        };
        let is_namespace = |name: Name| match self.state.host_binding(name) {
            Binding::Value(value) => self.host.is_namespace(&value),
            _ => false,
        };
        let annotations = self.state.ast.list(def.params).iter().filter_map(|param| param.annotation);
        annotations.filter_map(root).any(is_namespace)
            && !super::explore::has_unread(&self.state.ast, def.body, &self.state.explorer.read)
    }

    /// Runs a class statement: a script or a plain class.
    fn exec_class(&mut self, id: StmtId, def: ClassDef) -> EvalResult<ScriptValue> {
        let decorators = match def.decorators.is_empty() && self.state.is_tolerant() {
            true => Decorators::default(),
            false => self.decorators(def.decorators)?,
        };
        match decorators.script {
            Some((at, decorator)) => {
                let value = self.host_definition(id, at, &decorator)?;
                self.decorate(value, &decorators.others)
            }
            None => {
                self.mark_read(id);
                let class = self.plain_class(id, def)?;
                self.decorate(class, &decorators.others)
            }
        }
    }

    fn method_kind(&self, decorators: List<ExprId>) -> MethodKind {
        let kind = |id: &ExprId| match *self.state.ast.expr(*id) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => match self.state.ast.name(name) {
                "staticmethod" => Some(MethodKind::Static),
                "classmethod" => Some(MethodKind::Class),
                "property" | "cached_property" => Some(MethodKind::Property),
                _ => None,
            },
            _ => None,
        };
        self.state.ast.list(decorators).iter().find_map(kind).unwrap_or_default()
    }

    /// Tests for `if __name__ == "__main__":`. The guarded block is explored and not run.
    pub(super) fn is_main_guard(&self, test: ExprId) -> bool {
        let Expr::Compare { left, .. } = *self.state.ast.expr(test) else { return false };
        !self.state.is_local()
            && matches!(*self.state.ast.expr(left), Expr::Name(name) if self.state.ast.name(name) == "__name__")
            && !self.is_known_name(left)
    }

    fn is_known_name(&self, id: ExprId) -> bool {
        matches!(*self.state.ast.expr(id), Expr::Name(name) if !matches!(self.find(name), Binding::Unbound))
    }

    /// Continues after a failed module-level statement. The names that it binds become unknown, or poisoned if it has
    /// errors.
    pub fn recover_host(&mut self, id: StmtId) {
        if self.behind_failed(id, Reported(())).is_err() {
            let mut raised = std::mem::take(&mut self.state.diagnostics.raised);
            self.state.diagnostics.errors.append(&mut raised);
            self.state.bind_names(id, &Binding::Poison);
        }
    }
}
