//! The scripts that a text builds, and the names that they get.
//!
//! A definition builds a node; which name it has is known later: that of the definition, or the one that a statement
//! assigns it to. Until then it waits among [`Scripts::built`].

use std::collections::HashMap;

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::ScriptValue;
use tvmscript_python_syntax::ast::{Expr, Name, Stmt, StmtId, TextRange};
use tvmscript_script_eval::{Binding, names_bound_by};

use super::Parser;

/// One thing that a text builds.
#[derive(Debug, Clone)]
pub struct Script {
    /// The name of its definition; the path of one in functions or classes: `test_split.before`.
    pub name: Option<String>,
    /// The function, module or other node.
    pub node: Object,
    /// The statement that gives it its name: its definition, or the assignment of what a factory built.
    pub range: TextRange,
    /// Its decorated definition; the statement itself where there is none.
    pub definition: TextRange,
    /// Whether it is meant to be well-formed: its decorator does not say `check_well_formed=False`.
    pub is_checked: bool,
}

/// What a definition built.
pub(crate) struct Built {
    pub(crate) node: Object,
    pub(crate) is_checked: bool,
    /// The definition, or the statement that gives it a name further out.
    pub(crate) range: TextRange,
    /// The definition.
    pub(crate) definition: TextRange,
    /// The path of that name.
    pub(crate) path: String,
    /// How many functions and classes stand around that name.
    pub(crate) depth: u32,
    /// Whether it was taken down as a script.
    pub(crate) is_taken: bool,
}

/// A definition in a builder of its own; see [`Script::is_checked`].
pub(crate) struct Outermost {
    pub(crate) id: StmtId,
    pub(crate) is_checked: bool,
}

/// The scripts of a text.
#[derive(Default)]
pub(crate) struct Scripts {
    /// Those with a name.
    pub(crate) done: Vec<Script>,
    /// The numbers of those that were found in functions and classes, by path and place.
    found: HashMap<(String, u32), usize>,
    /// What definitions built and no name of the module level stands for yet.
    pub(crate) built: Vec<Built>,
    /// The definition that is read in a builder of its own.
    pub(crate) outermost: Option<Outermost>,
    /// Whether a definition was read as a script, also one that is wrong and may be.
    pub(crate) met_script: bool,
}

impl Scripts {
    /// Takes down the scripts that no statement of the module level named, by their paths. A definition that is read several
    /// times, as a loop or a function that is called twice reads it, is one script for each path: the last, which Python
    /// keeps too.
    pub(crate) fn flush(&mut self) {
        for built in std::mem::take(&mut self.built).into_iter().filter(|built| !built.is_taken) {
            let Built { node, is_checked, range, definition, path, .. } = built;
            let next = self.done.len();
            let index = *self.found.entry((path.clone(), range.start)).or_insert(next);
            let script = Script { name: Some(path), node, range, definition, is_checked };
            match self.done.get_mut(index) {
                Some(before) => *before = script,
                None => self.done.push(script),
            }
        }
    }
}

impl Parser<'_> {
    /// Takes down the scripts that a statement of the module level made: a definition, or a name that is given what a
    /// helper function built.
    pub(super) fn gather(&mut self, id: StmtId) {
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
                    for built in self.scripts.built.iter_mut().filter(|b| b.node.ptr_eq(&node)) {
                        built.is_taken = true;
                        definition = built.definition;
                    }
                    self.scripts.done.push(Script { name: None, node, range, definition, is_checked: true });
                }
            }
            _ => {}
        }
    }

    fn gather_name(&mut self, name: Name, id: StmtId) {
        let Binding::Value(ScriptValue::Node(node)) = self.program.global(name) else { return };
        if let Some(built) = self.scripts.built.iter_mut().find(|built| built.node.ptr_eq(&node)) {
            let (is_checked, definition) = (built.is_checked, built.definition);
            built.is_taken = true;
            let name = Some(self.ast.name(name).to_owned());
            let range = self.ast.range(id);
            self.scripts.done.push(Script { name, node, range, definition, is_checked });
        }
    }

    /// Gives scripts that functions built the names that a statement around those functions assigns them to.
    pub(crate) fn claim(&mut self, id: StmtId) {
        if self.scripts.built.is_empty() {
            return;
        }
        let (range, depth) = (self.ast.range(id), self.depth);
        for name in names_bound_by(&self.program.ast, id) {
            let Binding::Value(ScriptValue::Node(node)) = self.host_binding(name) else { continue };
            let path = self.path_of(name);
            if let Some(built) =
                self.scripts.built.iter_mut().find(|b| b.depth > depth && b.node.ptr_eq(&node))
            {
                (built.range, built.depth, built.path) = (range, depth, path);
            }
        }
    }
}
