//! Module level: runs statements and collects the scripts they define.

use tvmscript_irbuilder::{BuildErrors, Builder, ScriptValue};

use tvmscript_ir_core::Token;

use super::{ParseOptions, Parser, Script};
use crate::errors::ParseErrorKind;
use crate::table::WholeText;
use tvmscript_python_syntax::ast::{Expr, Stmt, StmtId, TextRange};
use tvmscript_script_eval::errors::{EvalErrorKind, EvalResult};
use tvmscript_script_eval::{HostCode, Placeholder, Position, Run};

impl Parser<'_> {
    /// Parses the whole text, with the values and calls that the options give.
    pub(crate) fn module(&mut self, options: &ParseOptions) {
        self.define_builtins();
        self.set_base_header();
        if let Some((whole, body)) = self.whole_text() {
            return self.read_whole_text(whole, &body);
        }
        let program = self.state.program.clone();
        let expressions = self.expressions();
        let (set, calls) = expressions.split_at(options.set.len().min(expressions.len()));
        for ((name, _), id) in options.set.iter().zip(set) {
            self.set_variable(name, *id);
        }
        for id in program.main_body() {
            if self.is_exhausted() {
                break;
            }
            self.state.take_last_value();
            self.enter_headers(*id);
            let runs = options.host_code == HostCode::Runs || self.evaluate(|e| e.declares(*id));
            self.state.move_to(Position::Module(Run::Tolerant));
            if runs && self.visit(*id).is_ok() {
                self.collect_scripts(*id);
            }
            self.script.scripts.commit();
            self.state.move_to(Position::Module(Run::Strict));
            self.leave_headers(*id);
        }
        if options.calls.is_empty() {
            if options.host_code == HostCode::Refused {
                return;
            }
            self.state.move_to(Position::Module(Run::Tolerant));
            self.evaluate(|e| e.explore_all());
            self.state.move_to(Position::Module(Run::Strict));
            return;
        }
        self.script.scripts.earlier = std::mem::take(&mut self.script.scripts.done);
        for (call, id) in options.calls.iter().zip(calls) {
            self.collect_call(call, *id);
        }
    }

    /// The statements of the parts that are expressions of the caller.
    fn expressions(&self) -> Vec<StmtId> {
        let is_expression = |id: &&StmtId| {
            self.state
                .program
                .parts
                .at(self.state.ast.range(**id).start)
                .is_some_and(|part| part.module.is_none())
        };
        self.state.ast.module_body().iter().filter(is_expression).copied().collect()
    }

    /// Evaluates an expression of the caller.
    fn expression(&mut self, id: StmtId) -> Option<ScriptValue> {
        self.state.take_last_value();
        let errors = self.state.diagnostics.errors.len();
        self.visit(id).ok()?;
        let value = self.state.take_last_value().filter(|value| value.as_host::<Placeholder>().is_none());
        if value.is_none() && self.state.diagnostics.errors.len() == errors {
            let kind = ParseErrorKind::expected("a value that the text defines", "one that is not evaluated");
            let _ = self.error(id, kind);
        }
        value
    }

    fn set_variable(&mut self, name: &str, id: StmtId) {
        let Some(value) = self.expression(id) else { return };
        match self.state.ast.find_name(name) {
            Some(name) if self.state.program.binds_global(name) => self.state.program.fix_global(name, value),
            _ => {
                let _ = self.error(id, EvalErrorKind::UndefinedName { name: name.to_owned() });
            }
        }
    }

    /// Adds the scripts that a call returns.
    fn collect_call(&mut self, call: &str, id: StmtId) {
        self.script.scripts.met_script = true;
        let Some(value) = self.expression(id) else { return };
        // Stands for an expression with a syntax error.
        if matches!(value, ScriptValue::Ellipsis) && !self.state.diagnostics.errors.is_empty() {
            return;
        }
        let before = self.script.scripts.done.len();
        self.collect_value(call, &value, TextRange::at(0));
        match value {
            // A node that host code makes of scripts, such as a module of functions.
            ScriptValue::Node(node) if self.script.scripts.done.len() == before => {
                let range = TextRange::at(0);
                let name = Some(call.to_owned());
                self.script.scripts.done.push(Script {
                    name,
                    node,
                    range,
                    definition: range,
                    is_checked: true,
                });
            }
            value if self.script.scripts.done.len() == before => {
                let found = value.type_name().to_string();
                let _ = self.error(id, ParseErrorKind::expected("a script or a container of scripts", found));
            }
            _ => {}
        }
        self.script.scripts.built.clear();
    }

    /// Parses the whole text as statements of a dialect, after imports and the metadata section.
    pub(crate) fn fragment(&mut self, dialect: &str) {
        self.define_builtins();
        self.set_base_header();
        let ast = self.state.ast.clone();
        let program = self.state.program.clone();
        // Without the modules that the text imports.
        let body = program.main_body();
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
        self.state.move_to(Position::Module(Run::Tolerant));
        for id in head {
            let _ = self.visit(*id);
        }
        self.state.move_to(Position::Module(Run::Strict));
        let Some(first) = body.first() else { return };
        self.enter_headers(*first);
        let token = self.token_of(dialect);
        let reader =
            token.and_then(|token| Some((token, self.script.tables.handlers.entry(token)?.fragment?)));
        let Some((token, read)) = reader else {
            let kind = ParseErrorKind::expected("a dialect whose fragments are read", format!("`{dialect}`"));
            let _ = self.error(*first, kind);
            return;
        };
        self.read_whole(*first, token, |p| read(p, body));
        self.leave_headers(*first);
    }

    /// The text after the statements that a dialect's texts begin with, with the reader of the rest.
    fn whole_text(&self) -> Option<(WholeText, Vec<StmtId>)> {
        let texts = &self.script.tables.handlers.whole_texts;
        if texts.is_empty() {
            return None;
        }
        let ast = &self.state.ast;
        let body = self.state.program.main_body();
        let is_import = |id: &&StmtId| matches!(ast.stmt(**id), Stmt::Import(_) | Stmt::ImportFrom(_));
        let body = body.get(body.iter().take_while(is_import).count()..)?;
        let begins = |whole: &&WholeText| {
            let text = |id: &StmtId| self.state.program.text_of(ast.range(*id));
            body.len() >= whole.lines.len()
                && whole.lines.iter().zip(body).all(|(line, id)| text(id) == *line)
        };
        let whole = texts.iter().find(begins)?;
        Some((*whole, body.get(whole.lines.len()..)?.to_vec()))
    }

    /// Reads a text that is one script.
    fn read_whole_text(&mut self, WholeText { token, read, .. }: WholeText, body: &[StmtId]) {
        let at = body.first().or_else(|| self.state.ast.module_body().first()).copied();
        let Some(at) = at else { return };
        self.script.scripts.met_script = true;
        self.enter_headers(at);
        self.read_whole(at, token, |p| read(p, body));
        self.leave_headers(at);
    }

    /// Reads statements in a builder of their own; the result is a script without a name.
    fn read_whole(&mut self, at: StmtId, token: Token, read: impl FnOnce(&mut Self) -> EvalResult<()>) {
        let failures = self.state.diagnostics.failures;
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        let done = self.with_token(token, read);
        if done.is_err()
            || self.state.diagnostics.failures > failures
            || !self.state.diagnostics.errors.is_empty()
        {
            return;
        }
        let built = builder.finish().map_err(BuildErrors::into_first);
        if let Ok(node) = self.checked(at, built) {
            let range = self.state.ast.range(at);
            self.script.scripts.done.push(Script {
                name: None,
                node,
                range,
                definition: range,
                is_checked: false,
            });
        }
    }
}
