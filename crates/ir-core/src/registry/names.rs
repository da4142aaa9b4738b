//! Names of nodes that are stored by name (`#[node(by_name = ..)]`), such as operators.
//!
//! A dialect lists the names of its nodes, so that a reader can refuse a name that no dialect knows.

use std::panic::Location;
use std::sync::Arc;

use super::{Dialect, RegistrationSite, Registry, Resolver, Slot};
use crate::node::Class;
use crate::type_table::TypeInfo;
use hashbrown::HashMap;

/// The names that dialects declare, by type key, with their registration sites.
#[derive(Debug, Clone, Default)]
pub struct DeclaredNames(Arc<HashMap<&'static str, HashMap<&'static str, RegistrationSite>>>);

impl DeclaredNames {
    /// Returns `true` if a node of this type may have the name: a dialect declares it, or no dialect declares any name of
    /// the type.
    pub fn allow(&self, info: &TypeInfo, name: &str) -> bool {
        self.0.get(info.key()).is_none_or(|names| names.contains_key(name))
    }
}

impl Slot for DeclaredNames {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        let all = Arc::make_mut(&mut self.0);
        for (key, names) in other.0.iter() {
            let known = all.entry(key).or_default();
            known.reserve(names.len());
            for (name, place) in names {
                if let Some(first) = known.insert(name, place) {
                    resolver.duplicate(format!("the `{key}` `{name}`"), first, place);
                }
            }
        }
    }
}

/// Adds names of nodes to a dialect.
pub trait NameDialect {
    /// Declares names of nodes of class `N`. Readers refuse any name that no dialect of the registry declares, as soon as one
    /// dialect declares names of the class.
    #[must_use]
    #[track_caller]
    fn names<N: Class>(self, names: impl IntoIterator<Item = &'static str>) -> Self;
}

impl<T> NameDialect for Dialect<T> {
    #[track_caller]
    fn names<N: Class>(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        let place = Location::caller();
        let all = Arc::make_mut(&mut self.slot_mut::<DeclaredNames>().0);
        let known = all.entry(N::type_info().key()).or_default();
        known.extend(names.into_iter().map(|name| (name, place)));
        self
    }
}

impl Registry {
    /// Returns `true` if a node of this type may have the name: see [`DeclaredNames::allow`].
    pub fn allows_name(&self, info: &TypeInfo, name: &str) -> bool {
        self.slot::<DeclaredNames>().is_none_or(|names| names.allow(info, name))
    }
}
