//! Modules that the program imports and that are parts of its text.
//!
//! A module runs when it is first imported, in an environment of its own. Its functions see the module's names and
//! Python's, and not those of the importing text.

use std::rc::Rc;

use tvmscript_python_syntax::ast::{ImportFrom, Name, StmtId};
use tvmscript_python_syntax::walk;
use tvmscript_script_value::{HostObject, ScriptValue};

use super::{Env, Locals};
use crate::binding::Binding;
use crate::program::Program;
use crate::{Eval, EvalState, Position};

/// A module that is a part of the program.
pub(crate) struct LocalModule {
    program: Rc<Program>,
    path: Box<str>,
    /// Its variables; `None` for a folder of modules without `__init__.py`.
    env: Option<Rc<Env>>,
}

impl HostObject for LocalModule {
    fn type_name(&self) -> &str {
        "a module"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if let Some(value) = self.own(name) {
            return Some(value);
        }
        let path = format!("{}.{name}", self.path);
        self.program.loaded_modules.borrow().get(path.as_str()).cloned()
    }

    fn attribute_names(&self) -> Vec<String> {
        let names = self.env.as_ref().map(|env| env.bound_names()).unwrap_or_default();
        names.into_iter().map(|name| self.program.ast.name(name).to_owned()).collect()
    }
}

impl LocalModule {
    fn own(&self, name: &str) -> Option<ScriptValue> {
        match self.env.as_ref()?.own(self.program.ast.find_name(name)?)? {
            Binding::Value(value) => Some(value),
            Binding::Unknown(placeholder) => Some(ScriptValue::Host(placeholder)),
            Binding::Poison | Binding::Unbound => None,
        }
    }
}

/// Resolves the module of an import in a module of the package `package`: `from ..a import b` in `x.y.z` names `x.a`.
/// `None` if there are more dots than packages.
pub fn absolute_module(package: &str, level: u32, module: &str) -> Option<String> {
    if level == 0 {
        return Some(module.to_owned());
    }
    let mut base: Vec<&str> = package.split('.').filter(|part| !part.is_empty()).collect();
    let up = level as usize - 1;
    base.truncate(base.len().checked_sub(up)?);
    base.extend(module.split('.').filter(|part| !part.is_empty()));
    Some(base.join("."))
}

impl EvalState {
    /// The package of the running statement, for relative imports.
    fn package(&self) -> &str {
        let parts = &self.program.parts;
        let part = self.statement.and_then(|range| parts.at(range.start));
        match part.and_then(|part| Some((part, part.module.as_deref()?))) {
            Some((part, module)) if part.name.ends_with("__init__.py") => module,
            Some((_, module)) => module.rsplit_once('.').map_or("", |(package, _)| package),
            None => &self.program.package,
        }
    }

    /// The absolute path of the module of an import, if it is a part of the program.
    pub(crate) fn local_path(&self, stmt: ImportFrom) -> Option<String> {
        if self.program.parts.is_empty() {
            return None;
        }
        let module = stmt.module.map_or("", |module| self.ast.name(module));
        let path = absolute_module(self.package(), stmt.level, module)?;
        self.program.parts.contains(&path).then_some(path)
    }
}

impl Eval<'_> {
    /// Imports a module of the program and the packages around it; `None` if it is none.
    pub(crate) fn local_module(&mut self, path: &str) -> Option<ScriptValue> {
        if !self.state.program.parts.contains(path) {
            return None;
        }
        if let Some(module) = self.state.program.loaded_modules.borrow().get(path) {
            return Some(module.clone());
        }
        if let Some((package, _)) = path.rsplit_once('.') {
            self.local_module(package);
        }
        let program = self.state.program.clone();
        let body: Option<Vec<StmtId>> = program.parts.module(path).map(|part| {
            let is_in = |id: &&StmtId| {
                let start = program.ast.range(**id).start;
                program.parts.at(start).is_some_and(|at| at.start == part.start)
            };
            program.ast.module_body().iter().filter(is_in).copied().collect()
        });
        let env = body.as_ref().map(|body| self.module_env(path, body));
        let module =
            ScriptValue::host(LocalModule { program: program.clone(), path: path.into(), env: env.clone() });
        program.loaded_modules.borrow_mut().insert(path.into(), module.clone());
        if let (Some(body), Some(env)) = (body, env) {
            self.run_module(path, &body, env);
        }
        Some(module)
    }

    fn module_env(&mut self, path: &str, body: &[StmtId]) -> Rc<Env> {
        let mut names: Vec<Name> = walk::names_of_module(&self.state.ast, body).into_iter().collect();
        let own_name = self.state.ast.find_name("__name__");
        names.extend(own_name);
        let env = Env::new(Locals::of_module(names), None);
        self.state.program.keep_environment(&env);
        if let Some(name) = own_name {
            env.set(name, Binding::Value(ScriptValue::str(path)));
        }
        env
    }

    fn run_module(&mut self, path: &str, body: &[StmtId], env: Rc<Env>) {
        let position = self.state.move_by(Position::imported);
        let around = std::mem::replace(&mut self.state.path, path.into());
        let statement = self.state.statement;
        self.state.depth += 1;
        self.in_environment(Some(env), |p| {
            for id in body {
                if p.state.is_exhausted() {
                    break;
                }
                let _ = p.run_statement(*id);
            }
        });
        self.state.depth -= 1;
        self.state.statement = statement;
        self.state.path = around;
        self.state.move_to(position);
    }

    /// The public names of a module for `import *`: `__all__`, else all without a leading underscore.
    pub(crate) fn public_names(&mut self, module: &ScriptValue) -> Vec<String> {
        let Some(local) = module.as_host::<LocalModule>() else { return Vec::new() };
        match local.own("__all__").and_then(|all| all.items()) {
            Some(all) => all.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            None => {
                let mut names = local.attribute_names();
                names.retain(|name| !name.starts_with('_'));
                names
            }
        }
    }
}
