//! Dialects and the registry.
//!
//! A [`Dialect`] lists nodes and fills typed slots; each layer above (docsifier, irbuilder, script-parser) adds its
//! slot and its methods by an extension trait, so this module knows none of them. A [`RegistryBuilder`] collects
//! dialects, and [`RegistryBuilder::build`] resolves them into one immutable [`Registry`], or reports everything that
//! is registered twice or missing. An [`Overlay`] changes dialects for another [release]; the registry
//! holds all dialects once per release.
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
mod error;
mod names;
mod overlay;
mod resolver;
mod token;

use std::any::{Any, TypeId};
use std::panic::Location;

pub use check::{Check, CheckDialect, Checks, INVARIANT};
pub use dialect::Dialect;
pub use error::{RegistrationSite, RegistryError, RegistryErrors};
use hashbrown::HashMap;
pub use names::{DeclaredNames, NameDialect};
pub use overlay::Overlay;
pub use resolver::Resolver;
pub use token::Token;

use crate::release::{self, Release};
use crate::type_table::{TypeInfo, type_by_key};
use crate::vectors::find_or_push;
use dialect::{NodeEntry, Tables};
use token::Tokens;

/// A layer's data about dialects. A dialect's slot is merged once per release of the registry.
pub trait Slot: Any + Default + Clone + Send + Sync {
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
    fn cloned(&self) -> Box<dyn AnySlot>;
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
    fn cloned(&self) -> Box<dyn AnySlot> {
        Box::new(self.clone())
    }
}

/// Slots by type, in the order of first use. There are few.
#[derive(Default)]
struct Slots(Vec<(TypeId, Box<dyn AnySlot>)>);

impl Clone for Slots {
    fn clone(&self) -> Slots {
        Slots(self.0.iter().map(|(id, slot)| (*id, slot.as_ref().cloned())).collect())
    }
}

impl Slots {
    fn get<S: Slot>(&self) -> Option<&S> {
        let (_, slot) = self.0.iter().find(|(id, _)| *id == TypeId::of::<S>())?;
        let slot: &dyn Any = slot.as_ref();
        slot.downcast_ref()
    }

    fn get_or_insert(&mut self, id: TypeId, make: impl FnOnce() -> Box<dyn AnySlot>) -> &mut dyn AnySlot {
        find_or_push(&mut self.0, |(known, _)| *known == id, || (id, make())).1.as_mut()
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

/// Collects dialects and releases for a [`Registry`].
#[derive(Default)]
#[must_use]
pub struct RegistryBuilder {
    dialects: Vec<Tables>,
    overlays: Vec<Overlay>,
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

    /// Resolves the dialects, for each release.
    ///
    /// # Errors
    /// Fails with all duplicate registrations and unresolved names, with their registration sites.
    #[track_caller]
    pub fn build(self) -> Result<Registry, RegistryErrors> {
        let RegistryBuilder { dialects, overlays } = self;
        let mut named = dialects.iter().filter_map(|dialect| dialect.release);
        let (release, place) = named.next().unwrap_or((&release::PLAIN, Location::caller()));
        // The releases of other families have the same dialects.
        let named = named.map(|(release, place)| Overlay::at(release, place));
        let overlays: Vec<Overlay> = named.chain(overlays).collect();
        let mut resolver = Resolver::new(release, place);
        let mut ids = HashMap::<_, _>::from_iter([(release.id(), place)]);
        for Overlay { release, place, .. } in &overlays {
            if let Some(first) = ids.insert(release.id(), place) {
                resolver.duplicate(format!("the release `{}`", release.id()), first, place);
            }
        }
        let mut errors = resolver.into_errors();
        let mut others = Vec::with_capacity(overlays.len());
        for overlay in overlays {
            let mut resolver = Resolver::new(overlay.release, overlay.place);
            let laid = overlay.lay_over(&dialects, &mut resolver);
            others.push(Registry::resolve(laid, resolver));
        }
        let (mut registry, own) = Registry::resolve(dialects, Resolver::new(release, place));
        errors.extend(own);
        for (other, found) in others {
            // Conflicts of the dialects as they are recur in each release.
            let found = found.into_iter().filter(|error| !errors.contains(error));
            let found: Vec<_> = found.map(|error| error.in_release(other.release)).collect();
            errors.extend(found);
            registry.others.push(other);
        }
        if errors.is_empty() { Ok(registry) } else { Err(RegistryErrors(errors)) }
    }
}

impl Registry {
    /// Merges the tables of dialects.
    fn resolve(dialects: Vec<Tables>, mut resolver: Resolver) -> (Registry, Vec<RegistryError>) {
        let mut registry = Registry {
            dialects: Vec::new(),
            nodes: HashMap::new(),
            slots: Slots::default(),
            tokens: Tokens::default(),
            release: resolver.release(),
            others: Vec::new(),
        };
        let mut places = HashMap::new();
        for Tables { name, place, nodes, slots, release: _, extends } in dialects {
            match places.insert(name, place) {
                Some(first) if !extends => resolver.duplicate(format!("the dialect `{name}`"), first, place),
                Some(_) => {}
                None => {
                    resolver.token(name);
                    registry.dialects.push(name);
                }
            }
            for entry in nodes {
                let key = entry.info.key();
                if let Some(parent) = entry.info.missing_parent() {
                    match type_by_key(parent) {
                        Some(_) => resolver.late_parent(parent, key, entry.place),
                        None => {
                            resolver
                                .missing(format!("the parent `{parent}` of the node `{key}`"), entry.place);
                        }
                    }
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
        let (tokens, errors) = resolver.finish();
        registry.tokens = tokens;
        (registry, errors)
    }
}

impl std::fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.dialects.iter().map(|tables| tables.name)).finish()
    }
}

/// An immutable, resolved set of dialects, built by [`RegistryBuilder`].
pub struct Registry {
    dialects: Vec<&'static str>,
    nodes: HashMap<&'static str, NodeEntry>,
    slots: Slots,
    tokens: Tokens,
    release: &'static Release,
    /// The dialects as the further releases have them, which have no further releases themselves.
    others: Vec<Registry>,
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

    /// Returns the name of a dispatch token; that of the default one is empty.
    pub fn token_name(&self, token: Token) -> Option<&'static str> {
        self.tokens.name(token)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("release", &self.release)
            .field("dialects", &self.dialects)
            .field("nodes", &self.nodes.len())
            .finish()
    }
}
