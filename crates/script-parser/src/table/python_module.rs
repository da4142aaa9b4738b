//! Python modules that dialects declare, for imports in scripts and their helpers.
//!
//! A dialect lists the paths of a module and its members; several dialects can add members to one module.
//! `family.dialect` is also the member `dialect` of `family`. Members that no dialect lists can be imported but not
//! used.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Resolver, TypeInfo};
use tvmscript_irbuilder::{BuildError, CallArgs, HostObject, ScriptFn, ScriptValue};
use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_eval::{Cause, Placeholder};

/// A Python module, or several modules with the same members.
#[derive(Debug, Clone, Copy)]
pub struct PythonModule {
    pub(crate) paths: &'static [&'static str],
    pub(crate) names: &'static [&'static str],
    pub(crate) members: &'static [(&'static str, Member)],
    pub(crate) owns: Option<fn(&str) -> bool>,
    pub(crate) scopes: bool,
    pub(crate) others: Option<fn() -> String>,
}

/// A member of a Python module.
#[derive(Debug, Clone, Copy)]
pub enum Member {
    /// A function.
    Function(&'static ScriptFn),
    /// A class of nodes.
    Class(NodeClass),
    /// A value, computed for each use.
    Value(fn() -> ScriptValue),
    /// The namespace of the dialect that declares the module.
    Namespace,
    /// A member that scripts cannot use, with an alternative.
    LeftOut(&'static str),
}

/// A class of nodes: the second argument of `isinstance`, and callable if scripts can construct such nodes.
#[derive(Clone, Copy)]
pub struct NodeClass {
    pub(crate) info: fn() -> &'static TypeInfo,
    pub(crate) constructor: Option<&'static ScriptFn>,
    pub(crate) members: &'static [&'static ScriptFn],
}

impl NodeClass {
    /// A class that scripts cannot construct.
    pub const fn new(info: fn() -> &'static TypeInfo) -> NodeClass {
        NodeClass { info, constructor: None, members: &[] }
    }

    /// Sets the function that constructs nodes and whose members are those of the class.
    pub const fn made_by(self, function: &'static ScriptFn) -> NodeClass {
        NodeClass { constructor: Some(function), members: function.members, ..self }
    }

    /// Sets the functions of the class.
    pub const fn members(self, members: &'static [&'static ScriptFn]) -> NodeClass {
        NodeClass { members, ..self }
    }
}

impl std::fmt::Debug for NodeClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NodeClass").field(&(self.info)().key()).finish()
    }
}

impl HostObject for NodeClass {
    fn type_name(&self) -> &str {
        (self.info)().key()
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let member = self.members.iter().find(|member| member.name == name)?;
        Some(ScriptValue::Function(member))
    }

    fn attribute_names(&self) -> Vec<String> {
        self.members.iter().map(|member| member.name.to_owned()).collect()
    }

    fn is_callable(&self) -> bool {
        self.constructor.is_some()
    }

    fn call(&self, args: CallArgs) -> Result<ScriptValue, BuildError> {
        match self.constructor {
            Some(function) => function.call(args),
            None => Err(BuildError::message(format!("scripts make no `{}`", (self.info)().key()))),
        }
    }

    fn advice(&self) -> Option<String> {
        let is_abstract = self.constructor.is_none();
        is_abstract.then(|| format!("`{}` is a class of nodes that scripts do not make", self.type_name()))
    }

    fn is_class_of(&self, value: &ScriptValue) -> Option<bool> {
        Some(matches!(value, ScriptValue::Node(object) if object.info().is_a((self.info)())))
    }
}

impl PythonModule {
    /// Modules at the given paths, without members.
    pub const fn new(paths: &'static [&'static str]) -> PythonModule {
        PythonModule { paths, names: &[], members: &[], owns: None, scopes: false, others: None }
    }

    /// Adds functions or decorators of the dialect's namespace as members.
    pub const fn names(self, names: &'static [&'static str]) -> PythonModule {
        PythonModule { names, ..self }
    }

    /// Adds members.
    pub const fn members(self, members: &'static [(&'static str, Member)]) -> PythonModule {
        PythonModule { members, ..self }
    }

    /// States that decorators of the namespaces in the module are meant as scopes, `with D.function(): ..`. Scripts can
    /// use them as both everywhere; descriptions of the module for Python's tools name one.
    pub const fn scopes(self) -> PythonModule {
        PythonModule { scopes: true, ..self }
    }

    /// States that the module has other members, whose values are unknown for the given reason. Code that is only explored
    /// may use them.
    pub const fn others(self, reason: fn() -> String) -> PythonModule {
        PythonModule { others: Some(reason), ..self }
    }

    /// Sets a test for names of the dialect's namespace that are members, too. They are in no list.
    pub const fn owns(self, owns: fn(&str) -> bool) -> PythonModule {
        PythonModule { owns: Some(owns), ..self }
    }
}

/// Members that one dialect adds to a module.
#[derive(Debug, Clone, Copy)]
struct Contribution {
    dialect: &'static str,
    module: &'static PythonModule,
    place: RegistrationSite,
}

/// A value that is not evaluated, with the reason. Code that is only explored may use it.
pub fn unknown_value(reason: &str) -> ScriptValue {
    Placeholder::new(Cause::LeftOut(reason.into()), TextRange::default()).value()
}

