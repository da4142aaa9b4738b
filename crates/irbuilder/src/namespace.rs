//! Namespaces of dialects in scripts: `Toy.trace`, `Plan.step`.

use std::panic::Location;
use std::sync::Arc;

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Dialect, Resolver, Slot};
use tvmscript_script_value::{
    BuildError, BuildResult, CallArgs, Declaration, HostObject, ScriptFn, ScriptValue,
};

use crate::renamed::RenamedNames;

/// Computes the value of a name that no table lists (`Toy.number_4`).
pub type NameFallback = fn(&str) -> Option<ScriptValue>;

/// Names that a [`NameFallback`] finds, for suggestions.
pub type FallbackNames = fn() -> Vec<&'static str>;

/// A function or an alias as registered by a dialect.
#[derive(Clone, Copy)]
struct Declared<T> {
    value: T,
    place: RegistrationSite,
}

/// The functions and aliases of one dialect.
#[derive(Default, Clone)]
struct Table {
    functions: HashMap<&'static str, Declared<&'static ScriptFn>>,
    aliases: HashMap<&'static str, Declared<&'static str>>,
}

impl Table {
    /// The place at which a name was registered.
    fn place(&self, name: &str) -> Option<RegistrationSite> {
        let function = self.functions.get(name).map(|declared| declared.place);
        function.or_else(|| self.aliases.get(name).map(|declared| declared.place))
    }
}

/// The namespace of one dialect.
#[derive(Default, Clone)]
pub struct Names {
    /// Shared by the releases that do not change it.
    table: Arc<Table>,
    fallbacks: Vec<NameFallback>,
    names_elsewhere: Vec<FallbackNames>,
    unexported: Vec<&'static str>,
    /// Names that the dialect registers twice: the name, the first place and the second.
    duplicates: Vec<(&'static str, RegistrationSite, RegistrationSite)>,
    renamed: Option<RenamedNames>,
    /// Paths of the groups: `mem` and `mem.fast` of `mem.fast.copy`.
    groups: HashSet<&'static str>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("functions", &self.table.functions.len()).finish_non_exhaustive()
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
        let Some(path) = self.groups.get(name) else { return value };
        let function = match value {
            None => None,
            Some(ScriptValue::Function(function)) => Some(function),
            // The attributes of other values are their own.
            value => return value,
        };
        let dot = if namespace.is_empty() { "" } else { "." };
        let shown = format!("the namespace `{namespace}{dot}{path}`");
        let (names, namespace) = (Arc::clone(self), namespace.to_owned());
        Some(ScriptValue::host(Group { names, namespace, path, shown, function }))
    }

    /// The value of a name in the first release.
    fn find(&self, name: &str) -> Option<ScriptValue> {
        let Table { functions, aliases } = &*self.table;
        let name = aliases.get(name).map_or(name, |alias| alias.value);
        match functions.get(name) {
            Some(function) => Some(ScriptValue::Function(function.value)),
            // A later extension of a dialect knows better.
            None => self.fallbacks.iter().rev().find_map(|f| f(name)),
        }
    }

    /// The functions, in no particular order.
    pub fn functions(&self) -> impl Iterator<Item = &'static ScriptFn> {
        self.table.functions.values().map(|function| function.value)
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
        let own = self
            .table
            .functions
            .keys()
            .chain(self.table.aliases.keys())
            .copied()
            .filter(|name| self.keeps(name));
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
    /// The function of this name, as `mem.copy` beside `mem.copy.fast`.
    function: Option<&'static ScriptFn>,
}

