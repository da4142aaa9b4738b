//! Names of a dialect in scripts: `T.grid`, `I.ir_module`.

use std::any::Any;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::Place;
use tvmscript_ir_core::{Dialect, RegistryError, Slot};

use crate::function::ScriptFn;
use crate::value::{HostObject, ScriptValue};

/// Gives the value of a name that no table lists (`T.float32x4`), or nothing.
pub type NameFallback = fn(&str) -> Option<ScriptValue>;

/// The names of one dialect.
#[derive(Default, Clone)]
pub struct Names {
    functions: HashMap<&'static str, (&'static ScriptFn, Place)>,
    aliases: HashMap<&'static str, &'static str>,
    fallbacks: Vec<NameFallback>,
    names_elsewhere: Vec<fn() -> Vec<&'static str>>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Names {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<ScriptValue> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        match self.functions.get(name) {
            Some((function, _)) => Some(ScriptValue::Function(function)),
            None => self.fallbacks.iter().find_map(|f| f(name)),
        }
    }

    /// The functions, in no particular order.
    pub fn functions(&self) -> impl Iterator<Item = &'static ScriptFn> {
        self.functions.values().map(|(f, _)| *f)
    }

    /// All names worth suggesting.
    pub fn all(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> =
            self.functions.keys().chain(self.aliases.keys()).copied().collect();
        names.extend(self.names_elsewhere.iter().flat_map(|f| f()));
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The names of all dialects of a registry, by dialect.
#[derive(Debug, Default)]
pub struct Namespaces {
    dialects: HashMap<&'static str, Arc<Names>>,
    clash: Option<RegistryError>,
}

impl Namespaces {
    /// The names of a dialect.
    pub fn dialect(&self, name: &str) -> Option<&Arc<Names>> {
        self.dialects.get(name)
    }

    fn own(&mut self, dialect: &'static str) -> &mut Names {
        Arc::make_mut(self.dialects.entry(dialect).or_default())
    }

    fn add(&mut self, dialect: &'static str, name: &'static str, function: &'static ScriptFn, place: Place) {
        if let Some((_, first)) = self.own(dialect).functions.insert(name, (function, place)) {
            let clash = RegistryError::duplicate(format!("the function `{dialect}.{name}`"), first, place);
            self.clash.get_or_insert(clash);
        }
    }
}

impl Slot for Namespaces {
    fn merge(&mut self, other: Self) -> Result<(), RegistryError> {
        if let Some(clash) = other.clash {
            return Err(clash);
        }
        for (dialect, names) in other.dialects {
            let names = Arc::unwrap_or_clone(names);
            for (name, (function, place)) in names.functions {
                self.add(dialect, name, function, place);
            }
            let own = self.own(dialect);
            own.aliases.extend(names.aliases);
            own.fallbacks.extend(names.fallbacks);
            own.names_elsewhere.extend(names.names_elsewhere);
        }
        match self.clash.take() {
            Some(clash) => Err(clash),
            None => Ok(()),
        }
    }
}

/// The words of this layer in a dialect's table.
pub trait BuildDialect: Sized {
    /// Adds script functions.
    fn functions(self, functions: &[&'static ScriptFn]) -> Self;

    /// Adds other names of functions: (other name, name).
    fn function_aliases(self, aliases: &[(&'static str, &'static str)]) -> Self;

    /// Adds names that no table lists: how to find one, and those worth suggesting.
    fn name_fallback(self, find: NameFallback, names: fn() -> Vec<&'static str>) -> Self;
}

impl<T> BuildDialect for Dialect<T> {
    #[track_caller]
    fn functions(mut self, functions: &[&'static ScriptFn]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let slot = self.slot_mut::<Namespaces>();
        for function in functions {
            slot.add(dialect, function.name, function, place);
        }
        self
    }

    fn function_aliases(mut self, aliases: &[(&'static str, &'static str)]) -> Self {
        let dialect = self.name();
        let names = self.slot_mut::<Namespaces>().own(dialect);
        names.aliases.extend(aliases.iter().copied());
        self
    }

    fn name_fallback(mut self, find: NameFallback, all: fn() -> Vec<&'static str>) -> Self {
        let dialect = self.name();
        let names = self.slot_mut::<Namespaces>().own(dialect);
        names.fallbacks.push(find);
        names.names_elsewhere.push(all);
        self
    }
}

/// A function that a dialect makes while it runs: a method of a node, a dtype.
pub struct HostFunction<F> {
    name: String,
    body: F,
}

impl<F> HostFunction<F>
where
    F: Fn(crate::CallArgs) -> crate::error::Result<ScriptValue> + 'static,
{
    /// A function with this name, for messages.
    pub fn value(name: impl Into<String>, body: F) -> ScriptValue {
        ScriptValue::host(HostFunction { name: name.into(), body })
    }
}

impl<F> HostObject for HostFunction<F>
where
    F: Fn(crate::CallArgs) -> crate::error::Result<ScriptValue> + 'static,
{
    fn type_name(&self) -> &str {
        &self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, args: crate::CallArgs) -> crate::error::Result<ScriptValue> {
        (self.body)(args)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
