//! Dialects and the registry: which nodes exist, and what each layer knows of them.
//!
//! A [`Dialect`] is a list of nodes plus typed slots; each layer above (docsifier, irbuilder, script-parser) adds a
//! slot and its word in the table by an extension trait, so that this module knows none of them. A [`Registry`] is a
//! value: nothing is gathered by the linker and nothing here is process-wide.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::panic::Location;

use crate::node::Class;
use crate::type_table::TypeInfo;

/// What a layer keeps about a dialect, and merges into the registry.
pub trait Slot: Any + Default + Send + Sync {
    /// Takes in what a dialect registered. A registry starts from the default value.
    ///
    /// # Errors
    /// [`RegistryError::Duplicate`] when both registered the same thing.
    fn merge(&mut self, other: Self) -> Result<(), RegistryError>;
}

trait AnySlot: Any + Send + Sync {
    fn merge_boxed(&mut self, other: Box<dyn AnySlot>) -> Result<(), RegistryError>;
    fn empty(&self) -> Box<dyn AnySlot>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<S: Slot> AnySlot for S {
    fn merge_boxed(&mut self, other: Box<dyn AnySlot>) -> Result<(), RegistryError> {
        match other.into_any().downcast::<S>() {
            Ok(other) => self.merge(*other),
            Err(_) => Ok(()),
        }
    }
    fn empty(&self) -> Box<dyn AnySlot> {
        Box::new(S::default())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Why dialects cannot stand in one registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The same thing was registered twice.
    #[error("{what} is registered twice: at {first} and at {second}")]
    Duplicate {
        /// What it is, such as "the node `tir.For`".
        what: String,
        /// The place of the first registration.
        first: String,
        /// The place of the second registration.
        second: String,
    },
    /// The dialect with the parent of a node was not loaded when the node's type was made.
    #[error(
        "the parent `{parent}` of the node `{key}`, registered at {place}, is not known: load its dialect first"
    )]
    MissingParent {
        /// The node's type key.
        key: &'static str,
        /// The parent's type key.
        parent: &'static str,
        /// The place of the node's registration.
        place: String,
    },
    /// A table is full.
    #[error("there are too many {what}: at most {limit}")]
    TooMany {
        /// What there are too many of, such as "dispatch tokens".
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
}

/// A place in the source of a registration.
pub type Place = &'static Location<'static>;

impl RegistryError {
    /// The error for one thing registered at two places.
    pub fn duplicate(what: impl Into<String>, first: Place, second: Place) -> RegistryError {
        RegistryError::Duplicate { what: what.into(), first: first.to_string(), second: second.to_string() }
    }
}

#[derive(Clone, Copy)]
struct NodeEntry {
    info: &'static TypeInfo,
    place: Place,
}

struct Tables {
    name: &'static str,
    nodes: Vec<NodeEntry>,
    slots: HashMap<TypeId, Box<dyn AnySlot>>,
}

/// A set of nodes and what is known of them. `T` is the node named last: words such as `.docsify` speak of it.
pub struct Dialect<T = ()> {
    tables: Tables,
    last: PhantomData<fn() -> T>,
}

impl Dialect {
    /// A dialect without nodes.
    pub fn new(name: &'static str) -> Dialect {
        Dialect { tables: Tables { name, nodes: Vec::new(), slots: HashMap::new() }, last: PhantomData }
    }
}

impl<T> Dialect<T> {
    /// Adds a node or class.
    #[track_caller]
    pub fn node<N: Class>(self) -> Dialect<N> {
        self.node_info(N::type_info()).retag()
    }

    /// Speaks of a node that another dialect adds: its words follow (printers for shared nodes, overrides).
    pub fn on<N: Class>(self) -> Dialect<N> {
        self.retag()
    }

    /// Adds a type that has no Rust struct of its own (made at run time, or a subtype that shares one).
    #[track_caller]
    pub fn node_info(mut self, info: &'static TypeInfo) -> Dialect<T> {
        self.tables.nodes.push(NodeEntry { info, place: Location::caller() });
        self
    }

    /// The finished table.
    pub fn finish(self) -> Dialect {
        self.retag()
    }

    /// The dialect's name.
    pub fn name(&self) -> &'static str {
        self.tables.name
    }

    /// The slot of a layer, made on first use. For the extension traits of layers.
    pub fn slot_mut<S: Slot>(&mut self) -> &mut S {
        let slot = self.tables.slots.entry(TypeId::of::<S>()).or_insert_with(|| Box::new(S::default()));
        slot_mut(slot.as_mut())
    }

    fn retag<U>(self) -> Dialect<U> {
        Dialect { tables: self.tables, last: PhantomData }
    }
}

fn slot_mut<S: Slot>(slot: &mut dyn AnySlot) -> &mut S {
    match slot.as_any_mut().downcast_mut::<S>() {
        Some(slot) => slot,
        None => unreachable!("slots are stored under their own type"),
    }
}

/// Dialects that work together.
#[derive(Default)]
pub struct Registry {
    dialects: Vec<&'static str>,
    nodes: HashMap<&'static str, NodeEntry>,
    slots: HashMap<TypeId, Box<dyn AnySlot>>,
}

impl Registry {
    /// A registry without dialects.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds a dialect.
    ///
    /// # Errors
    /// When a type key, or anything in a slot, is registered already; the error names both places. When the parent of a
    /// node is not known.
    pub fn with<T>(mut self, dialect: Dialect<T>) -> Result<Registry, RegistryError> {
        let Tables { name, nodes, slots } = dialect.tables;
        for entry in nodes {
            if let Some(parent) = entry.info.missing_parent() {
                let place = entry.place.to_string();
                return Err(RegistryError::MissingParent { key: entry.info.key(), parent, place });
            }
            if let Some(first) = self.nodes.insert(entry.info.key(), entry) {
                let what = format!("the node `{}`", entry.info.key());
                return Err(RegistryError::duplicate(what, first.place, entry.place));
            }
        }
        for (id, slot) in slots {
            let empty = slot.as_ref().empty();
            self.slots.entry(id).or_insert(empty).as_mut().merge_boxed(slot)?;
        }
        self.dialects.push(name);
        Ok(self)
    }

    /// The type with this key, if a dialect here has it.
    pub fn node(&self, key: &str) -> Option<&'static TypeInfo> {
        self.nodes.get(key).map(|e| e.info)
    }

    /// All types, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = &'static TypeInfo> {
        self.nodes.values().map(|e| e.info)
    }

    /// The dialects' names in the order they came.
    pub fn dialects(&self) -> &[&'static str] {
        &self.dialects
    }

    /// What a layer keeps, if any dialect filled it.
    pub fn slot<S: Slot>(&self) -> Option<&S> {
        self.slots.get(&TypeId::of::<S>()).and_then(|s| s.as_ref().as_any().downcast_ref::<S>())
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