impl HostObject for Group {
    fn type_name(&self) -> &str {
        &self.shown
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn is_callable(&self) -> bool {
        self.function.is_some()
    }
    fn declaration(&self) -> Option<Declaration> {
        self.function.map(ScriptFn::declaration)
    }
    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        match self.function {
            Some(function) => function.call(args),
            None => Err(BuildError::not_callable(&self.shown)),
        }
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        self.names.get_under(&self.namespace, &format!("{}.{name}", self.path))
    }
    /// A member by the text that it stands for: `P.group["fence.global::cta"]` is `P.group.fence.global__cta`. In names,
    /// a colon is an underscore, and a word of Python ends with one.
    fn subscript(&self, index: &ScriptValue) -> Option<BuildResult<ScriptValue>> {
        let ScriptValue::Str(text) = index else { return None };
        let mut words = text.split('.').map(|word| word.replace("::", "__"));
        let first = words.next().and_then(|word| member_of(self, &word));
        let found = first.and_then(|first| {
            words.try_fold(first, |value, word| match value {
                ScriptValue::Host(host) => member_of(&*host, &word),
                _ => None,
            })
        });
        Some(found.ok_or_else(|| {
            let message = format!("`{text}` names no member of {}", self.shown);
            BuildError::message(message).with_help(format!("write it as attributes: `{}.name`", self.path))
        }))
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

/// A member by its word in a text: the attribute of this name, or with an underscore after it.
fn member_of(host: &dyn HostObject, word: &str) -> Option<ScriptValue> {
    host.attribute(word).or_else(|| host.attribute(&format!("{word}_")))
}

/// The namespaces of all dialects of a registry.
#[derive(Default, Clone)]
pub struct Namespaces {
    dialects: HashMap<&'static str, Arc<Names>>,
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

impl Names {
    fn add_functions(
        &mut self,
        functions: impl Iterator<Item = (&'static str, Declared<&'static ScriptFn>)>,
    ) {
        let table = Arc::make_mut(&mut self.table);
        table.functions.reserve(functions.size_hint().0);
        for (name, declared) in functions {
            match table.place(name) {
                Some(first) => self.duplicates.push((name, first, declared.place)),
                None => drop(table.functions.insert(name, declared)),
            }
        }
    }

    fn add_aliases(&mut self, aliases: impl Iterator<Item = (&'static str, Declared<&'static str>)>) {
        let table = Arc::make_mut(&mut self.table);
        for (name, declared) in aliases {
            match table.place(name) {
                Some(first) => self.duplicates.push((name, first, declared.place)),
                None => drop(table.aliases.insert(name, declared)),
            }
        }
    }

    /// Adds the names that another dialect, or the extension of a release, has in this namespace.
    fn extend(&mut self, other: &Names) {
        let Names { table, fallbacks, names_elsewhere, unexported, duplicates, renamed: _, groups: _ } =
            other;
        self.add_functions(table.functions.iter().map(|(name, declared)| (*name, *declared)));
        self.add_aliases(table.aliases.iter().map(|(name, declared)| (*name, *declared)));
        self.fallbacks.extend(fallbacks);
        self.names_elsewhere.extend(names_elsewhere);
        self.unexported.extend(unexported);
        self.duplicates.extend(duplicates);
    }

    /// Sets the names of a release, and reports conflicts.
    fn finish(&mut self, dialect: &'static str, resolver: &mut Resolver) {
        self.duplicates.sort_by_key(|(name, ..)| *name);
        for (name, first, second) in self.duplicates.drain(..) {
            resolver.duplicate(format!("the function `{dialect}.{name}`"), first, second);
        }
        let mut aliases: Vec<_> = self.table.aliases.iter().collect();
        aliases.sort_by_key(|(name, _)| **name);
        for (name, alias) in aliases {
            if self.find(alias.value).is_none() {
                let what = format!("`{}`, of which `{dialect}.{name}` is another name", alias.value);
                resolver.missing(what, alias.place);
            }
        }
        self.renamed = RenamedNames::new(dialect, &resolver.release().renames);
        let new = self.renamed.iter().flat_map(RenamedNames::new_names).filter(|new| self.keeps(new));
        for (new, first) in new.filter_map(|new| Some((new, self.table.place(new)?))) {
            resolver.duplicate(format!("the function `{dialect}.{new}`"), first, resolver.release_place());
        }
        let paths = |name: &'static str| name.match_indices('.').map(move |(at, _)| &name[..at]);
        self.groups = self.declared().flat_map(paths).collect();
    }
}

impl Slot for Namespaces {
    fn merge(&mut self, other: Self, _: &mut Resolver) {
        for (dialect, theirs) in other.dialects {
            match self.dialects.entry(dialect) {
                Entry::Vacant(entry) => drop(entry.insert(theirs)),
                Entry::Occupied(mut entry) => Arc::make_mut(entry.get_mut()).extend(&theirs),
            }
        }
    }

    fn finish(&mut self, resolver: &mut Resolver) {
        for (dialect, names) in &mut self.dialects {
            Arc::make_mut(names).finish(dialect, resolver);
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
        let declared = functions.iter().map(|&value| (value.name, Declared { value, place }));
        self.slot_mut::<Namespaces>().names(dialect).add_functions(declared);
        self
    }

    #[track_caller]
    fn functions_as(mut self, functions: &[(&'static str, &'static ScriptFn)]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let declared = functions.iter().map(|&(name, value)| (name, Declared { value, place }));
        self.slot_mut::<Namespaces>().names(dialect).add_functions(declared);
        self
    }

    #[track_caller]
    fn function_aliases(mut self, aliases: &[(&'static str, &'static str)]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let declared = aliases.iter().map(|&(name, value)| (name, Declared { value, place }));
        self.slot_mut::<Namespaces>().names(dialect).add_aliases(declared);
        self
    }

    fn unexported(mut self, names: &'static [&'static str]) -> Self {
        let dialect = self.name();
        self.slot_mut::<Namespaces>().names(dialect).unexported.extend(names);
        self
    }

    fn name_fallback(mut self, find: NameFallback, all: FallbackNames) -> Self {
        let dialect = self.name();
        let names = self.slot_mut::<Namespaces>().names(dialect);
        names.fallbacks.push(find);
        names.names_elsewhere.push(all);
        self
    }
}
