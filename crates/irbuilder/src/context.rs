//! Values that dialects share while building, without naming each other.
//!
//! A dialect registers a value of a type known to both sides ([`ContextDialect::context`]). A builder opened for a
//! registry carries all of them ([`Builder::for_registry`]), and code inside requests one by type
//! ([`Builder::context`]). A function of scalars gets the type that another dialect gives it this way, although its own does not know that dialect.
//!
//! [`Builder::for_registry`]: crate::Builder::for_registry
//! [`Builder::context`]: crate::Builder::context

use std::any::{Any, TypeId, type_name};
use std::panic::Location;
use std::sync::Arc;

use hashbrown::HashMap;
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Dialect, Resolver, Slot};

#[derive(Clone)]
struct Entry {
    value: Arc<dyn Any + Send + Sync>,
    name: &'static str,
    place: RegistrationSite,
}

/// Values by type, at most one of each.
#[derive(Clone, Default)]
pub struct Contexts {
    entries: HashMap<TypeId, Entry>,
}

impl Contexts {
    /// The value of this type.
    pub fn get<C: Any + Send + Sync>(&self) -> Option<Arc<C>> {
        self.entries.get(&TypeId::of::<C>()).and_then(|entry| entry.value.clone().downcast().ok())
    }

    /// Sets the value of its type.
    #[track_caller]
    pub fn set<C: Any + Send + Sync>(&mut self, value: C) {
        let entry = Entry { value: Arc::new(value), name: type_name::<C>(), place: Location::caller() };
        self.entries.insert(TypeId::of::<C>(), entry);
    }
}

impl std::fmt::Debug for Contexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.entries.values().map(|entry| entry.name)).finish()
    }
}

impl Slot for Contexts {
    fn merge(&mut self, other: Contexts, resolver: &mut Resolver) {
        for (id, entry) in other.entries {
            if resolver.claim(format!("the context `{}`", entry.name), entry.place) {
                self.entries.insert(id, entry);
            }
        }
    }
}

/// Registration of contexts.
pub trait ContextDialect {
    /// Provides builders with a value of this type. Fails at registry build if another dialect provides the same type.
    #[must_use]
    #[track_caller]
    fn context<C: Any + Send + Sync>(self, value: C) -> Self;
}

impl<T> ContextDialect for Dialect<T> {
    #[track_caller]
    fn context<C: Any + Send + Sync>(mut self, value: C) -> Self {
        self.slot_mut::<Contexts>().set(value);
        self
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::RegistryBuilder;

    use super::*;
    use crate::Builder;

    #[derive(Debug, PartialEq)]
    struct Motto(&'static str);

    #[test]
    fn a_builder_for_a_registry_carries_its_contexts_and_inner_builders_see_them() {
        let dialect = Dialect::new("a").context(Motto("steady"));
        let registry = RegistryBuilder::new().with(dialect).build().expect("one dialect");
        assert!(Builder::context::<Motto>().is_none());
        let outer = Builder::for_registry(&registry);
        assert_eq!(Builder::context::<Motto>().as_deref(), Some(&Motto("steady")));
        let inner = Builder::new();
        assert_eq!(Builder::context::<Motto>().as_deref(), Some(&Motto("steady")));
        inner.set_context(Motto("quick"));
        assert_eq!(Builder::context::<Motto>().as_deref(), Some(&Motto("quick")));
        drop(inner);
        assert_eq!(Builder::context::<Motto>().as_deref(), Some(&Motto("steady")));
        drop(outer);
        assert!(Builder::context::<Motto>().is_none());
    }

    #[test]
    fn two_contexts_of_one_type_clash() {
        let dialects = [Dialect::new("a").context(Motto("x")), Dialect::new("b").context(Motto("y"))];
        let builder = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with);
        let errors = builder.build().expect_err("a second of the same type").to_string();
        assert!(errors.contains("Motto"), "{errors}");
    }
}
