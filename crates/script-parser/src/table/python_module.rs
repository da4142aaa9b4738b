//! Python modules that dialects declare: what `import family.dialect` gives to scripts and their helpers.
//!
//! A dialect lists the paths of a module and its members; several dialects may add to one module. A path below another
//! one makes its last part a member of that: `family.dialect` is the member `dialect` of `family`. Members that no dialect lists can
//! be imported, not used.

use std::any::Any;
use std::collections::HashMap;

use tvmscript_ir_core::TypeInfo;
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_irbuilder::{BuildError, CallArgs, HostObject, ScriptFn, ScriptValue};

/// A Python module, or several with the same members.
#[derive(Debug, Clone, Copy)]
pub struct PythonModule {
    pub(crate) paths: &'static [&'static str],
    pub(crate) names: &'static [&'static str],
    pub(crate) members: &'static [(&'static str, Member)],
    pub(crate) fallback: Option<fn(&str) -> Option<ScriptValue>>,
}

/// A member of a Python module.
#[derive(Debug, Clone, Copy)]
pub enum Member {
    /// A function.
    Function(&'static ScriptFn),
    /// A class of nodes.
    Class(NodeClass),
    /// A value, made for each use.
    Value(fn() -> ScriptValue),
    /// The namespace of the dialect that declares the module.
    Namespace,
    /// A member that scripts cannot use, and what to do instead.
    LeftOut(&'static str),
}

/// A class of nodes: callable where scripts make such nodes, and the second argument of `isinstance`.
#[derive(Clone, Copy)]
pub struct NodeClass {
    pub(crate) info: fn() -> &'static TypeInfo,
    pub(crate) constructor: Option<&'static ScriptFn>,
}

impl NodeClass {
    /// A class that scripts make no nodes of.
    pub const fn new(info: fn() -> &'static TypeInfo) -> NodeClass {
        NodeClass { info, constructor: None }
    }

    /// The class, called as `function`, whose members are the class's.
    pub const fn made_by(self, function: &'static ScriptFn) -> NodeClass {
        NodeClass { constructor: Some(function), ..self }
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
        let member = self.constructor?.members.iter().find(|member| member.name == name)?;
        Some(ScriptValue::Function(member))
    }

    fn attribute_names(&self) -> Vec<String> {
        let members = self.constructor.map_or(&[][..], |function| function.members);
        members.iter().map(|member| member.name.to_owned()).collect()
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

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl PythonModule {
    /// The modules of these paths, without members yet.
    pub const fn new(paths: &'static [&'static str]) -> PythonModule {
        PythonModule { paths, names: &[], members: &[], fallback: None }
    }

    /// Members that are the functions, or decorators, of these names in the dialect's namespace.
    pub const fn names(self, names: &'static [&'static str]) -> PythonModule {
        PythonModule { names, ..self }
    }

    /// Members with values of their own.
    pub const fn members(self, members: &'static [(&'static str, Member)]) -> PythonModule {
        PythonModule { members, ..self }
    }

    /// Finds members that no list has.
    pub const fn fallback(self, find: fn(&str) -> Option<ScriptValue>) -> PythonModule {
        PythonModule { fallback: Some(find), ..self }
    }
}

/// What one dialect says about a path.
#[derive(Debug, Clone, Copy)]
struct Part {
    dialect: &'static str,
    module: &'static PythonModule,
}

/// The member of a module, before the parser makes it a value.
pub(crate) enum Found {
    /// A value.
    Value(ScriptValue),
    /// The function or decorator of this name in the dialect's namespace.
    Own(&'static str),
    /// The namespace of this dialect.
    Namespace(&'static str),
    /// A module below this one.
    Module,
    /// Not for scripts, with what to do instead.
    LeftOut(&'static str),
}

/// The Python modules of all dialects, by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct PythonModules {
    /// All paths, those above declared ones too.
    by_path: HashMap<String, Vec<Part>>,
    /// Modules that have a name without an import.
    pub(crate) predefined: Vec<&'static str>,
}

impl PythonModules {
    /// Adds what a dialect declares.
    pub(crate) fn add(
        &mut self,
        dialect: &'static str,
        module: &'static PythonModule,
        mut claim: impl FnMut(String) -> bool,
    ) {
        for path in module.paths {
            let names = module.names.iter().chain(module.members.iter().map(|(name, _)| name));
            for name in names {
                claim(format!("the member `{path}.{name}` of a Python module"));
            }
            let above = path.match_indices('.').map(|(at, _)| &path[..at]);
            for path in above {
                self.by_path.entry(path.to_owned()).or_default();
            }
            self.by_path.entry((*path).to_owned()).or_default().push(Part { dialect, module });
        }
    }

    /// Whether there is such a module.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// The member of a module.
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
        parts.iter().find_map(|part| part.module.fallback?(name)).map(Found::Value)
    }

    /// The members that scripts can use, for suggestions.
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

/// A declaration on its way into the table.
pub(crate) type Declared = (&'static str, &'static PythonModule, RegistrationSite);
