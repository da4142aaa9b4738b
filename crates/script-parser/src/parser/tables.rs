//! Lookup tables of a parse.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use tvmscript_ir_core::{Registry, Release, Span};
use tvmscript_irbuilder::{HostObject, Names, Namespaces, ScriptValue};
use tvmscript_script_eval::{Module, Modules};

use super::Namespace;
use crate::table::{Found, ParseTable, Parsers};

/// The parsing rules and namespaces of a registry.
pub(crate) struct Tables {
    pub(crate) release: &'static Release,
    pub(crate) handlers: Arc<ParseTable>,
    /// Namespaces in the order of the registry.
    pub(crate) namespaces: Vec<(&'static str, Arc<Names>)>,
    /// `true` if calls of functions, and nodes of types, that no dialect declares are kept as they are.
    pub(crate) keeps_unknown: bool,
    /// The calls that were kept, by dialect and path of the function.
    pub(crate) unknown_calls: RefCell<BTreeMap<(&'static str, String), Calls>>,
    /// The nodes of types that no dialect declares, by type.
    pub(crate) unknown_types: RefCell<BTreeMap<String, Calls>>,
    /// The places of a metadata section that the text leaves out, with their first use.
    pub(crate) omitted: RefCell<BTreeMap<(String, i64), Span>>,
}

/// Calls of one function, or nodes of one type.
pub(crate) struct Calls {
    pub(crate) first: Span,
    pub(crate) count: usize,
}

impl Tables {
    pub(crate) fn new(registry: &Registry, keeps_unknown: bool) -> Tables {
        let handlers = registry.slot::<Parsers>().map(|p| p.table().clone()).unwrap_or_default();
        let names = registry.slot::<Namespaces>();
        let namespaces = registry
            .dialects()
            .iter()
            .map(|dialect| (*dialect, names.and_then(|n| n.dialect(dialect)).cloned().unwrap_or_default()));
        let namespaces = namespaces.collect();
        Tables {
            release: registry.release(),
            handlers,
            namespaces,
            keeps_unknown,
            unknown_calls: RefCell::default(),
            unknown_types: RefCell::default(),
            omitted: RefCell::default(),
        }
    }

    pub(crate) fn namespace(&self, dialect: &str) -> Option<Namespace> {
        let mut namespaces = self.namespaces.iter().enumerate();
        let (index, (dialect, names)) = namespaces.find(|(_, (name, _))| *name == dialect)?;
        let groups = self.release.syntax.open_groups;
        Some(Namespace::new(dialect, index, names.clone(), self.handlers.clone(), groups, self.keeps_unknown))
    }
}

impl Modules for Tables {
    fn contains(&self, path: &str) -> bool {
        self.handlers.modules.contains(path)
    }

    fn member(&self, path: &str, name: &str) -> Option<ScriptValue> {
        match self.handlers.modules.member(path, name)? {
            Found::Value(value) => Some(value),
            Found::Own(dialect) => self.namespace(dialect)?.attribute(name),
            Found::Namespace(dialect) => self.namespace(dialect).map(ScriptValue::host),
            Found::Module => Some(Module::value(&format!("{path}.{name}"))),
            Found::LeftOut(_) => None,
        }
    }

    fn instead_of(&self, path: &str, name: &str) -> Option<&'static str> {
        match self.handlers.modules.member(path, name)? {
            Found::LeftOut(instead) => Some(instead),
            _ => None,
        }
    }

    fn names(&self, path: &str) -> Vec<String> {
        self.handlers.modules.names(path)
    }

    /// The names of a dialect's namespace are all known.
    fn star_names(&self, path: &str) -> Option<Vec<String>> {
        let (parent, name) = path.rsplit_once('.').filter(|_| !self.contains(path))?;
        match self.handlers.modules.member(parent, name)? {
            Found::Namespace(dialect) => Some(self.namespace(dialect)?.exported_names()),
            _ => None,
        }
    }

    fn is_complete(&self, path: &str) -> bool {
        path.starts_with(self.release.syntax.python.script_module)
    }

    fn is_expected(&self, path: &str) -> bool {
        is_member_of(path, self.release.syntax.python.package)
            && !is_member_of(path, self.release.syntax.python.testing)
    }

    fn is_transparent(&self, path: &str) -> bool {
        self.release.syntax.python.transparent_decorators.iter().any(|prefix| path.starts_with(prefix))
    }

    fn parameter_functions(&self) -> Option<(&'static str, &'static str)> {
        Some((self.release.syntax.python.parameter, self.release.syntax.python.parameters))
    }
}

/// Returns `true` if the path is below the module.
fn is_member_of(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
}
