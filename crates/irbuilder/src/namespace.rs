//! Namespaces of dialects in scripts: `Toy.trace`, `Plan.step`.

use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Dialect, Resolver, Slot};

use tvmscript_script_value::{HostObject, ScriptFn, ScriptValue};

use crate::renamed::RenamedNames;

/// Computes the value of a name that no table lists (`Toy.number_4`).
pub type NameFallback = fn(&str) -> Option<ScriptValue>;

/// Names that a [`NameFallback`] finds, for suggestions.
pub type FallbackNames = fn() -> Vec<&'static str>;

/// The namespace of one dialect.
#[derive(Default, Clone)]
pub struct Names {
    functions: HashMap<&'static str, &'static ScriptFn>,
    aliases: HashMap<&'static str, &'static str>,
    fallbacks: Vec<NameFallback>,
    names_elsewhere: Vec<FallbackNames>,
    unexported: Vec<&'static str>,
    renamed: Option<RenamedNames>,
    /// Paths of the groups: `mem` and `mem.fast` of `mem.fast.copy`.
    groups: HashSet<&'static str>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Names {
    /// The value of a name; dots lead into groups.
    pub fn get(self: &Arc<Self>, name: &str) -> Option<ScriptValue> {
        self.get_under("", name)
    }

    /// As [`Names::get`], for a namespace whose name in the script is the start of messages, such as `Toy`.
    pub fn get_under(self: &Arc<Self>, namespace: &str, name: &str) -> Option<ScriptValue> {
        let value = match &self.renamed {
            Some(renamed) => renamed.get(name, |own| self.find(own)),
            None => self.find(name),
        };
        value.or_else(|| {
            let path = *self.groups.get(name)?;
            let dot = if namespace.is_empty() { "" } else { "." };
            let shown = format!("the namespace `{namespace}{dot}{path}`");
            Some(ScriptValue::host(Group {
                names: Arc::clone(self),
                namespace: namespace.to_owned(),
                path,
                shown,
            }))
        })
    }

    /// The value of a name in the first release.
    fn find(&self, name: &str) -> Option<ScriptValue> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        match self.functions.get(name) {
            Some(function) => Some(ScriptValue::Function(function)),
            // A later extension of a dialect knows better.
            None => self.fallbacks.iter().rev().find_map(|f| f(name)),
        }
    }

    /// The functions, in no particular order.
    pub fn functions(&self) -> impl Iterator<Item = &'static ScriptFn> {
        self.functions.values().copied()
    }

    /// Tests whether `import *` binds the name.
    pub fn exports(&self, name: &str) -> bool {
        !self.unexported.contains(&name)
    }

    /// All names, for suggestions. Functions in groups have dots.
    pub fn all(&self) -> Vec<&'static str> {
        let elsewhere = self.names_elsewhere.iter().flat_map(|f| f()).filter(|name| self.keeps(name));
        let mut names: Vec<&'static str> = self.declared().chain(elsewhere).collect();
        names.extend(self.groups.iter().filter(|path| !path.contains('.')));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Names of functions and aliases in the release.
    fn declared(&self) -> impl Iterator<Item = &'static str> {
        let own = self.functions.keys().chain(self.aliases.keys()).copied().filter(|name| self.keeps(name));
        own.chain(self.renamed.iter().flat_map(RenamedNames::new_names))
    }

    /// Returns `true` unless the release has the name for nothing, or for something else.
    fn keeps(&self, name: &str) -> bool {
        !self.renamed.as_ref().is_some_and(|renamed| renamed.hides(name))
    }
}

/// Functions whose names begin with the same words, as `mem.copy` and `mem.set`.
struct Group {
    names: Arc<Names>,
    /// Name of the dialect's namespace in the script.
    namespace: String,
    path: &'static str,
    shown: String,
}

