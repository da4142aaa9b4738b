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
    functions: Arc<HashMap<&'static str, &'static ScriptFn>>,
    groups: HashSet<&'static str>,
    aliases: HashMap<&'static str, &'static str>,
    fallbacks: Vec<NameFallback>,
    names_elsewhere: Vec<FallbackNames>,
    unexported: Vec<&'static str>,
    renamed: Option<RenamedNames>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Names {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<ScriptValue> {
        match &self.renamed {
            Some(renamed) => renamed.get(name, |name| self.find(name)),
            None => self.find(name),
        }
    }

    /// The value of a name in the first release.
    fn find(&self, name: &str) -> Option<ScriptValue> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        match self.functions.get(name) {
            Some(function) => Some(ScriptValue::Function(function)),
            // A later extension of a dialect knows better.
            None => self.fallbacks.iter().rev().find_map(|f| f(name)).or_else(|| {
                let path = self.groups.get(name).copied()?.to_owned();
                Some(ScriptValue::host(Group { functions: Arc::clone(&self.functions), path }))
            }),
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

    /// All names, for suggestions.
    pub fn all(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> =
            self.functions.keys().chain(self.aliases.keys()).copied().collect();
        names.extend(self.names_elsewhere.iter().flat_map(|f| f()));
        if let Some(renamed) = &self.renamed {
            names = renamed.all(names);
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Functions whose names begin with the same words, as `mem.copy` and `mem.set`.
struct Group {
    functions: Arc<HashMap<&'static str, &'static ScriptFn>>,
    path: String,
}

impl Group {
    /// The rest of a function's name after the group's.
    fn rest(&self, name: &'static str) -> Option<&'static str> {
        name.strip_prefix(self.path.as_str())?.strip_prefix('.')
    }
}

impl HostObject for Group {
    fn type_name(&self) -> &str {
        "a namespace of functions"
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let path = format!("{}.{name}", self.path);
        if let Some(function) = self.functions.get(path.as_str()) {
            return Some(ScriptValue::Function(function));
        }
        let group = Group { functions: Arc::clone(&self.functions), path };
        let is_inhabited = self.functions.keys().any(|name| group.rest(name).is_some());
        is_inhabited.then(|| ScriptValue::host(group))
    }
    fn attribute_names(&self) -> Vec<String> {
        let inside = self.functions.keys().filter_map(|name| self.rest(name));
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
                let names = self.names(dialect);
                Arc::make_mut(&mut names.functions).insert(name, value);
                names.groups.extend(name.split_once('.').map(|(group, _)| group));
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
            let Some(renamed) = RenamedNames::new(dialect, renames) else { continue };
            let names = Arc::make_mut(names);
            for new in renamed.new_names() {
                if names.functions.contains_key(new) && !renamed.hides(new) {
                    resolver.clash(("function", dialect, new), format!("the function `{dialect}.{new}`"));
                }
            }
            names.renamed = Some(renamed);
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
