//! The module level: statements one by one, and which of them made a script.

use tvmscript_irbuilder::{BuildErrors, Builder, ScriptValue};

use super::{Built, Parser, Script};
use crate::errors::ParseErrorKind;
use crate::scope::Binding;
use tvmscript_python_syntax::ast::{Expr, Name, Stmt, StmtId};

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
            self.absorbs = true;
            if self.visit(*id).is_ok() {
                self.gather(*id);
            }
            self.flush_built();
            self.absorbs = false;
            self.leave_headers(*id);
        }
        self.absorbs = true;
        self.explore_all();
        self.absorbs = false;
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
        let token = self.token_of(dialect);
        let reader = token.and_then(|token| Some((token, self.shared.table.entry(token)?.fragment?)));
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
            let range = ast.range(*first);
            self.scripts.push(Script { name: None, node, range, definition: range, is_checked: false });
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
                    let mut definition = range;
                    for built in self.built.iter_mut().filter(|b| b.node.ptr_eq(&node)) {
                        built.is_taken = true;
                        definition = built.definition;
                    }
                    self.scripts.push(Script { name: None, node, range, definition, is_checked: true });
                }
            }
            _ => {}
        }
    }

    fn gather_name(&mut self, name: Name, id: StmtId) {
        let Binding::Value(ScriptValue::Node(node)) = self.shared.global(name) else { return };
        if let Some(built) = self.built.iter_mut().find(|built| built.node.ptr_eq(&node)) {
            let (is_checked, definition) = (built.is_checked, built.definition);
            built.is_taken = true;
            let name = Some(self.ast.name(name).to_owned());
            let range = self.ast.range(id);
            self.scripts.push(Script { name, node, range, definition, is_checked });
        }
    }

    /// Takes down the other scripts that were built, by their paths. A definition that is read several times, as a
    /// loop or a function that is called twice reads it, is one script for each path: the last, which Python keeps too.
    pub(crate) fn flush_built(&mut self) {
        for built in std::mem::take(&mut self.built).into_iter().filter(|built| !built.is_taken) {
            let Built { node, is_checked, range, definition, path, .. } = built;
            let next = self.scripts.len();
            let index = *self.found.entry((path.clone(), range.start)).or_insert(next);
            let script = Script { name: Some(path), node, range, definition, is_checked };
            match self.scripts.get_mut(index) {
                Some(before) => *before = script,
                None => self.scripts.push(script),
            }
        }
    }

    /// Gives scripts that functions built the names that a statement around those functions assigns them to.
    pub(crate) fn claim(&mut self, id: StmtId) {
        if self.built.is_empty() {
            return;
        }
        let (range, depth) = (self.ast.range(id), self.depth);
        for name in crate::eval::walk::names_of(&self.ast, id) {
            let Binding::Value(ScriptValue::Node(node)) = self.host_binding(name) else { continue };
            let path = self.path_of(name);
            if let Some(built) = self.built.iter_mut().find(|b| b.depth > depth && b.node.ptr_eq(&node)) {
                (built.range, built.depth, built.path) = (range, depth, path);
            }
        }
    }

    /// The path of a name that is defined here.
    pub(crate) fn path_of(&self, name: Name) -> String {
        let name = self.ast.name(name);
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Runs the body of a function or class of this name.
    pub(crate) fn within<R>(&mut self, name: Name, f: impl FnOnce(&mut Self) -> R) -> R {
        let path = self.path_of(name).into();
        let before = std::mem::replace(&mut self.path, path);
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        self.path = before;
        result
    }
}
