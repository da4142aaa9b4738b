//! Primitives that dialects add to those of TIR.

use std::panic::Location;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Dialect, Registry, Resolver, registry::Slot};

use super::{PRIMITIVES, Primitive};

/// The primitives of the dialects of a registry.
#[derive(Debug, Clone, Default)]
pub struct Primitives {
    own: Vec<(&'static Primitive, RegistrationSite)>,
}

impl Primitives {
    /// The primitives of a registry, without those of TIR.
    pub(crate) fn of(registry: &Registry) -> impl Iterator<Item = &'static Primitive> {
        let own = registry.slot::<Primitives>().into_iter().flat_map(|primitives| &primitives.own);
        own.map(|(primitive, _)| *primitive)
    }
}

impl Slot for Primitives {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for (primitive, place) in other.own {
            if resolver.claim(format!("the schedule primitive `{}`", primitive.name), place) {
                self.own.push((primitive, place));
            }
        }
    }
}

/// Adds primitives of schedules to a dialect.
pub trait ScheduleDialect: Sized {
    /// Registers a primitive.
    #[must_use]
    #[track_caller]
    fn schedule_primitive(self, primitive: &'static Primitive) -> Self;
}

impl<T> ScheduleDialect for Dialect<T> {
    #[track_caller]
    fn schedule_primitive(mut self, primitive: &'static Primitive) -> Self {
        let place = Location::caller();
        self.slot_mut::<Primitives>().own.push((primitive, place));
        self
    }
}

/// All primitives: those of TIR, and those of the dialects of a registry.
pub fn primitives(registry: &Registry) -> Vec<&'static Primitive> {
    PRIMITIVES.iter().copied().chain(Primitives::of(registry)).collect()
}
