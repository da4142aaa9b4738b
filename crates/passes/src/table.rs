//! Passes and options by name, as a slot of the registry.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Dialect, Registry, Resolver, registry::Slot};

use crate::{Pass, PassInfo};

/// Type of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`, also `1` or `0`.
    Bool,
    /// An integer.
    Int,
    /// Any text.
    Text,
}

/// Value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
}

impl OptionValue {
    /// Returns the type.
    pub fn kind(&self) -> OptionKind {
        match self {
            OptionValue::Bool(_) => OptionKind::Bool,
            OptionValue::Int(_) => OptionKind::Int,
            OptionValue::Text(_) => OptionKind::Text,
        }
    }

    /// Parses a value of a type.
    pub(crate) fn parse(kind: OptionKind, text: &str) -> Option<OptionValue> {
        match (kind, text) {
            (OptionKind::Bool, "true" | "True" | "1") => Some(OptionValue::Bool(true)),
            (OptionKind::Bool, "false" | "False" | "0") => Some(OptionValue::Bool(false)),
            (OptionKind::Bool, _) => None,
            (OptionKind::Int, _) => text.parse().ok().map(OptionValue::Int),
            (OptionKind::Text, _) => Some(OptionValue::Text(text.to_owned())),
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OptionKind::Bool => "true or false",
            OptionKind::Int => "an integer",
            OptionKind::Text => "a text",
        })
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Bool(value) => value.fmt(f),
            OptionValue::Int(value) => value.fmt(f),
            OptionValue::Text(value) => write!(f, "{value:?}"),
        }
    }
}

/// The declaration of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionDecl {
    /// The key, such as `tir.UnrollLoop.auto_max_step`.
    pub key: &'static str,
    /// The default, whose type is that of the option.
    pub default: OptionValue,
    /// Description for users, lower case, without a full stop.
    pub doc: &'static str,
}

/// The passes and options of a registry.
#[derive(Default, Clone)]
pub struct PassTable {
    passes: Vec<(Arc<dyn Pass>, RegistrationSite)>,
    options: Vec<(OptionDecl, RegistrationSite)>,
}

impl PassTable {
    /// Returns the table of a registry.
    pub fn of(registry: &Registry) -> Option<&PassTable> {
        registry.slot()
    }

    /// Returns the pass with a name.
    pub fn pass(&self, name: &str) -> Option<&Arc<dyn Pass>> {
        self.passes().find(|pass| pass.info().name == name)
    }

    /// Returns the passes in the order of registration.
    pub fn passes(&self) -> impl Iterator<Item = &Arc<dyn Pass>> {
        self.passes.iter().map(|(pass, _)| pass)
    }

    /// Returns the option with a key.
    pub fn option(&self, key: &str) -> Option<&OptionDecl> {
        self.options().find(|option| option.key == key)
    }

    /// Returns the options in the order of registration.
    pub fn options(&self) -> impl Iterator<Item = &OptionDecl> {
        self.options.iter().map(|(option, _)| option)
    }
}

impl Slot for PassTable {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for (pass, place) in other.passes {
            if resolver.claim(format!("the pass `{}`", pass.info().name), place) {
                self.passes.push((pass, place));
            }
        }
        for (option, place) in other.options {
            if resolver.claim(format!("the pass option `{}`", option.key), place) {
                self.options.push((option, place));
            }
        }
    }

    fn finish(&mut self, resolver: &mut Resolver) {
        for (pass, place) in &self.passes {
            let PassInfo { name, required, .. } = pass.info();
            for required in required.iter().filter(|required| self.pass(required).is_none()) {
                resolver.missing(format!("the pass `{required}`, which `{name}` requires"), place);
            }
        }
    }
}

impl fmt::Debug for PassTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.passes().map(|pass| pass.info().name)).finish()
    }
}

/// Adds passes and options to a dialect.
pub trait PassesOfDialect: Sized {
    /// Registers a pass.
    #[must_use]
    #[track_caller]
    fn pass(self, pass: impl Pass + 'static) -> Self;

    /// Registers an option of passes.
    #[must_use]
    #[track_caller]
    fn pass_option(self, option: OptionDecl) -> Self;
}

impl<T> PassesOfDialect for Dialect<T> {
    #[track_caller]
    fn pass(mut self, pass: impl Pass + 'static) -> Self {
        let place = Location::caller();
        self.slot_mut::<PassTable>().passes.push((Arc::new(pass), place));
        self
    }

    #[track_caller]
    fn pass_option(mut self, option: OptionDecl) -> Self {
        let place = Location::caller();
        self.slot_mut::<PassTable>().options.push((option, place));
        self
    }
}
