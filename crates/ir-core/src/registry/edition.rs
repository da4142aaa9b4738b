//! Editions: the dialects of a family as another release has them.
//!
//! Releases of a family share most nodes, but not the text, and some have nodes of their own. The registry of one
//! release holds those of the others as editions, by their [text profile](crate::TextProfile). Parsing and printing
//! switch to the edition of the profile that the options select, so one registry serves all releases.

use std::panic::Location;
use std::sync::OnceLock;

use super::{RegistrationSite, Registry, RegistryBuilder};
use crate::profile::TextProfile;

/// The registry of one profile, built on first use.
pub(super) struct Edition {
    pub(super) profile: &'static TextProfile,
    pub(super) place: RegistrationSite,
    make: fn() -> Registry,
    built: OnceLock<Registry>,
}

impl RegistryBuilder {
    /// Adds the registry of a further profile. It is built when a text of the profile is first read or printed.
    #[track_caller]
    pub fn edition(mut self, profile: &'static TextProfile, make: fn() -> Registry) -> RegistryBuilder {
        self.editions.push(Edition { profile, place: Location::caller(), make, built: OnceLock::new() });
        self
    }
}

impl Registry {
    pub(crate) fn edition_profiles(&self) -> impl Iterator<Item = &'static TextProfile> {
        self.editions.iter().map(|edition| edition.profile)
    }

    /// The dialects as they are in a profile: the registry of its edition, or this one.
    pub fn of_profile(&self, profile: &TextProfile) -> &Registry {
        match self.editions.iter().find(|edition| std::ptr::eq(edition.profile, profile)) {
            Some(edition) => edition.built.get_or_init(edition.make),
            None => self,
        }
    }
}
