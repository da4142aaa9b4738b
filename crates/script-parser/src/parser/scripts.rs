//! Scripts of a text and their names.
//!
//! The name of a built node is known later: it is the name of the definition, or a name that a statement assigns the
//! node to. Until then, the node is in [`Scripts::built`].

use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::ScriptValue;
use tvmscript_python_syntax::ast::{Expr, Name, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::walk::names_bound_by;
use tvmscript_script_eval::{Binding, Cause};

use super::Parser;

/// A node that a text builds.
#[derive(Debug, Clone)]
pub struct Script {
    /// Name of its definition; a path inside functions or classes, e.g. `test_split.before`.
    pub name: Option<String>,
    /// Function, module or other node.
    pub node: Object,
    /// Statement that names it: its definition, or the assignment of the result of a factory.
    pub range: TextRange,
    /// Decorated definition; `range` if there is none.
    pub definition: TextRange,
    /// `true` unless its decorator disables the well-formedness check.
    pub is_checked: bool,
}

/// Result of a definition.
pub(crate) struct Built {
    pub(crate) node: Object,
    pub(crate) is_checked: bool,
    /// Definition, or the outer statement that names the result.
    pub(crate) range: TextRange,
    pub(crate) definition: TextRange,
    /// Path of that name; empty for a node that has none yet.
    pub(crate) path: String,
    /// Number of functions and classes around that name.
    pub(crate) depth: u32,
    /// `true` if it is in [`Scripts::done`].
    pub(crate) is_taken: bool,
}

/// The outermost definition being parsed; see [`Script::is_checked`].
pub(crate) struct Outermost {
    pub(crate) id: StmtId,
    pub(crate) is_checked: bool,
}

#[derive(Default)]
pub(crate) struct Scripts {
    /// Named scripts.
    pub(crate) done: Vec<Script>,
    /// The scripts of the text, when only those that the caller's expressions return are taken.
    pub(crate) earlier: Vec<Script>,
    /// Indices in `done` of scripts in functions and classes, by path and start.
    found: HashMap<(String, u32), usize>,
    /// Results that no module-level name refers to yet.
    pub(crate) built: Vec<Built>,
    /// The definition with its own builder that is being parsed.
    pub(crate) outermost: Option<Outermost>,
    /// `true` if the text contains a script, even an invalid one.
    pub(crate) met_script: bool,
}

impl Scripts {
    /// Adds the remaining results under their paths; those without one wait for a name. Of a definition that runs several times, e.g. in a loop, the
    /// last result is kept, as in Python.
    pub(crate) fn commit(&mut self) {
        let (unnamed, named) = std::mem::take(&mut self.built).into_iter().partition(|b| b.path.is_empty());
        self.built = unnamed;
        for built in Vec::into_iter(named).filter(|built| !built.is_taken) {
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

    /// Adds a built node under a name; nodes that neither wait for one nor are earlier scripts are left.
    fn take(&mut self, name: String, node: &Object, range: TextRange) {
        let (is_checked, definition) = match self.built.iter_mut().find(|built| built.node.ptr_eq(node)) {
            Some(built) => {
                built.is_taken = true;
                (built.is_checked, built.definition)
            }
            None => match self.earlier.iter().find(|earlier| earlier.node.ptr_eq(node)) {
                Some(earlier) => (earlier.is_checked, earlier.definition),
                None => return,
            },
        };
        self.done.push(Script { name: Some(name), node: node.clone(), range, definition, is_checked });
    }

    fn is_taken(&self, node: &Object) -> bool {
        self.built.iter().any(|built| built.is_taken && built.node.ptr_eq(node))
            || !self.earlier.is_empty() && self.done.iter().any(|done| done.node.ptr_eq(node))
    }
}

/// Maximum number of values searched for scripts.
const MAX_ITEMS: usize = 10_000;

/// Adds items to a work list, the first one on top.
fn push_items(path: &str, items: &[ScriptValue], work: &mut Vec<(String, ScriptValue)>) {
    let items = items.iter().take(MAX_ITEMS).enumerate().rev();
    work.extend(items.map(|(index, item)| (format!("{path}[{index}]"), item.clone())));
}

impl Parser<'_> {
    /// Adds the scripts of a module-level statement: a definition, or the assignment of the result of a helper
    /// function.
    pub(super) fn collect_scripts(&mut self, id: StmtId) {
        let ast = self.state.ast.clone();
        let range = ast.range(id);
        match *ast.stmt(id) {
            Stmt::FunctionDef(def) => self.collect_name(def.name, id),
            Stmt::ClassDef(def) => self.collect_name(def.name, id),
            Stmt::Assign(stmt) => {
                for target in ast.list(stmt.targets) {
                    if let Expr::Name(name) = *ast.expr(*target) {
                        self.collect_name(name, id);
                    }
                }
            }
            Stmt::Expr(_) => {
                if let Some(ScriptValue::Node(node)) = self.state.take_last_value() {
                    let mut definition = range;
                    for built in self.script.scripts.built.iter_mut().filter(|b| b.node.ptr_eq(&node)) {
                        built.is_taken = true;
                        definition = built.definition;
                    }
                    self.script.scripts.done.push(Script {
                        name: None,
                        node,
                        range,
                        definition,
                        is_checked: true,
                    });
                }
            }
            _ => {}
        }
    }

    /// The first decorator of a module-level definition that comes from an unknown Python module, with its dotted path:
    /// the likely reason that a text contains no script.
    pub(super) fn undeclared_decorator(&self) -> Option<(TextRange, Rc<str>)> {
        let ast = &self.state.ast;
        let decorators = self.state.program.main_body().iter().flat_map(|id| match ast.stmt(*id) {
            Stmt::FunctionDef(def) => ast.list(def.decorators),
            Stmt::ClassDef(def) => ast.list(def.decorators),
            _ => &[],
        });
        decorators.copied().find_map(|decorator| {
            let mut root = decorator;
            let name = loop {
                root = match *ast.expr(root) {
                    Expr::Call { func, .. } => func,
                    Expr::Attribute { value, .. } => value,
                    Expr::Name(name) => break name,
                    _ => return None,
                };
            };
            let Binding::Unknown(placeholder) = self.state.program.global(name) else { return None };
            match &placeholder.cause {
                Cause::Module(path) => Some((ast.range(decorator), path.clone())),
                _ => None,
            }
        })
    }

    fn collect_name(&mut self, name: Name, id: StmtId) {
        let node = match self.state.program.global(name) {
            Binding::Value(ScriptValue::Node(node)) => node,
            Binding::Value(value) if !self.script.scripts.built.is_empty() => {
                let text = self.state.ast.name(name).to_owned();
                return self.collect_value(&text, &value, self.state.ast.range(id));
            }
            _ => return,
        };
        let (name, range) = (self.state.ast.name(name).to_owned(), self.state.ast.range(id));
        self.script.scripts.take(name, &node, range);
    }

    /// Adds the scripts in a value: the value itself, or items of lists, tuples and dictionaries, named by their path,
    /// such as `kernels["add"]` or `stages[1]`.
    pub(super) fn collect_value(&mut self, name: &str, value: &ScriptValue, range: TextRange) {
        let mut work = vec![(name.to_owned(), value.clone())];
        for _ in 0..MAX_ITEMS {
            let Some((path, value)) = work.pop() else { return };
            match value {
                ScriptValue::Node(node) if !self.script.scripts.is_taken(&node) => {
                    self.script.scripts.take(path, &node, range)
                }
                ScriptValue::Tuple(items) => push_items(&path, &items, &mut work),
                ScriptValue::List(items) => push_items(&path, &items.borrow(), &mut work),
                ScriptValue::Dict(dict) => {
                    for (key, value) in dict.borrow().iter().rev() {
                        let key = match &key.0 {
                            ScriptValue::Str(text) => format!("{text:?}"),
                            ScriptValue::Int(number) => number.to_string(),
                            _ => continue,
                        };
                        work.push((format!("{path}[{key}]"), value.clone()));
                    }
                }
                _ => {}
            }
        }
    }

    /// Renames results of functions that a statement outside those functions assigns to a name.
    pub(crate) fn rename_to_outer(&mut self, id: StmtId) {
        if self.script.scripts.built.is_empty() {
            return;
        }
        let (range, depth) = (self.state.ast.range(id), self.state.depth());
        for name in names_bound_by(&self.state.program.ast, id) {
            let Binding::Value(ScriptValue::Node(node)) = self.state.host_binding(name) else { continue };
            let path = self.state.path_of(name);
            if let Some(built) =
                self.script.scripts.built.iter_mut().find(|b| b.depth > depth && b.node.ptr_eq(&node))
            {
                (built.range, built.depth, built.path) = (range, depth, path);
            }
        }
    }
}
