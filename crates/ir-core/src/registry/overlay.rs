//! Overlays: what a release changes in the dialects of a registry.
//!
//! Releases of a family share most nodes, but not the syntax, and some have nodes of their own. A registry holds its
//! dialects once per release: as they are, and under each [`Overlay`]. Dialects that a release does not mention, such as
//! those of third parties, are the same in all releases.

use std::panic::Location;

use super::dialect::Tables;
use super::{Dialect, RegistrationSite, Registry, RegistryBuilder, Resolver};
use crate::release::Release;

/// The changes of one release to the dialects of a registry.
#[must_use]
pub struct Overlay {
    pub(super) release: &'static Release,
    pub(super) place: RegistrationSite,
    replaced: Vec<Tables>,
    without: Vec<(&'static str, RegistrationSite)>,
    added: Vec<Tables>,
}

impl Overlay {
    /// Creates the overlay of a release whose dialects are those of the first one.
    #[track_caller]
    pub fn new(release: &'static Release) -> Overlay {
        Overlay::at(release, Location::caller())
    }

    pub(super) fn at(release: &'static Release, place: RegistrationSite) -> Overlay {
        Overlay { release, place, replaced: Vec::new(), without: Vec::new(), added: Vec::new() }
    }

    /// Puts a dialect in place of the one with the same name.
    pub fn replace<T>(mut self, dialect: Dialect<T>) -> Overlay {
        self.replaced.push(dialect.into_tables());
        self
    }

    /// Removes a dialect.
    #[track_caller]
    pub fn without(mut self, dialect: &'static str) -> Overlay {
        self.without.push((dialect, Location::caller()));
        self
    }

    /// Adds nodes, functions, printers, parsers or checks to the dialect with the same name, or a new dialect.
    pub fn extend<T>(mut self, dialect: Dialect<T>) -> Overlay {
        self.added.push(dialect.into_tables());
        self
    }

    /// The dialects of the release, given those of the first one. Reports names that no dialect has.
    pub(super) fn lay_over(self, dialects: &[Tables], resolver: &mut Resolver) -> Vec<Tables> {
        let Overlay { release, place: _, replaced, without, added } = self;
        let missing =
            |name: &str| format!("the dialect `{name}`, which the release `{}` changes", release.id());
        for (name, place) in without.iter().copied().chain(replaced.iter().map(|own| (own.name, own.place))) {
            if !dialects.iter().any(|dialect| dialect.name == name) {
                resolver.missing(missing(name), place);
            }
        }
        let stays = |dialect: &&Tables| !without.iter().any(|(name, _)| *name == dialect.name);
        let mut laid: Vec<Tables> = dialects.iter().filter(stays).cloned().collect();
        for own in replaced {
            if let Some(dialect) = laid.iter_mut().find(|dialect| dialect.name == own.name) {
                *dialect = own;
            }
        }
        for own in added {
            let after = laid.iter().rposition(|dialect| dialect.name == own.name);
            let extends = after.is_some();
            laid.insert(after.map_or(laid.len(), |at| at + 1), Tables { extends, ..own });
        }
        laid
    }
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Overlay").field(&self.release).finish()
    }
}

impl RegistryBuilder {
    /// Adds a release. Its overlay applies to all dialects of the registry, also to those that are added later.
    pub fn release(mut self, overlay: Overlay) -> RegistryBuilder {
        self.overlays.push(overlay);
        self
    }
}

impl Registry {
    /// Returns the release of these dialects.
    pub fn release(&self) -> &'static Release {
        self.release
    }

    /// Iterates over the releases: that of the dialects as they are, then the others in the order of addition.
    pub fn releases(&self) -> impl Iterator<Item = &'static Release> {
        std::iter::once(self.release).chain(self.others.iter().map(|other| other.release))
    }

    /// Returns the dialects as a release has them.
    pub fn of_release(&self, release: &Release) -> Option<&Registry> {
        std::iter::once(self).chain(&self.others).find(|registry| registry.release == release)
    }
}