impl HostObject for Group {
    fn type_name(&self) -> &str {
        &self.shown
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        self.names.get_under(&self.namespace, &format!("{}.{name}", self.path))
    }
    fn attribute_names(&self) -> Vec<String> {
        let rest = |name: &'static str| name.strip_prefix(self.path)?.strip_prefix('.');
        let inside = self.names.declared().filter_map(rest);
        let mut names: Vec<String> =
            inside.map(|rest| rest.split('.').next().unwrap_or(rest).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A script function or an alias as registered by a dialect.
#[derive(Clone)]
struct Declared<T> {
    dialect: &'static str,
    name: &'static str,
    value: T,
    place: RegistrationSite,
}

/// The namespaces of all dialects of a registry.
#[derive(Default, Clone)]
pub struct Namespaces {
    dialects: HashMap<&'static str, Arc<Names>>,
    functions: Vec<Declared<&'static ScriptFn>>,
    aliases: Vec<Declared<&'static str>>,
    fallbacks: Vec<(&'static str, NameFallback, FallbackNames)>,
    unexported: Vec<(&'static str, &'static [&'static str])>,
}

impl std::fmt::Debug for Namespaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(&self.dialects).finish()
    }
}

impl Namespaces {
    /// The namespace of a dialect.
    pub fn dialect(&self, name: &str) -> Option<&Arc<Names>> {
        self.dialects.get(name)
    }

    fn names(&mut self, dialect: &'static str) -> &mut Names {
        Arc::make_mut(self.dialects.entry(dialect).or_default())
    }
}

fn claim_function(
    resolver: &mut Resolver,
    dialect: &'static str,
    name: &'static str,
    place: RegistrationSite,
) -> bool {
    resolver.claim_key(("function", dialect, name), || format!("the function `{dialect}.{name}`"), place)
}

impl Slot for Namespaces {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for Declared { dialect, name, value, place } in other.functions {
            if claim_function(resolver, dialect, name, place) {
                self.names(dialect).functions.insert(name, value);
            }
        }
        for alias in other.aliases {
            if claim_function(resolver, alias.dialect, alias.name, alias.place) {
                self.names(alias.dialect).aliases.insert(alias.name, alias.value);
                self.aliases.push(alias);
            }
        }
        for (dialect, find, all) in other.fallbacks {
            let names = self.names(dialect);
            names.fallbacks.push(find);
            names.names_elsewhere.push(all);
        }
        for (dialect, unexported) in other.unexported {
            self.names(dialect).unexported.extend_from_slice(unexported);
        }
    }

    fn finish(&mut self, resolver: &mut Resolver) {
        for Declared { dialect, name, value, place } in std::mem::take(&mut self.aliases) {
            if self.names(dialect).find(value).is_none() {
                resolver.missing(format!("`{value}`, of which `{dialect}.{name}` is another name"), place);
            }
        }
        let renames = &resolver.release().renames;
        for (dialect, names) in &mut self.dialects {
            let names = Arc::make_mut(names);
            names.renamed = RenamedNames::new(dialect, renames);
            if let Some(renamed) = &names.renamed {
                for new in renamed.new_names() {
                    if names.functions.contains_key(new) && !renamed.hides(new) {
                        resolver.clash(("function", dialect, new), format!("the function `{dialect}.{new}`"));
                    }
                }
            }
            let paths = |name: &'static str| name.match_indices('.').map(move |(at, _)| &name[..at]);
            names.groups = names.declared().flat_map(paths).collect();
        }
    }
}

/// Registration of script functions.
pub trait BuildDialect: Sized {
    /// Adds script functions.
    fn functions(self, functions: &[&'static ScriptFn]) -> Self;

    /// Adds script functions under names other than their own.
    fn functions_as(self, functions: &[(&'static str, &'static ScriptFn)]) -> Self;

    /// Adds aliases of functions: (alias, name).
    fn function_aliases(self, aliases: &[(&'static str, &'static str)]) -> Self;

    /// Declares names that `import *` leaves unbound, since Python has functions of these names.
    fn unexported(self, names: &'static [&'static str]) -> Self;

    /// Adds names that no table lists: `find` computes their values, `names` lists them for suggestions.
    fn name_fallback(self, find: NameFallback, names: FallbackNames) -> Self;
}

impl<T> BuildDialect for Dialect<T> {
    #[track_caller]
    fn functions(mut self, functions: &[&'static ScriptFn]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let declared = functions.iter().map(|function| Declared {
            dialect,
            name: function.name,
            value: *function,
            place,
        });
        self.slot_mut::<Namespaces>().functions.extend(declared);
        self
    }

    #[track_caller]
    fn functions_as(mut self, functions: &[(&'static str, &'static ScriptFn)]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let declared = functions.iter().map(|&(name, value)| Declared { dialect, name, value, place });
        self.slot_mut::<Namespaces>().functions.extend(declared);
        self
    }

    #[track_caller]
    fn function_aliases(mut self, aliases: &[(&'static str, &'static str)]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let declared = aliases.iter().map(|&(name, value)| Declared { dialect, name, value, place });
        self.slot_mut::<Namespaces>().aliases.extend(declared);
        self
    }

    fn unexported(mut self, names: &'static [&'static str]) -> Self {
        let dialect = self.name();
        self.slot_mut::<Namespaces>().unexported.push((dialect, names));
        self
    }

    fn name_fallback(mut self, find: NameFallback, all: FallbackNames) -> Self {
        let dialect = self.name();
        self.slot_mut::<Namespaces>().fallbacks.push((dialect, find, all));
        self
    }
}
