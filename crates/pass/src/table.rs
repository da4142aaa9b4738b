//! Passes and options by name, as a slot of the registry.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Class, Dialect, Registry, Resolver, registry::Slot};

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
    /// The key, such as `circuit.Simplify.max_steps`.
    pub key: &'static str,
    /// The default, whose type is that of the option.
    pub default: OptionValue,
    /// Description for users, lower case, without a full stop.
    pub doc: &'static str,
}

/// The passes of a registry over roots of class `R`.
pub struct PassTable<R> {
    passes: Vec<(Arc<dyn Pass<R>>, RegistrationSite)>,
}

impl<R> Default for PassTable<R> {
    fn default() -> Self {
        PassTable { passes: Vec::new() }
    }
}

impl<R> Clone for PassTable<R> {
    fn clone(&self) -> Self {
        PassTable { passes: self.passes.clone() }
    }
}

impl<R: Class> PassTable<R> {
    /// Returns the table of a registry.
    pub fn of(registry: &Registry) -> Option<&PassTable<R>> {
        registry.slot()
    }

    /// Returns the pass with a name.
    pub fn pass(&self, name: &str) -> Option<&Arc<dyn Pass<R>>> {
        self.passes().find(|pass| pass.info().name == name)
    }

    /// Returns the passes in the order of registration.
    pub fn passes(&self) -> impl Iterator<Item = &Arc<dyn Pass<R>>> {
        self.passes.iter().map(|(pass, _)| pass)
    }
}

impl<R: Class> Slot for PassTable<R> {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for (pass, place) in other.passes {
            if resolver.claim(format!("the pass `{}`", pass.info().name), place) {
                self.passes.push((pass, place));
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

impl<R: Class> fmt::Debug for PassTable<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.passes().map(|pass| pass.info().name)).finish()
    }
}

/// The options of the passes of a registry.
#[derive(Debug, Default, Clone)]
pub struct PassOptions {
    options: Vec<(OptionDecl, RegistrationSite)>,
    span_switch: Option<(&'static str, RegistrationSite)>,
}

impl PassOptions {
    /// Returns the options of a registry.
    pub fn of(registry: &Registry) -> Option<&PassOptions> {
        registry.slot()
    }

    /// Returns the option with a key.
    pub fn option(&self, key: &str) -> Option<&OptionDecl> {
        self.options().find(|option| option.key == key)
    }

    /// Returns the key of the option that switches the filling of spans.
    pub fn span_switch(&self) -> Option<&'static str> {
        self.span_switch.map(|(key, _)| key)
    }

    /// Returns the options in the order of registration.
    pub fn options(&self) -> impl Iterator<Item = &OptionDecl> {
        self.options.iter().map(|(option, _)| option)
    }
}

impl Slot for PassOptions {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for (option, place) in other.options {
            if resolver.claim(format!("the pass option `{}`", option.key), place) {
                self.options.push((option, place));
            }
        }
        if let Some((key, place)) = other.span_switch
            && resolver.claim("the option that switches the filling of spans".to_owned(), place)
        {
            self.span_switch = Some((key, place));
        }
    }
}

/// Adds passes and options to a dialect.
pub trait PassDialect: Sized {
    /// Registers a pass.
    #[must_use]
    #[track_caller]
    fn pass<R: Class>(self, pass: impl Pass<R> + 'static) -> Self;

    /// Registers an option of passes.
    #[must_use]
    #[track_caller]
    fn pass_option(self, option: OptionDecl) -> Self;

    /// Registers the bool option that switches [`SIBuilder`](tvmscript_si_builder::SIBuilder) on and off.
    #[must_use]
    #[track_caller]
    fn span_switch(self, option: OptionDecl) -> Self;
}

impl<T> PassDialect for Dialect<T> {
    #[track_caller]
    fn pass<R: Class>(mut self, pass: impl Pass<R> + 'static) -> Self {
        let place = Location::caller();
        self.slot_mut::<PassTable<R>>().passes.push((Arc::new(pass), place));
        self
    }

    #[track_caller]
    fn pass_option(mut self, option: OptionDecl) -> Self {
        let place = Location::caller();
        self.slot_mut::<PassOptions>().options.push((option, place));
        self
    }

    #[track_caller]
    fn span_switch(mut self, option: OptionDecl) -> Self {
        let place = Location::caller();
        self.slot_mut::<PassOptions>().span_switch = Some((option.key, place));
        self.pass_option(option)
    }
}
