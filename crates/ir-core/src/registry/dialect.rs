//! Dialects: lists of nodes with data of each layer.

use std::marker::PhantomData;
use std::panic::Location;

use super::{RegistrationSite, Slot, Slots};
use crate::node::Class;
use crate::release::Release;
use crate::type_table::TypeInfo;

/// A registered type.
#[derive(Clone, Copy)]
pub(super) struct NodeEntry {
    pub(super) info: &'static TypeInfo,
    pub(super) place: RegistrationSite,
}

#[derive(Clone)]
pub(super) struct Tables {
    pub(super) name: &'static str,
    pub(super) place: RegistrationSite,
    pub(super) nodes: Vec<NodeEntry>,
    pub(super) slots: Slots,
    /// The release that the dialect is written for.
    pub(super) release: Option<(&'static Release, RegistrationSite)>,
    /// `true` if the tables add to those of the dialect with the same name.
    pub(super) extends: bool,
}

/// A set of nodes with their printers, parsers and builders. `T` is the last added node, to which methods such as
/// `.docsify` apply.
#[must_use]
pub struct Dialect<T = ()> {
    tables: Tables,
    last: PhantomData<fn() -> T>,
}

impl Dialect {
    /// Creates a dialect without nodes.
    #[track_caller]
    pub fn new(name: &'static str) -> Dialect {
        let tables = Tables {
            name,
            place: Location::caller(),
            nodes: Vec::new(),
            slots: Slots::default(),
            release: None,
            extends: false,
        };
        Dialect { tables, last: PhantomData }
    }
}

impl<T> Dialect<T> {
    /// Adds a node or class.
    #[track_caller]
    pub fn node<N: Class>(self) -> Dialect<N> {
        self.node_info(N::type_info()).retag()
    }

    /// Selects a node of another dialect for the methods that follow: printers for shared nodes, overrides.
    pub fn on<N: Class>(self) -> Dialect<N> {
        self.retag()
    }

    /// Adds a type without a Rust struct of its own: registered at run time, or a subtype that shares a struct.
    #[track_caller]
    pub fn node_info(mut self, info: &'static TypeInfo) -> Dialect<T> {
        self.tables.nodes.push(NodeEntry { info, place: Location::caller() });
        self
    }

    /// Deselects the last added node.
    pub fn finish(self) -> Dialect {
        self.retag()
    }

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.tables.name
    }

    /// Returns the slot of a layer, created on first use; for extension traits of layers.
    pub fn slot_mut<S: Slot>(&mut self) -> &mut S {
        self.tables.slots.get_or_default()
    }

    pub(crate) fn set_release(&mut self, release: &'static Release, place: RegistrationSite) {
        self.tables.release = Some((release, place));
    }

    pub(super) fn into_tables(self) -> Tables {
        self.tables
    }

    fn retag<U>(self) -> Dialect<U> {
        Dialect { tables: self.tables, last: PhantomData }
    }
}

impl<T> std::fmt::Debug for Dialect<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Dialect").field(&self.tables.name).finish()
    }
}
