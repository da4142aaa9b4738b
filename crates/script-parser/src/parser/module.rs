//! Module level: runs statements and collects the scripts they define.

use tvmscript_irbuilder::{BuildErrors, Builder};

use super::{Parser, Script};
use tvmscript_python_syntax::ast::{Expr, Stmt, StmtId};
use tvmscript_script_eval::errors::ParseErrorKind;

impl Parser<'_> {
    /// Parses the whole text.
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
            self.tolerant = true;
            if self.visit(*id).is_ok() {
                self.gather(*id);
            }
            self.scripts.flush();
            self.tolerant = false;
            self.leave_headers(*id);
        }
        self.tolerant = true;
        self.host().explore_all();
        self.tolerant = false;
    }

    /// Parses the whole text as statements of a dialect, after imports and the metadata section.
    pub(crate) fn fragment(&mut self, dialect: &str) {
        self.define_builtins();
        self.set_base_header();
        let ast = self.ast.clone();
        let body = ast.module_body();
        let metadata = self.profile().metadata.variable;
        let is_head = |id: &&StmtId| match ast.stmt(**id) {
            Stmt::Import(_) | Stmt::ImportFrom(_) => true,
            Stmt::Assign(stmt) => match ast.list(stmt.targets) {
                [target] => {
                    matches!(*ast.expr(*target), Expr::Name(name) if ast.name(name) == metadata)
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
        let token = self.token_of(dialect);
        let reader = token.and_then(|token| Some((token, self.tables.handlers.entry(token)?.fragment?)));
        let Some((token, read)) = reader else {
            let kind = ParseErrorKind::expected("a dialect whose fragments are read", format!("`{dialect}`"));
            let _ = self.error(*first, kind);
            return;
        };
        let failures = self.diagnostics.failures;
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        let done = self.with_token(token, |p| read(p, body));
        if done.is_err() || self.diagnostics.failures > failures || !self.diagnostics.errors.is_empty() {
            return;
        }
        let built = builder.finish().map_err(BuildErrors::into_first);
        if let Ok(node) = self.checked(*first, built) {
            let range = ast.range(*first);
            self.scripts.done.push(Script { name: None, node, range, definition: range, is_checked: false });
        }
        self.leave_headers(*first);
    }
}
