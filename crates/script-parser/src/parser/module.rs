//! Module level: runs statements and collects the scripts they define.

use tvmscript_irbuilder::{BuildErrors, Builder, ScriptValue};

use super::{ParseOptions, Parser, Script};
use tvmscript_python_syntax::ast::{Expr, Stmt, StmtId, TextRange};
use tvmscript_script_eval::Placeholder;
use tvmscript_script_eval::errors::ParseErrorKind;

impl Parser<'_> {
    /// Parses the whole text, with the values and calls that the options give.
    pub(crate) fn module(&mut self, options: &ParseOptions) {
        self.define_builtins();
        self.set_base_header();
        let program = self.program.clone();
        let expressions = self.expressions();
        let (set, calls) = expressions.split_at(options.set.len().min(expressions.len()));
        for ((name, _), id) in options.set.iter().zip(set) {
            self.set_variable(name, *id);
        }
        for id in program.main_body() {
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
        if options.calls.is_empty() {
            self.tolerant = true;
            self.host().explore_all();
            self.tolerant = false;
            return;
        }
        self.scripts.earlier = std::mem::take(&mut self.scripts.done);
        for (call, id) in options.calls.iter().zip(calls) {
            self.gather_call(call, *id);
        }
    }

    /// The statements of the parts that are expressions of the caller.
    fn expressions(&self) -> Vec<StmtId> {
        let is_expression = |id: &&StmtId| {
            self.program.parts.at(self.ast.range(**id).start).is_some_and(|part| part.module.is_none())
        };
        self.ast.module_body().iter().filter(is_expression).copied().collect()
    }

    /// Evaluates an expression of the caller.
    fn expression(&mut self, id: StmtId) -> Option<ScriptValue> {
        self.last_value = None;
        let errors = self.diagnostics.errors.len();
        self.visit(id).ok()?;
        let value = self.last_value.take().filter(|value| value.as_host::<Placeholder>().is_none());
        if value.is_none() && self.diagnostics.errors.len() == errors {
            let kind = ParseErrorKind::expected("a value that the text defines", "one that is not evaluated");
            let _ = self.error(id, kind);
        }
        value
    }

    fn set_variable(&mut self, name: &str, id: StmtId) {
        let Some(value) = self.expression(id) else { return };
        match self.ast.find_name(name) {
            Some(name) if self.program.binds_global(name) => self.program.fix_global(name, value),
            _ => {
                let _ = self.error(id, ParseErrorKind::UndefinedName { name: name.to_owned() });
            }
        }
    }

    /// Adds the scripts that a call returns.
    fn gather_call(&mut self, call: &str, id: StmtId) {
        self.scripts.met_script = true;
        let Some(value) = self.expression(id) else { return };
        // Stands for an expression with a syntax error.
        if matches!(value, ScriptValue::Ellipsis) && !self.diagnostics.errors.is_empty() {
            return;
        }
        let before = self.scripts.done.len();
        self.gather_value(call, &value, TextRange::at(0));
        if self.scripts.done.len() == before {
            let found = value.type_name().to_string();
            let _ = self.error(id, ParseErrorKind::expected("a script or a container of scripts", found));
        }
        self.scripts.built.clear();
    }

    /// Parses the whole text as statements of a dialect, after imports and the metadata section.
    pub(crate) fn fragment(&mut self, dialect: &str) {
        self.define_builtins();
        self.set_base_header();
        let ast = self.ast.clone();
        let body = ast.module_body();
        let metadata = self.syntax().metadata.variable;
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
