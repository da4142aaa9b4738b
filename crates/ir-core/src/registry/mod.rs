//! Dialects and the registry.
//!
//! A [`Dialect`] lists nodes and fills typed slots; each layer above (docsifier, irbuilder, script-parser) adds its
//! slot and its methods by an extension trait, so this module knows none of them. A [`RegistryBuilder`] collects
//! dialects, and [`RegistryBuilder::build`] resolves them into one immutable [`Registry`], or reports everything that
//! is registered twice or missing.
//!
//! ```
//! use tvmscript_ir_core::{Dialect, RegistryBuilder};
//!
//! let registry = RegistryBuilder::new().with(Dialect::new("tensor")).with(Dialect::new("scalar")).build()?;
//! assert_eq!(registry.dialects(), ["tensor", "scalar"]);
//! # Ok::<(), tvmscript_ir_core::RegistryErrors>(())
//! ```
//!
//! A registry is a value: nothing is gathered by the linker, and nothing here is process-wide.

mod check;
mod dialect;
mod edition;
mod error;
mod names;
mod resolver;
mod token;

use std::any::{Any, TypeId};
use std::collections::HashMap;

pub use check::{Check, CheckDialect, Checks, INVARIANT};
pub use dialect::Dialect;
pub use error::{RegistrationSite, RegistryError, RegistryErrors};
pub use names::{DeclaredNames, NameDialect};
pub use resolver::Resolver;
pub use token::Token;

use crate::type_table::TypeInfo;
use dialect::{NodeEntry, Tables};
use edition::Edition;
use token::Tokens;

/// A layer's data about dialects.
pub trait Slot: Any + Default + Send + Sync {
    /// Merges the slot of a dialect, reporting duplicates. A registry starts from the default value.
    fn merge(&mut self, other: Self, resolver: &mut Resolver);

    /// Runs after all dialects are merged, to report unresolved names.
    fn finish(&mut self, resolver: &mut Resolver) {
        let _ = resolver;
    }
}

trait AnySlot: Any + Send + Sync {
    fn merge_boxed(&mut self, other: Box<dyn AnySlot>, resolver: &mut Resolver);
    fn finish_boxed(&mut self, resolver: &mut Resolver);
    fn empty(&self) -> Box<dyn AnySlot>;
}

impl<S: Slot> AnySlot for S {
    fn merge_boxed(&mut self, other: Box<dyn AnySlot>, resolver: &mut Resolver) {
        let other: Box<dyn Any> = other;
        if let Ok(other) = other.downcast::<S>() {
            self.merge(*other, resolver);
        }
    }
    fn finish_boxed(&mut self, resolver: &mut Resolver) {
        self.finish(resolver);
    }
    fn empty(&self) -> Box<dyn AnySlot> {
        Box::new(S::default())
    }
}

/// Slots by type, in the order of first use. There are few.
#[derive(Default)]
struct Slots(Vec<(TypeId, Box<dyn AnySlot>)>);

impl Slots {
    fn get<S: Slot>(&self) -> Option<&S> {
        let (_, slot) = self.0.iter().find(|(id, _)| *id == TypeId::of::<S>())?;
        let slot: &dyn Any = slot.as_ref();
        slot.downcast_ref()
    }

    fn get_or_insert(&mut self, id: TypeId, make: impl FnOnce() -> Box<dyn AnySlot>) -> &mut dyn AnySlot {
        let index = self.0.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            self.0.push((id, make()));
            self.0.len() - 1
        });
        self.0[index].1.as_mut()
    }

    fn get_or_default<S: Slot>(&mut self) -> &mut S {
        let slot = self.get_or_insert(TypeId::of::<S>(), || Box::new(S::default()));
        let slot: &mut dyn Any = slot;
        match slot.downcast_mut::<S>() {
            Some(slot) => slot,
            None => unreachable!("slots are stored under their own type"),
        }
    }
}

/// Collects dialects for a [`Registry`].
#[derive(Default)]
#[must_use]
pub struct RegistryBuilder {
    dialects: Vec<Tables>,
    editions: Vec<Edition>,
}

impl RegistryBuilder {
    /// Creates a builder without dialects.
    pub fn new() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Adds a dialect. Dialects keep their order.
    pub fn with<T>(mut self, dialect: Dialect<T>) -> RegistryBuilder {
        self.dialects.push(dialect.into_tables());
        self
    }

    /// Resolves the dialects.
    ///
    /// # Errors
    /// Fails with all duplicate registrations and unresolved names, with their registration sites.
    pub fn build(self) -> Result<Registry, RegistryErrors> {
        let mut resolver = Resolver::default();
        let mut registry = Registry::default();
        let mut places = HashMap::new();
        for Tables { name, place, nodes, slots } in self.dialects {
            match places.insert(name, place) {
                Some(first) => resolver.duplicate(format!("the dialect `{name}`"), first, place),
                None => {
                    resolver.token(name);
                    registry.dialects.push(name);
                }
            }
            for entry in nodes {
                let key = entry.info.key();
                if let Some(parent) = entry.info.missing_parent() {
                    resolver.missing(format!("the parent `{parent}` of the node `{key}`"), entry.place);
                }
                if let Some(first) = registry.nodes.insert(key, entry) {
                    resolver.duplicate(format!("the node `{key}`"), first.place, entry.place);
                }
            }
            for (id, slot) in slots.0 {
                let empty = slot.as_ref().empty();
                registry.slots.get_or_insert(id, || empty).merge_boxed(slot, &mut resolver);
            }
        }
        registry.slots.0.iter_mut().for_each(|(_, slot)| slot.as_mut().finish_boxed(&mut resolver));
        for edition in self.editions {
            if resolver.claim(format!("the text profile `{}`", edition.profile.id()), edition.place) {
                registry.editions.push(edition);
            }
        }
        registry.tokens = resolver.finish()?;
        Ok(registry)
    }
}

impl std::fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.dialects.iter().map(|tables| tables.name)).finish()
    }
}

/// An immutable, resolved set of dialects, built by [`RegistryBuilder`].
#[derive(Default)]
pub struct Registry {
    dialects: Vec<&'static str>,
    nodes: HashMap<&'static str, NodeEntry>,
    slots: Slots,
    tokens: Tokens,
    editions: Vec<Edition>,
}

impl Registry {
    /// Returns the type with this key.
    pub fn node(&self, key: &str) -> Option<&'static TypeInfo> {
        self.nodes.get(key).map(|entry| entry.info)
    }

    /// Iterates over all types, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = &'static TypeInfo> {
        self.nodes.values().map(|entry| entry.info)
    }

    /// Returns the names of the dialects, in the order of addition.
    pub fn dialects(&self) -> &[&'static str] {
        &self.dialects
    }

    /// Returns the slot of a layer, if a dialect filled it.
    pub fn slot<S: Slot>(&self) -> Option<&S> {
        self.slots.get()
    }

    /// Returns the dispatch token with this name.
    pub fn token(&self, name: &str) -> Option<Token> {
        self.tokens.find(name)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("dialects", &self.dialects)
            .field("nodes", &self.nodes.len())
            .finish()
    }
}
