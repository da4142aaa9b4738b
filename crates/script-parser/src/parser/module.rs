//! The module level: statements one by one, and which of them made a script.

use tvmscript_irbuilder::{BuildErrors, Builder, ScriptValue};

use super::{Parser, Script};
use crate::ast::{Expr, Name, Stmt, StmtId};
use crate::errors::ParseErrorKind;
use crate::scope::Binding;

impl Parser<'_> {
    /// Reads the whole text.
    pub(crate) fn module(&mut self) {
        self.define_builtins();
        self.set_base_header();
        let ast = self.ast.clone();
        for id in ast.module_body() {
            if self.is_exhausted() {
                break;
            }
            self.last_value = None;
            self.enter_headers(*id);
            let done = self.visit(*id);
            if done.is_ok() {
                self.gather(*id);
            } else {
                self.built.clear();
            }
            self.leave_headers(*id);
        }
    }

    /// Reads the whole text as statements of a dialect, behind imports and the metadata section.
    pub(crate) fn fragment(&mut self, dialect: &str) {
        self.define_builtins();
        self.set_base_header();
        let ast = self.ast.clone();
        let body = ast.module_body();
        let is_head = |id: &&StmtId| match ast.stmt(**id) {
            Stmt::Import(_) | Stmt::ImportFrom(_) => true,
            Stmt::Assign(stmt) => match ast.list(stmt.targets) {
                [target] => {
                    matches!(*ast.expr(*target), Expr::Name(name) if ast.name(name) == "metadata")
                }
                _ => false,
            },
            _ => false,
        };
        let (head, body) = body.split_at(body.iter().take_while(is_head).count());
        for id in head {
            let _ = self.visit(*id);
        }
        let Some(first) = body.first() else { return };
        self.enter_headers(*first);
        let token = self.shared.table.token(dialect);
        let reader = token.and_then(|token| Some((token, self.shared.table.entry(token).fragment?)));
        let Some((token, read)) = reader else {
            let kind = ParseErrorKind::expected("a dialect whose fragments are read", format!("`{dialect}`"));
            let _ = self.error(*first, kind);
            return;
        };
        let failures = self.failures;
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        let done = self.with_token(token, |p| read(p, body));
        if done.is_err() || self.failures > failures || !self.errors.is_empty() {
            return;
        }
        let built = builder.finish().map_err(BuildErrors::into_first);
        if let Ok(node) = self.checked(*first, built) {
            self.scripts.push(Script { name: None, node, range: ast.range(*first), is_checked: false });
        }
        self.leave_headers(*first);
    }

    /// Takes down the scripts that a statement of the module level made: a definition, or a name that is given what a
    /// helper function built.
    fn gather(&mut self, id: StmtId) {
        let ast = self.ast.clone();
        let range = ast.range(id);
        match *ast.stmt(id) {
            Stmt::FunctionDef(def) => self.gather_name(def.name, id),
            Stmt::ClassDef(def) => self.gather_name(def.name, id),
            Stmt::Assign(stmt) => {
                for target in ast.list(stmt.targets) {
                    if let Expr::Name(name) = *ast.expr(*target) {
                        self.gather_name(name, id);
                    }
                }
            }
            Stmt::Expr(_) => {
                if let Some(ScriptValue::Node(node)) = self.last_value.take() {
                    self.scripts.push(Script { name: None, node, range, is_checked: true });
                }
            }
            _ => {}
        }
        self.built.clear();
    }

    fn gather_name(&mut self, name: Name, id: StmtId) {
        let Binding::Value(ScriptValue::Node(node)) = self.shared.global(name) else { return };
        if let Some(built) = self.built.iter().find(|built| built.node.ptr_eq(&node)) {
            let is_checked = built.is_checked;
            let name = Some(self.ast.name(name).to_owned());
            self.scripts.push(Script { name, node, range: self.ast.range(id), is_checked });
        }
    }
}