/// A member of a module.
pub(crate) enum Found {
    Value(ScriptValue),
    /// A function or decorator of a dialect's namespace.
    Own(&'static str),
    /// The namespace of a dialect.
    Namespace(&'static str),
    /// A submodule.
    Module,
    /// A member that scripts cannot use, with an alternative.
    LeftOut(&'static str),
}

/// The Python modules of all dialects, by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct PythonModules {
    /// Members by path, including the parents of declared paths.
    by_path: HashMap<String, Vec<Contribution>>,
    /// Modules that need no import.
    pub(crate) predefined: Vec<&'static str>,
    /// Functions of Python's library that need no import: name and module.
    pub(crate) predefined_names: Vec<(&'static str, &'static str)>,
}

impl PythonModules {
    /// Adds the members that a dialect declares, and reports those that a path has already.
    pub(crate) fn add(&mut self, (dialect, module, place): Declared, resolver: &mut Resolver) {
        let names = || module.names.iter().copied().chain(module.members.iter().map(|(name, _)| *name));
        let mut duplicate = |path: &str, name: &str, first| {
            resolver.duplicate(format!("the member `{path}.{name}` of a Python module"), first, place);
        };
        let mut own = HashSet::with_capacity(module.names.len() + module.members.len());
        let twice: Vec<&str> = names().filter(|name| !own.insert(*name)).collect();
        for path in module.paths {
            twice.iter().for_each(|name| duplicate(path, name, place));
            for (at, _) in path.match_indices('.') {
                if !self.by_path.contains_key(&path[..at]) {
                    self.by_path.insert(path[..at].to_owned(), Vec::new());
                }
            }
            let parts = self.by_path.entry((*path).to_owned()).or_default();
            for part in &*parts {
                let theirs = part.module.names.iter().chain(part.module.members.iter().map(|(name, _)| name));
                theirs.filter(|name| own.contains(*name)).for_each(|name| duplicate(path, name, part.place));
            }
            parts.push(Contribution { dialect, module, place });
        }
    }

    /// Returns `true` if the module exists.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    pub(crate) fn member(&self, path: &str, name: &str) -> Option<Found> {
        let parts = self.by_path.get(path)?;
        for part in parts {
            if let Some((_, member)) = part.module.members.iter().find(|(n, _)| *n == name) {
                return Some(match member {
                    Member::Function(function) => Found::Value(ScriptValue::Function(function)),
                    Member::Class(class) => Found::Value(ScriptValue::host(*class)),
                    Member::Value(make) => Found::Value(make()),
                    Member::Namespace => Found::Namespace(part.dialect),
                    Member::LeftOut(instead) => Found::LeftOut(instead),
                });
            }
            if part.module.names.contains(&name) {
                return Some(Found::Own(part.dialect));
            }
        }
        if self.by_path.contains_key(&format!("{path}.{name}")) {
            return Some(Found::Module);
        }
        let owner = parts.iter().find(|part| part.module.owns.is_some_and(|owns| owns(name)));
        let unknown = || {
            let reason = parts.iter().find_map(|part| part.module.others)?();
            Some(Found::Value(unknown_value(reason.as_str())))
        };
        owner.map(|part| Found::Own(part.dialect)).or_else(unknown)
    }

    /// The namespace that is a member of a module: the module, the member and the dialect.
    pub(crate) fn namespace(
        &self,
        path: &str,
        name: &str,
    ) -> Option<(&'static str, &'static str, &'static str)> {
        self.by_path.get(path)?.iter().find_map(|part| {
            let mut members = part.module.members.iter();
            let is_it = |(own, member): &&(&str, Member)| *own == name && matches!(member, Member::Namespace);
            let (name, _) = members.find(is_it)?;
            let path = part.module.paths.iter().find(|own| **own == path)?;
            Some((*path, *name, part.dialect))
        })
    }

    /// The path of a declared module.
    pub(crate) fn path(&self, path: &str) -> Option<&'static str> {
        let parts = self.by_path.get(path)?;
        parts.iter().find_map(|part| part.module.paths.iter().find(|own| **own == path).copied())
    }

    /// Paths of all modules, including the parents of declared ones.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }

    /// The declared members of a module, with the dialects that declare them, and whether decorators are scopes.
    pub(crate) fn declared(
        &self,
        path: &str,
    ) -> impl Iterator<Item = (&'static str, &'static str, Option<Member>, bool)> {
        self.by_path.get(path).into_iter().flatten().flat_map(|part| {
            let Contribution { dialect, module, place: _ } = *part;
            let own = module.names.iter().map(move |name| (*name, dialect, None, module.scopes));
            let listed = module.members.iter();
            own.chain(listed.map(move |(name, member)| (*name, dialect, Some(*member), module.scopes)))
        })
    }

    /// Members that scripts can use, for suggestions.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for part in self.by_path.get(path).into_iter().flatten() {
            names.extend(part.module.names.iter().map(|name| (*name).to_owned()));
            let usable = part.module.members.iter().filter(|(_, m)| !matches!(m, Member::LeftOut(_)));
            names.extend(usable.map(|(name, _)| (*name).to_owned()));
        }
        let below = self.by_path.keys().filter_map(|p| p.strip_prefix(path)?.strip_prefix('.'));
        names.extend(below.filter(|name| !name.contains('.')).map(str::to_owned));
        names.sort_unstable();
        names
    }
}

pub(crate) type Declared = (&'static str, &'static PythonModule, RegistrationSite);
